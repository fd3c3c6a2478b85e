"""Retrieved text against relevant text, in ranked order: what is new, and how much of that is relevant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray, Positions
from berrypick.kernels.intervals import merge


class Measured:
    """How much relevant text lies before a position, for one document: a piecewise linear function."""

    def __init__(self, start: Positions, end: Positions) -> None:
        self.start, self.end = merge(start, end)
        self.before = np.concatenate([[0], np.cumsum(self.end - self.start)])

    @property
    def total(self) -> float:
        return float(self.before[-1])

    def up_to(self, position: Positions) -> FloatArray:
        """Relevant text before each position."""
        i = np.searchsorted(self.start, position, side="right")
        if not len(self.start):
            return np.zeros(len(position))
        last = np.maximum(i - 1, 0)
        inside = np.minimum(np.maximum(position - self.start[last], 0), self.end[last] - self.start[last])
        return np.where(i > 0, self.before[last] + inside, 0).astype(np.float64)

    def within(self, start: Positions, end: Positions) -> FloatArray:
        """Relevant text in each region, in seconds too never more than the region holds."""
        return np.asarray(np.minimum(self.up_to(end) - self.up_to(start), end - start), dtype=np.float64)


def first_seen(
    document: IntArray, start: Positions, end: Positions, relevant: Mapping[int, Measured]
) -> tuple[FloatArray, FloatArray]:
    """For each region in turn: the length not seen in an earlier region, and how much of that is relevant."""
    length = (end - start).astype(np.float64)
    new = length.copy()
    good = np.zeros(len(document))
    if not len(document):
        return new, good
    order = np.argsort(document, kind="stable")
    codes, heads = np.unique(document[order], return_index=True)
    for code, rows in zip(codes.tolist(), np.split(order, heads[1:]), strict=True):
        measured = relevant.get(code)
        if len(rows) > 1 and _overlapping(start[rows], end[rows]):
            _one_document(rows, start, end, measured, new, good)
        elif measured is not None:
            good[rows] = measured.within(start[rows], end[rows])
    return new, good


def _overlapping(start: Positions, end: Positions) -> bool:
    order = np.lexsort((end, start))
    return bool((start[order][1:] < np.maximum.accumulate(end[order])[:-1]).any())


def _one_document(
    rows: IntArray, start: Positions, end: Positions, measured: Measured | None, new: FloatArray, good: FloatArray
) -> None:
    """Regions that overlap: what is left of each after the earlier ones, kept as sorted disjoint intervals."""
    seen_start: list[float] = []
    seen_end: list[float] = []
    for row in rows.tolist():
        pieces = unseen_parts(start[row].item(), end[row].item(), seen_start, seen_end)
        new[row] = sum(b - a for a, b in pieces)
        if measured is not None and pieces:
            good[row] = measured.within(np.array([a for a, _ in pieces]), np.array([b for _, b in pieces])).sum()


def unseen_parts(start: float, end: float, seen_start: list[float], seen_end: list[float]) -> list[tuple[float, float]]:
    """The parts of [start, end) that are not seen yet; they are added to what is seen."""
    if end <= start:
        return []
    low = bisect_left(seen_end, start)  # the first seen interval that does not end before start
    high = low
    pieces: list[tuple[float, float]] = []
    position = start
    while high < len(seen_start) and seen_start[high] <= end:
        if seen_start[high] > position:
            pieces.append((position, seen_start[high]))
        position = max(position, seen_end[high])
        high += 1
    if position < end:
        pieces.append((position, end))
    joined_start = min(start, seen_start[low]) if low < high else start
    joined_end = max(end, seen_end[high - 1]) if low < high else end
    seen_start[low:high] = [joined_start]
    seen_end[low:high] = [joined_end]
    return pieces
