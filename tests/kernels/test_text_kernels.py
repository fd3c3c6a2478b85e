"""Intervals, relevant text before a position, and what of each region is new: against sets of characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import given
from hypothesis import strategies as st

from berrypick.kernels.intervals import intersections, merge, union_length
from berrypick.kernels.relevant_text import Measured, first_seen

Interval = tuple[int, int]
intervals = st.tuples(st.integers(0, 24), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))
several = st.lists(intervals, max_size=8)


def columns(given: list[Interval], dtype: type = np.int64) -> tuple[np.ndarray, np.ndarray]:
    return np.array([a for a, _ in given], dtype=dtype), np.array([b for _, b in given], dtype=dtype)


def points(given: list[Interval]) -> set[int]:
    return {i for a, b in given for i in range(a, b)}


@given(several)
def test_merge_is_the_union_in_as_few_pieces_as_possible(given: list[Interval]) -> None:
    start, end = merge(*columns(given))
    pieces = list(zip(start.tolist(), end.tolist(), strict=True))
    assert points(pieces) == points(given)
    assert all(a < b for a, b in pieces)
    assert all(b < c for (_, b), (c, _) in pairwise(pieces)), "touching pieces are joined"
    assert union_length(*columns(given)) == len(points(given))


@given(several, several)
def test_intersections_pair_by_pair(left: list[Interval], right: list[Interval]) -> None:
    found = intersections(*columns(left), *columns(right))
    assert found.shape == (len(left), len(right))
    assert found.tolist() == [[len(points([a]) & points([b])) for b in right] for a in left]


@given(several, several)
def test_measured_counts_relevant_characters(relevant: list[Interval], asked: list[Interval]) -> None:
    measured = Measured(*columns(relevant))
    assert measured.total == len(points(relevant))
    start, end = columns(asked)
    assert measured.within(start, end).tolist() == [len(points(relevant) & points([one])) for one in asked]
    assert measured.up_to(start).tolist() == [sum(i < place for i in points(relevant)) for place in start.tolist()]


def test_measured_of_nothing() -> None:
    nothing = Measured(*columns([]))
    assert nothing.total == 0
    assert nothing.within(*columns([(0, 5), (3, 3)])).tolist() == [0, 0]
    assert Measured(*columns([(4, 4)])).total == 0


regions = st.lists(st.tuples(st.integers(0, 2), intervals), max_size=10)


@given(regions, st.lists(st.tuples(st.integers(0, 3), intervals), max_size=6))
def test_first_seen_against_sets(given: list[tuple[int, Interval]], relevant: list[tuple[int, Interval]]) -> None:
    measured = {
        code: Measured(*columns([span for other, span in relevant if other == code]))
        for code in {c for c, _ in relevant}
    }
    new, good = first_seen(
        np.array([code for code, _ in given], dtype=np.int64), *columns([s for _, s in given]), measured
    )
    wanted = twins.characters([(str(code), a, b) for code, (a, b) in relevant])
    seen: set[twins.Character] = set()
    for row, (code, (a, b)) in enumerate(given):
        fresh = twins.characters([(str(code), a, b)]) - seen
        assert new[row] == len(fresh)
        assert good[row] == len(fresh & wanted)
        seen |= fresh


@given(regions, st.lists(st.tuples(st.integers(0, 3), intervals), max_size=6))
def test_first_seen_in_seconds_is_first_seen_in_tenths(
    given: list[tuple[int, Interval]], relevant: list[tuple[int, Interval]]
) -> None:
    """Positions may be fractions: the same numbers, scaled, up to rounding."""
    codes = np.array([code for code, _ in given], dtype=np.int64)
    spans = [s for _, s in given]

    def found(scale: float, dtype: type) -> tuple[np.ndarray, np.ndarray]:
        measured = {
            code: Measured(*(column * scale for column in columns([s for o, s in relevant if o == code], dtype)))
            for code in {c for c, _ in relevant}
        }
        return first_seen(codes, *(column * scale for column in columns(spans, dtype)), measured)

    for whole, tenths in zip(found(1, np.int64), found(0.1, np.float64), strict=True):
        assert tenths == pytest.approx(whole / 10, abs=1e-12)


@pytest.mark.parametrize("count", [400])
def test_first_seen_with_many_overlapping_regions(count: int) -> None:
    """Long lists over one document: nested, touching, crossing, repeated, empty."""
    random = np.random.default_rng(3)
    start = random.integers(0, 900, count)
    end = start + random.integers(0, 60, count)
    relevant = np.sort(random.choice(1000, 20, replace=False)).reshape(10, 2)
    measured = Measured(relevant[:, 0], relevant[:, 1])
    new, good = first_seen(np.zeros(count, dtype=np.int64), start, end, {0: measured})
    seen = np.zeros(1000, dtype=bool)
    wanted = np.zeros(1000, dtype=bool)
    for a, b in relevant:
        wanted[a:b] = True
    for row in range(count):
        fresh = np.zeros(1000, dtype=bool)
        fresh[start[row] : end[row]] = True
        fresh &= ~seen
        assert (new[row], good[row]) == (fresh.sum(), (fresh & wanted).sum())
        seen |= fresh
