"""Ranges of whole numbers: all that they hold, and neighbours that are taken together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from berrypick.data.arrays import IntArray


def expanded(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Every number from low to high, and which of the ranges it comes from."""
    count = high - low
    which = np.repeat(np.arange(len(count)), count)
    return which, np.arange(len(which)) + np.repeat(low - (np.cumsum(count) - count), count)


def runs(count: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Neighbours whose counts add up to no more than a limit, or single ones, as ranges."""
    ends = np.cumsum(count)
    first = 0
    while first < len(count):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + most, side="right")), first + 1)
        yield first, last
        first = last
