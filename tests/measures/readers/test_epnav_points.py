"""epnav at the gains of the run's own ranks, and with the normal distribution of the cumulated gain."""

import itertools
import math
from statistics import NormalDist

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import reaches
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp

GAINS = [1.0] * 6 + [2.0] * 6


def value(matrix, grades, text, **options):
    truth, run, table = handmade.from_matrix(matrix, grades=grades)
    return bp.score(text, truth, run, navigation=table, **options)


# the normal distribution


@pytest.mark.parametrize(
    ("level", "normal", "exact"), [(0.5, 2.5, 2.8540), (0.7, 0.66033, 0.71777)], ids=["half", "seven tenths"]
)
def test_twelve_targets_behind_one_hub(level, normal, exact):
    assert value([[0.5] * 12], GAINS, f"epnav(law='normal')@{level}") == pytest.approx(normal, abs=5e-6)
    assert value([[0.5] * 12], GAINS, f"epnav@{level}") == pytest.approx(exact, abs=5e-5)


def test_the_exact_value_by_all_subsets():
    reached = sum(sum(one) >= 9 for one in itertools.product(*((0.0, gain) for gain in GAINS)))
    assert value([[0.5] * 12], GAINS, "epnav@0.5") == pytest.approx(5 * reached / 2**12, abs=1e-12)


def normal_twin(matrix, gains, level):
    """The definition, event by event: ideal effort times the sum over ranks of P(cg >= gr) (1/k - 1/(k+1))."""
    wanted, total = level * sum(gains), 0.0
    unseen = [1.0] * len(gains)
    for k, row in enumerate(matrix, start=1):
        unseen = [u * (1 - p) for u, p in zip(unseen, row, strict=True)]
        sure = sum(g for g, u in zip(gains, unseen, strict=True) if u == 0)
        partly = [(g, 1 - u) for g, u in zip(gains, unseen, strict=True) if 0 < u < 1]
        assert len(partly) > 10
        mean, variance = sum(g * p for g, p in partly), sum(g * g * p * (1 - p) for g, p in partly)
        tail = 1 - NormalDist(mean, math.sqrt(variance)).cdf(wanted - sure)
        tail = 1.0 if wanted <= sure else 0.0 if wanted > sure + sum(g for g, _ in partly) else tail
        total += tail * (1 / k - (1 / (k + 1) if k < len(matrix) else 0))
    steps = list(itertools.accumulate(sorted(gains, reverse=True)))
    return (next(i for i, gain in enumerate(steps) if gain >= wanted - 1e-9) + 1) * total


@pytest.mark.parametrize("level", [0.05, 0.2, 0.5, 0.77, 0.95, 1.0])
@pytest.mark.parametrize("equal", [False, True])
def test_tails_are_normal_between_what_is_sure_and_what_can_be_seen(level, equal):
    rng = np.random.default_rng(7)
    matrix = rng.uniform(0.1, 0.6, (4, 14))
    matrix[1, :2] = 1.0  # surely seen from rank 2 on
    matrix[:, 13] = 0.0  # never seen
    gains = [2.0] * 14 if equal else rng.integers(1, 5, 14).astype(float).tolist()
    found = value(matrix.tolist(), gains, f"epnav(law='normal')@{level}")
    assert found == pytest.approx(normal_twin(matrix.tolist(), gains, level), abs=1e-7)


@given(reaches(ranks=(1, 4), targets=(1, 4), coins=7), st.sampled_from([0.1, 0.5, 1.0]))
def test_up_to_ten_partly_seen_targets_both_are_the_same(matrix, level):
    grades = [1.0 + x % 3 for x in range(matrix.shape[1])]
    assert value(matrix, grades, f"epnav(law='normal')@{level}") == pytest.approx(
        value(matrix, grades, f"epnav@{level}"), abs=1e-12
    )


def test_the_signature_names_the_distribution_once():
    truth, run, table = handmade.from_matrix([[0.5] * 12], grades=GAINS)
    for law in ("exact", "normal"):
        row = bp.evaluate(truth, run, f"epnav(law='{law}')", navigation=table).mean_rows[0]
        assert [part for part in str(row.signature).split("|") if part.startswith("law:")] == [f"law:{law}"]


def test_a_bound_under_the_exact_distribution_is_none_for_the_normal_one():
    with pytest.raises(bp.UsageError, match="takes no law='normal'"):
        bp.score("epnav(law='normal',ideal='certified',norm='bounded')", {"q": {"a": 1}}, {"q": {"a": 1}})


# the points of MAep


def run_points(matrix, gains):
    """MAep with navigation by enumeration: effort-precision at the expected gain of every rank where it rises."""
    total, before, levels = sum(gains), 0.0, []
    for k in range(1, len(matrix) + 1):
        gain = math.fsum(
            p * sum(g for g, rank in zip(gains, first, strict=True) if rank is not None and rank <= k)
            for p, first in slow_twins.scenarios(matrix)
        )
        if gain > before + 1e-12 * total:
            levels.append(gain / total)
        before = gain
    ones = [1.0] * len(matrix), [1.0] * len(gains)
    found = [slow_twins.effort_precision(matrix, gains, *ones, level) for level in levels]
    return math.fsum(found) / max(len(gains), len(levels))


@given(reaches(ranks=(1, 5), targets=(1, 3), coins=6), st.data())
def test_points_of_the_run_by_enumeration(matrix, data):
    size = matrix.shape[1]
    gains = data.draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=size, max_size=size))
    found = value(matrix, gains, "epnav(points='run')")
    assert found == pytest.approx(run_points(matrix.tolist(), gains), abs=1e-9)


def test_by_hand():
    """Rank 1 leads to a with .5, rank 2 is a, rank 3 is b: gains .5, 1 and 2 of 2 are expected.

    a is seen after 1 or 2 ranks, .5/1 + .5/2 = .75 at both of the first points; both are after 3 ranks, 2/3.
    """
    found = value([[0.5, 0], [1, 0], [0, 1]], [1, 1], "epnav(points='run')")
    assert found == pytest.approx((0.75 + 0.75 + 2 / 3) / 3)


@given(st.permutations(range(6)), st.integers(1, 6))
def test_without_navigation_and_with_equal_gains_it_is_maep(order, ranks):
    truth = handmade.document_truth({"1": {f"d{i}": 1 for i in range(3)}})
    run = handmade.document_run({"1": [f"d{i}" for i in order[:ranks]]})
    ours, theirs = bp.evaluate(truth, run, ["epnav(points='run')", "MAep"]).mean()["run"].values()
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_a_run_that_leads_nowhere_scores_0():
    assert value([[0, 0], [0, 0]], [1, 2], "epnav(points='run')") == 0


def test_simulated_readers_are_scored_at_the_same_points():
    truth, run, table = handmade.from_matrix([[0.5, 0.2], [0.3, 0.6], [1, 0]], grades=[2, 1])
    how = {"readers": 20_000, "together": "independent"}
    [row] = bp.simulate(truth, run, "epnav(points='run')", navigation=table, **how)
    assert abs(row.difference) < 5 * row.error


def test_points_of_a_run_need_a_run_and_no_level():
    with pytest.raises(bp.UsageError, match="points='run' and @level"):
        bp.score("epnav(points='run')@0.5", {"q": {"a": 1}}, {"q": {"a": 1}})
    with pytest.raises(bp.UsageError, match="those of a run"):
        bp.ideal_lists({"q": {"a": 1}}, "epnav(points='run')")
