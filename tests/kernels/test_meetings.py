"""Intervals that overlap, against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from berrypick.kernels.meetings import Meetings, PlacedIntervals


def drawn(rng: np.random.Generator, many: int, real: bool) -> PlacedIntervals:
    """Intervals on four lines and on none; some are points, and some the same."""
    start = rng.random(many) * 20 if real else rng.integers(0, 20, many)
    long = rng.random(many) * 9 if real else rng.integers(0, 9, many)
    return PlacedIntervals(rng.integers(-1, 4, many), start, start + long)


def all_pairs(one: PlacedIntervals, other: PlacedIntervals) -> list[tuple[int, int]]:
    """Those that have a piece in common, or a point that lies in the other or is the same."""

    def meet(i: int, j: int) -> bool:
        a, b, c, d = one.start[i], one.end[i], other.start[j], other.end[j]
        if a == b or c == d:
            return (a == c) if a == b and c == d else (c <= a < d) if a == b else (a <= c < b)
        return max(a, c) < min(b, d)

    same = [(i, j) for i in range(len(one.line)) for j in range(len(other.line)) if one.line[i] == other.line[j] >= 0]
    return [(i, j) for i, j in same if meet(i, j)]


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_meetings_against_all_pairs(most):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        one, other = (drawn(rng, int(rng.integers(0, 25)), seed % 2 == 1) for _ in range(2))
        blocks = list(Meetings(one, other).blocks(most))
        found = [pair for row, target in blocks for pair in zip(row.tolist(), target.tolist(), strict=True)]
        assert found == all_pairs(one, other)
        assert len(Meetings(one, other)) == len(found)
        assert all(len(row) <= most or len(set(row.tolist())) == 1 for row, _ in blocks)


# --- intersection over union ----------------------------------------------------------------------------------------
