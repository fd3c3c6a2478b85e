"""How far two rankings of the same runs agree: Kendall's tau and tau_AP, with intervals over topics.

The rankings come from two measures of one evaluation, or from one measure in several (two truths, two user models).

Both are defined in :mod:`.rank_correlation`.

**Intervals** are percentiles of the values on topics drawn with replacement, the same draw for both rankings. They show
how much the agreement depends on these topics. Where runs are closer than the topics can tell apart, chance orders them
differently under the two measures: tau and its interval then lie below the agreement on many topics.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from berrypick.analysis.comparison.compare import chosen_measures
from berrypick.analysis.comparison.interval_notes import FEW_TOPICS
from berrypick.analysis.comparison.saved import read_results
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, shorten
from berrypick.data.results import MeasureInfo, Note, Results, TopicGroups
from berrypick.data.score import Table
from berrypick.data.signature import Signature, unlike
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import cluster_codes, cluster_notes, topic_clusters
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.files.files import file_name
from berrypick.statistics import statistics
from berrypick.statistics.rank_correlation import pair_counts, rank_coefficients, why_undefined
from berrypick.statistics.topic_values import TopicValues
from berrypick.tables.tabular import Interval, Resampling, Tabular, fields_of, with_method
from berrypick.workers.progress import ProgressLike, as_progress

_CELLS = 1 << 22  # entries of an array of pairs held at once
_LISTED = 5  # so many names in a note


@dataclass(frozen=True)
class Correlation:
    """Two rankings of the same runs: by ``measure`` in ``source``, and by ``versus`` in ``versus_source``."""

    measure: str
    versus: str
    source: str
    versus_source: str
    runs: int
    topics: int  # that are resampled; 0 without values per topic
    tau: Interval
    tau_ap: Interval  # the first ranking is the reference
    tau_ap_b: Interval  # symmetric
    concordant: int
    discordant: int
    tied: int  # pairs of runs with the same mean in at least one ranking
    reason: str  # why the coefficients are undefined; empty if they are not
    undefined_resamples: int
    signature: Signature
    signatures: tuple[str, str]

    def as_dict(self) -> dict[str, Any]:
        return {
            **fields_of(self, "measure", "versus", "source", "versus_source", "runs", "topics"),
            "tau": self.tau.value,
            **fields_of(self.tau, "low", "high"),
            **self.tau_ap.fields("tau_ap"),
            **self.tau_ap_b.fields("tau_ap_b"),
            **fields_of(self, "concordant", "discordant", "tied"),
            "reason": self.reason or None,
            "undefined_resamples": self.undefined_resamples,
            "signature": str(self.signature),
            "signatures": list(self.signatures),
        }


@dataclass(frozen=True, repr=False)
class Correlations(Tabular):
    """The result of :func:`correlate`: a correlation for each pair of rankings.

    Attributes
    ----------
    pairs
        Each with ``tau`` and ``tau_ap``: value, low and high.
    method
        How intervals are computed.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"1": {"a": 1}, "2": {"a": 1}}
    >>> found = bp.correlate(bp.evaluate(truth, {"x": truth, "y": {"1": {"a": 1.0}}}, "RR P@1"), resamples=100)
    >>> isinstance(found, bp.Correlations), len(found)
    (True, 1)
    """

    pairs: tuple[Correlation, ...]
    method: Resampling
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, place: int) -> Correlation:
        return self.pairs[place]

    def records(self) -> list[dict[str, Any]]:
        """Return an object for each pair of rankings."""
        return [pair.as_dict() for pair in self.pairs]

    def rows(self) -> list[dict[str, Any]]:
        return [{key: value for key, value in row.items() if key != "signatures"} for row in self.records()]

    def tables(self, places: int = 4) -> list[Table]:
        several = any(pair.source != pair.versus_source for pair in self.pairs)
        percent = f"{100 * self.method.confidence:.4g}% interval"
        names = ["measure", "results", "versus"] if several else ["measure", "versus"]
        rows = [
            [
                *([one.measure, one.source, one.versus_source] if several else [one.measure, one.versus]),
                str(one.runs),
                str(one.topics),
                *one.tau.cells(places),
                *one.tau_ap.cells(places),
                f"{one.concordant}/{one.tied}/{one.discordant}",
            ]
            for one in self.pairs
        ]
        header = [*names, "runs", "topics", "tau", percent, "tau_AP", percent, "same/tied/swapped"]
        return [Table("", header, rows, "<" * len(names) + ">>><><>")]

    def legend(self) -> list[str]:
        method, units = self.method, f"clusters of topics ({self.method.cluster})" if self.method.cluster else "topics"
        lines = [
            "tau: Kendall's tau-b between the rankings of runs. tau_AP weighs the top; the first is the reference.",
            f"Intervals: percentile bootstrap over {units}, {method.resamples} resamples, seed {method.seed}.",
        ]
        reasons = dict.fromkeys(pair.reason for pair in self.pairs if pair.reason)
        return lines + [f"Undefined: {reason}." for reason in reasons]


def correlate(
    *results: Results | Evaluation | str | PathLike[str] | Mapping[str, Any],
    measures: MeasuresGiven = (),
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    cluster: str | Mapping[str, str] | None = None,
    progress: ProgressLike = None,
) -> Correlations:
    """Correlate rankings of the same runs: Kendall's tau and tau_AP, with bootstrap intervals over topics.

    Runs are ranked by their means, smallest first for measures where smaller is better.

    Parameters
    ----------
    *results : Results, Evaluation, file or mapping
        One: every pair of its measures. Several, or one ``{name: results}``: every measure that two of them have in
        common. A file is one written by ``berrypick evaluate -q -o json``.
    measures : str or list
        Some of the measures; all by default.
    confidence : float
        The confidence of intervals.
    resamples : int
        Draws of topics for each interval and test.
    seed : int
        The seed of what is drawn.
    cluster : str or mapping, optional
        Whole clusters of topics are drawn, since questions about one document are not independent: a file with topic
        and cluster in each line, or a mapping; of an Evaluation a field of its topics too.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).

    Returns
    -------
    Correlations
        One for each pair of rankings.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"1": {"a": 1}, "2": {"a": 1}}
    >>> runs = {"x": {"1": {"a": 2.0}, "2": {"a": 2.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
    >>> found = bp.correlate(bp.evaluate(truth, runs, "RR P@1"), resamples=100)
    >>> found[0].measure, found[0].versus, found[0].tau.value
    ('RR', 'P@1', 1.0)
    """
    method = Resampling(confidence=confidence, resamples=resamples, seed=seed)
    told = as_progress(progress)
    clusters = None if cluster is None else topic_clusters(_truth_of(results), cluster)
    method = method if clusters is None else replace(method, cluster=clusters.field)
    named = _named(results)
    work = _CorrelationWork(method, clusters)
    chosen = {name: _check(one, name, measures) for name, one in named.items()}
    work.describe_unknown(named.values())
    if len(named) == 1:
        sides = _pairs_of_measures(*next(iter(chosen.items())), named)
    else:
        sides = _pairs_of_results(chosen, named)
    pairs = []
    for done, (one, other) in enumerate(sides):
        pairs.append(work.correlation(one, other))
        if told is not None:
            told(done + 1, len(sides))
    return Correlations(tuple(pairs), method, tuple(dict.fromkeys(work.notes)))


@dataclass(frozen=True)
class _Side:
    """One ranking: a measure of some results."""

    source: str
    results: Results
    measure: str


def _truth_of(results: Sequence[Any]) -> Truth | None:
    """The truth of the first evaluation, which knows the fields of topics; None where only results are known."""
    given = [value for one in results for value in (one.values() if isinstance(one, Mapping) else [one])]
    return next((one.truth for one in given if isinstance(one, Evaluation)), None)


def _named(results: Sequence[Any]) -> dict[str, Results]:
    """Results by name: the stem of a file, made unique."""
    given: list[tuple[str, Any]] = []
    for number, one in enumerate(results, start=1):
        if isinstance(one, Mapping):
            given += [(str(name), value) for name, value in one.items()]
        elif isinstance(one, (Results, Evaluation)):
            given.append((f"results {number}", one))
        else:
            given.append((Path(file_name(one)).stem, one))
    if not given:
        raise UsageError("correlate needs results: one with several measures, or several with the same measure")
    found: dict[str, Results] = {}
    for name, one in given:
        unique, number = name, 2
        while unique in found:
            unique, number = f"{name} ({number})", number + 1
        if isinstance(one, Evaluation):
            found[unique] = one.run()
        else:
            found[unique] = one if isinstance(one, Results) else read_results(one)
    return found


def _check(results: Results, name: str, measures: MeasuresGiven) -> list[str]:
    if not results.mean_rows:
        raise UsageError(f"{name}: these results have no means (rows with topic all), so no ranking of runs")
    return chosen_measures(results, measures) or list(results.measures)


def _pairs_of_measures(name: str, measures: list[str], named: Mapping[str, Results]) -> list[tuple[_Side, _Side]]:
    if len(measures) < 2:
        raise UsageError(
            f"{name}: {measures[0]} alone cannot be correlated; give two measures, or the same one in two results"
        )
    return [
        (_Side(name, named[name], one), _Side(name, named[name], other))
        for one, other in itertools.combinations(measures, 2)
    ]


def _pairs_of_results(chosen: Mapping[str, list[str]], named: Mapping[str, Results]) -> list[tuple[_Side, _Side]]:
    found = []
    for one, other in itertools.combinations(named, 2):
        common = [measure for measure in chosen[one] if measure in chosen[other]]
        if not common:
            raise UsageError(
                f"{one} ({', '.join(chosen[one])}) and {other} ({', '.join(chosen[other])}) have no measure in common"
            )
        found += [(_Side(one, named[one], name), _Side(other, named[other], name)) for name in common]
    return found


class _CorrelationWork:
    """Pairs of rankings on their way to correlations."""

    def __init__(self, method: Resampling, clusters: TopicGroups | None = None) -> None:
        self.method, self.clusters = method, clusters
        self.notes: list[Note] = []
        self.info: dict[str, MeasureInfo] = {}

    def describe_unknown(self, results: Any) -> None:
        """The facts of every measure; a measure that is not known here is taken to be better when larger."""
        for one in results:
            self.info |= one.measure_info
            for measure in one.measures:
                if measure not in self.info:
                    text = "not a measure known here; runs are ranked as if larger values were better"
                    self.notes.append(Note("unknown direction", text, measure=measure))
                    self.info[measure] = MeasureInfo(measure)

    def correlation(self, one: _Side, other: _Side) -> Correlation:
        runs = self._common_runs(one, other)
        means = [self._oriented(side, self._means(side, runs)) for side in (one, other)]
        reason = why_undefined(*means)
        coefficients = [np.full(1, np.nan)] * 3 if reason else rank_coefficients(*means)
        topics, draws = self._draws(one, other, runs) if not reason else (0, np.empty((0, 3)))
        undefined = int(np.isnan(draws).any(axis=1).sum())
        if undefined:
            text = f"{undefined} of {len(draws)} resamples tie all runs, or have a run without a value; not counted"
            self.notes.append(Note("undefined resamples", text, measure=f"{one.measure}, {other.measure}"))
        draws = draws[~np.isnan(draws).any(axis=1)]
        tau, ahead, symmetric = (
            self._interval(float(value[0]), column) for value, column in zip(coefficients, draws.T, strict=True)
        )
        agree, tied, swapped = pair_counts(*means)
        return Correlation(
            measure=one.measure,
            versus=other.measure,
            source=one.source,
            versus_source=other.source,
            runs=len(runs),
            topics=topics,
            tau=tau,
            tau_ap=ahead,
            tau_ap_b=symmetric,
            concordant=agree,
            discordant=swapped,
            tied=tied,
            reason=reason,
            undefined_resamples=undefined,
            signature=with_method(Signature("tau_b"), self.method.fields()),
            signatures=(self._signature(one), self._signature(other)),
        )

    def _common_runs(self, one: _Side, other: _Side) -> list[str]:
        """Runs with a mean on both sides, in the order of the first; others are counted."""
        valued = [{row.run for row in s.results.mean_rows if row.measure == s.measure and row.value is not None}
                  for s in (one, other)]  # fmt: skip
        every = dict.fromkeys([*one.results.runs, *other.results.runs])
        runs = [run for run in every if run in valued[0] and run in valued[1]]
        skipped = [run for run in every if run not in valued[0] or run not in valued[1]]
        if skipped:
            names = ", ".join(skipped[:_LISTED]) + (" .." if len(skipped) > _LISTED else "")
            text = f"{counted(len(skipped), 'run')} without a mean in both rankings skipped: {shorten(names)}"
            self.notes.append(Note("runs left out", text, measure=_label(one, other)))
        return runs

    def _means(self, side: _Side, runs: Sequence[str]) -> FloatArray:
        known = {row.run: row.value for row in side.results.mean_rows if row.measure == side.measure}
        return np.array([[known[run] for run in runs]], dtype=np.float64)

    def _oriented(self, side: _Side, means: FloatArray) -> FloatArray:
        return means if self.info[side.measure].higher_is_better else -means

    def _draws(self, one: _Side, other: _Side, runs: Sequence[str]) -> tuple[int, FloatArray]:
        """The number of topics, and resamples x coefficients; the same topics are drawn for both sides."""
        topics = sorted(self._topics(one, other, runs))  # draws go by their names
        codes = np.arange(len(topics)) if self.clusters is None else cluster_codes(self.clusters, topics)
        units, unit = len(np.unique(codes)), "topics" if self.clusters is None else "clusters"
        if units < 2:
            text = f"there are no intervals: they need values for two {unit} or more (evaluate with a row per topic)"
            self.notes.append(Note("no intervals", text, measure=_label(one, other)))
            return len(topics), np.empty((0, 3))
        if units < FEW_TOPICS:
            text = f"with fewer than {FEW_TOPICS} {unit}, intervals are too narrow"
            self.notes.append(Note("few topics", text))
        self.notes += [] if self.clusters is None else cluster_notes(self.clusters, topics)
        tables = [
            TopicValues.of(replace(side.results, measure_info=self.info), side.measure, runs, topics)
            for side in (one, other)
        ]
        parts = []
        step = max(1, _CELLS // len(runs) ** 2)
        for _, times in statistics.resample_counts(units, self.method.resamples, self.method.seed):
            for first in range(0, len(times), step):
                some = times[first : first + step]
                some = some if self.clusters is None else some[:, codes]
                means = [
                    self._oriented(side, table.means(some)) for side, table in zip((one, other), tables, strict=True)
                ]
                parts.append(np.column_stack(rank_coefficients(*means)))
        return len(topics), np.concatenate(parts)

    def _topics(self, one: _Side, other: _Side, runs: Sequence[str]) -> list[str]:
        """Topics where some run has a value on either side."""
        wanted = set(runs)
        found: list[dict[str, None]] = [
            {row.topic: None for row in side.results.topic_rows
             if row.measure == side.measure and row.run in wanted and row.value is not None}
            for side in (one, other)
        ]  # fmt: skip
        if not found[0] or not found[1]:
            return []
        alone = len(found[0].keys() ^ found[1].keys())
        if alone:
            text = "topics have values in one of the two rankings only; each ranking is by its own topics"
            self.notes.append(Note("topics differ", text, measure=_label(one, other), count=alone))
        return list(found[0] | found[1])

    def _interval(self, value: float, draws: FloatArray) -> Interval:
        if np.isnan(value):
            return Interval()
        if not len(draws):
            return Interval(value)
        tail = (1 - self.method.confidence) / 2
        low, high = np.quantile(draws, [tail, 1 - tail])
        # resampling adds noise of its own, so that all draws can lie on one side of the value
        return Interval(value, min(float(low), value), max(float(high), value))

    def _signature(self, side: _Side) -> str:
        known = [row.signature for row in side.results.mean_rows if row.measure == side.measure]
        if unlike(known)[0]:
            text = "the runs have different signatures; their means may not be comparable"
            self.notes.append(Note("signatures differ", text, measure=side.measure))
        return str(known[0]) if known else ""


def _label(one: _Side, other: _Side) -> str:
    return one.measure if one.measure == other.measure else f"{one.measure}, {other.measure}"
