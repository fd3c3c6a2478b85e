"""The law of the number of targets seen, against enumeration and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import slow_twins
from generated_inputs import reaches
from hypothesis import given
from hypothesis import strategies as st

from berrypick.data.reach import Reach
from berrypick.kernels.poisson_binomial import (
    law,
    lower_tails,
    number_seen,
    something_new,
    upper_tails,
    without_each,
)

pytestmark = pytest.mark.usefixtures("kernels")

CLOSE = {"rtol": 0, "atol": 1e-12}


@given(reaches(ranks=(1, 6)))
def test_the_law_is_that_of_all_scenarios(matrix):
    reach = Reach.of(matrix)
    for event, k in enumerate(reach.events.tolist()):
        np.testing.assert_allclose(number_seen(reach)[event], slow_twins.law(matrix, k), **CLOSE)


@given(reaches(ranks=(1, 6)))
def test_events_are_the_ranks_that_reach_anything(matrix):
    assert Reach.of(matrix).events.tolist() == [k + 1 for k, row in enumerate(matrix) if row.any()]


@given(reaches(ranks=(1, 6)))
def test_seen_and_unseen_are_equation_1(matrix):
    reach = Reach.of(matrix)
    for event, k in enumerate(reach.events.tolist()):
        exact = slow_twins.seen(matrix, k)
        np.testing.assert_allclose(reach.seen[event], [float(p) for p in exact], rtol=1e-14)
        np.testing.assert_allclose(reach.unseen[event], [float(1 - p) for p in exact], rtol=1e-14)
        np.testing.assert_array_equal(reach.expected_seen(k), reach.seen[event])


def test_seen_between_before_and_after_events():
    reach = Reach.of([[0, 0], [0.5, 0], [0, 0], [0, 1]])
    assert reach.expected_seen(1).tolist() == [0, 0]
    assert reach.expected_seen(3).tolist() == [0.5, 0]
    assert reach.expected_seen(99).tolist() == [0.5, 1]


@given(st.integers(1, 400), st.integers(1, 12), st.integers(0, 2**32 - 1), st.sampled_from([1e-12, 0.01, 0.5, 1.0]))
def test_everything_stays_a_probability_over_hundreds_of_ranks(ranks, targets, seed, scale):
    rng = np.random.default_rng(seed)
    matrix = rng.random((ranks, targets)) * scale * (rng.random((ranks, targets)) < 0.5)
    reach = Reach.of(matrix)
    assert ((reach.seen >= 0) & (reach.seen <= 1)).all()
    assert ((reach.unseen >= 0) & (reach.unseen <= 1)).all()
    assert (np.diff(reach.seen, axis=0) >= 0).all(), "what has been seen stays seen"
    mass = number_seen(reach)
    assert (mass >= 0).all()
    np.testing.assert_allclose(mass.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(mass @ np.arange(targets + 1), reach.seen.sum(axis=1), rtol=1e-12)


@given(reaches(ranks=(1, 4)))
def test_tails_add_up(matrix):
    mass = number_seen(Reach.of(matrix))
    t = matrix.shape[1]
    for f in range(t + 1):
        np.testing.assert_allclose(upper_tails(mass)[:, f], mass[:, f:].sum(axis=1), **CLOSE)
        np.testing.assert_allclose(lower_tails(mass)[:, f], mass[:, :f].sum(axis=1), **CLOSE)


@given(st.lists(st.floats(1e-9, 1e-3), min_size=2, max_size=7), st.integers(1, 3))
def test_tiny_upper_tails_keep_their_digits(row, ranks):
    """P(F >= t) may be 1e-50; a difference form would have lost all of it."""
    matrix = np.array([row] * ranks)
    tails = upper_tails(number_seen(Reach.of(matrix)))[-1]
    exact = [slow_twins.subset_law(slow_twins.seen(matrix, ranks), f) for f in range(len(row) + 1)]
    for f in range(1, len(row) + 1):
        wanted = sum(exact[f:], start=Fraction(0))
        assert abs(Fraction(tails[f]) / wanted - 1) < Fraction(1, 10**12)


@given(st.lists(st.floats(1e-9, 1e-3), min_size=2, max_size=7))
def test_tiny_lower_tails_keep_their_digits(row):
    """Nearly certain targets: P(F < 1) is a product of tiny numbers that 1 - seen no longer knows."""
    nearly = np.array([[1.0 - p for p in row]] * 2)
    reach = Reach.of(nearly)
    left = lower_tails(number_seen(reach))[-1, 1]
    exact = slow_twins.subset_law(slow_twins.seen(nearly, 2), 0)
    assert abs(Fraction(left) / exact - 1) < Fraction(1, 10**12)


@pytest.mark.slow
def test_a_large_list_runs_and_its_law_has_the_right_mean():
    rng = np.random.default_rng(5)
    matrix = np.where(rng.random((1500, 300)) < 0.02, rng.random((1500, 300)), 0.0)
    reach = Reach.of(matrix)
    mass = number_seen(reach)
    assert mass.shape == (len(reach.events), 301)
    np.testing.assert_allclose(mass.sum(axis=1), 1, rtol=1e-11)
    np.testing.assert_allclose(mass @ np.arange(301), reach.seen.sum(axis=1), rtol=1e-11)


@given(reaches(ranks=(2, 5)))
def test_something_new_is_the_coefficient_of_the_specification(matrix):
    """P(F_{i-1} = s) minus the coefficient of z^s in prod_x (seen z + (1 - seen)(1 - reach))."""
    reach = Reach.of(matrix)
    if not len(reach.events):
        return
    before = np.vstack([np.zeros((1, reach.targets)), reach.seen[:-1]])
    unseen = np.vstack([np.ones((1, reach.targets)), reach.unseen[:-1]])
    new = something_new(before, unseen, reach.at_events)
    for event in range(len(reach.events)):
        coefficients = np.ones(1)
        for s, p in zip(before[event], reach.at_events[event], strict=True):
            coefficients = np.convolve(coefficients, [(1 - s) * (1 - p), s])
        np.testing.assert_allclose(new[event], law(before, unseen)[event] - coefficients, **CLOSE)


@given(reaches(ranks=(1, 4), targets=(1, 6), coins=12), st.data())
def test_without_each_leaves_one_target_out(matrix, data):
    reach = Reach.of(matrix)
    events = len(reach.events)
    rows = st.lists(st.integers(0, max(events - 1, 0)), unique=True, max_size=events).map(sorted)
    wanted = [np.array(data.draw(rows), dtype=np.int64) for _ in range(reach.targets)]
    found = without_each(reach.seen, reach.unseen, wanted)
    for x in range(reach.targets):
        others = [y for y in range(reach.targets) if y != x]
        for row, event in zip(found[x], wanted[x].tolist(), strict=True):
            exact = [Fraction(p) for p in reach.seen[event, others].tolist()]
            expected = [float(slow_twins.subset_law(exact, s)) for s in range(reach.targets)]
            np.testing.assert_allclose(row, expected, **CLOSE)


def test_a_matrix_may_be_given_in_many_ways():
    from scipy import sparse

    dense = [[0.4, 0.4], [0.6, 0.4], [1, 0]]
    forms = [
        np.array(dense),
        sparse.csr_matrix(dense),
        sparse.csc_matrix(dense),
        sparse.coo_matrix(dense),
        sparse.lil_matrix(dense),
        sparse.csr_array(dense),
        Reach.of(dense),
    ]
    for form in forms:
        reach = Reach.of(form)
        assert reach.dense().tolist() == dense
        assert (reach.ranks, reach.targets) == (3, 2)


def test_sparse_entries_given_twice_are_added_as_scipy_does():
    from scipy import sparse

    twice = sparse.csr_matrix((np.array([0.3, 0.3]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert twice.toarray().tolist() == [[0.6]]
    assert Reach.of(twice).dense().tolist() == [[0.6]]
    assert len(Reach.of(twice).rank) == 1


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ([[0.4, 1.4]], r"rank 1 to target 2 is 1\.4"),
        ([[0.4], [-0.1]], r"rank 2 to target 1 is -0\.1"),
        ([[float("nan")]], "is nan"),
        ([0.4, 0.5], "1 dimension"),
        ([[[0.4]]], "3 dimension"),
        ([[0.4], [0.5, 0.6]], "matrix"),
        ([["much"]], "matrix"),
        (None, "matrix"),
    ],
)
def test_what_is_no_matrix_of_probabilities_is_refused(matrix, told):
    from berrypick import UsageError

    with pytest.raises(UsageError, match=told):
        Reach.of(matrix)
