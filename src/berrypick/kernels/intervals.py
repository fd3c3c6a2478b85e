"""Half-open intervals on a line."""

from __future__ import annotations

import numpy as np

from berrypick.core.arrays import FloatArray, Positions


def merge(start: Positions, end: Positions) -> tuple[Positions, Positions]:
    """The union of intervals as disjoint intervals in order; touching ones are joined, empty ones vanish."""
    kept = end > start
    start, end = start[kept], end[kept]
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    furthest = np.maximum.accumulate(end)
    head = np.concatenate([[True], start[1:] > furthest[:-1]])
    last = np.concatenate([np.flatnonzero(head)[1:] - 1, [len(start) - 1]])
    return start[head], furthest[last]


def intersections(start: Positions, end: Positions, other_start: Positions, other_end: Positions) -> FloatArray:
    """The length of the intersection of each interval with each other one."""
    low = np.maximum(start[:, None], other_start[None, :])
    high = np.minimum(end[:, None], other_end[None, :])
    return np.asarray(np.maximum(high - low, 0), dtype=np.float64)


def union_length(start: Positions, end: Positions) -> float:
    merged_start, merged_end = merge(start, end)
    return float((merged_end - merged_start).sum())
