"""Results and targets of many topics, pair by pair: when targets are covered."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures.blocks import SpanBlock


def covered_in_block(spans: SpanBlock, share: float) -> FloatArray:
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
    order = np.flatnonzero(~apart)
    order = order[np.argsort(target[order], kind="stable")]
    places = [np.searchsorted(target[order], overlapping, side=side).tolist() for side in ("left", "right")]
    for x, a, b in zip(overlapping.tolist(), *places, strict=True):
        found[x] = _covered_at(spans, row[order[a:b]], x, float(least[x]))
    return found


def _overlapping(target: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Targets that overlapping results touch: by start, then two neighbours overlap, if any two do."""
    order = np.lexsort((end, start, target))
    met = (target[order[1:]] == target[order[:-1]]) & (start[order[1:]] < end[order[:-1]])
    return np.unique(target[order[1:]][met])


def _covered_at(spans: SpanBlock, rows: IntArray, target: int, least: float) -> float:
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
