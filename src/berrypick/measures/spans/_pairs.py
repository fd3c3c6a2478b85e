"""Results and targets of many topics, pair by pair: when targets are covered, and which results fit them."""

from __future__ import annotations

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.judging.together import SpansTogether
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures.spans._iou import ALMOST, Ratios


def covered_together(spans: SpansTogether, share: float) -> FloatArray:
    """For each target of the truth the rank, from 1, by which results together cover a share of it; else infinite.

    Where results do not overlap, what they hold of a target is added up; the few others are gone through one by one.
    """
    wanted = spans.wanted
    found = np.full(len(wanted.start), np.inf)
    row, target = spans.pairs
    start, end, low, high = spans.pair_ends()
    common = np.maximum(np.minimum(end, high) - np.maximum(start, low), 0)
    touching = np.where(low == high, (start <= low) & (low < end), common > 0)
    row, target, start, end = row[touching], target[touching], start[touching], end[touching]
    common = np.where(low == high, 1, common)[touching]
    least = np.where(wanted.end > wanted.start, share * (wanted.end - wanted.start) * (1 - 1e-9), 0.5)
    overlapping = _overlapping(target, start, end)
    apart = ~np.isin(target, overlapping)
    order = np.argsort(target[apart], kind="stable")  # rows of one target stay in their order
    of, rows = target[apart][order], row[apart][order]
    have = np.cumsum(common[apart][order])
    head = np.append(True, of[1:] != of[:-1])[: len(of)]
    before = np.append(0, have)[np.flatnonzero(head)]
    have = have - before[np.cumsum(head) - 1] if len(have) else have
    enough = have >= least[of]
    reached, first = np.unique(of[enough], return_index=True)
    found[reached] = spans.rank[rows[enough][first]] + 1.0
    for x in overlapping.tolist():
        own = np.flatnonzero(target == x)
        found[x] = _covered_at(spans, row[own], x, float(least[x]))
    return found


def _overlapping(target: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Targets that overlapping results touch: by start, then two neighbours overlap, if any two do."""
    order = np.lexsort((end, start, target))
    met = (target[order[1:]] == target[order[:-1]]) & (start[order[1:]] < end[order[:-1]])
    return np.unique(target[order[1:]][met])


def _covered_at(spans: SpansTogether, rows: IntArray, target: int, least: float) -> float:
    """The rank by which results that touch a target cover enough of it, text that was there before not again."""
    low, high = int(spans.wanted.start[target]), int(spans.wanted.end[target])
    seen: tuple[list[float], list[float]] = ([], [])
    have = 0.0
    for row in rows.tolist():
        for a, b in unseen_parts(int(spans.start[row]), int(spans.end[row]), *seen):
            have += (a <= low < b) if low == high else max(min(b, high) - max(a, low), 0)
        if have >= least:
            return float(spans.rank[row]) + 1.0
    return np.inf


def _ratios(spans: SpansTogether) -> FloatArray:
    """The intersection over union of each pair."""
    start, end, low, high = spans.pair_ends()
    common = np.maximum(np.minimum(end, high) - np.maximum(start, low), 0).astype(np.float64)
    union = (end - start) + (high - low) - common
    same_point = (union == 0) & (start == low)
    return np.where(union > 0, common / np.where(union > 0, union, 1.0), same_point.astype(np.float64))


def matched_together(spans: SpansTogether, iou: float) -> FloatArray:
    """For each target of the truth the rank, from 1, of the first result that matches it; infinite if none does."""
    found = np.full(len(spans.wanted.start), np.inf)
    row, target = spans.pairs
    good = _ratios(spans) >= iou * ALMOST
    matched, first = np.unique(target[good], return_index=True)  # pairs are in the order of rows
    found[matched] = spans.rank[row[good][first]] + 1.0
    return found


def fitting_pairs(spans: SpansTogether, least: float, at: float | int | None) -> tuple[Ratios, list[int]]:
    """Results and targets of all topics with a ratio of at least so much; and how many results of a topic count."""
    row, target = spans.pairs
    ratio = _ratios(spans)
    kept = ratio >= least
    counts = np.diff(spans.bounds)
    if at is not None:
        kept &= spans.rank[row] < at
        counts = np.bincount(spans.topic[spans.rank < at], minlength=len(spans.topics))
    return (row[kept], target[kept], ratio[kept]), counts.tolist()
