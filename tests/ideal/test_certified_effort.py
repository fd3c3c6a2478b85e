"""Ideal lists for epnav: gains and efforts that differ, browsing that costs, against every order of the candidates."""

import itertools

import numpy as np
import pytest
from slow_list_twins import best_values, check, random_case, reached

from berrypick.ideal import budget_bounds, gain_steps, list_search
from berrypick.ideal.list_problem import Search
from berrypick.ideal.priced import Priced
from berrypick.kernels import native
from berrypick.kernels.lists import candidate_sets


@pytest.mark.parametrize("browsing", [False, True])
def test_few_candidates_are_searched_to_the_end(browsing, kernels):
    rng = np.random.default_rng(1)
    for _ in range(30 if kernels == "native" else 12):
        check(*random_case(rng, browsing), nodes=1, proved=True)


@pytest.mark.parametrize("nodes", [1, pytest.param(3, marks=pytest.mark.quick), 2000])
def test_search_against_all_orders(nodes, kernels, monkeypatch):
    monkeypatch.setattr(list_search, "MOST_LISTED", 0)
    rng = np.random.default_rng(nodes)
    for _ in range(40 if kernels == "native" else 15):
        check(*random_case(rng, browsing=False), nodes, proved=nodes == 2000)


@pytest.mark.parametrize("listed", [0, 20])
def test_bounds_hold_where_browsing_costs(listed, kernels, monkeypatch):
    """Neither all orders nor all sets are tried: the floor of what browsing costs must hold."""
    monkeypatch.setattr(list_search, "MOST_ORDERED", 0)
    monkeypatch.setattr(list_search, "MOST_LISTED", listed)
    rng = np.random.default_rng(listed)
    for _ in range(25):
        check(*random_case(rng, browsing=True), nodes=3, proved=False)


@pytest.mark.quick
def test_a_floor_makes_the_bound_of_clicks_tight(kernels, monkeypatch):
    """Two targets cost two clicks, whether they are results or browsed to."""
    monkeypatch.setattr(list_search, "MOST_ORDERED", 0)
    rows = np.array([[1, 0], [0, 1], [0.9, 0.9]])
    priced = Priced(rows, np.ones(3), np.where(rows == 1, 0.0, 1.0))
    (found,) = list_search.search(priced, np.ones(2), [2.0], "length", Search())
    assert sorted(found.order) == [0, 1] and found.value == 2 and found.bound == pytest.approx(2, rel=1e-9)


def test_budget_bounds_hold_for_every_set():
    rng = np.random.default_rng(5)
    for _ in range(60):
        t, count = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        rows = rng.random((count, t)) * (rng.random((count, t)) < 0.8)
        rows[rng.random((count, t)) < rng.choice([0, 0.2])] = 1
        unseen = np.where(rng.random(t) < 0.5, 1.0, rng.random(t))
        unseen[rng.random(t) < 0.1] = 0.0
        gains = rng.integers(1, 4, t).astype(float) if rng.random() < 0.7 else np.ones(t)
        effort = rng.integers(1, 5, count).astype(float) if rng.random() < 0.5 else rng.random(count) + 0.1
        wanted = float(gains.sum() * rng.choice([0.3, 0.6, 1]) * (1 - 1e-9))
        budgets = budget_bounds.Budgets.for_efforts(effort, float(effort.sum()))
        law = gain_steps.gain_steps(gains, wanted)[0]
        after = np.vstack([unseen, unseen * (1 - rows)])
        before, *alone = law.expected(1 - after, after)
        found = budget_bounds.budget_bounds(
            rows, effort, unseen, gains, wanted, budgets, (before, np.array(alone) - before)
        )
        table = budget_bounds.kinds_table(rows, unseen, gains, wanted, (count + 1, count + 1))
        surely = (rows[:, unseen > 0] == 1).any(axis=1)
        for j in range(1, count + 1):
            for chosen in map(list, itertools.combinations(range(count), j)):
                share = reached(gains, 1 - unseen * np.prod(1 - rows[chosen], axis=0), wanted)
                sure = int(surely[chosen].sum())
                assert share <= table[j - sure, sure] * (1 + 1e-9)
                cost = effort[chosen].sum()
                part = np.flatnonzero((budgets.edges[:-1] <= cost) & (cost < budgets.edges[1:]))
                if len(part):
                    assert share <= found.best[part[0]] * (1 + 1e-9)
                    assert (share <= found.given[chosen, part[0]] * (1 + 1e-9)).all()


@pytest.mark.quick
@pytest.mark.parametrize("gains", [[1.0, 1.0], [2.0, 1.0]])
def test_budget_bounds_count_targets(gains):
    """Both targets are wanted, and two candidates show one each to half of the readers: .25 see both. By the mean gain
    alone the bound is .5."""
    gains = np.array(gains)
    budgets = budget_bounds.Budgets(np.array([0.0, 3.0]), np.array([2.0]), np.array([False]))
    rows, ones = np.eye(2) / 2, np.ones(2)
    found = budget_bounds.budget_bounds(rows, ones, ones, gains, gains.sum(), budgets, (0.0, gains / 2))
    assert 0.25 <= found.best[0] < 0.26
    assert ((found.given >= 0.25) & (found.given < 0.26)).all()


@pytest.mark.parametrize("states", [2048, pytest.param(3, marks=pytest.mark.quick)])
def test_the_law_of_a_gain(states, kernels, monkeypatch):
    """Exact where sums are told apart, else on both sides of it."""
    monkeypatch.setattr(gain_steps, "MOST_STATES", states)
    monkeypatch.setattr(gain_steps, "CELLS", 16)
    rng = np.random.default_rng(states)
    for _ in range(60):
        t = int(rng.integers(1, 6))
        gains = rng.integers(1, 5, t).astype(float) if rng.random() < 0.5 else rng.random(t) + 0.1
        wanted = float(gains.sum() * rng.random() * (1 - 1e-9)) or 0.1
        rows = rng.random((3, t)) * (rng.random((3, t)) < 0.7)
        upper, lower = gain_steps.gain_steps(gains, wanted)
        above, below = upper.of_sets(rows), lower.of_sets(rows)
        for one in (upper, lower):
            for mine, plain in zip(one.of_sets(rows), one.plain_of_sets(rows), strict=True):
                assert (mine == plain).all()
        for s in range(8):
            chosen = [i for i in range(3) if s >> i & 1]
            truly = reached(gains, 1 - np.prod(1 - rows[chosen], axis=0), wanted)
            assert below[1][s] <= truly + 1e-12 and above[1][s] >= truly - 1e-12
            assert above[0][s] + above[1][s] == pytest.approx(1)
            if states == 2048:
                assert above[1][s] == pytest.approx(truly, abs=1e-12)


def test_a_search_on_a_grid_is_still_a_bound(kernels, monkeypatch):
    monkeypatch.setattr(gain_steps, "MOST_STATES", 2)
    monkeypatch.setattr(gain_steps, "CELLS", 64)
    rng = np.random.default_rng(3)
    for _ in range(15):
        priced, gains, wanted = random_case(rng, browsing=False)
        least, largest = best_values(priced, gains, wanted)
        (shortest,) = list_search.search(priced, gains, [wanted], "length", Search(5))
        (inverse,) = list_search.search(priced, gains, [wanted], "inverse", Search(5))
        if least is not None:
            assert shortest.bound <= least * (1 + 1e-9) and shortest.value >= least * (1 - 1e-9)
        assert inverse.bound >= largest * (1 - 1e-9) and inverse.value <= largest * (1 + 1e-9)


def test_the_compiled_order_equals_its_plain_form():
    if native() is None:
        pytest.skip("no compiled kernels")
    rng = np.random.default_rng(4)
    for inverse in (False, True):
        weight, effort, best = rng.random(64), rng.random(64) + 0.1, rng.random(64)
        for i in range(6):
            effort[1 << i : 2 << i] = effort[: 1 << i] + rng.random() + 0.1
        effort[0], weight[0] = 0.0, 0.0 if inverse else 1.0
        done = rng.random(64) < 0.2
        one, other = best.copy(), best.copy()
        first = candidate_sets.best_order(weight, effort, inverse, one, done)
        second = candidate_sets.plain_best_order(weight, effort, inverse, other, done)
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert (first == second).all()


def test_equal_gains_and_efforts_are_those_of_eprum():
    rng = np.random.default_rng(6)
    rows = np.vstack([np.eye(4), rng.random((40, 4)) * 0.4])
    priced = Priced(rows, np.full(44, 2.0), np.zeros(rows.shape))
    wanted = [0.1, 1, 1.5, 3, 4]
    found = list_search.search(priced, np.ones(4), wanted, "length", Search(20))
    same = list_search.search_numbers(rows, [1, 1, 2, 3, 4], "length", Search(20))
    assert [one.value for one in found] == [2 * one.value for one in same]
    assert [one.order for one in found] == [one.order for one in same]


def test_many_candidates_give_the_same_digits_each_time():
    rng = np.random.default_rng(7)
    rows = np.vstack([np.eye(5), rng.random((120, 5)) * 0.4])
    effort = rng.integers(1, 5, len(rows)).astype(float)
    priced, gains = Priced(rows, effort, np.zeros(rows.shape)), np.array([3.0, 2, 2, 1, 1])
    found, again = (list_search.search(priced, gains, [3.0], "length", Search(10)) for _ in range(2))
    assert found == again
    assert 0 < found[0].gap < 0.05
