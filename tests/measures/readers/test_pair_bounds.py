"""Differences of EPRUM under every joint distribution, against linear programmes.

Pages lead to each target independently of each other, and a page does the same in both lists. So the distribution of
(rank in one list, rank in the other) at which a target is first seen is known for each target; how targets go together
is not. Among all joint distributions with these marginals a programme finds the least and the largest difference.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from many_cases import at_length, each
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.kernels.joint_bounds import TwoLists, bounds_at_events
from berrypick.measures import parse_measure
from berrypick.topics.two_lists import reach_of_both

CLOSE = 1e-7  # what HiGHS solves to
NEVER = 99


class AllLaws:
    """Every joint distribution of the ranks at which readers of two lists first see each target."""

    def __init__(self, pages, lists):
        names, targets = list(pages), len(next(iter(pages.values())))
        marginals = []
        for x in range(targets):
            of = defaultdict(float)
            for hits in itertools.product((False, True), repeat=len(names)):
                chances = [pages[name][x] if hit else 1 - pages[name][x] for name, hit in zip(names, hits, strict=True)]
                leading = {name for name, hit in zip(names, hits, strict=True) if hit}
                ranks = [next((i for i, name in enumerate(one, 1) if name in leading), NEVER) for one in lists]
                of[tuple(ranks)] += np.prod(chances)
            marginals.append({state: share for state, share in of.items() if share > 0})
        self.states = list(itertools.product(*marginals))
        rows = [[state[x] == own for state in self.states] for x, of in enumerate(marginals) for own in of]
        self.marginals = csr_matrix(np.array(rows, dtype=float))
        self.shares = [share for of in marginals for share in of.values()]

    def ends(self, value):
        """The least and the largest mean of a function of the first ranks in both lists."""
        values = np.array([value(*zip(*state, strict=True)) for state in self.states])
        found = []
        for sign in (1, -1):
            done = linprog(sign * values, A_eq=self.marginals, b_eq=self.shares, bounds=(0, None), method="highs")
            assert done.status == 0
            found.append(sign * done.fun)
        return found


def precision(first, wanted):
    """The mean over r of r/(rank of the r-th target)."""
    ordered = sorted(first)
    return sum(r / ordered[r - 1] if ordered[r - 1] < NEVER else 0.0 for r in wanted) / len(wanted)


def judged(pages, lists, truth=None):
    targets = len(next(iter(pages.values())))
    table = {(name, f"t{x}"): float(p) for name, row in pages.items() for x, p in enumerate(row) if p > 0}
    truth = {"q": {f"t{x}": 1 for x in range(targets)} if truth is None else truth}
    runs = [{"q": {name: float(-i) for i, name in enumerate(one)}} for one in lists]
    return [bp.judge(truth, run, "q", navigation=ReachTable(table)) for run in runs]


def random_case(seed):
    rng = np.random.default_rng(seed)
    pages, targets = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    reach = rng.random((pages, targets)) * (rng.random((pages, targets)) < 0.75)
    reach[rng.random((pages, targets)) < 0.15] = 1.0
    lists = [[f"p{i}" for i in rng.permutation(pages)[: int(rng.integers(1, pages + 1))]] for _ in range(2)]
    return {f"p{i}": row for i, row in enumerate(reach)}, lists


def ends_after(lists, k, r):
    """The bounds of P(F_k >= r) of one list minus the other, by the formula."""
    low, high = ([_at(reach, bounds_at_events(reach, end), k)[r] for reach in (lists.one, lists.other)]
                 for end in ("low", "high"))  # fmt: skip
    a, b, u = (_at(reach, reach.seen, k) for reach in (lists.one, lists.other, lists.both))
    return max(low[0] - high[1], -(u - a).sum()), min(high[0] - low[1], (u - b).sum())


def _at(reach, rows, k):
    event = int(np.searchsorted(reach.events, k, side="right"))
    return rows[event - 1] if event else np.zeros(rows.shape[1])


def check(seed):
    """No distribution is outside; the bound of each rank is attained, and so is that of a single target."""
    pages, orders = random_case(seed)
    (one, other), laws = judged(pages, orders), AllLaws(pages, orders)
    targets, lists = one.reach.targets, TwoLists(one.reach, other.reach, reach_of_both(one, other))
    recalls = [(r,) for r in range(1, targets + 1)] + [tuple(range(1, targets + 1))] * (targets > 1)
    for wanted in recalls:
        measure = parse_measure(f"EPRUM(r={wanted[0]})" if len(wanted) == 1 else "EPRUM")
        low, high = measure.pair_bounds(one, other)
        least, most = laws.ends(lambda a, b, wanted=wanted: precision(a, wanted) - precision(b, wanted))
        assert low <= least + CLOSE and most <= high + CLOSE
        assert targets > 1 or [low, high] == pytest.approx([least, most], abs=CLOSE)
        assert low - 1e-12 <= measure.compute(one).value - measure.compute(other).value <= high + 1e-12
        apart = [[measure.bounded(end).compute(j).value for end in ("low", "high")] for j in (one, other)]
        assert apart[0][0] - apart[1][1] <= low + 1e-12 and high <= apart[0][1] - apart[1][0] + 1e-12
        assert measure.pair_bounds(other, one) == pytest.approx((-high, -low), abs=1e-12)
    k, r = seed % 4 + 1, seed % targets + 1
    sharp = laws.ends(lambda a, b: float(sorted(a)[r - 1] <= k) - float(sorted(b)[r - 1] <= k))
    assert ends_after(lists, k, r) == pytest.approx(sharp, abs=CLOSE)


MANY = pytest.param(range(20, at_length(45, 500)), marks=pytest.mark.slow)


@pytest.mark.parametrize("seeds", [range(20), MANY], ids=["few", "all"])
@pytest.mark.slow
def test_no_joint_distribution_is_outside(seeds):
    for seed in seeds:
        check(seed)


HUB = {"hub": (0.5, 0.5), "a": (1, 0), "b": (0, 1), "junk": (0, 0)}
SHORT, LONG = ["hub", "a", "b"], ["hub", "junk", "a", "b"]


def test_a_hub_in_both_lists():
    """After two ranks the first list has a, the second what the hub leads to: P(F >= 1) differs by 0 to .5."""
    one, other = judged(HUB, [SHORT, LONG])
    assert parse_measure("EPRUM(r=1)").pair_bounds(one, other) == pytest.approx((0, 0.5 / 6))
    assert AllLaws(HUB, [SHORT, LONG]).ends(lambda a, b: precision(a, (1,)) - precision(b, (1,))) == pytest.approx(
        [0, 0.5 / 6]
    )
    apart = [[bp.score(f"EPRUM(r=1,together='{end}')", {"q": {"a": 1, "b": 1}}, {"q": {n: float(-i) for i, n in
              enumerate(names)}}, navigation=ReachTable({("hub", "a"): 0.5, ("hub", "b"): 0.5}))
              for end in ("low", "high")] for names in (SHORT, LONG)]  # fmt: skip
    assert [apart[0][0] - apart[1][1], apart[0][1] - apart[1][0]] == pytest.approx([-0.25, 1 / 3])


def test_levels_and_recall_values_are_added_up():
    """At half of the levels both targets are ideal, at the other half the first alone: the mean of both bounds."""
    graded = judged(HUB, [SHORT, LONG], {"t0": 1.0, "t1": 0.5})
    alone = judged({name: row[:1] for name, row in HUB.items()}, [SHORT, LONG])
    both = judged(HUB, [SHORT, LONG])
    for text in ("EPRUM(r=1)", "EPRUM"):
        measure = parse_measure(text)
        expected = np.mean([measure.pair_bounds(*alone), measure.pair_bounds(*both)], axis=0)
        assert measure.pair_bounds(*graded) == pytest.approx(tuple(expected))
    each_recall = [parse_measure(f"EPRUM(r={r})").pair_bounds(*both) for r in (1, 2)]
    assert parse_measure("EPRUM").pair_bounds(*both) == pytest.approx(tuple(np.mean(each_recall, axis=0)))


@pytest.mark.slow
def test_at_a_rank_with_a_searched_ideal_list():
    """EPRUM(rank=k) is the mean of E[ML*_F]/k: no distribution is outside, and with steps of 1 nothing is open."""
    for seed in range(at_length(15, 120)):
        pages, orders = random_case(seed)
        (one, other), laws, k = judged(pages, orders), AllLaws(pages, orders), seed % 3 + 1
        for ideal in ("targets", "greedy"):
            measure = parse_measure(f"EPRUM(rank={k},ideal='{ideal}')")
            worth = np.concatenate(
                [[0.0], measure.ideal_lists(one, np.ones(one.reach.targets, bool), one.reach).ideal.length]
            )
            found = measure.pair_bounds(one, other)
            if found is None:
                assert not np.isfinite(worth).all()
                continue
            least, most = laws.ends(
                lambda a, b, worth=worth, k=k: (worth[sum(i <= k for i in a)] - worth[sum(i <= k for i in b)]) / k
            )
            assert found[0] <= least + CLOSE and most <= found[1] + CLOSE
            assert ideal == "greedy" or found == pytest.approx((least, most), abs=CLOSE)


def spans(user, *lists, **options):
    truth = {"q": {"d#0-100": 1, "e#0-100": 1}}
    return [bp.judge(truth, one, "q", user=user, **options) for one in lists]


def ranks(*items):
    """A run whose ranks hold several pointers each."""
    return [{"topic": "q", "doc": doc, "start": a, "end": b, "rank": rank}
            for rank, item in enumerate(items, 1) for doc, a, b in item]  # fmt: skip


D, E, HALF = ("d", 0, 60), ("e", 0, 60), ("d", 0, 50)


@each(
    ("user", "lists", "seen"),
    [
        # the same pointer at different ranks counts once, other pointers of a rank beside it: 1 - .4 x .5
        ("coverage", (ranks([D], [E]), ranks([E], [D])), [0.6, 0.6]),
        ("coverage", (ranks([D], [E]), ranks([E], [HALF])), [0.8, 0.6]),
        # pointers of one rank are taken together, so the item counts: .6 in both, not the same item
        ("coverage", (ranks([D, HALF]), ranks([D])), [1 - 0.4 * 0.4, 0]),
        ("coverage", (ranks([D, HALF]), ranks([E], [D, HALF])), [0.6, 0.6]),
    ],
    ids=str,
)
def test_what_a_reader_of_both_has_seen(user, lists, seen):
    assert reach_of_both(*spans(user, *lists)).expected_seen(2).tolist() == pytest.approx(seen)


def test_ranks_that_depend_on_each_other():
    """A reader who remembers what was covered: results have no reach of their own, so any joint distribution counts."""
    one, other = spans("coverage(memory=True)", ranks([HALF], [D], [E]), ranks([D], [E]))
    assert reach_of_both(one, other) is None
    lists = TwoLists(one.reach, other.reach, None)
    only = lists.only(np.array([1, 2, 3]))
    # .5 and .6 of d at rank 1, .6 and .6 then, .6 of e at rank 3 and 2: the least of (own, 1 - the other's)
    assert [column.tolist() for column in only] == [
        pytest.approx([0.4, 0.4, 0.8]),
        pytest.approx([0.5, 0.4 + 0.6, 0.4 + 0.4]),
    ]
    low, high = parse_measure("EPRUM(r=1)").pair_bounds(one, other)
    assert (
        low <= parse_measure("EPRUM(r=1)").compute(one).value - parse_measure("EPRUM(r=1)").compute(other).value <= high
    )


def test_measures_without_bounds_have_none():
    one, other = judged(HUB, [SHORT, LONG])
    for text in ("EPRUM(law='normal')", "EPRUM(ideal='exact',norm='bounded')", "EPRUM(r=1,together='low')", "PRUM"):
        assert parse_measure(text).pair_bounds(one, other) is None
    assert parse_measure("EPRUM(r=3)").pair_bounds(one, other) is None, "undefined"
