"""Ideal lists for epnav: gains and efforts that differ, browsing that costs, against every order of the candidates."""

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner
from list_twins import best_values, check, random_case, reached

import berrypick as bp
from berrypick.cli import cli
from berrypick.core.navigation import ReachTable
from berrypick.kernels import native
from berrypick.kernels.lists import budget_bounds, candidate_sets, gain_steps, list_search
from berrypick.kernels.lists.list_problem import Search
from berrypick.kernels.lists.priced import Priced


@pytest.fixture(params=["native", "numpy"])
def kernels(request, monkeypatch):
    if request.param == "native" and native() is None:
        pytest.skip("no compiled kernels")
    monkeypatch.setenv("BERRYPICK_KERNELS", request.param)
    return request.param


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


# --- the measure ----------------------------------------------------------------------------------------------------

TRUTH = {"q": {"a": 2, "b": 1}}
CLICKS = ReachTable({("hub", "a"): 0.9, ("hub", "b"): 0.9})
RUN = {"q": {"hub": 3, "a": 2, "b": 1}}


@pytest.mark.quick
def test_epnav_by_hand():
    """Gains 2 and 1. Up to 2/3 of the gain, (a) is best: 1. Above, (hub, a, b): 1 + .19 + .1 = 1.29 ranks instead of 2.
    The run has E[1/ce] .99 + .01/2 up to 1/3, .9 + .1/2 up to 2/3, .81 + .09/2 + .1/3 above."""
    run = [0.995] * 33 + [0.95] * 33 + [0.81 + 0.09 / 2 + 0.1 / 3] * 34
    found = bp.score("epnav(ideal='certified')", TRUTH, RUN, navigation=CLICKS)
    assert found == pytest.approx(np.mean([p * (1 if n < 66 else 1.29) for n, p in enumerate(run)]))
    assert found == bp.score("epnav(ideal='exact')", TRUTH, RUN, navigation=CLICKS)
    bounded = bp.score("epnav(ideal='certified',norm='bounded')", TRUTH, RUN, navigation=CLICKS)
    assert bounded == pytest.approx(np.mean([*run[:66], *([1.0] * 34)]))


@pytest.mark.parametrize("effort", ["rank", "clicks"])
def test_bounded_values_never_exceed_one(effort):
    rng = np.random.default_rng(8)
    for _ in range(12):
        links = ReachTable({(f"h{i}", x): float(rng.random()) for i in range(3) for x in "abc"})
        truth = {"q": {x: int(rng.integers(1, 4)) for x in "abc"}}
        names = [*"abc", "h0", "h1", "h2"]
        run = {"q": {names[i]: 9 - n for n, i in enumerate(rng.permutation(6)[:4])}}
        for ideal in ("exact", "certified"):
            measure = f"epnav(ideal='{ideal}',norm='bounded')"
            assert 0 <= bp.score(measure, truth, run, navigation=links, effort=effort) <= 1 + 1e-12
        same = [
            bp.score(f"epnav(ideal='{one}')", truth, run, navigation=links, effort=effort)
            for one in ("exact", "certified")
        ]
        assert same[0] == same[1]


def test_results_that_are_no_candidates_are_within_the_bound():
    spans = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "q", "doc": "d", "start": 20, "end": 30}]
    run = [{"topic": "q", "doc": "d", "start": 0, "end": 30, "rank": 1}]
    results = bp.evaluate(spans, run, "epnav epnav(ideal='certified',norm='bounded')")
    assert [row.value for row in results.mean_rows] == pytest.approx([1.5, 1.0])
    assert dict(results.mean_rows[1].signature.fields)["bounded"] == "candidates+run"


def test_explain_shows_the_lists():
    text = str(bp.explain(TRUTH, RUN, "q", "epnav(ideal='certified')", navigation=CLICKS))
    assert "hub, a, b" in text and "1.29" in text and "gap" in text


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("epnav(nodes=5)", "ideal='certified' only"),
        ("epnav(norm='bounded')", "ideal='certified' or 'exact'"),
        ("epnav(ideal='greedy')", "targets"),
    ],
)
@pytest.mark.quick
def test_what_does_not_go_together(spec, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(TRUTH, RUN, spec)


def test_more_than_eight_candidates_are_not_tried_in_every_order():
    with pytest.raises(bp.UsageError, match="certified"):
        bp.score("epnav(ideal='exact')", {"q": {f"d{i}": 1 for i in range(9)}}, {"q": {"d1": 1}})


def test_a_gap_is_noted():
    rng = np.random.default_rng(1)
    links = ReachTable({(f"h{i}", f"t{x}"): float(rng.random() * 0.6) for i in range(40) for x in range(5)})
    truth = {"q": {f"t{x}": x % 3 + 1 for x in range(5)}}
    measure = "epnav(ideal='certified',nodes=1,gap=0.01)@1"
    results = bp.evaluate(truth, {"q": {"t1": 1}}, measure, navigation=links)
    assert any("not proved to be the best" in str(note) for note in results.notes)
    assert dict(results.mean_rows[0].signature.fields)["gap"].startswith("<=0.")


def test_the_command(tmp_path):
    (tmp_path / "truth.qrels").write_text("q 0 a 2\nq 0 b 1\n")
    (tmp_path / "clicks.tsv").write_text("hub\ta\t0.9\nhub\tb\t0.9\n")
    arguments = ["ideal", str(tmp_path / "truth.qrels"), "--navigation", str(tmp_path / "clicks.tsv"), "-m", "epnav"]
    found = json.loads(CliRunner().invoke(cli, [*arguments, "-o", "json"]).stdout)
    assert [(one["level"], one["r"], one["list"]) for one in found] == [
        (0.33, None, ["a"]),
        (0.66, None, ["a"]),
        (1.0, None, ["hub", "a", "b"]),
    ]
    assert found[2]["value"] == found[2]["bound"] == pytest.approx(1.29) and found[2]["gap"] == 0
    table = CliRunner().invoke(cli, [*arguments, "-m", "EPRUM", "-o", "table"]).stdout.splitlines()
    assert table[0].split() == ["topic", "measure", "r", "level", "value", "bound", "gap", "list"]
