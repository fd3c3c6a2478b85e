"""P(enough) by enumeration of readers, drawn readers, and ideal lists by brute force."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import at_length

from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.measures.readers._needed_set import exact_enough
from berrypick.topics.enough_chance import (
    MOST_SHARED,
    complete_at,
    drawn_chance,
    drawn_error,
    enough_chance,
    fewest,
    mean_inverse,
    most_shared,
)

KINDS = ("set", "hop")


def holds(groups, kind, seen):
    some = [[seen[x] for x in group] for group in groups]
    return any(map(all, some)) if kind == "set" else all(map(any, some))


def enumerated(groups, kind, probabilities):
    """The chance over all readers: who has seen which targets."""
    total = 0.0
    for who in product((False, True), repeat=len(probabilities)):
        weight = np.prod([p if seen else 1 - p for p, seen in zip(probabilities, who, strict=True)])
        total += weight * holds(groups, kind, who)
    return total


@st.composite
def cases(draw, targets=6):
    number = draw(st.integers(1, targets))
    group = st.lists(st.integers(0, number - 1), min_size=1, max_size=4, unique=True)
    groups = draw(st.lists(group, min_size=1, max_size=6))
    chance = st.sampled_from([0.0, 1e-9, 0.1, 0.3, 0.5, 0.9, 1.0])
    rows = draw(st.lists(st.lists(chance, min_size=number, max_size=number), min_size=1, max_size=4))
    return groups, draw(st.sampled_from(KINDS)), np.array(rows)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_the_chance_is_that_of_all_readers(case):
    groups, kind, rows = case
    chance, lacking = enough_chance(groups, kind, rows, 1 - rows)
    expected = [enumerated(groups, kind, row) for row in rows]
    assert chance == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert lacking == pytest.approx(1 - np.array(expected), abs=1e-12)


def test_by_hand():
    half = np.full((1, 3), 0.5)
    assert enough_chance([[0, 1], [2]], "set", half, half)[0] == [1 - 0.75 * 0.5]
    assert enough_chance([[0, 1], [2]], "hop", half, half)[0] == [0.75 * 0.5]
    assert enough_chance([[0, 1], [0, 2]], "set", half, half)[0] == [0.5 * 0.75]  # 0, and one of the others
    assert enough_chance([[0, 1], [0, 2]], "hop", half, half)[0] == [0.5 + 0.5 * 0.25]
    small = np.full((1, 4), 1e-12)
    assert enough_chance([[0, 1], [2, 3]], "set", small, 1 - small)[0] == pytest.approx([2e-24], rel=1e-11, abs=0)


def test_many_that_share_are_drawn_within_their_error():
    groups = [[i, i + 1] for i in range(MOST_SHARED + 4)]  # a chain: all but its ends are shared
    assert most_shared(groups) > MOST_SHARED
    seen = np.linspace(0.1, 0.6, 3)[:, None] * np.ones(MOST_SHARED + 5)
    with pytest.raises(ValueError, match="more than 20 targets"):
        enough_chance(groups, "set", seen, 1 - seen)
    for kind in KINDS:
        found = drawn_chance(groups, kind, seen)
        for p, estimate, error in zip(seen[:, 0], found, drawn_error(found), strict=True):
            assert estimate == pytest.approx(chain(len(groups) + 1, p, kind), abs=5 * error + 1e-9)


def chain(targets, p, kind):
    """Whether two neighbours of a chain are both seen (sets); whether no two neighbours are both unseen (hops)."""
    p = p if kind == "set" else 1 - p
    last_not, last = 1 - p, p  # no two neighbours so far, by the last one
    for _ in range(targets - 1):
        last_not, last = (last_not + last) * (1 - p), last_not * p
    none = last_not + last
    return 1 - none if kind == "set" else none


def test_twenty_shared_targets_are_exact():
    groups = [[i, i + 1] for i in range(MOST_SHARED + 1)]
    assert most_shared(groups) == MOST_SHARED
    seen = np.full((1, MOST_SHARED + 2), 0.3)
    for kind in KINDS:
        found = enough_chance(groups, kind, seen, 1 - seen)[0]
        assert found == pytest.approx([chain(MOST_SHARED + 2, 0.3, kind)], rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_the_fewest_are_those_of_brute_force(case):
    groups, kind, _ = case
    taken = product(*groups) if kind == "hop" else groups
    assert fewest(groups, kind) == min(len(set(one)) for one in taken)


@settings(max_examples=at_length(20, 60), deadline=None)
@given(cases(targets=4))
def test_the_ideal_list_is_the_best_of_all_orders(case):
    groups, kind, rows = case
    rows = np.vstack([rows, np.eye(rows.shape[1])])[-6:]
    length, order = exact_enough(Reach.of(rows), groups, kind)
    expected = min(expected_length(one, rows, groups, kind) for one in permutations(range(len(rows))))
    if np.isinf(expected):
        assert np.isnan(length) and order == ()
    else:
        assert length == pytest.approx(expected, rel=1e-12)


def expected_length(order, rows, groups, kind):
    """1 + sum_k P(not enough after k); infinite where it never is surely enough."""
    unseen, total = np.ones(rows.shape[1]), 1.0
    for candidate in order:
        unseen = unseen * (1 - rows[candidate])
        lacking = 1 - enumerated(groups, kind, 1 - unseen)
        if lacking < 1e-12:
            return total
        total += lacking
    return np.inf


def test_more_than_eight_candidates_are_refused():
    with pytest.raises(UsageError, match="at most 8 candidates, not 9; remove ideal"):
        exact_enough(Reach.identity(9), [[0]], "set")


def test_when_it_is_enough():
    ranks = np.array([1.0, 4.0, np.inf, 2.0])
    assert complete_at([[0, 1], [2], [0, 3]], "set", ranks) == 2
    assert complete_at([[0, 1], [2, 3]], "hop", ranks) == 2
    assert complete_at([[0], [2]], "hop", ranks) == np.inf


def test_the_mean_inverse_rank():
    """N = 5 ranks, something at ranks 2 and 4: P_1 = 0, P_2 = P_3 = .5, P_4 = P_5 = .8."""
    by_hand = 0.5 / (2 * 3) + 0.5 / (3 * 4) + 0.8 / (4 * 5) + 0.8 / 5
    assert mean_inverse(np.array([2.0, 4.0]), np.array([0.5, 0.8])) == pytest.approx(by_hand)
    assert mean_inverse(np.zeros(0), np.zeros(0)) == 0
