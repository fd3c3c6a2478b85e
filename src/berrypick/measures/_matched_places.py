"""Results matched with targets as in detection: by intersection over union."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import parameter, positive_share
from berrypick.data.run import Ranking
from berrypick.data.score import Score
from berrypick.data.truth import Targets
from berrypick.kernels.meetings import TOGETHER, Meetings
from berrypick.measures.blocks import SpanBlock
from berrypick.targets.in_common import common_lengths, meetings, sizes
from berrypick.topics.topic import JudgedTopic

#: A threshold is reached in spite of rounding.
ALMOST = 1 - 1e-9


def iou_parameter() -> Any:
    """The parameter of measures that can match by intersection over union."""
    return positive_share(None, "minimum intersection over union of one result and a target, instead of share")


#: Lengths of moments in seconds: longer than the first, and at most as long as the second.
LENGTHS = {"short": (0, 10), "middle": (10, 30), "long": (30, 150)}


def length_parameter() -> Any:
    """The parameter of measures that can keep targets of some lengths alone."""
    told = ", ".join(f"{name} ({low}, {high}]" for name, (low, high) in LENGTHS.items())
    return parameter(None, "|".join(LENGTHS), f"only targets of this length in seconds: {told}; all results count")


def of_length(judged: JudgedTopic, length: str | None) -> BoolArray:
    """Which targets have a length; all of them where none is asked for."""
    _, targets = judged.spans
    if length is None:
        return np.ones(len(targets), dtype=bool)
    if judged.context.reader.line_unit not in (None, "seconds"):
        raise UsageError(f"length='{length}' counts seconds, and positions count {judged.context.reader.line_unit}")
    assert targets.start is not None and targets.end is not None
    size, (low, high) = targets.end - targets.start, LENGTHS[length]
    return np.asarray((size > low) & (size <= high), dtype=bool)


#: Results, targets, and the intersection over union of each pair.
Ratios = tuple[IntArray, IntArray, FloatArray]


class Overlaps:
    """The pairs of a result and a target that have anything in common, and their intersection over union.

    A result that repeats another one has no pairs. Pairs are made block by block, and kept only where one block holds
    all of them: memory stays linear in results and targets, however many of them overlap.
    """

    def __init__(self, ranking: Ranking, targets: Targets) -> None:
        self._ranking, self._targets = ranking, targets
        self._kept: Ratios | None = None

    @cached_property
    def _meetings(self) -> Meetings:
        repeated = self._ranking.repeated
        return meetings(self._ranking, self._targets, None if repeated is None else ~repeated)

    def blocks(self) -> Iterator[Ratios]:
        """Some results after the others: pairs by row, then target."""
        if self._kept is None and len(self._meetings) > TOGETHER:
            yield from self._made()
            return
        if self._kept is None:
            self._kept = next(self._made(), (*2 * (np.zeros(0, dtype=np.int64),), np.zeros(0)))
        yield self._kept

    def _made(self) -> Iterator[Ratios]:
        ranking, targets = self._ranking, self._targets
        for row, target in self._meetings.blocks():
            common = common_lengths(ranking, row, targets, target)
            union = sizes(ranking, row) + sizes(targets, target) - common
            ratio = np.divide(common, union, out=np.ones(len(row)), where=union > 0)  # else both are the same point
            some = ratio > 0
            yield row[some], target[some], ratio[some]


@once_for_each
def overlaps(judged: JudgedTopic) -> Overlaps:
    """The results and targets that overlap."""
    return Overlaps(*judged.spans)


def nothing_to_match(judged: JudgedTopic) -> Score:
    """Nothing can be matched: undefined, but a miss in programs of moment retrieval."""
    return Score(0.0 if "unhittable-is-missed" in judged.rules else None)


@once_for_each
def matched_at(judged: JudgedTopic, iou: float) -> FloatArray:
    """The rank, from 1, of the first result that matches each target; infinite if none does."""
    ranking, targets = judged.spans
    ranks = np.append(ranking.rank + 1.0, np.inf)
    first = np.full(len(targets), len(ranking))
    for row, target, ratio in overlaps(judged).blocks():
        good = ratio * ALMOST > iou if "iou-above" in judged.rules else ratio >= iou * ALMOST
        np.minimum.at(first, target[good], row[good])
    return np.asarray(ranks[first], dtype=np.float64)


def _ratios(spans: SpanBlock) -> FloatArray:
    """The intersection over union of each pair."""
    start, end, low, high = spans.pair_ends()
    common = np.maximum(np.minimum(end, high) - np.maximum(start, low), 0).astype(np.float64)
    union = (end - start) + (high - low) - common
    same_point = (union == 0) & (start == low)
    return np.where(union > 0, common / np.where(union > 0, union, 1.0), same_point.astype(np.float64))


def matched_in_block(spans: SpanBlock, iou: float) -> FloatArray:
    """For each target of the truth the rank, from 1, of the first result that matches it; infinite if none does."""
    found = np.full(len(spans.wanted.start), np.inf)
    row, target = spans.pairs
    good = _ratios(spans) >= iou * ALMOST
    matched, first = np.unique(target[good], return_index=True)  # pairs are in the order of rows
    found[matched] = spans.rank[row[good][first]] + 1.0
    return found


def fitting_pairs(spans: SpanBlock, least: float, at: float | int | None) -> tuple[Ratios, list[int]]:
    """Results and targets of all topics with a ratio of at least so much; and how many results of a topic count."""
    row, target = spans.pairs
    ratio = _ratios(spans)
    kept = ratio >= least
    counts = np.diff(spans.bounds)
    if at is not None:
        kept &= spans.rank[row] < at
        counts = np.bincount(spans.topic[spans.rank < at], minlength=len(spans.topics))
    return (row[kept], target[kept], ratio[kept]), counts.tolist()
