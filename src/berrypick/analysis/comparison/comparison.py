"""What a comparison of runs is: its method, means with intervals, pairs of runs, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from berrypick.analysis.comparison.run_identity import find_run
from berrypick.data.costs import cost_columns, summary
from berrypick.data.drawn import Ends
from berrypick.data.errors import UsageError, nearest, shorten
from berrypick.data.exchange import Kind, Written, columns_of
from berrypick.data.results import ALL, Note, RunFacts, unplaced_results
from berrypick.data.signature import Signature
from berrypick.data.words import counted
from berrypick.statistics.method_names import CORRECTIONS, INTERVALS, TESTS, CorrectionName, IntervalName, TestName
from berrypick.statistics.topic_values import TIE
from berrypick.tables.tabular import Resampling, fields_of

if TYPE_CHECKING:
    from berrypick.analysis.comparison.detectable import Detectable
    from berrypick.analysis.ledger.looks import Look
    from berrypick.data.model_values import ModelValues
    from berrypick.evaluation.model_truth import Assisted, ModelBias

FamilyName = Literal["measure", "all"]
PairsName = Literal["all", "baseline"]
FAMILIES: tuple[FamilyName, ...] = ("measure", "all")
PAIRS: tuple[PairsName, ...] = ("all", "baseline")


@dataclass(frozen=True)
class Method(Resampling):
    """How runs are compared; every part of it is in the signature."""

    test: TestName = "randomisation"
    correction: CorrectionName = "holm"
    family: FamilyName = "measure"
    pairs: PairsName = "all"
    interval: IntervalName = "expanded"
    #: How many sign changes the test draws where corrected p-values need more of them than intervals need resamples.
    sign_changes: int | None = None
    #: Whether a model's judgements assist those by people: intervals and tests are then Student's.
    assisted: bool = False

    def __post_init__(self) -> None:
        choices: dict[str, Sequence[str]] = {
            "test": TESTS, "correction": CORRECTIONS, "family": FAMILIES, "pairs": PAIRS, "interval": INTERVALS
        }  # fmt: skip
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                offer = nearest(str(value), list(known)) or f"; expected one of {', '.join(known)}"
                raise UsageError(f"unknown {name} {value!r}{offer}")
        super().__post_init__()

    def fields(self) -> list[tuple[str, str]]:
        """The method as fields of a signature."""
        if self.assisted:
            names = ["confidence", "test", "pairs", "correction", "family"]
            return [("interval", "model-assisted"), *self._fields(*names), *self._clustered()]
        names = ["interval", "confidence", "test", "pairs", "correction", "family", "resamples"]
        drawn = [] if self.sign_changes is None else ["sign_changes"]
        return self._fields(*names, *drawn, "seed") + self._clustered()


@dataclass(frozen=True)
class Estimate:
    """The mean of one run under one measure; ``low`` and ``high`` are None with fewer than two topics, or where all
    values are equal and not hits."""

    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    topics: int  # with a value
    undefined: int  # without one
    label: str  # the letter of the run
    beats: tuple[str, ...]  # labels of the runs that it is significantly better than
    higher_is_better: bool
    signature: Signature
    #: Its interval over readers drawn from a fitted user model; None without one.
    reader: Ends | None = None
    #: The kind of its interval over topics: a bootstrap, 'wilson', 'cox', 'studentised'; 'equal' or 'few' for none.
    interval: str = ""
    #: What a model-assisted mean is made of, and how the model's values differ from those by people; else None.
    assisted: Assisted | None = None
    bias: ModelBias | None = None

    @property
    def letters(self) -> str:
        """The labels of the runs it beats, as shown above a number."""
        return ("," if any(len(label) > 1 for label in self.beats) else "").join(self.beats)


@dataclass(frozen=True)
class Pair:
    """Two runs under one measure: ``run`` minus ``versus``, over the topics where both have a value.

    ``wins`` counts topics where ``run`` is better, which is lower for measures where smaller is better. ``effect`` is
    the paired Cohen's d and has the sign of the difference.
    """

    measure: str
    run: str
    versus: str
    topics: int
    unpaired: int  # topics where only one of them has a value
    difference: float | None
    low: float | None
    high: float | None
    statistic: float | None
    p: float | None
    p_adjusted: float | None
    exact: bool
    effect: float | None
    wins: int
    ties: int
    losses: int
    significant: bool
    higher_is_better: bool
    #: The mean difference under the truths that favour ``versus`` and ``run``, for measures of characters.
    unjudged: tuple[float, float] | None = None
    #: The interval of the mean difference over readers drawn from a fitted user model; None without one.
    reader: Ends | None = None
    #: The mean difference under the joint distributions that favour ``versus`` and ``run``, where that was asked for.
    together: tuple[float, float] | None = None
    #: The means over topics of the least and of the largest difference, over all labellings of unjudged text and all
    #: joint distributions; None where it was not asked for, or is not known.
    extremes: tuple[float, float] | None = None
    #: The interval over topics of both: its lower end for the least, its upper end for the largest.
    joint: Ends | None = None
    #: How many topics, or clusters of them, the test and the intervals draw.
    units: int = 0
    #: The kind of the interval over topics: a bootstrap or 'tango'; 'equal' or 'few' for none.
    interval: str = ""
    #: The level at which the difference is significant, where a ledger counts looks; else 1 - confidence.
    level: float | None = None
    #: What a model-assisted difference is made of; else None.
    assisted: Assisted | None = None

    @property
    def could_turn_round(self) -> bool | None:
        """Whether unjudged text alone could turn the difference round; None for other measures."""
        if self.unjudged is None or self.difference is None:
            return None
        low, high = self.unjudged
        return low < -TIE if self.difference > 0 else high > TIE if self.difference < 0 else False

    @property
    def better(self) -> bool:
        """``run`` is significantly better than ``versus``."""
        return self.significant and self.difference is not None and (self.difference > 0) == self.higher_is_better

    @property
    def worse(self) -> bool:
        """``run`` is significantly worse than ``versus``."""
        return self.significant and not self.better

    def turned(self) -> Pair:
        """The same comparison seen from the other run."""
        return replace(
            self,
            run=self.versus,
            versus=self.run,
            difference=_negative(self.difference),
            low=_negative(self.high),
            high=_negative(self.low),
            statistic=_negative(self.statistic),
            effect=_negative(self.effect),
            wins=self.losses,
            losses=self.wins,
            unjudged=None if self.unjudged is None else (0.0 - self.unjudged[1], 0.0 - self.unjudged[0]),
            together=None if self.together is None else (0.0 - self.together[1], 0.0 - self.together[0]),
            extremes=None if self.extremes is None else (0.0 - self.extremes[1], 0.0 - self.extremes[0]),
            reader=None if self.reader is None else (_negative(self.reader[1]), _negative(self.reader[0])),
            joint=None if self.joint is None else (_negative(self.joint[1]), _negative(self.joint[0])),
            assisted=None if self.assisted is None else self.assisted.turned(),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            **fields_of(self, "versus", "topics"),
            "left_out": self.unpaired,
            **fields_of(
                self, "difference", "low", "high", "interval", "statistic", "p", "p_adjusted", "exact", "effect"
            ),
            **fields_of(self, "wins", "ties", "losses", "significant", "better"),
            **({} if self.level is None else {"level": self.level}),
            **({} if self.unjudged is None else self._unjudged()),
            **reader_fields(self.reader),
            **({} if self.assisted is None else self.assisted.fields()),
        }

    def _unjudged(self) -> dict[str, Any]:
        assert self.unjudged is not None
        low, high = self.unjudged
        return {"unjudged_low": low, "unjudged_high": high, "could_turn_round": self.could_turn_round}


@dataclass(frozen=True)
class Comparison(Written):
    """The result of :func:`compare`: an estimate for every run and measure, and every pair of runs once.

    Attributes
    ----------
    estimates
        The mean of each run under each measure, with its interval.
    pairs
        Two runs under one measure: difference, interval, test, effect, topics won and lost.
    baseline
        The run that others are compared with.
    method
        How runs are compared.
    notes
        Notes about the numbers.
    unlike_topics
        Where runs do not have rows for the same topics: the topics of each run and measure.
    by
        The field by which topics are grouped.
    groups
        The same over the topics of each group.
    clusters
        Number of clusters, if whole clusters are resampled.
    run_facts
        Facts of each run, such as its file and how many results it has, where it was evaluated for this comparison.
    topic_values
        What pairs are computed from: values by run, measure and topic.
    cluster_of
        The cluster of each topic, where whole clusters are resampled.
    detectable
        By measure, run and the run it is compared with: the smallest drop that a gate on this pair would report.
    looks
        By measure and run, where a ledger counts them: which look at the truth it is, and the level for "better".
    ledger_head
        The checksum of the ledger's last line.
    model
        Where a model's judgements assist those by people: the values by the model. ``topic_values`` are by people.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"1": {"a": 1}, "2": {"a": 1}}
    >>> found = bp.compare(truth, {"x": truth, "y": {"1": {"b": 2.0, "a": 1.0}}}, "RR")
    >>> isinstance(found, bp.Comparison), found.estimate("RR", "y").value
    (True, 0.25)
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("group", "measure", "run", "versus", "letters"), "text"),
        **dict.fromkeys(("topics", "left_out", "wins", "ties", "losses"), "count"),
        **dict.fromkeys(("value", "low", "high", "p", "p_adjusted", "effect", "reader_low", "reader_high"), "number"),
        **dict.fromkeys(("people", "model", "worth"), "number"),
        "model_topics": "count",
        "significant": "flag",
    }

    estimates: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    baseline: str | None
    method: Method
    notes: tuple[Note, ...] = ()
    unlike_topics: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    by: str = ""
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    clusters: int | None = None
    run_facts: Mapping[str, RunFacts] = field(default_factory=dict)
    topic_values: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict, compare=False)
    cluster_of: Mapping[str, tuple[str, str]] | None = field(default=None, compare=False)
    detectable: Mapping[tuple[str, str, str], Detectable] = field(default_factory=dict)
    looks: Mapping[tuple[str, str], Look] = field(default_factory=dict)
    ledger_head: str = ""
    model: ModelValues | None = field(default=None, compare=False)

    @property
    def unplaced(self) -> list[dict[str, Any]]:
        """Results whose text is not in the documents: run, topic, rank, text and why."""
        return unplaced_results(self.run_facts)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(dict.fromkeys(estimate.run for estimate in self.estimates))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(dict.fromkeys(estimate.measure for estimate in self.estimates))

    @cached_property
    def _estimates(self) -> dict[tuple[str, str], Estimate]:
        return {(estimate.measure, estimate.run): estimate for estimate in self.estimates}

    @cached_property
    def _pairs(self) -> dict[tuple[str, str, str], Pair]:
        found = {(pair.measure, pair.run, pair.versus): pair for pair in self.pairs}
        return found | {(pair.measure, pair.versus, pair.run): pair.turned() for pair in self.pairs}

    def run_name(self, name: str) -> str:
        """Return the name of a run, from its file, its name or its tag; an error where that fits two runs."""
        return find_run(name, self.runs, self.run_facts)

    def estimate(self, measure: str, run: str) -> Estimate:
        """Return the mean of a run under a measure, with its interval."""
        return self._estimates[measure, run]

    def pair(self, measure: str, run: str, versus: str) -> Pair | None:
        """Return ``run`` compared with ``versus``; None if these two were not compared."""
        return self._pairs.get((measure, run, versus))

    def against_baseline(self, measure: str, run: str) -> Pair | None:
        """Return a run compared with the baseline; None if it is the baseline."""
        return None if self.baseline is None else self.pair(measure, run, self.baseline)

    def compared_with(self, measure: str, run: str) -> Iterator[Pair]:
        """Return every comparison of a run, the baseline first."""
        others = sorted((other for other in self.runs if other != run), key=lambda other: other != self.baseline)
        for other in others:
            pair = self.pair(measure, run, other)
            if pair is not None:
                yield pair

    def table(self, output: str = "table", places: int | None = None, layout: str | None = None) -> str:
        """Return a text: 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'; layout 'details' or 'runs'."""
        from berrypick.analysis.comparison.comparison_text import render

        return render(self, output, places, layout)

    def __repr__(self) -> str:
        baseline = f", baseline {shorten(self.baseline, 80)!r}" if self.baseline is not None else ""
        return f"Comparison({counted(len(self.runs), 'run')}, {counted(len(self.measures), 'measure')}{baseline})"

    def __str__(self) -> str:
        """The tables, with the notes."""
        from berrypick.tables.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.notes, self.runs)

    def records(self) -> list[dict[str, Any]]:
        """Return an object for each run and measure, with everything that is known, as in JSON output.

        Then for each group.
        """
        found = self._records()
        if not self.groups:
            return found
        rows = [{**row, "group": None} for row in found]
        return rows + [{**row, "group": name} for name, one in self.groups.items() for row in one._records()]

    def _records(self) -> list[dict[str, Any]]:
        spent = self._spent
        return [
            {
                "run": one.run,
                "topic": ALL,
                **fields_of(one, "measure", "value"),
                "signature": str(one.signature),
                **fields_of(one, "low", "high", "interval", "topics", "undefined"),
                **reader_fields(one.reader),
                **({"costs": spent[one.run]} if spent.get(one.run) else {}),
                **assisted_fields(one),
                "increasing": one.higher_is_better,
                "baseline": self.baseline,
                "label": one.label,
                "beats": list(one.beats),
                **self._look(one),
                "comparisons": [
                    {**pair.as_dict(), **self._detectable(pair)} for pair in self.compared_with(one.measure, one.run)
                ],
            }
            for one in sorted(self.estimates, key=lambda one: self.runs.index(one.run))
        ]

    def _look(self, one: Estimate) -> dict[str, Any]:
        """Which look a run is, and the head of the ledger; nothing without a ledger."""
        if not self.ledger_head:
            return {}
        look = self.looks.get((one.measure, one.run))
        return {"look": None if look is None else look.number, "ledger_head": self.ledger_head}

    def _detectable(self, pair: Pair) -> dict[str, Any]:
        """The smallest drop that a gate on a pair would report, and why there is none; nothing without a gate."""
        found = self.detectable.get((pair.measure, pair.run, pair.versus))
        if found is None:
            return {}
        return {"detectable": found.drop, **({"detectable_reason": found.reason} if found.reason else {})}

    def rows(self) -> list[dict[str, Any]]:
        """Return tidy rows: a run's mean (``versus`` is None), then its differences from others, the baseline first.

        Where topics are grouped, the same for each group follows, with a column ``group``.
        """
        columns = cost_columns(self._spent.values())
        if not self.groups:
            return self._rows(columns)
        rows = [{"group": None, **row} for row in self._rows(columns)]
        return rows + [{"group": name, **row} for name, one in self.groups.items() for row in one._rows(columns)]

    @property
    def _spent(self) -> dict[str, dict[str, dict[str, float]]]:
        """What the topics of each run cost; nothing in the comparison of a group."""
        return {run: summary(facts.costs) for run, facts in self.run_facts.items()}

    def _rows(self, columns: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        spent = self._spent
        for one in self.estimates:
            empty = dict.fromkeys(("left_out", "p", "p_adjusted", "effect", "wins", "ties", "losses", "significant"))
            found.append(
                {"measure": one.measure, "run": one.run, "versus": None, "topics": one.topics, "value": one.value,
                 "low": one.low, "high": one.high, **empty, "letters": one.letters, **reader_fields(one.reader),
                 **({} if one.assisted is None else one.assisted.fields()), **_costs(spent.get(one.run), columns)}
            )  # fmt: skip
            for pair in self.compared_with(one.measure, one.run):
                known = {key: value for key, value in pair.as_dict().items() if key in empty}
                found.append(
                    {"measure": one.measure, "run": one.run, "versus": pair.versus, "topics": pair.topics,
                     "value": pair.difference, "low": pair.low, "high": pair.high, **known, "letters": None,
                     **reader_fields(pair.reader),
                     **({} if pair.assisted is None else pair.assisted.fields()), **_costs(None, columns)}
                )  # fmt: skip
        return found

    def _columns(self) -> dict[str, list[Any]]:
        return columns_of(self.rows())

    def unmet(
        self,
        *,
        under: Mapping[str, float] | None = None,
        over: Mapping[str, float] | None = None,
        worse_than: str | None = None,
        margin: float | None = None,
        must_see: float | None = None,
    ) -> list[str]:
        """Return the gates that are not met, a sentence for each; see :mod:`berrypick.analysis.comparison.gates`."""
        from berrypick.analysis.comparison.gates import Gates

        return Gates(under or {}, over or {}, worse_than, margin, must_see).unmet(self)

    def plot(self, **how: Any) -> Any:
        """Return an Altair chart of the means with their intervals; ``how``: width, height ('8.5cm'), font_size."""
        from berrypick.report.figures.charts import plot_comparison

        return plot_comparison(self, **how)

    def _repr_html_(self) -> str | None:
        """Means with intervals and letters, for notebooks."""
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)


def letters_of(pairs: Sequence[Pair], label: Mapping[str, str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return by measure and run the labels of the runs that it is significantly better than."""
    beaten: dict[tuple[str, str], list[str]] = {}
    significant = [pair for pair in pairs if pair.significant]
    for pair in [*significant, *(pair.turned() for pair in significant)]:
        if pair.better:
            beaten.setdefault((pair.measure, pair.run), []).append(label[pair.versus])
    return {key: tuple(sorted(names, key=lambda name: (len(name), name))) for key, names in beaten.items()}


def reader_fields(ends: Ends | None) -> dict[str, float | None]:
    """The interval over readers as fields of a record; none without a fitted user model."""
    return {} if ends is None else {"reader_low": ends[0], "reader_high": ends[1]}


def assisted_fields(one: Estimate) -> dict[str, Any]:
    """What a model-assisted mean is made of, as fields of a record; none of other means."""
    return {} if one.assisted is None or one.bias is None else {**one.assisted.fields(), **vars(one.bias)}


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 if value == 0 else -value


def _costs(
    spent: Mapping[str, Mapping[str, float]] | None, columns: Iterable[tuple[str, str]]
) -> dict[str, float | None]:
    """Costs as fields of a row: those of a run, or nothing where none are known, or for a difference."""
    return {f"{name}_{statistic}": (spent or {}).get(name, {}).get(statistic) for name, statistic in columns}
