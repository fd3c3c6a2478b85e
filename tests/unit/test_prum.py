"""PRUM against equation 8 as printed, against enumeration without hypothesis 2.3, against Raghavan."""

import math

import numpy as np
import pytest
import twins
import worlds
from generated import identity_reach, rankings, reaches
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp

pytestmark = pytest.mark.usefixtures("kernels")

CLOSE = {"rtol": 0, "atol": 1e-12}


@st.composite
def collections(draw, **shape):
    matrix = draw(reaches(**shape))
    units = sum(matrix.shape) + draw(st.integers(0, 100))
    return matrix, units


@given(collections(ranks=(0, 4), targets=(1, 4)))
def test_by_the_equations(drawn):
    matrix, units = drawn
    t = matrix.shape[1]
    expected = [float(twins.prum_equation_8(matrix.tolist(), r, t, units)) for r in range(1, t + 1)]
    np.testing.assert_allclose(bp.prum(matrix, units=units), expected, **CLOSE)
    for r in range(1, t + 1):
        assert bp.prum(matrix, recall=r, units=units) == bp.prum(matrix, units=units)[r - 1]


@given(collections(ranks=(0, 5), targets=(1, 4)))
def test_exactly(drawn):
    matrix, units = drawn
    t = matrix.shape[1]
    expected = [twins.prum_exact(matrix.tolist(), r, t, units) for r in range(1, t + 1)]
    np.testing.assert_allclose(bp.prum(matrix, units=units, exact=True), expected, **CLOSE)


@given(collections(ranks=(1, 5), targets=(1, 1)))
def test_both_ways_agree_for_one_target(drawn):
    matrix, units = drawn
    np.testing.assert_allclose(bp.prum(matrix, units=units), bp.prum(matrix, units=units, exact=True), **CLOSE)


@given(rankings(), st.integers(0, 1000))
def test_with_the_identity_it_is_raghavans_probability_of_relevance(ranking, more):
    flags, targets = ranking
    units = len(flags) + targets - sum(flags) + more
    matrix = identity_reach(flags, targets)
    expected = [twins.raghavan(flags, targets, units, r) for r in range(1, targets + 1)]
    np.testing.assert_allclose(bp.prum(matrix, units=units), expected, **CLOSE)
    np.testing.assert_allclose(bp.prum(matrix, units=units, exact=True), expected, **CLOSE)


@given(rankings())
def test_units_are_needed_only_beyond_the_end_of_the_list(ranking):
    flags, targets = ranking
    matrix = identity_reach(flags, targets)
    for r in range(1, sum(flags) + 1):
        assert bp.prum(matrix, recall=r) == pytest.approx(twins.raghavan(flags, targets, 10**6, r), abs=1e-12)
    for r in range(sum(flags) + 1, targets + 1):
        with pytest.raises(bp.UsageError, match="units="):
            bp.prum(matrix, recall=r)
        with pytest.raises(bp.UsageError, match="units="):
            bp.prum(matrix, recall=r, units=len(flags) + targets - sum(flags) - 1)


@given(collections(ranks=(1, 5), targets=(1, 4)))
def test_it_is_a_probability(drawn):
    matrix, units = drawn
    for exact in (False, True):
        value = bp.prum(matrix, units=units, exact=exact)
        assert ((value > 0) & (value <= 1 + 1e-12)).all()


@given(collections(ranks=(1, 4), targets=(1, 3), coins=6), st.sampled_from([False, True]))
def test_the_measure_gives_what_the_function_gives(drawn, exact):
    matrix, units = drawn
    truth, run, table = worlds.from_matrix(matrix)
    t = matrix.shape[1]
    flag = f"exact={exact}"
    asked = [f"PRUM({flag})", f"PRUM({flag})@0.5", f"PRUM({flag})@0", *(f"PRUM(r={r},{flag})" for r in range(1, t + 2))]
    values = bp.evaluate(truth, run, asked, navigation=table, units=units).mean()["run"]
    precision = bp.prum(matrix, units=units, exact=exact).tolist()
    assert values[asked[0]] == pytest.approx(math.fsum(precision) / t, abs=1e-15)
    assert values[asked[1]] == max(precision[math.ceil(t / 2) - 1 :]), "the largest precision at or after the level"
    assert values[asked[2]] == max(precision)
    assert [values[name] for name in asked[3:]] == [*precision, None]


def test_grades_above_0_count_1():
    matrix = [[0.4, 0.4], [0.6, 0.4]]
    values = []
    for grades in ([1, 1], [0.2, 1], [3, 1]):
        truth, run, table = worlds.from_matrix(matrix, grades=grades)
        values.append(bp.evaluate(truth, run, "PRUM", navigation=table, units=50).mean()["run"]["PRUM"])
    assert values[0] == values[1] == values[2]


def test_repeated_pointers_do_not_use_up_units():
    """u = units - distinct ranked pointers."""
    truth = worlds.document_truth({"1": {"a": 1, "b": 1}})
    run = worlds.document_run({"1": ["a", "x", "x"]}, duplicates="keep")
    value = bp.evaluate(truth, run, "PRUM(r=2)", units=10).mean()["run"]["PRUM(r=2)"]
    # three ranks are consulted, then the 8 units outside hold b and 7 others
    assert value == pytest.approx((1 + 1) / (3 + 1 * (1 + (8 - 1) / 2)))


@pytest.mark.parametrize("recall", [0, 3, 1.5, "1", True])
def test_recall_is_a_whole_number_from_1_to_t(recall):
    with pytest.raises(bp.UsageError, match="recall"):
        bp.prum([[0.4, 0.4], [1, 1]], recall=recall)


def test_a_recall_value_from_numpy():
    assert bp.prum([[1, 1]], recall=np.int64(2)) == 1


def test_empty_lists_and_empty_targets():
    np.testing.assert_allclose(bp.prum(np.zeros((0, 2)), units=5), [1 / (1 + 3 / 3), 2 / (2 * (1 + 3 / 3))])
    assert bp.prum(np.zeros((3, 0))).tolist() == []
