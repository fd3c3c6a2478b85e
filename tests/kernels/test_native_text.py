"""Intervals, first-seen text and elements inside elements, in both forms, against sets of characters and paths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berrypick import kernels
from berrypick.data import paths
from berrypick.kernels.intervals import intersections, merge
from berrypick.kernels.relevant_text import Measured, first_seen
from berrypick.kernels.trees import nested_pairs, numbered, unseen_lengths

FORMS = ["numpy", "native"]


@pytest.fixture(params=FORMS, scope="module")
def form(request):
    """Everything in this module runs on both kernels."""
    if request.param == "native" and kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERRYPICK_KERNELS", request.param)
        yield request.param


Interval = tuple[int, int]
intervals = st.tuples(st.integers(-3, 24), st.integers(-2, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))
several = st.lists(intervals, max_size=9)
kinds = st.sampled_from([np.int64, np.float64])


def columns(given: list[Interval], kind: type = np.int64) -> tuple[np.ndarray, np.ndarray]:
    return np.array([a for a, _ in given], dtype=kind), np.array([b for _, b in given], dtype=kind)


def points(given: list[Interval]) -> set[int]:
    return {i for a, b in given for i in range(a, b)}


@given(several, kinds)
def test_merged(form, given, kind):
    start, end = merge(*columns(given, kind))
    pieces = list(zip(start.tolist(), end.tolist(), strict=True))
    assert start.dtype == end.dtype == kind
    assert points([(int(a), int(b)) for a, b in pieces]) == points(given)
    assert all(a < b for a, b in pieces)
    assert all(b < c for (_, b), (c, _) in pairwise(pieces)), "touching pieces are joined"


@given(several, several, kinds, kinds)
def test_intersected(form, left, right, kind, other_kind):
    found = intersections(*columns(left, kind), *columns(right, other_kind))
    assert found.tolist() == [[len(points([a]) & points([b])) for b in right] for a in left]


regions = st.lists(st.tuples(st.integers(0, 2), intervals), max_size=12)


@given(regions, st.lists(st.tuples(st.integers(0, 3), intervals), max_size=6), kinds, kinds)
def test_first_seen(form, given, relevant, kind, relevant_kind):
    codes = sorted({code for code, _ in relevant})
    measured = {c: Measured(*columns([span for code, span in relevant if code == c], relevant_kind)) for c in codes}
    document = np.array([code for code, _ in given], dtype=np.int64)
    new, good = first_seen(document, *columns([span for _, span in given], kind), measured)
    wanted = {(code, i) for code, span in relevant for i in points([span])}
    seen: set[tuple[int, int]] = set()
    for row, (code, span) in enumerate(given):
        fresh = {(code, i) for i in points([span])} - seen
        assert (new[row], good[row]) == (len(fresh), len(fresh & wanted))
        seen |= fresh


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_first_seen_of_long_lists_is_the_same_in_both_forms(kind, monkeypatch):
    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    rng = np.random.default_rng(11)
    document = rng.integers(0, 20, 4000)
    start = rng.integers(-50, 90_000, 4000).astype(kind) / (1 if kind is np.int64 else 7)
    start = start.astype(kind)
    end = start + rng.integers(0, 900, 4000).astype(kind)
    place = np.sort(rng.choice(90_000, 60, replace=False)).astype(kind)
    measured = {code: Measured(place[code::3][:-1:2], place[code::3][1::2]) for code in range(3)}
    found = {}
    for form in FORMS:
        monkeypatch.setenv("BERRYPICK_KERNELS", form)
        found[form] = first_seen(document, start, end, measured)
    for one, other in zip(found["numpy"], found["native"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-9 if kind is np.float64 else 0)
    assert 0 < found["native"][0].sum() < (end - start).sum()


@pytest.mark.parametrize("far", [2**62, 2**63 - 1])
def test_positions_too_far_out_for_sums_are_measured_all_the_same(form, far):
    start, end = np.array([far - 10, far - 20]), np.array([far, far - 5])
    new, good = first_seen(np.zeros(2, dtype=np.int64), start, end, {0: Measured(start[1:], end[1:])})
    assert new.tolist() == [10, 10]
    assert good.tolist() == [5, 10]
    assert intersections(start, end, start, end).tolist() == [[10, 5], [5, 15]]
    assert merge(start, end)[0].tolist() == [far - 20]


def test_other_kinds_of_numbers(form):
    small = np.array([3, 1], dtype=np.int32), np.array([6, 4], dtype=np.int32)
    assert [column.tolist() for column in merge(*small)] == [[1], [6]]
    assert intersections(*small, np.array([0]), np.array([4])).tolist() == [[1], [3]]
    new, good = first_seen(np.zeros(2, dtype=np.int32), *small, {0: Measured(*small)})
    assert (new.tolist(), good.tolist()) == ([3, 2], [3, 2])
    reversed_view = np.array([5, 9])[::-1], np.array([7, 12])[::-1]
    assert [column.tolist() for column in merge(*reversed_view)] == [[5, 9], [7, 12]]


def test_many_nested_regions_of_one_document_take_no_quadratic_time(form):
    """Two hundred thousand regions over one document, each the one before and a little more."""
    count = 200_000 if form == "native" else 2_000
    start = np.arange(count, 0, -1)
    end = np.full(count, 2 * count)
    new, _ = first_seen(np.zeros(count, dtype=np.int64), start, end, {})
    assert new[0] == count and (new[1:] == 1).all()


# --- elements --------------------------------------------------------------------------------------------------------

steps = st.sampled_from(["a[1]", "a[2]", "a[10]", "a-b[1]", "a.b[1]", "b[1]", "sec[1]", "é[1]"])
element_paths = st.lists(steps, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
elements = st.lists(st.tuples(st.integers(0, 2), element_paths), max_size=12)


@given(st.lists(element_paths, max_size=20))
def test_numbers_tell_who_contains_whom(given):
    start, end = numbered(given)
    for a, outer in enumerate(given):
        for b, inner in enumerate(given):
            assert (start[a] <= start[b] < end[a]) == paths.contains(outer, inner)
            assert (start[a] == start[b]) == (outer == inner)


def places(*lists):
    """Document codes and numbers of several lists of (document, path), numbered together."""
    start, end = numbered([path for one in lists for _, path in one])
    found, at = [], 0
    for one in lists:
        codes = np.array([code for code, _ in one], dtype=np.int64)
        found += [codes, start[at : at + len(one)], end[at : at + len(one)]]
        at += len(one)
    return found


@given(elements, elements)
def test_nested_pairs_are_those_of_the_paths(form, left, right):
    first, second = nested_pairs(*places(left, right))
    wanted = [
        (i, j)
        for i, (document, path) in enumerate(left)
        for j, (other, other_path) in enumerate(right)
        if document == other and paths.nested(path, other_path)
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == wanted


@given(st.lists(st.tuples(st.integers(0, 1), element_paths, st.integers(1, 50)), max_size=14))
def test_unseen_lengths_are_those_of_the_paths(form, given):
    """GRPng's rule, straight from its words."""
    length = np.array([size for _, _, size in given], dtype=np.float64)
    found = unseen_lengths(*places([(document, path) for document, path, _ in given]), length)
    known: dict[int, dict[str, int]] = {0: {}, 1: {}}
    for row, (document, path, size) in enumerate(given):
        before = known[document]
        if any(paths.contains(other, path) for other in before):
            assert found[row] == 0
            continue
        inside = [other for other in before if paths.contains(path, other)]
        outermost = [o for o in inside if not any(p != o and paths.contains(p, o) for p in inside)]
        assert found[row] == max(0, size - sum(before[other] for other in outermost))
        before[path] = size


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_a_whole_collection_of_elements_in_both_forms(seed):
    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    rng = np.random.default_rng(seed)
    given = [
        (int(rng.integers(0, 5)), "/a[1]" + "".join(f"/s[{rng.integers(1, 4)}]" for _ in range(rng.integers(0, 5))))
        for _ in range(300)
    ]
    columns = places(given[:200], given[200:])
    found = {}
    for form in FORMS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BERRYPICK_KERNELS", form)
            found[form] = [*nested_pairs(*columns), unseen_lengths(*columns[:3], rng.random(200).round() * 0 + 7.0)]
    for one, other in zip(found["numpy"], found["native"], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_deep_tree_needs_no_deep_stack(form):
    """Ten thousand elements, each inside the one before."""
    depth = 10_000
    start, end = np.arange(depth), np.full(depth, depth)
    document = np.zeros(depth, dtype=np.int64)
    first, second = nested_pairs(document, start, end, document[-1:], start[-1:], end[-1:])
    assert first.tolist() == list(range(depth)) and not second.any()
    unseen = unseen_lengths(document, start[::-1], end, np.arange(1.0, depth + 1))
    assert (unseen == 1).all()
