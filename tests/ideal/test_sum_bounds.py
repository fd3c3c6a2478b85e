"""The supermartingale bound: no list reaches a gain for less than what its candidates lead to in all allows."""

import math

import numpy as np
import pytest
from slow_list_twins import check, random_case, random_rows

from berrypick.data.reach import Reach
from berrypick.ideal import list_search
from berrypick.ideal.list_problem import Search
from berrypick.ideal.sum_bounds import LeastEffort
from berrypick.kernels import native
from berrypick.kernels.lists import ideal


@pytest.fixture
def alone(monkeypatch):
    """The plain search, by this bound and no other."""
    monkeypatch.setenv("BERRYPICK_KERNELS", "numpy")
    monkeypatch.setattr(list_search, "MOST_LISTED", 0)
    monkeypatch.setattr(list_search, "MOST_ORDERED", 0)
    for name in ("_number_bounds", "_gain_bounds"):
        ranks, bounds = getattr(list_search, name)
        kept = bounds[0], bounds[-1]
        monkeypatch.setattr(list_search, name, (ranks, kept))


@pytest.mark.quick
def test_the_least_effort_by_hand():
    """Row sums 2, 1 and .5: two targets take one candidate, 2.5 one and a half, 3.25 two and a half."""
    least = LeastEffort.of(np.array([1.0, 2.0, 0.5]), np.ones(3))
    assert least(np.array([0.5, 2, 2.5, 3.25, 9])).tolist() == pytest.approx([1, 1, 1.5, 2.5, 3])
    # half of the readers need .5 on average, the others nothing
    assert least.expected(np.array([0.5, 0.0]), np.array([1.25, 0.0])).tolist() == pytest.approx([0.5 * 1.5, 0])
    # efforts 4 and 1 for gains 4 and 2: the second comes first
    dear = LeastEffort.of(np.array([4.0, 2.0]), np.array([4.0, 1.0]))
    assert dear(np.array([2, 4])).tolist() == pytest.approx([1, 3])


def test_the_least_effort_is_that_of_no_list_and_sometimes_of_the_best():
    """By itself: a search that finds the best list says nothing of its bound, which is never above what was found."""
    rng = np.random.default_rng(5)
    nearest = []
    for _ in range(40):
        rows = np.vstack([np.eye(3), rng.random((4, 3)) * rng.choice([0.3, 1.0])])
        best = ideal.exact(Reach.of(rows)).length
        bound = LeastEffort.of(rows.sum(axis=1), np.ones(len(rows)))(np.arange(1.0, 4.0))
        assert (bound <= best * (1 + 1e-12)).all()
        nearest.append((bound / best)[1:].max())  # one target takes one candidate at least
    assert max(nearest) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 2, 6])
def test_recall_values_against_all_lists(alone, nodes):
    rng = np.random.default_rng(nodes)
    tight = 0
    for _ in range(60):
        rows = random_rows(rng, most=7, targets=4)
        best = ideal.exact(Reach.of(rows))
        wanted = range(1, rows.shape[1] + 1)
        for r, found in zip(wanted, list_search.search_numbers(rows, wanted, "length", Search(nodes)), strict=True):
            if math.isnan(best.length[r - 1]):
                assert math.isnan(found.value)
            else:
                assert found.bound <= best.length[r - 1] * (1 + 1e-12)
                tight += r > 1 and found.gap == 0
    assert tight > 20


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 3])
def test_gains_against_all_lists(alone, nodes, monkeypatch):
    monkeypatch.setattr("slow_list_twins.list_search.search", _lengths_only(list_search.search))
    rng = np.random.default_rng(nodes)
    for case in range(40):
        priced, gains, wanted = random_case(rng, browsing=case % 3 == 2)
        check(priced, gains, wanted, nodes, proved=False)


def _lengths_only(search):
    """E[1/ce] has no such bound, and is searched to the end."""

    def searched(priced, gains, wanted, objective, limit):
        return search(priced, gains, wanted, objective, limit if objective == "length" else Search(2000))

    return searched


@pytest.mark.slow
def test_the_papers_list_is_ideal_where_no_row_sums_to_more_than_one(kernels):
    """300 pages that lead to ten targets, each to one of them on average at most."""
    rows = np.random.default_rng(1).random((300, 10)) ** 3
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1.0)
    wanted = (2, 5, 10)
    found = list_search.search_numbers(np.vstack([np.eye(10), rows]), wanted, "length", Search(1))
    assert [(one.value, one.bound, one.gap) for one in found] == [(r, r, 0) for r in wanted]


@pytest.mark.slow
def test_every_digit_of_a_bound_is_the_same_in_both_forms(monkeypatch):
    rng = np.random.default_rng(3)
    for most in (0.2, 0.35):
        rows = np.vstack([np.eye(6), rng.random((40, 6)) * most])
        found = []
        for form in ("numpy", "native") if native() is not None else ("numpy",):
            monkeypatch.setenv("BERRYPICK_KERNELS", form)
            found.append(list_search.search_numbers(rows, (3, 6), "length", Search(10)))
        assert all(one == found[0] for one in found)
