"""EPRUM without assuming independence, against linear programmes over all joint laws of when targets are seen.

A state says at which rank each target is first seen, or that it never is: (N + 1)^t states. Reach fixes the law of each
target for itself; among all joint laws with these marginals the programme finds the least and the largest value.
"""

import itertools

import handmade
import numpy as np
import pytest
from many_cases import at_length
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

import berrypick as bp
from berrypick import kernels
from berrypick.data.navigation import ReachTable
from berrypick.data.reach import Reach
from berrypick.kernels.joint_bounds import bounds_at_events, mean_bound, weighted_bounds

README = [[0.4, 0.4], [0.6, 0.4], [1, 0]]
CLOSE = 1e-8  # what HiGHS solves to


class AllLaws:
    """Every joint law of the ranks at which the targets of a matrix are first seen."""

    def __init__(self, matrix):
        ranks, targets = matrix.shape
        self.states = np.array(list(itertools.product(range(1, ranks + 2), repeat=targets)))  # ranks + 1: never
        left = np.vstack([np.ones(targets), np.cumprod(1 - matrix, axis=0)])
        first = np.vstack([left[:-1] - left[1:], left[-1]])
        rows = [self.states[:, x] == k + 1 for x in range(targets) for k in range(ranks + 1)]
        self.marginals = csr_matrix(np.array(rows, dtype=float))
        self.shares = first.T.ravel()

    def ends(self, value):
        """The least and the largest mean of a value of states."""
        found = []
        for sign in (1, -1):
            done = linprog(sign * value, A_eq=self.marginals, b_eq=self.shares, bounds=(0, None), method="highs")
            assert done.status == 0
            found.append(sign * done.fun)
        return found

    def seen(self, rank):
        return (self.states <= rank).sum(axis=1)

    def inverse(self, r, ranks):
        """A_r/ML_r of each state."""
        kth = np.sort(self.states, axis=1)[:, r - 1]
        return np.where(kth <= ranks, 1.0 / kth, 0.0)


def random_matrix(rng):
    ranks, targets = rng.integers(1, 4, 2)
    matrix = rng.random((ranks, targets)) * (rng.random((ranks, targets)) < 0.8)
    matrix[rng.random((ranks, targets)) < 0.1] = 1.0
    return matrix


def check(matrix, seed):
    """No law is outside the bounds; the ends are attained for one rank, and for r = 1 and r = t over all ranks."""
    (ranks, targets), laws = matrix.shape, AllLaws(matrix)
    low, high = bp.eprum(matrix, together="low"), bp.eprum(matrix, together="high")
    for r in range(1, targets + 1):
        least, most = (r * end for end in laws.ends(laws.inverse(r, ranks)))
        assert low[r - 1] <= least + CLOSE and most <= high[r - 1] + CLOSE
        if r in (1, targets):
            assert [low[r - 1], high[r - 1]] == pytest.approx([least, most], abs=CLOSE)
    assert (low <= bp.eprum(matrix) + 1e-12).all() and (bp.eprum(matrix) <= high + 1e-12).all()
    rank = seed % ranks + 1
    reach = Reach.of(matrix)
    event = int(np.searchsorted(reach.events, rank, side="right")) - 1
    for r in range(1, targets + 1):
        bounds = [bounds_at_events(reach, end)[event, r] if event >= 0 else 0.0 for end in ("low", "high")]
        assert bounds == pytest.approx(laws.ends(laws.seen(rank) >= r), abs=CLOSE)
    if event >= 0:
        check_mean(reach.seen[event], laws, rank, np.random.default_rng(seed))


def check_mean(seen, laws, rank, rng):
    """What the number seen is worth: equal increments leave nothing open, rising or falling ones have sharp bounds."""
    step = rng.random(len(seen)) + 0.1
    rising = np.sort(step)
    for steps, sharp in ((step, len(seen) < 3), (rising, True), (rising[::-1], True), (step * 0 + 1, True)):
        worth = np.cumsum(steps)
        found = [mean_bound(seen, worth, end) for end in ("low", "high")]
        least, most = laws.ends(np.concatenate([[0.0], worth])[laws.seen(rank)])
        assert found[0] <= least + CLOSE and most <= found[1] + CLOSE
        assert not sharp or found == pytest.approx([least, most], abs=CLOSE)


MANY = pytest.param(range(25, at_length(50, 1000)), marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(25), MANY], ids=["few", "all"])
def test_no_joint_law_is_outside(seeds):
    for seed in seeds:
        check(random_matrix(np.random.default_rng(seed)), seed)


def naive(seen, high):
    """The formula of the docstring, with every m and n."""
    q, t = np.sort(seen), len(seen)
    if high:
        return [min(1.0, min(q[: t - m].sum() / (r - m) for m in range(r))) for r in range(1, t + 1)]
    return [1.0 - min(1.0, min(np.sort(1 - q)[: t - m].sum() / (t - r + 1 - m) for m in range(t - r + 1)))
            for r in range(1, t + 1)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("end", ["low", "high"])
def test_one_pass_finds_what_all_of_them_give_in_both_forms(end, monkeypatch):
    rng = np.random.default_rng(0)
    for case in range(60):
        ranks, targets = rng.integers(1, 12), rng.integers(1, 40)
        matrix = rng.choice([0, 1e-9, 0.1, 0.5, 0.9, 1], (ranks, targets), p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
        matrix = matrix if case % 2 else matrix * rng.random((ranks, targets))
        reach = Reach.of(matrix)
        if not len(reach.events):
            continue
        weight = rng.random(len(reach.events))
        bounds = bounds_at_events(reach, end)
        for row, seen in zip(bounds, reach.seen, strict=True):
            assert row[1:] == pytest.approx(naive(seen, end == "high"), abs=1e-12)
        totals = {}
        for form in ("numpy", *(["native"] if kernels._native is not None else [])):
            monkeypatch.setenv("BERRYPICK_KERNELS", form)
            totals[form] = weighted_bounds(reach, weight, end)
        assert totals["numpy"] == pytest.approx(weight @ bounds, rel=1e-12)
        assert len({total.tobytes() for total in totals.values()}) == 1, "the same digits"


def test_small_values_keep_their_digits():
    tiny = 1e-30
    assert bp.eprum([[tiny, tiny]], together="low").tolist() == [tiny, 0.0]
    assert bp.eprum([[tiny, tiny]], together="high").tolist() == [2 * tiny, 2 * tiny]


def scores(measures, **options):
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "d": 2, "a": 1}}
    clicks = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    results = bp.evaluate(options.pop("truth", truth), run, measures, navigation=clicks, **options)
    return results, results.mean()["run"]


def test_the_readme_case():
    asked = [f"EPRUM({cut}together='{end}')" for cut in ("r=1,", "r=2,", "") for end in ("low", "high")]
    results, found = scores([*asked, "EPRUM(together='low')@0.5", "EPRUM(together='high')@1"])
    assert list(found.values()) == pytest.approx([0.66, 0.90, 0.56, 1.04, 0.61, 0.97, 0.66, 1.04], abs=1e-12)
    signature = str(next(row.signature for row in results.mean_rows))
    assert "together:low" in signature and "ideal_together:independent" in signature
    added = [note.measure for note in results.notes if "added up" in note.text]
    assert added == ["EPRUM(together='low')", "EPRUM(together='high')"]


def test_at_a_rank_targets_leave_nothing_open_and_hubs_do():
    ranks = [f"EPRUM(rank={k},together='{end}')" for k in (1, 2, 3, 5) for end in ("independent", "low", "high")]
    found = list(scores(ranks)[1].values())
    assert found == pytest.approx(np.repeat([0.8, 0.7, 1.64 / 3, 0.328], 3), abs=1e-12)
    matrix = np.array([[0.9, 0.9], [1, 0], [0, 1]])
    truth, run, table = handmade.from_matrix(matrix)
    ends = [f"EPRUM(rank=1,ideal='exact',together='{end}')" for end in ("low", "independent", "high")]
    found = bp.evaluate(truth, run, ends, navigation=table).mean()["run"]
    # E[ML*] = 1 for one target and 1.29 for two: P(F >= 1) + .29 P(F >= 2), from .9 and .9 up to 1 and .8
    assert list(found.values()) == pytest.approx([0.9 + 0.29 * 0.9, 0.99 + 0.29 * 0.81, 1 + 0.29 * 0.8], abs=1e-12)


def test_levels_of_idealism_are_added_up():
    found = scores(["EPRUM(r=1,together='low')", "EPRUM(r=1,together='high')"], truth={"q": {"a": 1.0, "b": 0.5}})[1]
    # at half of the levels both are ideal, [.66, .90]; at the others a alone: .4/2 + .76/6 + 1/3
    alone = 0.4 / 2 + 0.76 / 6 + 1 / 3
    assert list(found.values()) == pytest.approx([(0.66 + alone) / 2, (0.90 + alone) / 2])


def test_what_is_certain_has_one_value():
    matrix = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0.0]])
    for end in ("low", "high"):
        assert bp.eprum(matrix, together=end).tobytes() == bp.eprum(matrix).tobytes()


def test_what_has_no_meaning_is_refused():
    for given, said in (
        ("law='normal'", "it takes no law='normal'"),
        ("ideal='exact',norm='bounded'", "takes no norm='bounded'"),
    ):
        with pytest.raises(bp.UsageError, match=said):
            bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, f"EPRUM(together='low',{given})")
    with pytest.raises(bp.UsageError, match="together"):
        bp.eprum(README, together="least")


@pytest.mark.parametrize("cut", ["r=2,", "", "rank=2,", "rank=2,ideal='greedy',"])
def test_its_explanation_has_the_value(cut):
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "d": 2, "a": 1}}
    clicks = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    for end in ("low", "high"):
        measure = f"EPRUM({cut}together='{end}')"
        value = bp.score(measure, truth, run, navigation=clicks)
        text = str(bp.explain(truth, run, measure, "q", navigation=clicks))
        assert f"{value:.6g}"[:7] in text and "P(F=f)" not in text
        assert ("at least" in text and "at most" in text) or "without assuming independence" in text
