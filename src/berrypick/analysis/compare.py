"""Comparison of runs: means with intervals, paired tests, significance.

The pieces are in :mod:`berrypick.analysis.statistics`; here they meet the rows of an evaluation. What is compared, in
order:

* a run's mean and its interval are over the topics where the run has a value;
* two runs are compared over the topics where both have one, and the others are counted (``unpaired``);
* p-values are corrected within a family: all pairs of runs under one measure, or all pairs under all measures;
* a run is *significantly better* than another if the corrected p-value is at most 1 - confidence and the mean
  difference goes the right way: up, or down for measures like ESL and Overlap where smaller is better.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from berrypick.analysis import statistics
from berrypick.analysis.statistics import CORRECTIONS, INTERVALS, TESTS, CorrectionName, IntervalName, TestName
from berrypick.analysis.topic_values import TIE
from berrypick.analysis.unjudged import UnjudgedBounds, unjudged_bounds
from berrypick.core import spec as specs
from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.arrow import Kind, arrow_stream
from berrypick.core.errors import UsageError, nearest, shorten
from berrypick.core.results import ALL, Note, Results, Signature, TopicGroups, mean
from berrypick.core.truth import Truth
from berrypick.core.words import counted
from berrypick.evaluation.evaluation import Evaluation, Progress
from berrypick.evaluation.groups import UNUSED_TABLE, topic_clusters
from berrypick.evaluation.notes import some
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.measures.base import Measure

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords

FamilyName = Literal["measure", "all"]
PairsName = Literal["all", "baseline"]
FAMILIES: tuple[FamilyName, ...] = ("measure", "all")
PAIRS: tuple[PairsName, ...] = ("all", "baseline")

#: Below so many topics the intervals are known to be too narrow.
FEW_TOPICS = 10


@dataclass(frozen=True)
class Method:
    """How runs are compared; every part of it is in the signature."""

    test: TestName = "randomisation"
    correction: CorrectionName = "holm"
    family: FamilyName = "measure"
    pairs: PairsName = "all"
    interval: IntervalName = "expanded"
    resamples: int = 10_000
    seed: int = 0
    confidence: float = 0.95
    cluster: str = ""  # the field or file by which topics are clustered

    def __post_init__(self) -> None:
        for name, value, known in (
            ("test", self.test, TESTS),
            ("correction", self.correction, CORRECTIONS),
            ("family", self.family, FAMILIES),
            ("pairs", self.pairs, PAIRS),
            ("interval", self.interval, INTERVALS),
        ):
            if value not in known:
                offer = nearest(str(value), list(known)) or f"; expected one of {', '.join(known)}"
                raise UsageError(f"unknown {name} {value!r}{offer}")
        statistics.check_draws(self.confidence, self.resamples, self.seed)

    @property
    def alpha(self) -> float:
        """The level of significance, 1 - confidence."""
        return round(1 - self.confidence, 12)

    def fields(self) -> tuple[tuple[str, str], ...]:
        """The method as fields of a signature."""
        return (
            ("interval", self.interval),
            ("confidence", f"{self.confidence:.12g}"),
            ("test", self.test),
            ("pairs", self.pairs),
            ("correction", self.correction),
            ("family", self.family),
            ("resamples", str(self.resamples)),
            ("seed", str(self.seed)),
            *((("cluster", self.cluster),) if self.cluster else ()),
        )


@dataclass(frozen=True)
class Estimate:
    """The mean of one run under one measure; ``low`` and ``high`` are None with fewer than two topics."""

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
            unjudged=None if self.unjudged is None else (-self.unjudged[1], -self.unjudged[0]),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "versus": self.versus,
            "topics": self.topics,
            "left_out": self.unpaired,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "statistic": self.statistic,
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "exact": self.exact,
            "effect": self.effect,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "significant": self.significant,
            "better": self.better,
            **({} if self.unjudged is None else self._unjudged()),
        }

    def _unjudged(self) -> dict[str, Any]:
        assert self.unjudged is not None
        low, high = self.unjudged
        return {"unjudged_low": low, "unjudged_high": high, "could_turn_round": self.could_turn_round}


#: The types of the columns of the tidy rows.
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("group", "measure", "run", "versus", "letters"), "text"),
    **dict.fromkeys(("topics", "left_out", "wins", "ties", "losses"), "count"),
    **dict.fromkeys(("value", "low", "high", "p", "p_adjusted", "effect"), "number"),
    "significant": "flag",
}


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` found: an estimate for every run and measure, and every pair of runs once."""

    estimates: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    baseline: str | None
    method: Method
    notes: tuple[Note, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)  # file to name of run
    by: str = ""  # the field by which topics are grouped
    groups: Mapping[str, Comparison] = field(default_factory=dict)  # the same over the topics of each group
    clusters: int | None = None  # how many there are, where whole clusters are resampled

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(estimate.run for estimate in self.estimates))

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(estimate.measure for estimate in self.estimates))

    @cached_property
    def _estimates(self) -> dict[tuple[str, str], Estimate]:
        return {(estimate.measure, estimate.run): estimate for estimate in self.estimates}

    @cached_property
    def _pairs(self) -> dict[tuple[str, str, str], Pair]:
        found = {(pair.measure, pair.run, pair.versus): pair for pair in self.pairs}
        return found | {(pair.measure, pair.versus, pair.run): pair.turned() for pair in self.pairs}

    def run_name(self, name: str) -> str:
        """The name of a run, from its name or its file."""
        return get_run_name(name, self.runs, self.sources)

    def estimate(self, measure: str, run: str) -> Estimate:
        return self._estimates[measure, run]

    def pair(self, measure: str, run: str, versus: str) -> Pair | None:
        """``run`` compared with ``versus``; None if these two were not compared."""
        return self._pairs.get((measure, run, versus))

    def against_baseline(self, measure: str, run: str) -> Pair | None:
        return None if self.baseline is None else self.pair(measure, run, self.baseline)

    def compared_with(self, measure: str, run: str) -> Iterator[Pair]:
        """Every comparison of a run, the baseline first."""
        others = sorted((other for other in self.runs if other != run), key=lambda other: other != self.baseline)
        for other in others:
            pair = self.pair(measure, run, other)
            if pair is not None:
                yield pair

    def table(self, output: str = "table", places: int | None = None, layout: str | None = None) -> str:
        """As text: 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'; layout 'details' or 'runs'."""
        from berrypick.report.comparison import render

        return render(self, output, places, layout)

    def __repr__(self) -> str:
        baseline = f", baseline {shorten(self.baseline, 80)!r}" if self.baseline is not None else ""
        return f"Comparison({counted(len(self.runs), 'run')}, {counted(len(self.measures), 'measure')}{baseline})"

    def __str__(self) -> str:
        """The tables, with the notes."""
        from berrypick.report.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.notes, self.runs)

    def records(self) -> list[dict[str, Any]]:
        """An object for each run and measure, with everything that is known, as in JSON output; then for each group."""
        found = self._records()
        if not self.groups:
            return found
        rows = [{**row, "group": None} for row in found]
        return rows + [{**row, "group": name} for name, one in self.groups.items() for row in one._records()]

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "run": one.run,
                "topic": ALL,
                "measure": one.measure,
                "value": one.value,
                "signature": str(one.signature),
                "low": one.low,
                "high": one.high,
                "topics": one.topics,
                "undefined": one.undefined,
                "increasing": one.higher_is_better,
                "baseline": self.baseline,
                "label": one.label,
                "beats": list(one.beats),
                "comparisons": [pair.as_dict() for pair in self.compared_with(one.measure, one.run)],
            }
            for one in sorted(self.estimates, key=lambda one: self.runs.index(one.run))
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Tidy rows: a run's mean (``versus`` is None), then its differences from the others, the baseline first.

        Where topics are grouped, the same for each group follows, with a column ``group``.
        """
        if not self.groups:
            return self._rows()
        rows = [{"group": None, **row} for row in self._rows()]
        return rows + [{"group": name, **row} for name, one in self.groups.items() for row in one._rows()]

    def _rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for one in self.estimates:
            empty = dict.fromkeys(("left_out", "p", "p_adjusted", "effect", "wins", "ties", "losses", "significant"))
            found.append(
                {"measure": one.measure, "run": one.run, "versus": None, "topics": one.topics, "value": one.value,
                 "low": one.low, "high": one.high, **empty, "letters": one.letters}
            )  # fmt: skip
            for pair in self.compared_with(one.measure, one.run):
                known = {key: value for key, value in pair.as_dict().items() if key in empty}
                found.append(
                    {"measure": one.measure, "run": one.run, "versus": pair.versus, "topics": pair.topics,
                     "value": pair.difference, "low": pair.low, "high": pair.high, **known, "letters": None}
                )  # fmt: skip
        return found

    def to_pandas(self) -> Any:
        """The tidy rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The tidy rows as a polars data frame."""
        import polars

        return polars.DataFrame(self.rows(), infer_schema_length=None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The tidy rows as a table: ``pyarrow.table(comparison)``, ``polars.DataFrame(comparison)``."""
        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
        return arrow_stream(columns, _KINDS, requested_schema)

    def unmet(
        self,
        *,
        under: Mapping[str, float] | None = None,
        over: Mapping[str, float] | None = None,
        worse_than: str | None = None,
        margin: float | None = None,
    ) -> list[str]:
        """Gates that are not met, a sentence for each; see :mod:`berrypick.analysis.gates`."""
        from berrypick.analysis.gates import Gates

        return Gates(under or {}, over or {}, worse_than, margin).unmet(self)

    def plot(self, **how: Any) -> Any:
        """An Altair chart of the means with their intervals; ``how``: width, height ('8.5cm'), font_size."""
        from berrypick.report.charts import check_options, plot_comparison

        check_options(plot_comparison, how)
        return plot_comparison(self, **how)

    def _repr_html_(self) -> str:
        """Means with intervals and letters, for notebooks."""
        from berrypick.report.notebook_analysis import comparison_html

        return comparison_html(self)


@takes_options
def compare(
    truth: Any,
    runs: Any = (),
    measures: MeasuresGiven = (),
    *,
    baseline: str | None = None,
    test: TestName = "randomisation",
    correction: CorrectionName = "holm",
    family: FamilyName = "measure",
    pairs: PairsName = "all",
    interval: IntervalName = "expanded",
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    cluster: str | Mapping[str, str] | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Comparison:
    """Compare runs against a truth, or the runs of an existing evaluation.

    ``truth``, ``runs``, ``measures`` and the other ``options`` are those of :func:`berrypick.evaluate`. ``truth`` may
    also be an :class:`~berrypick.Evaluation` or :class:`~berrypick.Results`; then ``runs`` and ``measures`` select some
    of the results. ``baseline`` is a run's name (or its file), by default the first run.

    ``test``: 'randomisation' or 't'. ``correction``: 'holm', 'bh' (Benjamini-Hochberg) or 'none', over the ``family``:
    all pairs under one 'measure', or under 'all' measures. ``pairs``: 'all', or only those with the 'baseline'.
    ``interval``: 'expanded', 'percentile' or 'bca'. A result is repeatable: it depends on ``seed``, not on the clock.

    ``cluster`` names a field of topics ('doc': topics that share a relevant document), a file with topic and cluster in
    each line, or is a mapping: intervals and tests then take whole clusters of topics, since questions about one
    document are not independent. With ``by`` every group of topics is compared as well (``groups``).
    """
    method = Method(test, correction, family, pairs, interval, resamples, seed, confidence)
    prepared, given = truth, dict[str, Any](options)
    if not isinstance(truth, (Results, Evaluation)):
        prepared = Evaluation._prepare(truth, runs, measures, EvaluationOptions.from_arguments(options, "compare"))
        given = {}
    results, judgements = evaluated(prepared, runs, measures, given, "compare", jobs, progress, executor)
    clusters = None if cluster is None else topic_clusters(judgements, cluster)
    bounds = unjudged_bounds(prepared) if isinstance(prepared, Evaluation) else {}
    return compare_results(results, baseline, method, clusters, bounds)


def compare_results(
    results: Results,
    baseline: str | None,
    method: Method,
    clusters: TopicGroups | None = None,
    bounds: Mapping[str, UnjudgedBounds] = MappingProxyType({}),
) -> Comparison:
    """Runs that have been evaluated, over all topics and over each group of them."""
    if clusters is not None:
        method = replace(method, cluster=clusters.field)
        results = replace(results, notes=[note for note in results.notes if note.kind != UNUSED_TABLE])
    sources = {facts.source: name for name, facts in results.run_facts.items() if facts.source}
    names = results.runs
    first = names[0] if len(names) > 1 else None
    first = first if baseline is None else get_run_name(baseline, names, sources)
    found = _Work(results, first, method, clusters, bounds).comparison()
    if results.groups is None:
        return replace(found, sources=sources)
    groups = {
        name: _Work(results.only_group(name), first, method, clusters, bounds).comparison()
        for name in results.groups.names
    }
    notes = (*found.notes, *_group_notes(groups))
    return replace(found, sources=sources, by=results.groups.field, groups=groups, notes=notes)


def _group_notes(groups: Mapping[str, Comparison]) -> list[Note]:
    """What is too little in groups, in one note of each kind."""
    notes = []
    for kind, text in (
        ("few topics", "intervals of groups with too few topics or clusters are too narrow"),
        ("no power", "no difference can be significant in groups with so few topics or clusters"),
    ):
        names = [name for name, one in groups.items() if any(note.kind == kind for note in one.notes)]
        if names:
            notes.append(Note(kind, f"{text}: {some(names, 5)}"))
    return notes


def evaluated(
    truth: Any,
    runs: Any,
    measures: MeasuresGiven,
    options: Mapping[str, Any],
    function: str,
    jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> tuple[Results, Truth | None]:
    """The results that an analysis is about, and their truth if it is known.

    They are those of an evaluation yet to run, of a prepared one, or some existing ones.
    """
    if isinstance(truth, (Results, Evaluation)) and options:
        raise UsageError(f"a prepared evaluation has its options already; it takes no {', '.join(options)}")
    if isinstance(truth, Results):
        return _chosen(truth, runs, measures), None
    given = EvaluationOptions.from_arguments(options, function)
    prepared = truth if isinstance(truth, Evaluation) else Evaluation._prepare(truth, runs, measures, given, once=True)
    return prepared.run(jobs=jobs, executor=executor, progress=progress), prepared.truth


def get_run_name(name: str, names: Sequence[str], sources: Mapping[str, str] | None = None) -> str:
    """A run by its name, or by the file it was read from."""
    if name in names:
        return name
    files = (sources or {}).items()
    for known in (
        dict(files),
        {Path(source).name: run for source, run in files},
        {Path(source).stem: run for source, run in files},
    ):
        if name in known:
            return known[name]
    raise UsageError(f"no run {name}{nearest(name, list(names)) or '; available: ' + ', '.join(names)}")


def _chosen(results: Results, runs: Any, measures: Any) -> Results:
    """Some runs and measures of results."""
    if not results.topic_rows:
        raise UsageError("a comparison needs values per topic; these results have means only")
    wanted_runs = [runs] if isinstance(runs, str) else list(runs)
    wanted_measures = chosen_measures(results, measures)
    kept_runs = [get_run_name(str(run), results.runs) for run in wanted_runs]
    return results.only(runs=kept_runs or None, measures=wanted_measures or None)


def chosen_measures(results: Results, measures: Any) -> list[str]:
    """Measures of results by the text they were requested with."""
    known = list(results.measures)
    wanted = [
        specs.normalise(part) if isinstance(part, str) else str(part)
        for one in ([measures] if isinstance(measures, (str, Measure, type)) else measures)
        for part in (specs.split(one) if isinstance(one, str) else [one])
    ]
    for measure in wanted:
        if measure not in known:
            offer = nearest(measure, known) or f"; available: {', '.join(known)}"
            raise UsageError(f"{measure} is not among the measures of these results{offer}")
    return wanted


def labels(count: int) -> list[str]:
    """a, b, .. z, aa, ab, .."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = itertools.chain.from_iterable(itertools.product(letters, repeat=width) for width in itertools.count(1))
    return ["".join(word) for word in itertools.islice(words, count)]


class _Work:
    """The rows of an evaluation on their way to a comparison."""

    def __init__(
        self,
        results: Results,
        baseline: str | None,
        method: Method,
        clusters: TopicGroups | None = None,
        bounds: Mapping[str, UnjudgedBounds] = MappingProxyType({}),
    ) -> None:
        self.results, self.baseline, self.method = results, baseline, method
        self.bounds = {measure: one.only(results.topics) for measure, one in bounds.items()}
        self.cluster_of = None if clusters is None else self._clusters(results, clusters)
        self.values = results.per_topic()
        self._differences: dict[tuple[str, str, str], tuple[_Column, int]] = {}
        self.runs = list(self.values)
        self.measures = list(results.measures)
        self.signatures = {(row.run, row.measure): row.signature for row in results.mean_rows}
        self.higher_is_better = {measure: results.info(measure).higher_is_better for measure in self.measures}
        self.notes = list(results.notes)

    def comparison(self) -> Comparison:
        pairs = self._pairs()
        self._note_signatures()
        self._note_sums()
        self._note_few_topics()
        self._note_powerless(pairs)
        self._note_unjudged(pairs)
        estimates = self._estimates(pairs)
        self._note_clusters()
        clusters = None if self.cluster_of is None else len(set(self.cluster_of.values()))
        notes = tuple(dict.fromkeys(self.notes))
        return Comparison(tuple(estimates), tuple(pairs), self.baseline, self.method, notes, clusters=clusters)

    @staticmethod
    def _clusters(results: Results, clusters: TopicGroups) -> dict[str, tuple[str, str]]:
        """The cluster of each topic; one without is a cluster of its own."""
        return {
            topic: ("cluster", clusters.of[topic]) if topic in clusters.of else ("topic", topic)
            for topic in results.topics
        }

    def _note_clusters(self) -> None:
        if self.cluster_of is None:
            return
        alone = sum(kind == "topic" for kind, _ in self.cluster_of.values())
        if alone:
            text = f"{counted(alone, 'topic')} without {self.method.cluster}, each a cluster of its own"
            self.notes.append(Note("no cluster", text))
        if len(set(self.cluster_of.values())) == len(self.cluster_of):
            text = f"every topic is a cluster of its own by {self.method.cluster}, so clusters change nothing"
            self.notes.append(Note("no cluster", text))

    def _column(self, values: Mapping[str, float]) -> _Column:
        """Values of topics, with the number of the cluster of each."""
        column = np.array(list(values.values()), dtype=np.float64)
        if self.cluster_of is None:
            return _Column(column, None)
        numbers: dict[tuple[str, str], int] = {}
        codes = [numbers.setdefault(self.cluster_of[topic], len(numbers)) for topic in values]
        return _Column(column, np.array(codes, dtype=np.int64))

    def _defined(self, run: str, measure: str) -> _Column:
        values = self.values[run].get(measure, {})
        return self._column({topic: value for topic, value in values.items() if value is not None})

    def _intervals(self, columns: Sequence[_Column]) -> list[tuple[float | None, float | None]]:
        method = self.method

        def of(values: FloatArray, clusters: IntArray | None) -> statistics.Intervals:
            return statistics.bootstrap(
                values,
                confidence=method.confidence,
                resamples=method.resamples,
                seed=method.seed,
                method=method.interval,
                clusters=clusters,
            )

        return [(_known(low), _known(high)) for low, high in _by_length(columns, of)]

    def _estimates(self, pairs: Sequence[Pair]) -> list[Estimate]:
        label = dict(zip(self.runs, labels(len(self.runs)), strict=True))
        beaten: dict[tuple[str, str], list[str]] = {}
        significant = [pair for pair in pairs if pair.significant]
        for pair in [*significant, *(pair.turned() for pair in significant)]:
            if pair.better:
                beaten.setdefault((pair.measure, pair.run), []).append(label[pair.versus])
        keys = [(measure, run) for measure in self.measures for run in self.runs]
        columns = [self._defined(run, measure) for measure, run in keys]
        found = []
        for (measure, run), column, (low, high) in zip(keys, columns, self._intervals(columns), strict=True):
            beats = sorted(beaten.get((measure, run), ()), key=lambda name: (len(name), name))
            found.append(
                Estimate(
                    run=run,
                    measure=measure,
                    value=mean(column.values.tolist()),
                    low=low,
                    high=high,
                    topics=len(column.values),
                    undefined=len(self.values[run].get(measure, {})) - len(column.values),
                    label=label[run],
                    beats=tuple(beats),
                    higher_is_better=self.higher_is_better[measure],
                    signature=_with_method(self.signatures.get((run, measure)), self.method),
                )
            )
        return found

    def _run_pairs(self) -> list[tuple[str, str]]:
        """(run, versus) of every comparison: the baseline is never the first, else the earlier run is the second."""
        if self.baseline is None:
            return []
        against = [(run, self.baseline) for run in self.runs if run != self.baseline]
        if self.method.pairs == "baseline":
            return against
        others = [run for run in self.runs if run != self.baseline]
        return against + [(later, earlier) for earlier, later in itertools.combinations(others, 2)]

    def _pairs(self) -> list[Pair]:
        keys = [(measure, run, versus) for measure in self.measures for run, versus in self._run_pairs()]
        joined = [self._joined(*key) for key in keys]
        columns = [differences for differences, _ in joined]
        intervals = self._intervals(columns)
        tests = _by_length(columns, self._test)
        effects = _by_length(columns, lambda values, _: (statistics.effect_size(values),))
        corrected = self._corrected([key[0] for key in keys], np.array([float(test[0]) for test in tests]))
        found = []
        for i, (measure, run, versus) in enumerate(keys):
            differences, unpaired = joined[i][0].values, joined[i][1]
            better = differences if self.higher_is_better[measure] else -differences
            p, exact, statistic = tests[i]
            difference = mean(differences.tolist())
            adjusted = _known(corrected[i])
            significant = (
                adjusted is not None
                and adjusted <= self.method.alpha
                and difference is not None
                and abs(difference) > 0
            )
            found.append(
                Pair(
                    measure=measure,
                    run=run,
                    versus=versus,
                    topics=len(differences),
                    unpaired=unpaired,
                    difference=difference,
                    low=intervals[i][0],
                    high=intervals[i][1],
                    statistic=_known(statistic),
                    p=_known(p),
                    p_adjusted=adjusted,
                    exact=bool(exact),
                    effect=_known(effects[i][0]),
                    wins=int((better > 0).sum()),
                    ties=int((better == 0).sum()),
                    losses=int((better < 0).sum()),
                    significant=significant,
                    higher_is_better=self.higher_is_better[measure],
                    unjudged=self.bounds[measure].mean(run, versus) if measure in self.bounds else None,
                )
            )
        return found

    def _joined(self, measure: str, run: str, versus: str) -> tuple[_Column, int]:
        """Differences over the topics where both have a value, ties exactly 0; and how many topics are left out."""
        key = (measure, run, versus)
        if key not in self._differences:
            self._differences[key] = self._join(*key)
        return self._differences[key]

    def _join(self, measure: str, run: str, versus: str) -> tuple[_Column, int]:
        one, other = self.values[run].get(measure, {}), self.values[versus].get(measure, {})
        differences = self._column(
            {topic: a - b for topic, a in one.items() if a is not None and (b := other.get(topic)) is not None}
        )
        differences.values[np.abs(differences.values) <= TIE] = 0.0
        return differences, len({*one, *other}) - len(differences.values)

    def _test(self, differences: FloatArray, clusters: IntArray | None) -> statistics.Tests:
        if self.method.test == "t":
            return statistics.t_test(differences, clusters=clusters)
        return statistics.randomisation_test(
            differences, resamples=self.method.resamples, seed=self.method.seed, clusters=clusters
        )

    def _corrected(self, measure: Sequence[str], p: FloatArray) -> FloatArray:
        found = np.full(len(p), np.nan)
        families = [0] * len(p) if self.method.family == "all" else [self.measures.index(name) for name in measure]
        for family in set(families):
            rows = [i for i, own in enumerate(families) if own == family]
            found[rows] = statistics.adjusted(p[rows], self.method.correction)
        return found

    def _note_signatures(self) -> None:
        """Runs with different signatures are not comparable."""
        for measure in self.measures:
            known = [self.signatures[run, measure] for run in self.runs if (run, measure) in self.signatures]
            parts = Counter(part for signature in known for part in set(signature.fields))
            differing = sorted(f"{key}:{value}" for (key, value), times in parts.items() if times < len(known))
            if differing:
                text = f"the runs have different signatures ({', '.join(differing)})"
                self.notes.append(Note("signatures differ", text, measure=measure))

    def _note_sums(self) -> None:
        for measure in self.measures:
            if self.results.info(measure).summed:
                text = "evaluate sums it over topics; here it is the mean over topics"
                self.notes.append(Note("mean of sums", text, measure=measure))

    def _note_few_topics(self) -> None:
        fewest = min((self._defined(run, measure).units for run in self.runs for measure in self.measures), default=0)
        if fewest < FEW_TOPICS:
            percent, unit = f"{100 * self.method.confidence:.4g}%", self._unit
            text = f"some means are over {counted(fewest, unit)}; with fewer than {FEW_TOPICS} {unit}s, {percent} "
            self.notes.append(Note("few topics", text + "intervals are too narrow"))

    @property
    def _unit(self) -> str:
        """What is resampled."""
        return "topic" if self.cluster_of is None else "cluster"

    def _note_powerless(self, pairs: Sequence[Pair]) -> None:
        """Say so where no difference can be significant."""
        if self.method.test == "t" or not pairs:
            return
        within = len(pairs) if self.method.family == "all" else len(self._run_pairs())
        times = within if self.method.correction == "holm" else 1
        for measure in self.measures:
            compared = ((pair.run, pair.versus) for pair in pairs if pair.measure == measure)
            most = max(self._joined(measure, *names)[0].units for names in compared)
            least = min(1.0, times * statistics.smallest_p(most, self.method.resamples)) if most else 1.0
            if least > self.method.alpha:
                more = f"more {self._unit}s" if most <= statistics.EXACT else "more resamples"
                text = "no difference can be significant: the smallest possible corrected p-value on "
                text += f"{counted(most, self._unit)} is {least:.3g}; use {more}"
                self.notes.append(Note("no power", text, measure=measure))

    def _note_unjudged(self, pairs: Sequence[Pair]) -> None:
        """Significant differences that more judgements could turn round."""
        for measure in self.measures:
            turned = [one for one in pairs if one.measure == measure and one.significant and one.could_turn_round]
            if turned:
                named = ", ".join(f"{pair.run} and {pair.versus}" for pair in turned[:3])
                more = f" and {len(turned) - 3} more pairs" if len(turned) > 3 else ""
                text = f"unjudged text alone could turn round the significant difference between {named}{more}"
                self.notes.append(Note("unjudged text", text, measure=measure))


@dataclass(frozen=True, eq=False)
class _Column:
    """Values over some topics, and the numbers of the clusters that the topics are in."""

    values: FloatArray
    clusters: IntArray | None

    @property
    def units(self) -> int:
        """How many topics or clusters can be drawn."""
        return len(self.values) if self.clusters is None else len(set(self.clusters.tolist()))

    @property
    def key(self) -> tuple[int, bytes]:
        """Columns with the same key can be treated at once."""
        return len(self.values), b"" if self.clusters is None else self.clusters.tobytes()


def _by_length(
    columns: Sequence[_Column], of: Callable[[FloatArray, IntArray | None], tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """A function of topics x columns, applied to columns of different lengths: those of equal length at once."""
    found: list[tuple[Any, ...]] = [()] * len(columns)
    groups: dict[tuple[int, bytes], list[int]] = {}
    for i, column in enumerate(columns):
        groups.setdefault(column.key, []).append(i)
    for rows in groups.values():
        values = np.column_stack([columns[i].values for i in rows])
        for row, one in zip(rows, zip(*of(values, columns[rows[0]].clusters), strict=True), strict=True):
            found[row] = one
    return found


def _with_method(signature: Signature | None, method: Method) -> Signature:
    """The signature of a mean, with the comparison's before the version."""
    if signature is None:
        return Signature("", method.fields())
    *fields, version = signature.fields
    return replace(signature, fields=(*fields, *method.fields(), version))


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 if value == 0 else -value
