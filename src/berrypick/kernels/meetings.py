"""Pairs of intervals that have something in common, without looking at all pairs.

Two intervals meet where the later start lies in the other one: for each interval, the starts of others within it are
neighbours in their order. How many intervals meet one follows from two searches, so that blocks of rows are known
beforehand to have few pairs, and memory stays linear even where everything meets everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import IntArray, Positions
from berrypick.kernels.index_ranges import expanded, runs

#: Pairs that are held together.
TOGETHER = 100_000


@dataclass(frozen=True, eq=False)
class PlacedIntervals:
    """Intervals on several lines: the number of the line of each, from 0, where it starts and ends; -1: on no line."""

    line: IntArray
    start: Positions
    end: Positions


class Meetings:
    """What of some intervals meets which of others on the same line; a point meets an interval that it lies in."""

    def __init__(self, one: PlacedIntervals, other: PlacedIntervals) -> None:
        self._places = _Places(one, other)
        self._start, self._end = self._places.keys(one)
        starts, self._other_ends = self._places.keys(other)
        held = np.flatnonzero(other.line >= 0)
        self._other = held[np.argsort(starts[held], kind="stable")]
        self._starts = starts[self._other]
        begun = np.searchsorted(self._starts, self._end, side="left")
        over = np.searchsorted(np.sort(self._other_ends[held]), self._start, side="right")
        #: How many of the others meet each.
        self.count = np.where(one.line >= 0, begun - over, 0)

    def __len__(self) -> int:
        return int(self.count.sum())

    def blocks(self, most: int | None = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of both, by the first, then the second; in blocks of no more pairs than a limit, or of one row."""
        rows = np.flatnonzero(self.count)
        for first, last in runs(self.count[rows], TOGETHER if most is None else most):
            yield self._pairs(rows[first:last])

    def _pairs(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """All pairs of some rows: with others that begin in them, and with those in which they begin."""
        start = self._start[rows]
        row, place = expanded(np.searchsorted(self._starts, start), np.searchsorted(self._starts, self._end[rows]))
        order = np.argsort(start, kind="stable")
        after = np.searchsorted(start[order], self._starts, side="right")
        until = np.searchsorted(start[order], self._other_ends[self._other])
        other, turn = expanded(after, until)
        many = len(self._other_ends)
        first, second = np.concatenate([row, order[turn]]), np.concatenate([self._other[place], self._other[other]])
        pair = np.sort(first * many + second)
        return rows[pair // many], pair % many


class _Places:
    """Lines and places on them as single numbers, whose order is that of both; a point ends behind its start."""

    def __init__(self, one: PlacedIntervals, other: PlacedIntervals) -> None:
        self._lines = np.unique(np.concatenate([one.line, other.line]))
        self._known = np.sort(np.concatenate([one.start, one.end, other.start, other.end]))

    def keys(self, of: PlacedIntervals) -> tuple[IntArray, IntArray]:
        line = np.searchsorted(self._lines, of.line) * (len(self._known) + 1)
        start, end = (2 * (line + np.searchsorted(self._known, place)) for place in (of.start, of.end))
        return start, np.maximum(end, start + 1)
