"""What unjudged text alone could do to the difference between two runs.

For each topic and measure of characters, two runs are compared under the truth that favours either side: unjudged text
that only this side retrieved is relevant, text that only the other retrieved is not, and text that both retrieved
counts in whichever of the two ways gives this side the larger difference. Under any fuller truth, restricted to text
that is judged or retrieved by either, the difference lies between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.run import Ranking
from berrypick.core.truth import Highlighted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.judging.judge import judge_topic
from berrypick.judging.topic import JudgedTopic
from berrypick.measures._text import TextMeasure


@dataclass(frozen=True, eq=False)
class TopicBounds:
    """Differences of one topic, by run and other run: the least and the largest that unjudged text allows."""

    topic: str
    low: FloatArray
    high: FloatArray
    #: Whether the truth has relevant text for the topic; else the measure is undefined until somebody finds some.
    defined: bool


@dataclass(frozen=True, eq=False)
class UnjudgedBounds:
    """Bounds of the differences between runs under one measure, topic by topic."""

    runs: tuple[str, ...]
    topics: tuple[TopicBounds, ...]

    def only(self, topics: Iterable[str]) -> UnjudgedBounds:
        """Those of some topics."""
        kept = set(topics)
        return UnjudgedBounds(self.runs, tuple(topic for topic in self.topics if topic.topic in kept))

    def mean(self, run: str, versus: str) -> tuple[float, float] | None:
        """Bounds of the mean difference; None without any topic."""
        at = self.runs.index(run), self.runs.index(versus)
        low = [topic.low[at] for topic in self.topics if topic.defined]
        high = [topic.high[at] for topic in self.topics if topic.defined]
        if not low:
            return None
        more = [topic for topic in self.topics if not topic.defined and not np.isnan(topic.high[at])]
        least = _extreme_mean(low, [topic.low[at] for topic in more], sign=-1)
        return least, _extreme_mean(high, [topic.high[at] for topic in more], sign=1)


def _extreme_mean(known: Sequence[float], possible: Sequence[float], sign: int) -> float:
    """The largest mean (``sign`` 1) or the least (-1) of all known values and any of the possible ones: topics without
    relevant text join the mean if some of their unjudged text turns out to be relevant."""
    total, count = float(sum(known)), len(known)
    for value in sorted((float(value) for value in possible), reverse=sign > 0):
        if sign * value * count <= sign * total:
            break
        total, count = total + value, count + 1
    return total / count


def unjudged_bounds(evaluation: Evaluation, runs: Sequence[str] | None = None) -> dict[str, UnjudgedBounds]:
    """For every measure of characters of an evaluation, by its text: bounds of the differences between its runs."""
    wanted = {
        one.text: one.measure
        for one in evaluation.measures
        if isinstance(one.measure, TextMeasure) and one.counts_unjudged
    }
    names = tuple(evaluation.runs if runs is None else runs)
    if not wanted or len(names) < 2 or evaluation.options.unjudged is not None:
        return {}
    found: dict[str, list[TopicBounds]] = {text: [] for text in wanted}
    for topic in _topics(evaluation, names):
        judged = [judge_topic(evaluation.truth, evaluation.runs[name], topic, evaluation.context) for name in names]
        if judged[0].truth.no_answer:
            continue  # nothing anywhere is relevant
        cuts: dict[float | None, _Counts] = {}
        for text, measure in wanted.items():
            if measure.at not in cuts:
                cuts[measure.at] = _counts(judged, measure.at)
            counts = cuts[measure.at]
            if counts.relevant > 0 or counts.shared.any():
                high = _favoured(measure, counts)
                found[text].append(TopicBounds(topic, -high.T, high, counts.relevant > 0))
    return {text: UnjudgedBounds(names, tuple(bounds)) for text, bounds in found.items()}


def _topics(evaluation: Evaluation, names: Sequence[str]) -> Iterator[str]:
    """Topics that all runs are scored for."""
    answered_only = evaluation.options.topics == "run"
    for topic in evaluation.truth.topics:
        if not answered_only or all(topic in evaluation.runs[name] for name in names):
            yield topic


@dataclass(frozen=True, eq=False)
class _Counts:
    """Characters of one topic: of each run, and of each pair of runs."""

    retrieved: FloatArray
    found: FloatArray  # of it relevant
    shared: FloatArray  # unjudged text that both retrieved; on the diagonal, all unjudged text of a run
    relevant: float  # in all


def _favoured(measure: TextMeasure, counts: _Counts) -> FloatArray:
    """Value of each run minus that of each other one, under the truth that favours the former."""
    mine = np.diagonal(counts.shared)[:, None] - counts.shared  # unjudged text that only this side retrieved
    best = np.full(counts.shared.shape, -np.inf)
    for both in (np.zeros_like(counts.shared), counts.shared):
        total = counts.relevant + mine + both
        one = _values(measure, counts.retrieved[:, None], counts.found[:, None] + mine + both, total)
        other = _values(measure, counts.retrieved[None, :], counts.found[None, :] + both, total)
        best = np.maximum(best, one - other)
    own = np.diagonal(counts.shared)
    if counts.relevant == 0:  # and nothing that this pair retrieved could be relevant
        best[own[:, None] + own[None, :] == 0] = np.nan
    np.fill_diagonal(best, 0.0)
    return best


def _values(measure: TextMeasure, retrieved: FloatArray, relevant: FloatArray, total: FloatArray) -> FloatArray:
    """The measure of many lists at once; 0 where nothing at all is relevant."""
    columns = np.broadcast_arrays(retrieved, relevant, total)
    found = [
        measure.value(*row) if row[2] > 0 else 0.0 for row in zip(*(c.ravel().tolist() for c in columns), strict=True)
    ]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)


def _counts(judged: Sequence[JudgedTopic], at: float | None) -> _Counts:
    """All lists of a topic cut into pieces that each list holds as a whole or not at all."""
    truth, relevant = judged[0].truth, judged[0].relevant_spans
    lists = [_spans(one.ranking_spans, at) for one in judged]
    texts = [*lists, _text_spans(relevant), _text_spans(truth.judged_spans())]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(name for names, _, _ in texts for name in names))}
    pieces = _Pieces.of([(np.array([numbers[name] for name in names], dtype=np.int64), a, b) for names, a, b in texts])
    covered = np.array([pieces.covered(i) for i in range(len(texts))])
    whole = np.array([numbers[name] for name in truth.whole_documents if name in numbers], dtype=np.int64)
    unjudged = ~(covered[-1] | covered[-2] | np.isin(pieces.document, whole))
    held = covered[: len(lists)].astype(np.float64)
    good = covered[-2]
    return _Counts(
        retrieved=held @ pieces.length,
        found=held @ (pieces.length * good),
        shared=(held * (pieces.length * unjudged)) @ held.T,
        relevant=float((pieces.length * good).sum()),
    )


_Spans = tuple[Sequence[str], FloatArray, FloatArray]


def _spans(ranking: Ranking, at: float | None) -> _Spans:
    chosen = ranking if at is None else ranking.rows(ranking.rank < at)
    assert chosen.start is not None and chosen.end is not None
    chosen.lengths()  # refused where one is unknown
    names = [chosen.documents[code] for code in chosen.document.tolist()]
    return names, chosen.start.astype(np.float64), chosen.end.astype(np.float64)


def _text_spans(text: Highlighted) -> _Spans:
    return text.document, text.start.astype(np.float64), text.end.astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Documents cut at every place where some span starts or ends."""

    document: IntArray
    length: FloatArray
    ends: Sequence[
        tuple[IntArray, IntArray]
    ]  # of each list: the pieces at which its spans start, and before which they end

    @classmethod
    def of(cls, lists: Iterable[tuple[IntArray, FloatArray, FloatArray]]) -> _Pieces:
        kept = [(d[b > a], a[b > a], b[b > a]) for d, a, b in lists]
        document = np.concatenate([np.concatenate([d, d]) for d, _, _ in kept])
        place = np.concatenate([np.concatenate([a, b]) for _, a, b in kept])
        order = np.lexsort((place, document))
        new = np.ones(len(order), dtype=bool)
        same = document[order][1:] == document[order][:-1]
        new[1:] = ~(same & (place[order][1:] == place[order][:-1]))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        heads = order[new]
        length = np.zeros(len(heads))
        inner = document[heads][1:] == document[heads][:-1]
        length[:-1][inner] = np.diff(place[heads])[inner]
        bounds = np.cumsum([0, *(2 * len(d) for d, _, _ in kept)])
        parts = [number[a:b] for a, b in pairwise(bounds.tolist())]
        return cls(document[heads], length, [(part[: len(part) // 2], part[len(part) // 2 :]) for part in parts])

    def covered(self, which: int) -> BoolArray:
        """The pieces that a list holds."""
        start, end = self.ends[which]
        count = len(self.document)
        change = np.bincount(start, minlength=count) - np.bincount(end, minlength=count)
        return np.asarray(np.cumsum(change) > 0, dtype=bool)
