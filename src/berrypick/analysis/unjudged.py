"""What unjudged text alone could do to the difference between two runs.

For each topic and measure of characters, two runs are compared under the truth that favours either side: unjudged text
that only this side retrieved is relevant, text that only the other retrieved is not, and text that both retrieved
counts in whichever of the two ways gives this side the larger difference. Under any fuller truth, restricted to text
that is judged or retrieved by either, the difference lies between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from berrypick.data.annotators import Pieces, Spans
from berrypick.data.arrays import FloatArray
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.measures.base import Measure, TextValue
from berrypick.topics.judge import judge_topic
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class TopicBounds:
    """Differences of one topic, by run and other run: the least and the largest that unjudged text allows."""

    topic: str
    low: FloatArray
    high: FloatArray
    #: Whether the truth has relevant text for the topic; otherwise the measure is undefined.
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
        low, high = self.ends(run, versus)
        return (sum(low.values()) / len(low), sum(high.values()) / len(high)) if low else None

    def ends(self, run: str, versus: str) -> tuple[dict[str, float], dict[str, float]]:
        """By topic the least difference, and the largest.

        Topics without relevant text join where they extend the bounds: some of their unjudged text may be relevant.
        """
        at = self.runs.index(run), self.runs.index(versus)
        low = {topic.topic: float(topic.low[at]) for topic in self.topics if topic.defined}
        high = {topic.topic: float(topic.high[at]) for topic in self.topics if topic.defined}
        if low:
            more = [topic for topic in self.topics if not topic.defined and not np.isnan(topic.high[at])]
            low |= _extending(low, {topic.topic: float(topic.low[at]) for topic in more}, sign=-1)
            high |= _extending(high, {topic.topic: float(topic.high[at]) for topic in more}, sign=1)
        return low, high


def _extending(known: Mapping[str, float], possible: Mapping[str, float], sign: int) -> dict[str, float]:
    """The possible values that make the mean of them and the known ones largest (``sign`` 1) or least (-1)."""
    total, count = float(sum(known.values())), len(known)
    found = {}
    for topic, value in sorted(possible.items(), key=lambda item: -sign * item[1]):
        if sign * value * count <= sign * total:
            break
        found[topic] = value
        total, count = total + value, count + 1
    return found


def unjudged_bounds(
    evaluation: Evaluation, runs: Sequence[str] | None = None, *, dependence: bool = False
) -> dict[str, UnjudgedBounds]:
    """Bound the differences between runs that judging unjudged text can lead to, for every measure of characters.

    Parameters
    ----------
    evaluation : Evaluation
        Truth, runs and measures.
    runs : sequence of str, optional
        Names of some runs; all of them by default.
    dependence : bool
        Under each labelling, also take the lowest value of one run and the highest of the other over all joint
        distributions of what readers see; for the measures alone that have such bounds.

    Returns
    -------
    dict
        Bounds by the text of the measure; empty where no measure counts characters, or the evaluation says itself what
        unjudged text counts as.

    Examples
    --------
    Of 20 characters that b alone retrieves nobody judged any: all of them may be relevant, or none

    >>> import berrypick as bp
    >>> from berrypick.analysis.unjudged import unjudged_bounds
    >>> runs = {"a": {"q": {"d#0-10": 1}}, "b": {"q": {"d#10-30": 1}}}
    >>> bounds = unjudged_bounds(bp.Evaluation.prepare({"q": {"d#0-10": 1}}, runs, "charP"))
    >>> bounds["charP"].mean("a", "b")
    (0.0, 1.0)
    """
    wanted = {
        one.text: (one.measure.at, values)
        for one in evaluation.measures
        if (values := _value_ends(one.measure, dependence)) is not None
    }
    names = tuple(evaluation.runs if runs is None else runs)
    if not wanted or len(names) < 2 or evaluation.options.unjudged is not None:
        return {}
    found: dict[str, list[TopicBounds]] = {text: [] for text in wanted}
    for topic in _topics(evaluation, names):
        judged = [judge_topic(evaluation.truth, evaluation.runs[name], topic, evaluation.context) for name in names]
        if judged[0].truth.no_answer:
            continue  # nothing anywhere is relevant
        cuts: dict[float | None, _TopicCounts] = {}
        for text, (at, values) in wanted.items():
            if at not in cuts:
                cuts[at] = _counts(judged, at)
            counts = cuts[at]
            if counts.relevant > 0 or counts.shared.any():
                high = _favoured(*values, counts)
                found[text].append(TopicBounds(topic, -high.T, high, counts.relevant > 0))
    return {text: UnjudgedBounds(names, tuple(bounds)) for text, bounds in found.items()}


def _value_ends(measure: Measure, dependence: bool) -> tuple[TextValue, TextValue] | None:
    """How a list is valued by its counts of characters where it is favoured, and where the other one is."""
    high, low = (measure.bounded("high"), measure.bounded("low")) if dependence else (measure, measure)
    favoured, other = (None if one is None else one.text_value() for one in (high, low))
    return None if favoured is None or other is None else (favoured, other)


def _topics(evaluation: Evaluation, names: Sequence[str]) -> Iterator[str]:
    """Topics that all runs are scored for."""
    answered_only = evaluation.options.topics == "run"
    scored = evaluation.truth.topics if evaluation.scored_topics is None else evaluation.scored_topics
    for topic in evaluation.truth.topics:
        if topic in scored and (not answered_only or all(topic in evaluation.runs[name] for name in names)):
            yield topic


@dataclass(frozen=True, eq=False)
class _TopicCounts:
    """Characters of one topic: of each run, and of each pair of runs."""

    retrieved: FloatArray
    found: FloatArray  # of it relevant
    shared: FloatArray  # unjudged text that both retrieved; on the diagonal, all unjudged text of a run
    relevant: float  # in all


def _favoured(value: TextValue, least: TextValue, counts: _TopicCounts) -> FloatArray:
    """Value of each run minus the least of each other one, under the truth that favours the former."""
    mine = np.diagonal(counts.shared)[:, None] - counts.shared  # unjudged text that only this side retrieved
    best = np.full(counts.shared.shape, -np.inf)
    apart = np.count_nonzero(counts.shared) == np.count_nonzero(np.diagonal(counts.shared))
    nothing = np.zeros_like(counts.shared)
    for both in (nothing,) if apart else (nothing, counts.shared):  # where no two share anything, both are the same
        total = counts.relevant + mine + both
        one = _values(value, counts.retrieved[:, None], counts.found[:, None] + mine + both, total)
        other = _values(least, counts.retrieved[None, :], counts.found[None, :] + both, total)
        best = np.maximum(best, one - other)
    own = np.diagonal(counts.shared)
    if counts.relevant == 0:  # and nothing that this pair retrieved could be relevant
        best[own[:, None] + own[None, :] == 0] = np.nan
    np.fill_diagonal(best, 0.0)
    return best


def _values(value: TextValue, retrieved: FloatArray, relevant: FloatArray, total: FloatArray) -> FloatArray:
    """The measure of many lists at once; 0 where nothing at all is relevant."""
    if getattr(value, "of_arrays", False):
        known, of_arrays = total > 0, cast(Callable[..., FloatArray], value)
        return np.where(known, of_arrays(retrieved, relevant, np.where(known, total, 1.0)), 0.0)
    columns = np.broadcast_arrays(retrieved, relevant, total)
    found = [value(*row) if row[2] > 0 else 0.0 for row in zip(*(c.ravel().tolist() for c in columns), strict=True)]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)


def _counts(judged: Sequence[JudgedTopic], at: float | None) -> _TopicCounts:
    """All lists of a topic cut into pieces that each list holds as a whole or not at all."""
    truth, relevant = judged[0].truth, judged[0].relevant_spans
    lists = [first_spans(one.ranking_spans, at) for one in judged]
    texts = [*lists, text_spans(relevant), text_spans(truth.judged_spans())]
    pieces = Pieces.of(texts)
    covered = np.array([pieces.covered(i) for i in range(len(texts))])
    unjudged = ~(covered[-1] | covered[-2] | pieces.within(truth.whole_documents))
    held = covered[: len(lists)].astype(np.float64)
    good = covered[-2]
    return _TopicCounts(
        retrieved=held @ pieces.length,
        found=held @ (pieces.length * good),
        shared=(held * (pieces.length * unjudged)) @ held.T,
        relevant=float((pieces.length * good).sum()),
    )


def first_spans(ranking: Ranking, at: float | None) -> Spans:
    """The first results of a list, or all of them."""
    kept = slice(None) if at is None else ranking.rank < at
    if ranking.size is not None:
        (ranking if isinstance(kept, slice) else ranking.rows(kept)).lengths()  # refused where one is unknown
    assert ranking.start is not None and ranking.end is not None
    names = [ranking.documents[code] for code in ranking.document[kept].tolist()]
    return names, ranking.start[kept], ranking.end[kept]


def text_spans(text: Highlighted) -> Spans:
    return text.document, text.start, text.end
