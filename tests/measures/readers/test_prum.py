"""PRUM against equation 8 as printed, against enumeration without hypothesis 2.3, against Raghavan."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import identity_reach, rankings, reaches
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.errors import UsageError
from berrypick.data.navigation import ReachTable
from berrypick.kernels.poisson_binomial import normal_law, normally_newly_seen

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
    expected = [float(slow_twins.prum_equation_8(matrix.tolist(), r, t, units)) for r in range(1, t + 1)]
    np.testing.assert_allclose(bp.prum(matrix, units=units), expected, **CLOSE)
    for r in range(1, t + 1):
        assert bp.prum(matrix, recall=r, units=units) == bp.prum(matrix, units=units)[r - 1]


@given(collections(ranks=(0, 5), targets=(1, 4)))
def test_exactly(drawn):
    matrix, units = drawn
    t = matrix.shape[1]
    expected = [slow_twins.prum_exact(matrix.tolist(), r, t, units) for r in range(1, t + 1)]
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
    expected = [slow_twins.raghavan(flags, targets, units, r) for r in range(1, targets + 1)]
    np.testing.assert_allclose(bp.prum(matrix, units=units), expected, **CLOSE)
    np.testing.assert_allclose(bp.prum(matrix, units=units, exact=True), expected, **CLOSE)


@given(rankings())
def test_units_are_needed_only_beyond_the_end_of_the_list(ranking):
    flags, targets = ranking
    matrix = identity_reach(flags, targets)
    for r in range(1, sum(flags) + 1):
        assert bp.prum(matrix, recall=r) == pytest.approx(slow_twins.raghavan(flags, targets, 10**6, r), abs=1e-12)
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
    truth, run, table = handmade.from_matrix(matrix)
    t = matrix.shape[1]
    flag = f"exact={exact}"
    asked = [f"PRUM({flag})", f"PRUM({flag})@0.5", f"PRUM({flag})@0", *(f"PRUM(r={r},{flag})" for r in range(1, t + 2))]
    values = bp.evaluate(truth, run, asked, navigation=table, units=units).mean()["run"]
    precision = bp.prum(matrix, units=units, exact=exact).tolist()
    assert values[asked[0]] == pytest.approx(math.fsum(precision) / t, abs=1e-15)
    assert values[asked[1]] == max(precision[math.ceil(t / 2) - 1 :]), "the largest precision at or after the level"
    assert values[asked[2]] == max(precision)
    assert [values[name] for name in asked[3:]] == [*precision, None]


def test_grades_that_are_no_shares_of_readers_count_1():
    matrix = [[0.4, 0.4], [0.6, 0.4]]
    values = []
    for grades in ([1, 1], [2, 1], [3, 1]):
        truth, run, table = handmade.from_matrix(matrix, grades=grades)
        values.append(bp.evaluate(truth, run, "PRUM", navigation=table, units=50).mean()["run"]["PRUM"])
    assert values[0] == values[1] == values[2]


def test_repeated_pointers_do_not_use_up_units():
    """u = units - distinct ranked pointers."""
    truth = handmade.document_truth({"1": {"a": 1, "b": 1}})
    run = handmade.document_run({"1": ["a", "x", "x"]}, duplicates="keep")
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


def _normal(probabilities, s):
    """P(F = s) by appendix A.1, with mean and variance as sums: exact up to ten partly seen targets."""
    partly = [p for p in probabilities if 0 < p < 1]
    sure = sum(p == 1 for p in probabilities)
    if len(partly) <= 10:
        law = [1.0]
        for p in partly:
            law = [a * (1 - p) + b * p for a, b in zip([*law, 0.0], [0.0, *law], strict=True)]
        return law[s - sure] if 0 <= s - sure < len(law) else 0.0
    if not 0 <= s - sure <= len(partly):
        return 0.0
    mean, deviation = sum(partly), math.sqrt(sum(p * (1 - p) for p in partly))
    below, above = ((s - sure + half - mean) / deviation / math.sqrt(2) for half in (-0.5, 0.5))
    return (math.erf(above) - math.erf(below)) / 2


def _normal_prum(reach, r, units):
    """Equations 5 and 12 term by term, with the normal law for both laws in them."""
    o, t = len(reach), len(reach[0])
    seen = [[0.0] * t]
    for row in reach:
        seen.append([s + (1 - s) * p for s, p in zip(seen[-1], row, strict=True)])
    new = read = 0.0
    for i in range(1, o + 1):
        for s in range(min(r, t + 1)):
            mass = _normal(seen[i - 1], s)
            read += mass
            if mass > 0:
                nothing = 1.0
                for x in range(t):
                    gain = seen[i][x] - seen[i - 1][x]
                    other = _normal(seen[i - 1][:x] + seen[i - 1][x + 1 :], s)
                    nothing *= 1 - min(1.0, gain * other / mass)
                new += mass * (1 - nothing)
    for s in range(r):
        mass = _normal(seen[-1], s)
        new += mass * (r - s)
        read += mass * (r - s) * (1 + (units - o - (t - s)) / (t - s + 1))
    return new / read


@given(st.integers(0, 2**32 - 1), st.integers(9, 14))
def test_normal_law_by_the_equations(seed, t):
    random = np.random.default_rng(seed)
    matrix = random.random((3, t)) * (random.random((3, t)) < 0.9)
    found = bp.prum(matrix, units=100, law="normal")
    for r in (1, t // 2, t):
        assert found[r - 1] == pytest.approx(_normal_prum(matrix.tolist(), r, 100), abs=1e-9)


def test_normal_law_is_exact_for_few_targets_and_near_for_many():
    random = np.random.default_rng(5)
    few = random.random((6, 10))
    np.testing.assert_allclose(bp.prum(few, units=50, law="normal"), bp.prum(few, units=50), **CLOSE)
    many = random.random((6, 25)) / 3
    near = np.abs(bp.prum(many, units=90, law="normal") - bp.prum(many, units=90))
    assert 1e-6 < near.max() < 0.02
    ones = np.eye(12)
    np.testing.assert_allclose(bp.prum(ones, law="normal"), np.ones(12), **CLOSE)


def test_ratios_of_two_normal_laws_are_kept_within_one():
    random, beyond = np.random.default_rng(1), 0
    for _ in range(50):
        before, reach = random.random((1, 12)) ** 0.3, random.random((1, 12))
        mass = normal_law(before, 1 - before)
        for x in range(12):
            others = np.delete(before, x, axis=1)
            joint = (1 - before[0, x]) * reach[0, x] * normal_law(others, 1 - others)[0]
            beyond += int((joint > mass[0, :12]).any())
        found = normally_newly_seen(before, 1 - before, reach, mass)
        assert (found >= 0).all() and (found <= 1).all()
    assert beyond  # else nothing is tested here


def test_normal_law_through_the_measure():
    truth = {"q": dict.fromkeys([f"t{i}" for i in range(12)], 1)}
    run = {"q": {"a": 2, "b": 1}}
    random = np.random.default_rng(1)
    matrix = random.random((2, 12)).round(3)
    table = ReachTable({("ab"[k], f"t{x}"): float(matrix[k, x]) for k in range(2) for x in range(12)})
    options = {"navigation": table, "units": 40}
    found = bp.score("PRUM(law='normal')", truth, run, **options)
    assert found == pytest.approx(float(bp.prum(matrix, units=40, law="normal").mean()))
    assert found != bp.score("PRUM", truth, run, **options)
    with pytest.raises(UsageError, match="one of exact=True and law='normal'"):
        bp.score("PRUM(law='normal',exact=True)", truth, run, **options)
    with pytest.raises(UsageError, match="unknown law 'gauss'"):
        bp.prum(matrix, law="gauss")


# targets that are ideal for a share of the readers


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=6), st.data())
def test_graded_prum_is_the_weighted_mean_over_satisfaction_levels(matrix, data):
    targets = matrix.shape[1]
    shares = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=targets, max_size=targets))
    truth, run, table = handmade.from_matrix(matrix, grades=shares)
    found = bp.evaluate(truth, run, ["PRUM(exact=True)", "PRUM(r=2,exact=True)"], navigation=table, units=20)
    parts = {"all": [], "r=2": []}
    for level, below in zip(sorted(set(shares)), [0, *sorted(set(shares))], strict=False):
        own = matrix[:, [x for x, share in enumerate(shares) if share >= level]].tolist()
        count = len(own[0])
        each = [slow_twins.prum_exact(own, r, count, 20) for r in range(1, count + 1)]
        parts["all"].append((level - below, math.fsum(each) / count))
        if count >= 2:
            parts["r=2"].append((level - below, each[1]))
    for value, expected in zip(found.mean()["run"].values(), parts.values(), strict=True):
        if not expected:
            assert value is None
        else:
            mean = math.fsum(w * v for w, v in expected) / math.fsum(w for w, _ in expected)
            assert value == pytest.approx(mean, abs=1e-9)


def test_simulated_readers_differ_in_what_is_ideal_for_them():
    truth, run, table = handmade.from_matrix([[0.5, 0.2], [0.3, 0.6], [0.1, 1]], grades=[1, 0.5])
    how = {"readers": 20_000, "together": "independent", "units": 9, "navigation": table}
    for row in bp.simulate(truth, run, ["PRUM(exact=True)", "PRUM(r=1,exact=True)"], **how):
        assert abs(row.difference) < 5 * row.error, row


@pytest.mark.parametrize("grades", [[1, 0.5, 0.25], [1, 0.5, 0.5]])
def test_simulated_readers_who_want_fewer_targets_do_not_count(grades):
    """Ranks 1, 3 and 4 lead to one target each. Half of the readers want the first target alone. All others see their
    second target at rank 3: 2 of 3 results lead to something new."""
    truth, run, table = handmade.from_matrix([[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]], grades=grades)
    how = {"readers": 1000, "units": 9, "navigation": table, "per_topic": True}
    row = next(iter(bp.simulate(truth, run, "PRUM(r=2,exact=True)", **how)))
    assert row.value == pytest.approx(2 / 3) and row.simulated == pytest.approx(2 / 3)
    assert 400 < row.spread.readers < 600 and row.spread.mean == pytest.approx(2 / 3)
