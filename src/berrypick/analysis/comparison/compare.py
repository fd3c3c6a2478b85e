"""Comparison of runs: means with intervals, paired tests, significance.

The pieces are in :mod:`berrypick.statistics.statistics`; here they meet the rows of an evaluation. What is compared, in
order:

* a run's mean and its interval are over the topics where the run has a value;
* two runs are compared over the topics where both have one, and the others are counted (``unpaired``);
* p-values are corrected within a family: all pairs of runs under one measure, or all pairs under all measures and in
  all groups of topics;
* a run is *significantly better* than another if the corrected p-value is at most 1 - confidence and the mean
  difference goes the right way: up, or down for measures like ESL and Overlap where smaller is better.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from berrypick.analysis.comparison.comparison import (
    Comparison,
    Estimate,
    FamilyName,
    Method,
    Pair,
    PairsName,
    letters_of,
)
from berrypick.analysis.comparison.interval_notes import interval_notes, named_pairs
from berrypick.analysis.comparison.run_identity import find_run
from berrypick.analysis.comparison.together_notes import together_notes
from berrypick.analysis.comparison.truths import with_one_truth
from berrypick.data import spec as specs
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.drawn import READERS, Ends, drawn_interval, mean_of_topics
from berrypick.data.errors import UsageError, nearest, option
from berrypick.data.model_values import MODEL_TRUTH
from berrypick.data.navigation import FittedReader
from berrypick.data.results import Note, Results, RunFacts, TopicGroups
from berrypick.data.signature import Signature, unlike
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import UNUSED_TABLE, topic_clusters
from berrypick.evaluation.notes import some
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, File, takes_options
from berrypick.evaluation.proved import Proved, bounded_measures, with_bounds
from berrypick.evaluation.requested import MeasuresGiven, given_measures
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.kernels.resampling import PairedColumns
from berrypick.measures import split_measures
from berrypick.measures.base import Measure
from berrypick.statistics import intervals, statistics
from berrypick.statistics.method_names import CorrectionName, IntervalName, TestName
from berrypick.statistics.topic_columns import Column, ColumnBlocks
from berrypick.statistics.topic_values import TIE
from berrypick.tables.tabular import fields_of, with_method
from berrypick.workers.progress import ProgressLike, as_progress

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.analysis.assumptions.assumptions import Assumptions
    from berrypick.analysis.assumptions.over import Over
    from berrypick.analysis.comparison.joint_ends import JointEnds

    class CompareKeywords(EvaluationKeywords, total=False):
        """How to compare, beside the options of an evaluation."""

        baseline: str | None
        test: TestName
        correction: CorrectionName
        family: FamilyName
        pairs: PairsName
        interval: IntervalName
        resamples: int
        seed: int
        confidence: float
        cluster: str | Mapping[str, str] | None
        jobs: int
        executor: Executor | None
        progress: ProgressLike
        reader_draws: int
        different_truth: bool
        common_topics: bool
        ledger: File | None
        ledger_head: str | None
        commit: str | None
        model_truth: TruthLike | None


@overload
def compare(
    truth: TruthLike | Evaluation | Results,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    over: None = None,
    scale: None = None,
    assumptions: Literal[False] = False,
    **options: Unpack[CompareKeywords],
) -> Comparison: ...


@overload
def compare(
    truth: TruthLike | Evaluation,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    over: str | FittedReader | File,
    scale: Literal["log", "linear"] | None = None,
    assumptions: Literal[False] = False,
    **options: Unpack[CompareKeywords],
) -> Over: ...


@overload
def compare(
    truth: TruthLike | Evaluation,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    over: str | FittedReader | File | None = None,
    scale: Literal["log", "linear"] | None = None,
    assumptions: Literal[True],
    **options: Unpack[CompareKeywords],
) -> Assumptions: ...


@takes_options
def compare(
    truth: TruthLike | Evaluation | Results,
    runs: RunsLike = (),
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
    progress: ProgressLike = None,
    reader_draws: int = READERS,
    over: str | FittedReader | File | None = None,
    scale: Literal["log", "linear"] | None = None,
    assumptions: bool = False,
    different_truth: bool = False,
    common_topics: bool = False,
    ledger: File | None = None,
    ledger_head: str | None = None,
    commit: str | None = None,
    model_truth: TruthLike | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Comparison | Over | Assumptions:
    """Compare runs: means with intervals, paired tests with correction for many comparisons, effect sizes.

    A result is repeatable: it depends on ``seed``, not on the clock.

    Parameters
    ----------
    truth : TruthLike, Evaluation or Results
        The judgements; or what is evaluated already, of which ``runs`` and ``measures`` then select some.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    measures : str, Measure or list
        One text with several measures, or a list of texts and measures.
    baseline : str, optional
        The file of a run, or its name; by default the first run. A path is that file whatever other runs are called,
        and a name that fits two runs is an error.
    test : {'randomisation', 't'}
        The paired test.
    correction : {'holm', 'bh', 'none'}
        The correction for many comparisons; bh is Benjamini-Hochberg.
    family : {'measure', 'all'}
        Which comparisons are corrected together: those under one measure, or those under all measures and, with ``by``,
        in all groups.
    pairs : {'all', 'baseline'}
        Which pairs of runs are compared.
    interval : {'expanded', 'percentile', 'bca'}
        The bootstrap interval of means and differences of scores. Hits (all values 0 or 1) have Wilson's and Tango's
        interval, costs have Cox's.
    resamples : int
        Draws of topics for each interval and test; the default grows with the number of comparisons that are corrected
        together.
    seed : int
        The seed of what is drawn.
    confidence : float
        The confidence of intervals.
    cluster : str or mapping, optional
        Whole clusters of topics are resampled and tested, since questions about one document are not independent: a
        field of topics ('doc': topics that share a relevant document), a file with topic and cluster in each line, or a
        mapping.
    jobs : int
        The number of processes.
    executor : concurrent.futures.Executor, optional
        Workers that do the work instead.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    reader_draws : int
        With a fitted user model: number of readers to draw for the interval over readers; 0 for none.
    over : str or path, optional
        The readers for whom each run is to be found better: a range, such as ``'bep(A=0.01..100)'``, or a file written
        by fit for the law of its reader.
    scale : {'log', 'linear'}, optional
        The scale of the range ``over``. By default linear inside [0, 1]; elsewhere logarithmic if the larger end is at
        least 20 times the smaller one.
    assumptions : bool
        Whether to give a verdict for each pair: is the better run proved to be better, over topics, unjudged text,
        joint distributions of what readers see, the fitted reader and the range ``over``.
    different_truth : bool
        Compare results of two truths, which is an error otherwise.
    common_topics : bool
        Of results of two truths, compare only the topics that are judged identically.
    ledger : str or path, optional
        A file that counts looks at the truth: one line for each run and measure is appended. "Better" is then tested at
        a level that falls with each look, see :mod:`berrypick.analysis.ledger.looks`; "worse" is tested as before.
    ledger_head : str, optional
        The checksum of a line that the ledger must have, else it is an error: its last lines were cut off.
    commit : str, optional
        What the lines of the ledger name as the state of the code.
    model_truth : TruthLike, optional
        Judgements by a model, of the topics of ``truth`` and of others; ``truth`` then has those by people. Means,
        intervals and tests are model-assisted, see :mod:`berrypick.statistics.model_assisted`.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`; with ``by`` every group of topics is compared as
        well, in a family of its own unless ``family='all'``.

    Returns
    -------
    Comparison, Over or Assumptions
        An estimate for every run and measure, and every pair of runs; with ``over`` crossings and shares of the range,
        with ``assumptions`` a verdict for each pair.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {topic: {"a": 1} for topic in "12345678"}
    >>> first = {topic: {"a": 2.0, "b": 1.0} for topic in truth}
    >>> second = {topic: {"b": 2.0, "a": 1.0} for topic in truth}
    >>> found = bp.compare(truth, {"first": first, "second": second}, "RR")
    >>> pair = found.pair("RR", "second", "first")
    >>> pair.difference, pair.wins, pair.losses, pair.significant
    (-0.5, 0, 8, True)
    """
    method = Method(test, correction, family, pairs, interval, confidence=confidence, resamples=resamples, seed=seed)
    if (different_truth or common_topics) and not isinstance(truth, Results):
        given = option("different_truth" if different_truth else "common_topics", True)
        raise UsageError(f"{given} is for results: the runs of one evaluation have one truth")
    if ledger is not None or ledger_head is not None or commit is not None:
        from berrypick.analysis.ledger.looks import check_ledger, record_looks

        check_ledger(ledger, ledger_head, commit, {**options, "over": over, "assumptions": assumptions})
    if scale is not None and over is None:
        raise UsageError(f"{option('scale', scale)} is the scale of a range of readers and needs {option('over')}")
    if over is not None or assumptions:
        what = option("over" if over is not None else "assumptions")
        if model_truth is not None:
            raise UsageError(f"{what} has no model-assisted form: remove {option('model_truth')}")
        if isinstance(truth, Results):
            raise UsageError(f"{what} needs the truth and the runs: results alone have one reader")
        evaluation = _prepared(truth, runs, measures, options, "compare", once=False)
        if evaluation.groups is not None:
            raise UsageError(f"{what} uses all topics: remove {option('by')}")
        if baseline is not None and not assumptions:  # assumptions rest on a comparison, which finds it
            facts = {name: RunFacts(name, run.source, tag=run.tag) for name, run in evaluation.runs.items()}
            baseline = find_run(baseline, list(evaluation.runs), facts)
        clustered = None if cluster is None else topic_clusters(evaluation.truth, cluster)
        shown = as_progress(progress)
        if assumptions:
            from berrypick.analysis.assumptions.assumptions import Assumptions

            return Assumptions.compare(evaluation, over, method, clustered, baseline, jobs=jobs, executor=executor,
                                       progress=shown, scale=scale, reader_draws=reader_draws)  # fmt: skip
        from berrypick.analysis.assumptions.over import Over

        return Over.compare(evaluation, over, method, clustered, baseline, jobs=jobs, executor=executor, progress=shown,
                            scale=scale)  # fmt: skip
    how: dict[str, Any] = {"jobs": jobs, "progress": progress, "executor": executor, "reader_draws": reader_draws}
    if model_truth is not None:
        from berrypick.analysis.comparison.assisted import compare_with_model

        assisted = compare_with_model(truth, runs, measures, options, model_truth, method, baseline, cluster, **how)
        return assisted if ledger is None else record_looks(assisted, ledger, ledger_head, commit)
    found, prepared = evaluated(truth, runs, measures, options, "compare", once=False, bounds=True, **how)
    if prepared is None:
        [found], told = with_one_truth([found], different_truth, common_topics)
        found = replace(found, notes=(*found.notes, *told)) if told else found
    proved = None if prepared is None else Proved(tuple(bounded_measures(prepared.measures)), found)
    results = found if prepared is None else found.only(measures=[one.text for one in prepared.measures])
    judgements = None if prepared is None else prepared.truth
    clusters = None if cluster is None else topic_clusters(judgements, cluster)
    from berrypick.analysis.unjudged import unjudged_bounds

    bounds = None if prepared is None else unjudged_bounds(prepared)
    comparison = compare_results(results, baseline, method, clusters, bounds)
    if proved is not None and proved.measures:
        assert prepared is not None
        told = together_notes(comparison.pairs, proved, prepared)
        comparison = replace(comparison, notes=(*comparison.notes, *told))
    if ledger is None:
        return comparison
    return record_looks(comparison, ledger, ledger_head, commit)


def compare_results(
    results: Results,
    baseline: str | None,
    method: Method,
    clusters: TopicGroups | None = None,
    bounds: Mapping[str, Any] | None = None,
    joint: JointEnds | None = None,
) -> Comparison:
    """Runs that have been evaluated, over all topics and over each group of them.

    ``bounds`` say what unjudged text could do to differences; None where only results are known, and not the truth.
    With ``joint``, pairs over all topics also have an interval over everything that is assumed.
    """
    if results.model is not None or any(row.signature.get(MODEL_TRUTH) for row in results.mean_rows):
        from berrypick.analysis.comparison.assisted import assisted_comparison

        if not method.assisted:
            return assisted_comparison(results, baseline, method, clusters)
    if clusters is not None:
        method = replace(method, cluster=clusters.field)
        results = replace(results, notes=[note for note in results.notes if note.kind != UNUSED_TABLE])
    names = results.runs
    first = names[0] if len(names) > 1 else None
    first = first if baseline is None else find_run(baseline, names, results.run_facts)
    if results.groups is None:
        work = _ComparisonWork(results, first, method, clusters, bounds, joint=joint)
        return replace(work.comparison(work.corrected()), run_facts=results.run_facts)
    scored = {row.group for row in results.topic_rows}  # no run may have a topic of a group
    parts = {name: results.only_group(name) for name in results.groups.names if name in scored}
    tables = [_ComparisonWork(part, first, method, clusters, bounds, 1 + len(parts), joint if part is results else None)
              for part in (results, *parts.values())]  # fmt: skip
    found, *of_groups = (work.comparison(p) for work, p in zip(tables, _corrected(tables, method), strict=True))
    groups = dict(zip(parts, of_groups, strict=True))
    groups = dict(sorted(groups.items(), key=lambda item: _badness(item[1])))  # what to look at next comes first
    notes = (*found.notes, *_group_notes(groups))
    return replace(found, run_facts=results.run_facts, by=results.groups.field, groups=groups, notes=notes)


def _corrected(tables: Sequence[_ComparisonWork], method: Method) -> list[FloatArray]:
    """Corrected p-values of the tables of all topics and of each group: one family, or families of their own."""
    if method.family != "all":
        return [work.corrected() for work in tables]
    p = [work.tests[0] for work in tables]
    together = statistics.adjusted(np.concatenate(p), method.correction)
    return np.split(together, np.cumsum([len(part) for part in p])[:-1])


def _badness(comparison: Comparison) -> float:
    """The mean of the first measure over all runs, negative where smaller is better; groups rise by it."""
    first = comparison.measures[0]
    found = [comparison.estimate(first, run) for run in comparison.runs]
    values = [one.value if one.higher_is_better else -one.value for one in found if one.value is not None]
    return math.fsum(values) / len(values) if values else math.inf


def _group_notes(groups: Mapping[str, Comparison]) -> list[Note]:
    """What is too little in groups, in one note of each kind."""
    notes = []
    for kind, text in (
        ("few topics", "intervals of groups with too few topics or clusters are too narrow"),
        ("no power", "no difference can be significant in groups with so few topics or clusters"),
        ("no interval", "no interval where all values, or all differences, of a group are equal"),
        ("narrow interval", "intervals are too narrow in groups where few topics differ, or of costs with zeros"),
    ):
        names = [name for name, one in groups.items() if any(note.kind == kind for note in one.notes)]
        if names:
            notes.append(Note(kind, f"{text}: {some(names, 5)}"))
    method = next((one.method for one in groups.values() if one.pairs), None)
    if method is not None and method.family != "all" and len(groups) > 1:
        chance = 1 - (1 - method.alpha) ** len(groups)
        text = f"p-values are not corrected for the {len(groups)} groups: between equally good runs, some group would "
        text += f"be significant in up to {chance:.0%} of cases; correct over groups with {option('family', 'all')}"
        notes.append(Note("groups", text))
    return notes


def evaluated(
    truth: Any,
    runs: Any,
    measures: MeasuresGiven,
    options: Mapping[str, Any],
    function: str,
    jobs: int = 1,
    progress: ProgressLike = None,
    executor: Executor | None = None,
    once: bool = True,
    reader_draws: int = 0,
    bounds: bool = False,
) -> tuple[Results, Evaluation | None]:
    """The results that an analysis is about, and their evaluation if it is known.

    They are those of an evaluation yet to run (``once``, if its runs are not needed again), of a prepared one, or some
    existing ones. With ``bounds`` an evaluation also gives what reach alone proves.
    """
    measures = given_measures(measures, options)
    if isinstance(truth, Results):
        _refuse_options(options)
        return _chosen(truth, runs, measures), None
    prepared = _prepared(truth, runs, measures, options, function, once)
    scored = prepared.drawing(reader_draws)  # bounds are those of one reader
    scored = with_bounds(scored) if bounds else scored
    return scored.run(jobs=jobs, executor=executor, progress=progress), prepared


def _prepared(
    truth: Any, runs: Any, measures: MeasuresGiven, options: Mapping[str, Any], function: str, once: bool
) -> Evaluation:
    if isinstance(truth, Evaluation):
        _refuse_options(options)
        return truth
    given = EvaluationOptions.from_arguments(options, function)
    return Evaluation._from_options(truth, runs, measures, given, once=once)


def _refuse_options(options: Mapping[str, Any]) -> None:
    if options:
        raise UsageError(f"these options have no effect on a prepared evaluation: {', '.join(options)}")


def _chosen(results: Results, runs: Any, measures: Any) -> Results:
    """Some runs and measures of results."""
    if not results.topic_rows:
        raise UsageError("a comparison needs values per topic; these results have means only")
    wanted_runs = [runs] if isinstance(runs, str) else list(runs)
    wanted_measures = chosen_measures(results, measures)
    kept_runs = [find_run(str(run), results.runs, results.run_facts) for run in wanted_runs]
    if not kept_runs and not wanted_measures:
        return results
    return results.only(runs=kept_runs or None, measures=wanted_measures or None)


def chosen_measures(results: Results, measures: Any) -> list[str]:
    """Measures of results by the text they were requested with."""
    known, wanted = list(results.measures), measure_texts(measures)
    for measure in wanted:
        if measure not in known:
            offer = nearest(measure, known) or f"; available: {', '.join(known)}"
            raise UsageError(f"{measure} is not among the measures of these results{offer}")
    return wanted


def measure_texts(measures: Any) -> list[str]:
    """Return measures, given in any form, by their texts."""
    return [
        specs.normalise(part) if isinstance(part, str) else str(part)
        for one in ([measures] if isinstance(measures, (str, Measure, type)) else measures)
        for part in (split_measures(one) if isinstance(one, str) else [one])
    ]


def labels(count: int) -> list[str]:
    """a, b, .. z, aa, ab, .."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = itertools.chain.from_iterable(itertools.product(letters, repeat=width) for width in itertools.count(1))
    return ["".join(word) for word in itertools.islice(words, count)]


#: More sign changes than this are for who asks for them: thousands of pairs take minutes.
_MOST_OF_THEMSELVES = 100_000


class _ComparisonWork:
    """The rows of an evaluation on their way to a comparison."""

    def __init__(
        self,
        results: Results,
        baseline: str | None,
        method: Method,
        clusters: TopicGroups | None,
        bounds: Mapping[str, Any] | None,
        tables: int = 1,
        joint: JointEnds | None = None,
    ) -> None:
        self.results, self.baseline, self.method, self.joint = results, baseline, method, joint
        self.tables = tables  # whose comparisons are corrected together
        self.bounds = {measure: one.only(results.topics) for measure, one in (bounds or {}).items()}
        self.bounds_known = bounds is not None
        self.cluster_of = None if clusters is None else self._clusters(results, clusters)
        # draws go by the names of topics, so that the order of lines in the truth changes no interval and no p-value
        self.values = {
            run: {measure: dict(sorted(values.items())) for measure, values in of_run.items()}
            for run, of_run in results.per_topic().items()
        }
        self.runs = list(self.values)
        self.measures = list(results.measures)
        self.method = self._with_sign_changes()
        self.signatures = {(row.run, row.measure): row.signature for row in results.mean_rows}
        self.higher_is_better = {measure: results.info(measure).higher_is_better for measure in self.measures}
        self.notes = list(results.notes)

    def _with_sign_changes(self) -> Method:
        """The method with more sign changes than resamples where the correction for many comparisons needs them: the
        smallest p-value that can be drawn, corrected, is to stay well below the level. Intervals are not corrected,
        and do not depend on what else is compared."""
        method = self.method
        drawn = method.test == "randomisation" and len(self.results.topics) > statistics.EXACT
        if method.resamples != Method.resamples or method.correction == "none" or not drawn:
            return method
        within = len(self._run_pairs()) * (len(self.measures) * self.tables if method.family == "all" else 1)
        needed = min(math.ceil(4 * within / method.alpha), _MOST_OF_THEMSELVES)
        return replace(method, sign_changes=needed) if needed > method.resamples else method

    def comparison(self, adjusted: FloatArray) -> Comparison:
        """The comparison, with the corrected p-value of each pair."""
        pairs = self._pairs(adjusted)
        self._note_signatures()
        self._note_sums()
        estimates = self._estimates(pairs)
        self.notes += interval_notes(estimates, self._means.units.tolist(), pairs, self.method)
        self._note_powerless(pairs)
        self._note_unjudged(pairs)
        self._note_clusters()
        clusters = None if self.cluster_of is None else len(set(self.cluster_of.values()))
        notes = tuple(dict.fromkeys(self.notes))
        found = Comparison(tuple(estimates), tuple(pairs), self.baseline, self.method, notes, clusters=clusters)
        found = replace(found, topic_values=self.values, cluster_of=self.cluster_of)
        return replace(found, unlike_topics=self._unlike_topics())

    def _unlike_topics(self) -> dict[tuple[str, str], frozenset[str]]:
        """The topics of each run and measure; empty where all have the same."""
        topics = {(run, measure): self.values[run].get(measure, {}) for run in self.runs for measure in self.measures}
        first: Mapping[str, Any] = next(iter(topics.values()), {})
        if all(one.keys() == first.keys() for one in topics.values()):
            return {}
        return {key: frozenset(one) for key, one in topics.items()}

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

    def _column(self, values: Mapping[str, float]) -> Column:
        """Values of topics, with the number of the cluster of each."""
        column = np.array(list(values.values()), dtype=np.float64)
        if self.cluster_of is None:
            return Column(column)
        numbers: dict[tuple[str, str], int] = {}
        codes = [numbers.setdefault(self.cluster_of[topic], len(numbers)) for topic in values]
        return Column(column, np.array(codes, dtype=np.int64))

    def _defined(self, run: str, measure: str) -> Column:
        values = self.values[run].get(measure, {})
        return self._column({topic: value for topic, value in values.items() if value is not None})

    @cached_property
    def _means(self) -> ColumnBlocks:
        """The values of each run under each measure."""
        return ColumnBlocks.of_columns([self._defined(run, measure) for measure in self.measures for run in self.runs])

    def _intervals(
        self, columns: ColumnBlocks, of: Callable[..., intervals.MeanIntervals], each: Mapping[str, BoolArray]
    ) -> list[tuple[float | None, float | None, str]]:
        """Low, high and kind of the interval of each column."""
        how = fields_of(self.method, "confidence", "resamples", "seed")
        low, high, kind = columns.apply(of, each, method=self.method.interval, **how) or [np.zeros(0)] * 3
        return list(zip(statistics.known(low), statistics.known(high), kind.tolist(), strict=True))

    def _estimates(self, pairs: Sequence[Pair]) -> list[Estimate]:
        label = dict(zip(self.runs, labels(len(self.runs)), strict=True))
        beaten = letters_of(pairs, label)
        keys = [(measure, run) for measure in self.measures for run in self.runs]
        columns = self._means
        lengths, means = columns.lengths.tolist(), columns.means()
        costs = np.array([self.results.info(measure).unbounded for measure, _ in keys], dtype=bool)
        ends = self._intervals(columns, intervals.mean_intervals, {"costs": costs})
        found = []
        for i, (measure, run) in enumerate(keys):
            found.append(
                Estimate(
                    run=run,
                    measure=measure,
                    value=means[i],
                    low=ends[i][0],
                    high=ends[i][1],
                    interval=ends[i][2],
                    topics=lengths[i],
                    undefined=len(self.values[run].get(measure, {})) - lengths[i],
                    label=label[run],
                    beats=beaten.get((measure, run), ()),
                    higher_is_better=self.higher_is_better[measure],
                    signature=with_method(self.signatures.get((run, measure), Signature("")), self.method.fields()),
                    reader=self._reader(measure, run),
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

    def _pairs(self, adjusted: FloatArray) -> list[Pair]:
        keys = [(measure, run, versus) for measure in self.measures for run, versus in self._run_pairs()]
        columns, unpaired, hits = self._differences
        lengths, differences = columns.lengths.tolist(), columns.means()
        ends = self._intervals(columns, intervals.difference_intervals, {"hits": hits})
        units = columns.units.tolist()
        p, exact, statistic = self.tests
        effect, above, equal, below = columns.apply(_effects) or [np.zeros(0)] * 4
        significant = (adjusted <= self.method.alpha) & np.array([bool(one) for one in differences], dtype=bool)
        known = zip(*map(statistics.known, (statistic, p, adjusted, effect)), strict=True)
        counts = zip(*(count.tolist() for count in (exact, above, equal, below, significant)), strict=True)
        found = []
        for i, ((measure, run, versus), numbers, whole) in enumerate(zip(keys, known, counts, strict=True)):
            higher = self.higher_is_better[measure]
            found.append(
                Pair(
                    measure=measure,
                    run=run,
                    versus=versus,
                    topics=lengths[i],
                    unpaired=unpaired[i],
                    difference=differences[i],
                    low=ends[i][0],
                    high=ends[i][1],
                    interval=ends[i][2],
                    statistic=numbers[0],
                    p=numbers[1],
                    p_adjusted=numbers[2],
                    exact=whole[0],
                    effect=numbers[3],
                    wins=whole[1] if higher else whole[3],
                    ties=whole[2],
                    losses=whole[3] if higher else whole[1],
                    significant=whole[4],
                    higher_is_better=higher,
                    unjudged=self.bounds[measure].mean(run, versus) if measure in self.bounds else None,
                    reader=self._reader(measure, run, versus),
                    units=units[i],
                )
            )
        return found if self.joint is None else self._with_joint(found, self.joint)

    def _with_joint(self, pairs: Sequence[Pair], joint: JointEnds) -> list[Pair]:
        """Pairs with the ends over joint distributions, and with the interval over topics of the worst and the best."""
        keys = [(pair.measure, pair.run, pair.versus) for pair in pairs]
        ends = joint.of({key: self._known_differences(*key) for key in keys})
        low, high = (self._joint_intervals(sides) for sides in ([one.low for one in ends], [one.high for one in ends]))
        return [
            replace(pair, together=one.together, extremes=one.extremes, joint=(low[i][0], high[i][1]))
            for i, (pair, one) in enumerate(zip(pairs, ends, strict=True))
        ]

    def _joint_intervals(self, sides: Sequence[Mapping[str, float]]) -> list[tuple[float | None, float | None, str]]:
        """As the intervals of differences, one for each pair."""
        hits = [of_hits and all(value in (-1.0, 0.0, 1.0) for value in side.values())
                for of_hits, side in zip(self._differences[2].tolist(), sides, strict=True)]  # fmt: skip
        columns = ColumnBlocks.of_columns([self._column(side) for side in sides])
        return self._intervals(columns, intervals.difference_intervals, {"hits": np.array(hits, dtype=bool)})

    def _known_differences(self, measure: str, run: str, versus: str) -> dict[str, float]:
        """By topic, where both runs have a value."""
        one, other = self.values[run].get(measure, {}), self.values[versus].get(measure, {})
        return {topic: a - b for topic, a in one.items() if a is not None and (b := other.get(topic)) is not None}

    def _reader(self, measure: str, run: str, versus: str | None = None) -> Ends | None:
        """The interval of a mean, or of the mean difference of a pair, over readers drawn from a fitted user model."""
        drawn = self.results.drawn
        if drawn is None:
            return None
        one = drawn.values.get((run, measure), {})
        if versus is None:
            return drawn_interval(mean_of_topics(list(one.values())), self.method.confidence, drawn.evenly)
        both = [topic for topic, value in self.values[run].get(measure, {}).items()
                if value is not None and self.values[versus].get(measure, {}).get(topic) is not None]  # fmt: skip
        return drawn.difference(measure, run, versus, self.method.confidence, both)

    @cached_property
    def _differences(self) -> tuple[ColumnBlocks, list[int], BoolArray]:
        """Differences of all pairs over the topics where both have a value, ties exactly 0; how many topics are left
        out of each pair; and which pairs are of hits."""
        whole = self._tables
        if whole is None:
            joined = [self._join(measure, *names) for measure in self.measures for names in self._run_pairs()]
            columns, left_out, of_hits = zip(*joined, strict=True) if joined else ((), (), ())
            return ColumnBlocks.of_columns(columns), list(left_out), np.array(of_hits, dtype=bool)
        one, other = self._sides
        unpaired, hits = [], []
        tables = []
        for i, table in enumerate(whole):
            found = table[:, one] - table[:, other]
            found[np.abs(found) <= TIE] = 0.0
            tables.append(found)
            unpaired += np.isnan(found).sum(axis=0).tolist()
            hits.append(self._of_hits(self.measures[i], table, one, other))
        return ColumnBlocks.of_tables(tables), unpaired, np.concatenate(hits) if hits else np.zeros(0, dtype=bool)

    def _of_hits(self, measure: str, table: FloatArray, one: Sequence[int], other: Sequence[int]) -> BoolArray:
        """Which pairs of columns hold hits where both are defined, or are all tied in columns from 0 to 1."""
        if self.results.info(measure).unbounded:
            return np.zeros(len(one), dtype=bool)
        undefined = np.isnan(table)
        hit, inside = intervals.is_hit(table) | undefined, (table >= 0) & (table <= 1) | undefined
        tied = ~(np.abs(table[:, one] - table[:, other]) > TIE)  # or undefined
        found: BoolArray = np.logical_and.reduce(tied) & np.logical_and.reduce(inside)[one]
        if undefined.any():
            return found | np.logical_and.reduce(hit[:, one] & hit[:, other] | undefined[:, one] | undefined[:, other])
        hits = np.logical_and.reduce(hit)
        return found | hits[one] & hits[other]

    def _table(self, measure: str) -> FloatArray | None:
        """topics x runs, nan where a value is undefined; None if the runs do not have the same topics in one order."""
        columns = [self.values[run].get(measure, {}) for run in self.runs]
        topics = list(columns[0]) if columns else []
        if not topics or any(list(column) != topics for column in columns):
            return None
        return np.array([list(column.values()) for column in columns], dtype=np.float64).T  # None becomes nan

    def _join(self, measure: str, run: str, versus: str) -> tuple[Column, int, bool]:
        """Differences of one pair, how many topics are left out, and whether they are of hits."""
        one, other = self.values[run].get(measure, {}), self.values[versus].get(measure, {})
        both = {topic: (a, b) for topic, a in one.items() if a is not None and (b := other.get(topic)) is not None}
        differences = self._column({topic: a - b for topic, (a, b) in both.items()})
        differences.values[np.abs(differences.values) <= TIE] = 0.0
        hits = bool(self._of_hits(measure, np.array([*both.values()], dtype=np.float64).reshape(-1, 2), [0], [1])[0])
        return differences, len({*one, *other}) - len(differences.values), hits

    @cached_property
    def tests(self) -> list[Any]:
        """p-value, whether it is exact, and statistic of each pair."""
        columns, nothing = self._differences[0], [np.zeros(0)] * 3
        if self.method.test == "t":
            return columns.apply(statistics.t_test) or nothing
        how: dict[str, Any] = {"resamples": self._sign_changes, "seed": self.method.seed}
        values = self._all_values
        if values is None:
            return columns.apply(statistics.randomisation_test, **how) or nothing

        def of_pairs(differences: FloatArray, one: IntArray, other: IntArray, **how: Any) -> statistics.Tests:
            return statistics.randomisation_test(differences, pairs=PairedColumns(values, one, other), **how)

        count, runs = len(self.measures), len(self.runs)
        each = [np.concatenate([np.array(side) + runs * i for i in range(count)]) for side in self._sides]
        return columns.apply(of_pairs, {"one": each[0], "other": each[1]}, **how) or nothing

    @cached_property
    def _sides(self) -> tuple[list[int], list[int]]:
        """The places of the two runs of each pair."""
        place = {run: i for i, run in enumerate(self.runs)}
        one, other = ([place[pair[side]] for pair in self._run_pairs()] for side in (0, 1))
        return one, other

    @cached_property
    def _all_values(self) -> FloatArray | None:
        """topics x runs of all measures in turn; None where some topic lacks a value."""
        if not self._tables or len({len(table) for table in self._tables}) > 1:
            return None
        values = np.concatenate(self._tables, axis=1)
        return values if np.isfinite(values).all() else None

    @cached_property
    def _tables(self) -> list[FloatArray] | None:
        """The values of each measure; None if runs have other topics than others, or topics go by clusters."""
        if self.cluster_of is not None:
            return None
        tables = [self._table(measure) for measure in self.measures]
        whole = [table for table in tables if table is not None]
        return whole if len(whole) == len(tables) else None

    @property
    def _sign_changes(self) -> int:
        return self.method.sign_changes or self.method.resamples

    def corrected(self) -> FloatArray:
        """Corrected p-values of each pair, within families: the p-values of each measure follow each other."""
        p: FloatArray = self.tests[0]
        families = 1 if self.method.family == "all" else len(self.measures)
        if not len(p):
            return p
        return np.concatenate([statistics.adjusted(part, self.method.correction) for part in p.reshape(families, -1)])

    def _note_signatures(self) -> None:
        """Runs with different signatures are not comparable."""
        for measure in self.measures:
            known = [self.signatures[run, measure] for run in self.runs if (run, measure) in self.signatures]
            differing = sorted(f"{key}:{value}" for key, value in unlike(known)[0] if key)
            if differing:
                text = f"the runs have different signatures ({', '.join(differing)})"
                self.notes.append(Note("signatures differ", text, measure=measure))

    def _note_sums(self) -> None:
        for measure in self.measures:
            if self.results.info(measure).summed:
                text = "evaluate sums it over topics; here it is the mean over topics"
                self.notes.append(Note("mean of sums", text, measure=measure))

    @property
    def _unit(self) -> str:
        """What is resampled."""
        return "topic" if self.cluster_of is None else "cluster"

    def _note_powerless(self, pairs: Sequence[Pair]) -> None:
        """Say so where no difference can be significant."""
        if self.method.test == "t" or not pairs:
            return
        within = len(pairs) * self.tables if self.method.family == "all" else len(self._run_pairs())
        times = within if self.method.correction == "holm" else 1
        units = self._differences[0].units.reshape(len(self.measures), -1)
        for measure, most in zip(self.measures, units.max(axis=1).tolist(), strict=True):
            least = min(1.0, times * statistics.smallest_p(most, self._sign_changes)) if most else 1.0
            if least > self.method.alpha:
                more = f"more {self._unit}s" if most <= statistics.EXACT else "more resamples"
                text = "no difference can be significant: the smallest possible corrected p-value on "
                text += f"{counted(most, self._unit)} is {least:.3g}; use {more}"
                self.notes.append(Note("no power", text, measure=measure))

    def _note_unjudged(self, pairs: Sequence[Pair]) -> None:
        """Significant differences that more judgements could turn round; or of which that is not known."""
        for measure in self.measures:
            found = [one for one in pairs if one.measure == measure and one.significant]
            turned = [one for one in found if one.could_turn_round]
            if turned:
                text = f"unjudged text alone could reverse the significant difference between {named_pairs(turned)}"
                self.notes.append(Note("unjudged text", text, measure=measure))
            elif found and not self.bounds_known and self._leaves_unjudged(measure):
                text = "whether unjudged text alone could reverse the significant difference between "
                text += f"{named_pairs(found)} is not known from results: compare the runs with the truth"
                self.notes.append(Note("unjudged text", text, measure=measure))

    def _leaves_unjudged(self, measure: str) -> bool:
        """Whether unjudged text counts as not relevant, and could as well be relevant."""
        signed = [signature for (_, name), signature in self.signatures.items() if name == measure]
        return self.results.info(measure).counts_unjudged and not any(one.get("unjudged") for one in signed)


def _effects(differences: FloatArray, *, clusters: IntArray | None) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """The effect size of each column, and how many differences are above, equal to and below 0."""
    effect = statistics.effect_size(differences)
    return effect, (differences > 0).sum(axis=0), (differences == 0).sum(axis=0), (differences < 0).sum(axis=0)
