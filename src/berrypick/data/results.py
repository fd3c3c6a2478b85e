"""Results: one row per run, topic and measure, the means, and the facts behind them; they come out in a fixed order."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar

from berrypick.data.costs import TopicCosts, summary
from berrypick.data.drawn import DrawnValues, joined
from berrypick.data.errors import BerrypickWarning, Message, UsageError, nearest, one_line_template
from berrypick.data.exchange import Kind, Written
from berrypick.data.metric_names import metric_names
from berrypick.data.model_values import ModelValues, joined_model_values
from berrypick.data.score import Curve
from berrypick.data.signature import Signature
from berrypick.data.trace_step import TraceStep
from berrypick.data.words import counted

#: The topic name under which means are reported.
ALL = "all"


@dataclass(frozen=True)
class MeasureInfo:
    """Facts of a measure, under the text by which its values are reported."""

    text: str
    description: str = ""
    higher_is_better: bool = True
    has_curve: bool = False
    curve_axes: tuple[str, str] = ("", "")  # what the axes of its curve show
    summed: bool = False  # added up over topics, not averaged
    unbounded: bool = False  # a cost or another amount, from 0 on without an upper bound
    external: str = ""  # the library that computes it, if it is not berrypick
    counts_unjudged: bool = False  # whether unjudged text could change what a comparison finds


@dataclass(frozen=True)
class Note:
    """A note about results: what was skipped, assumed, cut, repaired or not computed.

    Attributes
    ----------
    kind
        A few words that programs may look for.
    text
        What is to be known.
    run
        The run that it is about, if it is about one.
    measure
        The measure that it is about, if it is about one.
    count
        How many topics it is about, where it is about some of them.

    Examples
    --------
    >>> import berrypick as bp
    >>> print(bp.Note("undefined", "no value", measure="RR", count=2))
    RR: no value (2 topics)
    """

    kind: str
    text: str
    run: str = ""
    measure: str = ""
    count: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", Message(self.text))

    @property
    def template(self) -> str:
        """The whole note, options still as options: the run and the measure it is about, its text, how many topics."""
        topics = "" if self.count is None else f" ({counted(self.count, 'topic')})"
        names = "".join(f"{name}: " for name in (self.run, self.measure) if name)
        return one_line_template(f"{names}{Message(self.text).template}{topics}")

    def __str__(self) -> str:
        return str(Message(self.template))


@dataclass(frozen=True)
class RunFacts:
    """Facts of a run that was evaluated."""

    name: str
    source: str = ""  # the file it came from
    results: int = 0
    topics: int = 0
    overlap: float | None = None  # the share of retrieved text that repeats earlier results, mean over topics
    #: The ids of the trace and of the step of it that retrieved, by topic, where the run comes from traces.
    traces: Mapping[str, TraceStep] = field(default_factory=dict)
    #: Results whose text is not in the documents: topic, rank, text and why; and whether an option accepts them.
    unplaced: Sequence[Mapping[str, Any]] = ()
    unplaced_accepted: bool = False
    tag: str = ""  # what its file calls it, or the name that was given with it
    costs: TopicCosts = field(default_factory=dict)  # latency, cost and tokens of scored topics, by topic and name


def unplaced_results(facts: Mapping[str, RunFacts]) -> list[dict[str, Any]]:
    """Return the results of some runs whose text is not in the documents, each with the name of its run."""
    return [{"run": name, **row} for name, one in facts.items() for row in one.unplaced]


@dataclass(frozen=True)
class TopicGroups:
    """Groups of topics by one of their fields; a topic without a value is in none."""

    field: str
    of: Mapping[str, str]  # topic to group

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in the order of their first topics."""
        return tuple(dict.fromkeys(self.of.values()))


@dataclass(frozen=True, slots=True)  # there may be millions
class Row:
    """One number."""

    run: str
    topic: str
    measure: str
    value: float | None
    signature: Signature
    curve: Curve | None = None
    #: The same curve at the points that all topics share, where the topic counts in the mean curve.
    common: Curve | None = None
    #: The group of the topic; of a mean, the group it is over, None where it is over all topics.
    group: str | None = None
    #: Of a mean: what the measure says beside it of all topics.
    summary: Mapping[str, float | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "run": self.run,
            "topic": self.topic,
            "measure": self.measure,
            "value": self.value,
            "signature": str(self.signature),
            **self.summary,
        }
        if self.curve is not None:
            row["curve"] = [[x, y] for x, y in self.curve]
        return row


class LateRows(Sequence[Row]):
    """Rows that are made when they are first looked at: there may be very many, and means need none."""

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none

    def __init__(self, make: Callable[[], list[Row]]) -> None:
        self._make: Callable[[], list[Row]] | None = make
        self._made: list[Row] = []

    @property
    def _rows(self) -> list[Row]:
        if (make := self._make) is not None:
            self._made = make()
            self._make = None  # when they are there: threads may share results
        return self._made

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, LateRows)) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._rows)

    def __reduce__(self) -> tuple[type[list[Row]], tuple[list[Row]]]:
        """Sent to another process as a list."""
        return list, (self._rows,)


@dataclass(frozen=True)
class Results(Written):
    """Rows for every topic, a mean for every run and measure, and notes.

    Attributes
    ----------
    topic_rows
        ``run``, ``topic``, ``measure``, ``value`` and ``signature`` for every topic.
    mean_rows
        The means, under topic "all".
    notes
        Notes about the numbers.
    measure_info
        Facts of each measure, such as whether larger is better.
    run_facts
        Facts of each run, such as how many results it has.
    groups
        Groups of topics, where they were asked for.
    group_rows
        A mean for every run, group and measure, where topics are grouped; not among the rows of the iteration.
    drawn
        Values for readers drawn from a fitted user model, where there is one.
    detectable
        By run and measure, where a test compared them with a baseline: the smallest true drop that it would report with
        probability 0.8, or None where that is not known.
    model
        Where a model's judgements assist those by people: the values by the model. The rows of topics are those by
        people, and the means are model-assisted.

    Examples
    --------
    >>> import berrypick as bp
    >>> results = bp.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "RR P@1")
    >>> isinstance(results, bp.Results), results["RR"], results.per_topic()
    (True, 0.5, {'run': {'RR': {'q': 0.5}, 'P@1': {'q': 0.0}}})
    >>> print(results.to_markdown(), end="")
    | run | RR | P@1 |
    | :-- | --: | --: |
    | run | 0.5000 | 0.0000 |
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("run", "topic", "measure", "signature", "group"), "text"),
        **dict.fromkeys(("value", "reader_low", "reader_high"), "number"),
    }

    topic_rows: Sequence[Row]
    mean_rows: Sequence[Row]
    notes: Sequence[Note] = ()
    measure_info: Mapping[str, MeasureInfo] = field(default_factory=dict)
    run_facts: Mapping[str, RunFacts] = field(default_factory=dict)
    groups: TopicGroups | None = None
    group_rows: Sequence[Row] = ()
    drawn: DrawnValues | None = None
    detectable: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    model: ModelValues | None = None

    @property
    def unplaced(self) -> list[dict[str, Any]]:
        """Results whose text is not in the documents, which count as irrelevant: run, topic, rank, text and why."""
        return unplaced_results(self.run_facts)

    def __iter__(self) -> Iterator[Row]:
        yield from self.topic_rows
        yield from self.mean_rows

    def __len__(self) -> int:
        return len(self.topic_rows) + len(self.mean_rows)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(dict.fromkeys(row.run for row in self.mean_rows))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, as they were requested."""
        return tuple(dict.fromkeys(row.measure for row in self.mean_rows))

    @property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics."""
        return tuple(dict.fromkeys(row.topic for row in self.topic_rows))

    def info(self, measure: str) -> MeasureInfo:
        """Return the facts of one measure."""
        if measure not in self.measure_info:
            raise UsageError(f"these results do not state whether larger values of {measure} are better (measure_info)")
        return self.measure_info[measure]

    def __getitem__(self, name: str) -> Any:
        """``results["run"]`` holds the rows of one run; with one run, ``results["measure"]`` is its mean."""
        if name in self.runs:
            return self.only(runs=[name])
        if len(self.runs) == 1 and name in self.measures:
            return self.mean()[self.runs[0]][name]
        raise KeyError(f"no run {name!r}{nearest(name, list(self.runs)) or '; available: ' + ', '.join(self.runs)}")

    def __contains__(self, name: object) -> bool:
        return name in self.runs

    def only(self, runs: Sequence[str] | None = None, measures: Sequence[str] | None = None) -> Results:
        """Return the rows of some runs and measures, with the notes about them."""
        some_runs = _chosen("run", runs, self.runs)
        some_measures = _chosen("measure", measures, self.measures)

        def kept(row: Row) -> bool:
            return row.run in some_runs and row.measure in some_measures

        return Results(
            [row for row in self.topic_rows if kept(row)],
            [row for row in self.mean_rows if kept(row)],
            tuple(
                note
                for note in self.notes
                if (not note.run or note.run in some_runs) and (not note.measure or note.measure in some_measures)
            ),
            {name: info for name, info in self.measure_info.items() if name in some_measures},
            {name: facts for name, facts in self.run_facts.items() if name in some_runs},
            self.groups,
            [row for row in self.group_rows if kept(row)],
            None if self.drawn is None else self.drawn.only(some_runs, some_measures),
            model=None if self.model is None else self.model.only(some_runs, some_measures),
        )

    def renamed(self, names: Mapping[str, str]) -> Results:
        """Return the same with other names of runs."""
        twice = [name for name, count in Counter(names.get(run, run) for run in self.runs).items() if count > 1]
        if twice:
            raise UsageError(f"two runs would be called {twice[0]}; give them different names")

        def row(one: Row) -> Row:
            return replace(one, run=names.get(one.run, one.run))

        return Results(
            [row(one) for one in self.topic_rows],
            [row(one) for one in self.mean_rows],
            tuple(replace(note, run=names.get(note.run, note.run)) for note in self.notes),
            self.measure_info,
            {names.get(n, n): replace(facts, name=names.get(n, n)) for n, facts in self.run_facts.items()},
            self.groups,
            [row(one) for one in self.group_rows],
            None if self.drawn is None else self.drawn.renamed(names),
            model=None if self.model is None else self.model.renamed(names),
        )

    def __repr__(self) -> str:
        parts = (
            counted(len(self.runs), "run"),
            counted(len(self.measures), "measure"),
            counted(len(self.topics), "topic"),
        )
        return f"Results({', '.join(parts)})"

    def __str__(self) -> str:
        """The table of means, with the notes."""
        from berrypick.tables.text import results_text

        return results_text(self)

    def mean(self) -> dict[str, dict[str, float | None]]:
        """Return ``{run: {measure: mean over topics}}``; None where no topic has a value."""
        found: dict[str, dict[str, float | None]] = {}
        for row in self.mean_rows:
            found.setdefault(row.run, {})[row.measure] = row.value
        return found

    def costs(self, topics: Collection[str] | None = None) -> dict[str, dict[str, dict[str, float]]]:
        """Return ``{run: {name: {mean, median, p95, n}}}`` of latency, cost and tokens, over the topics that have them.

        ``run_facts[run].costs`` has the values of topics. A run that states no costs has none.

        >>> import berrypick as bp
        >>> run = {"q": {"results": ["a"], "latency": 0.4}, "r": {"results": ["b"], "latency": 0.6}}
        >>> bp.evaluate({"q": {"a": 1}, "r": {"a": 1}}, run, "RR").costs()
        {'run': {'latency': {'mean': 0.5, 'median': 0.5, 'p95': 0.59, 'n': 2}}}
        """
        found = {run: summary(facts.costs, topics) for run, facts in self.run_facts.items()}
        return {run: one for run, one in found.items() if one}

    def metrics(self) -> dict[str, Any]:
        """Return ``{name: mean}`` for ``mlflow.log_metrics`` and the like; of several runs ``{run: {name: mean}}``.

        Names are those of the measures in characters that MLflow accepts: ``charR_at_5`` for charR@5. A mean that is
        undefined is left out. Measures of whole documents where parts are judged give a warning: no note goes along.
        """
        warn_of_whole_documents(self.notes, len(self.runs))
        names = metric_names(self.measures)
        found = {
            run: {names[measure]: value for measure, value in means.items() if value is not None}
            for run, means in self.mean().items()
        }
        return next(iter(found.values())) if len(found) == 1 else found

    def write_back(self, client: Any) -> Any:
        """Write the score of every trace to where the traces are kept, by a client of LangSmith, Langfuse, Phoenix or
        MLflow, or to a file of OpenTelemetry events (``"scores.jsonl"``); the runs must come from traces. Returns how
        many scores were written."""
        from berrypick.integrations.write_back import write_back

        return write_back(self, client)

    def by_group(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return ``{run: {measure: {group: mean}}}``; needs ``evaluate(by=...)``."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self.group_rows:
            found.setdefault(row.run, {}).setdefault(row.measure, {})[row.group or ""] = row.value
        return found

    def only_group(self, group: str) -> Results:
        """Return the rows of one group of topics, its means as the means."""
        if self.groups is None or group not in self.groups.names:
            known = () if self.groups is None else self.groups.names
            raise UsageError(f"no group {group!r}{nearest(group, list(known)) or '; available: ' + ', '.join(known)}")
        return replace(
            self,
            topic_rows=[row for row in self.topic_rows if row.group == group],
            mean_rows=[replace(row, group=None) for row in self.group_rows if row.group == group],
            groups=None,
            group_rows=(),
            drawn=None if self.drawn is None else self.drawn.over([t for t, g in self.groups.of.items() if g == group]),
        )

    def per_topic(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return ``{run: {measure: {topic: value}}}``."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self.topic_rows:
            try:
                found[row.run][row.measure][row.topic] = row.value
            except KeyError:
                found.setdefault(row.run, {})[row.measure] = {row.topic: row.value}
        return found

    def worst(self, n: int = 10, *, measure: str | None = None, run: str | None = None) -> list[str]:
        """Return the n topics with the worst values, worst first: of the first measure and run unless named.

        Ties are in the order of the truth; topics without a value are left out.

        >>> import berrypick as bp
        >>> bp.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"], "r": ["b", "a"]}, "RR").worst(1)
        ['r']
        """
        results = self.only(None if run is None else [run], None if measure is None else [measure])
        first = results.measures[0]
        values = results.per_topic().get(results.runs[0], {}).get(first, {})
        sign = 1.0 if results.info(first).higher_is_better else -1.0
        known = [(sign * value, topic) for topic, value in values.items() if value is not None]
        return [topic for _, topic in sorted(known, key=lambda pair: pair[0])[:n]]

    def curves(self) -> dict[str, dict[str, dict[str, Curve]]]:
        """Return ``{run: {measure: {topic: curve}}}``, the mean curve under topic "all".

        Needs ``evaluate(curves=True)``.
        """
        found: dict[str, dict[str, dict[str, Curve]]] = {}
        for row in self:
            if row.curve is not None:
                found.setdefault(row.run, {}).setdefault(row.measure, {})[row.topic] = row.curve
        return found

    def records(self, per_topic: bool = True) -> list[dict[str, Any]]:
        """Return rows as dictionaries: run by run, topics first, then the means, those of groups before those of all.

        Where topics are grouped, ``group`` is that of the topic or of the mean, None for the mean over all topics.
        With a fitted user model, ``reader_low`` and ``reader_high`` are the interval over readers.
        """
        by_run: dict[str, list[dict[str, Any]]] = {}
        costs = {group: self.costs(topics) for group, topics in self.members().items()} if self.costs() else {}
        for rows, of_topics in ((self.topic_rows if per_topic else (), True), (self.group_rows, False),
                                (self.mean_rows, False)):  # fmt: skip
            for row in rows:
                more: dict[str, Any] = {} if self.groups is None else {"group": row.group}
                if self.drawn is not None:
                    more["reader_low"], more["reader_high"] = self.reader_interval(row, of_topics)
                if own := self._topic_costs(row) if of_topics else costs.get(row.group, {}).get(row.run):
                    more["costs"] = own
                by_run.setdefault(row.run, []).append(row.as_dict() | more)
        return [row for rows in by_run.values() for row in rows]

    def _topic_costs(self, row: Row) -> Mapping[str, Any] | None:
        """The costs of the topic of a row."""
        facts = self.run_facts.get(row.run)
        return None if facts is None else facts.costs.get(row.topic)

    def members(self) -> dict[str | None, frozenset[str] | None]:
        """Return the topics of each group; under None, None for all topics."""
        members: dict[str | None, set[str]] = {}
        for topic, group in (self.groups.of if self.groups else {}).items():
            members.setdefault(group, set()).add(topic)
        return {None: None, **{group: frozenset(topics) for group, topics in members.items()}}

    def reader_interval(self, row: Row, of_topic: bool = False) -> tuple[float | None, float | None]:
        """Return the interval of a mean over readers drawn from a fitted user model, or ``of_topic`` that of a value.

        Without a fitted user model, and for measures that no reader changes, its ends are None.
        """
        if self.drawn is None:
            return None, None
        if of_topic:
            return self.drawn.topic(row.run, row.measure, row.topic)
        if row.group is None or self.groups is None:
            return self.drawn.mean(row.run, row.measure)
        own = [topic for topic, group in self.groups.of.items() if group == row.group]
        return self.drawn.mean(row.run, row.measure, own)

    def table(self, output: str = "table", places: int | None = None, per_topic: bool = False) -> str:
        """Return the text that ``berrypick evaluate -o output`` prints: the means, with ``per_topic`` all topics too.

        ``output`` is 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'.
        """
        from berrypick.tables.text import render

        return render(self, output, per_topic, places)

    def save(self, path: str | PathLike[str]) -> None:
        """Write all rows to a .json, .jsonl or .parquet file, which ``berrypick.read_results`` reads.

        Notes are not written; of curves only JSON has those that were computed.
        """
        from berrypick.tables.text import save_results

        save_results(self, path)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of :meth:`rows` and of data frames."""
        readers = [] if self.drawn is None else ["reader_low", "reader_high"]
        return ["run", "topic", "measure", "value", "signature", *([] if self.groups is None else ["group"]), *readers]

    def rows(self, per_topic: bool = True) -> list[list[Any]]:
        """Return all rows, means under topic "all", as lists.

        ``wandb.Table(columns=results.columns, data=results.rows())`` takes them.
        """
        columns = self.columns
        return [[row[name] for name in columns] for row in self.records(per_topic)]

    def _columns(self) -> dict[str, list[Any]]:
        rows = self.records()
        return {name: [row[name] for row in rows] for name in self.columns}

    def plot(self, kind: Any = None, **how: Any) -> Any:
        """Return an Altair chart: 'curves' (needs ``evaluate(curves=True)``), 'topics', 'means'; else what suits.

        'together' shows EPRUM between its bounds without the independence assumption, EPRUM(together='low') and
        EPRUM(together='high').

        ``how``: baseline, until, band, width and height (like '8.5cm'), font_size, confidence, resamples, seed.
        """
        from berrypick.report.figures.charts import plot_results

        return plot_results(self, kind, **how)

    def _repr_html_(self) -> str | None:
        """The table of means, for notebooks."""
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)


def _chosen(what: str, given: Sequence[str] | None, known: Sequence[str]) -> set[str]:
    """The names given, one or several, each of them known; all names where none are given."""
    names = known if given is None else [given] if isinstance(given, str) else list(given)
    for name in names:
        if name not in known:
            raise UsageError(f"no {what} {name!r}{nearest(name, list(known)) or '; available: ' + ', '.join(known)}")
    return set(names)


def concat(*results: Results) -> Results:
    """Join several results into one: other runs, other measures, or both.

    Parameters
    ----------
    *results : Results
        The results; a number must not occur twice, and all or none have groups of topics.

    Returns
    -------
    Results
        All rows and all notes.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"a": 1}}
    >>> one, two = (bp.evaluate(truth, {name: {"q": {"a": 1.0}}}, "RR") for name in ("one", "two"))
    >>> bp.concat(one, two).runs
    ('one', 'two')
    """
    if not results:
        raise UsageError("concat takes at least one Results")
    seen: set[tuple[str, str]] = set()
    for one in results:
        if not isinstance(one, Results):
            raise UsageError(f"concat takes Results, not {type(one).__name__}")
        twice = next((key for row in one.mean_rows if (key := (row.run, row.measure)) in seen), None)
        if twice is not None:
            raise UsageError(
                f"run {twice[0]} has {twice[1]} in two of the results; rename one: results.renamed({{...}})"
            )
        seen |= {(row.run, row.measure) for row in one.mean_rows}
        if one.groups != results[0].groups:
            raise UsageError("the results have different groups of topics, or only some of them have groups")
        if (one.model is None) != (results[0].model is None):
            raise UsageError("only some of the results are model-assisted; evaluate all of them in the same way")
    return Results(
        [row for one in results for row in one.topic_rows],
        [row for one in results for row in one.mean_rows],
        tuple(dict.fromkeys(note for one in results for note in one.notes)),
        {name: info for one in results for name, info in one.measure_info.items()},
        _joined_facts(results),
        results[0].groups,
        [row for one in results for row in one.group_rows],
        joined([one.drawn for one in results]),
        model=joined_model_values([one.model for one in results]),
    )


def _joined_facts(results: Sequence[Results]) -> dict[str, RunFacts]:
    """Facts of all runs; a run whose numbers come from two files is in neither of them."""
    found: dict[str, RunFacts] = {}
    for one in results:
        for name, facts in one.run_facts.items():
            moved = name in found and found[name].source != facts.source
            found[name] = replace(facts, source="") if moved else facts
    return found


def mean(values: Sequence[float | None]) -> float | None:
    """Mean of what is defined; exact summation, so that the order of topics does not matter."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


# --- numbers that count whole documents although parts of them are judged ---------------------------------------------

#: The one note that says so, wherever results go. Gates refuse such a number; whatever hands on numbers alone warns.
WHOLE_DOCUMENTS = "whole documents"
#: The field of a signature that says what was judged, where a measure counts whole documents instead.
JUDGED = "judged"


def whole_documents_note(measure: str, instead: str, units: str, run: str = "") -> Note:
    """The note on a measure, with the measure that counts what was judged."""
    text = f"counts whole documents, each at its best rank and relevant if any text in it is; {instead} counts {units}"
    return Note(WHOLE_DOCUMENTS, text, run, measure)


def refuse_whole_documents(notes: Iterable[Note], what: str, measures: Collection[str] | None = None) -> None:
    """Refuse what would rest on such a number: of any measure, or of some."""
    for note in notes:
        if note.kind == WHOLE_DOCUMENTS and (measures is None or note.measure in measures):
            raise UsageError(f"{note.measure} {note.text}. {what} would count text that never touches an answer")


def warn_of_whole_documents(notes: Iterable[Note], runs: int, measures: Collection[str] | None = None) -> None:
    """Warn the caller of the caller, who sees numbers without notes."""
    from berrypick.data.merged_notes import merge_notes  # of notes, which this file has

    told = [note for note in notes if note.kind == WHOLE_DOCUMENTS and (measures is None or note.measure in measures)]
    for note in merge_notes(told, runs):
        warnings.warn(str(note), BerrypickWarning, stacklevel=3)
