"""Half-open intervals on a line."""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.kernels import native


def merge(start: Positions, end: Positions) -> tuple[Positions, Positions]:
    """The union of intervals as disjoint intervals in order; touching ones are joined, empty ones vanish."""
    compiled = native()
    if compiled is not None and _alike(start, end):
        merged_start, merged_end = np.empty((2, len(start)), dtype=start.dtype)
        count = compiled.merge(np.ascontiguousarray(start), np.ascontiguousarray(end), merged_start, merged_end)
        return merged_start[:count], merged_end[:count]
    return _plainly_merged(start, end)


def _plainly_merged(start: Positions, end: Positions) -> tuple[Positions, Positions]:
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
    compiled = native()
    if compiled is not None and _alike(start, end) and _alike(other_start, other_end):
        kind = common_type(start, other_start)
        common = np.empty((len(start), len(other_start)))
        if compiled.intersections(*contiguous(kind, start, end, other_start, other_end), common):
            return common
    low = np.maximum(start[:, None], other_start[None, :])
    high = np.minimum(end[:, None], other_end[None, :])
    return np.asarray(np.maximum(high - low, 0), dtype=np.float64)


def union_length(start: Positions, end: Positions) -> float:
    merged_start, merged_end = merge(start, end)
    return float((merged_end - merged_start).sum())


def _alike(start: Positions, end: Positions) -> bool:
    """Whether these are positions that the compiled kernels take: int64 or float64, as many starts as ends."""
    return start.dtype == end.dtype and start.dtype in (np.int64, np.float64) and start.shape == end.shape


def common_type(*positions: Positions) -> type[Any]:
    """Whole positions stay whole, unless real ones are among them."""
    return np.float64 if any(column.dtype != np.int64 for column in positions) else np.int64


def contiguous(kind: type[Any], *columns: Positions) -> list[Positions]:
    return [np.ascontiguousarray(column, dtype=kind) for column in columns]
