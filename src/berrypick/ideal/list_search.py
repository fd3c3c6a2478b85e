"""The best list for a gain or a recall value, with a bound that no list of the candidates can pass.

Without browsing, what a reader has seen and spent depends on which candidates were consulted, not on their order, so
both objectives of :mod:`list_problem` are searched over growing sets: exactly where the sets can be listed, else best
first. With browsing, all orders of a few candidates are tried. For more, no list reaches the gain for less than a
floor, whatever it browses to, so max(C_k, floor) takes the place of ce_k in the bound.

The search ends after a number of sets, not of seconds, and so gives the same digits everywhere; :class:`Search` can
also be given seconds. The compiled search and the plain one examine the same sets: scores have the same digits in both.
Bounds contain exponentials and logarithms, of which NumPy and the C++ library may round the last digit differently; so
sets are ordered, and bounds reported, by bounds that are rounded up to 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.ideal.best_list import Found
from berrypick.ideal.budget_bounds import Budgets, budget_bounds, kinds_table
from berrypick.ideal.gain_steps import SAME, row_totals
from berrypick.ideal.list_bounds import STEPS, best_ways, level_bounds
from berrypick.ideal.list_problem import Listed, Problem, Search, Walk
from berrypick.ideal.number_problem import NumberProblem
from berrypick.ideal.priced import Priced
from berrypick.ideal.set_queue import SetQueue, Turns
from berrypick.ideal.sum_bounds import LeastEffort
from berrypick.ideal.tangents import ROUNDING, coarse
from berrypick.kernels import native
from berrypick.kernels.gain_law import are_equal
from berrypick.kernels.lists.candidate_sets import best_order, order_of
from berrypick.kernels.lists.ideal import Objective
from berrypick.kernels.poisson_binomial import plain_law

#: Sets of at most this many candidates are all listed, where also sets x what each takes is at most `MOST_CELLS`.
MOST_LISTED = 20
MOST_CELLS = 1 << 25
#: Candidates of which all orders are tried where browsing costs effort.
MOST_ORDERED = 8
#: How many times the effort of the best list is looked ahead.
FAR = 6.0


def search(
    candidates: Priced, gains: FloatArray, wanted: Sequence[float], objective: Objective, limit: Search
) -> list[Found]:
    """The best list for each gain wanted."""
    useful = np.flatnonzero((candidates.rows > 0).any(axis=1))
    priced = candidates.take(useful)
    if len(useful) and not priced.browses and are_equal(gains) and are_equal(priced.effort):
        # a gain is a number of targets, and effort a number of ranks
        numbers = [max(1, math.ceil(gain / float(gains[0]) - 1e-12)) for gain in wanted]
        effort = float(priced.effort[0])
        scale = effort if objective == "length" else 1.0 / effort
        found = search_numbers(candidates.rows, numbers, objective, limit)
        return [replace(one, value=one.value * scale, bound=one.bound * scale) for one in found]
    return _found(useful, [Problem.of_gain(priced, gains, gain, objective) for gain in wanted], limit)


def search_numbers(rows: FloatArray, wanted: Sequence[int], objective: Objective, limit: Search) -> list[Found]:
    """The best list for each recall value wanted. ``rows``: candidates x targets."""
    useful = np.flatnonzero((rows > 0).any(axis=1))
    priced = Priced.of_rows(np.ascontiguousarray(rows[useful], dtype=np.float64))
    return _found(useful, [NumberProblem(priced, r, objective) for r in wanted], limit)


def _found(useful: IntArray, problems: Sequence[Problem], limit: Search) -> list[Found]:
    found = [find(problem, limit, len(problems)) for problem in problems]
    return [replace(one, order=tuple(int(useful[i]) for i in one.order)) for one in found]


def find(problem: Problem, limit: Search, problems: int = 1) -> Found:
    """The best list for one of so many problems that are given some time together."""
    count = len(problem.priced.rows)
    if not problem.inverse and not problem.certain:
        return Found((), float("nan"), float("nan"))
    if not count or problem.most == 0.0:
        return Found((), 0.0, 0.0)
    if problem.priced.browses and count <= MOST_ORDERED:
        return all_orders(problem)
    if count <= MOST_LISTED and (1 << count) * problem.cells(problems) <= MOST_CELLS:
        return all_sets(problem)
    return best_first(problem, Turns(limit.nodes or problem.nodes(problems), limit.seconds))


def all_orders(problem: Problem) -> Found:
    """All orders of all sets."""
    walk = Walk(problem, 1, charged=False)
    best: tuple[int, ...] = ()
    score = -np.inf
    for orders, parent in orders_of(len(problem.priced.rows)):
        walk = walk.take(parent)
        walk.append(orders[:, -1])
        finished = walk.finished()
        n = int(np.argmax(finished))
        if finished[n] > score:
            best, score = tuple(orders[n].tolist()), float(finished[n])
    value = problem.value(score)
    return Found(problem.cut(best) if problem.certain else best, value, value)


@lru_cache(maxsize=4)
def orders_of(count: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """All orders of 1, 2, ... of so many candidates, each with the place of the order that it extends."""
    found = []
    orders = np.zeros((1, 0), dtype=np.int64)
    for _ in range(count):
        free = np.ones((len(orders), count), dtype=bool)
        np.put_along_axis(free, orders, False, axis=1)
        parent, which = np.nonzero(free)
        orders = np.hstack([orders[parent], which[:, None]])
        found.append((orders, parent))
    return tuple(found)


def all_sets(problem: Problem) -> Found:
    """All sets, by dynamic programming from the largest to the smallest."""
    count = len(problem.priced.rows)
    below, reached, done = problem.upper.of_sets(problem.priced.rows)
    effort = np.zeros(1 << count)
    for i in range(count):
        effort[1 << i : 2 << i] = effort[: 1 << i] + problem.priced.effort[i]
    if problem.inverse:
        own = problem.charge(effort, effort + problem.ahead, below, reached)
        weight, best = reached, own + problem.rest(effort, reached)
        done = np.zeros_like(done)
    else:
        weight, best = np.where(done, 0.0, below), np.where(done, 0.0, -np.inf)
    effort[1:] = np.maximum(effort[1:], problem.floor)
    order = order_of(best_order(weight, effort, problem.inverse, best, done))
    if not problem.priced.browses and problem.upper is problem.lower:
        value = abs(float(best[0]))
        return Found(order, value, value)
    return problem.settled(*problem.improved(problem.beginning([order, *problem.starts()])), float(best[0]))


# --- best first -----------------------------------------------------------------------------------------------------


def best_first(problem: Problem, turns: Turns) -> Found:
    """The best list found, and the bound that is left when so many sets have been examined."""
    order, bound = (plain_search if native() is None else compiled_search)(problem, problem.first(), turns)
    best = max(((order, problem.score_of(order)), problem.improved(order)), key=lambda one: one[1])
    return problem.settled(*best, bound, turns.stopped)


def compiled_search(problem: Problem, best: Listed, turns: Turns) -> tuple[tuple[int, ...], float]:
    """The best list found, and what the sets that are left can score."""
    follows = np.ascontiguousarray(problem.priced.dominated).view(np.uint8)
    search = problem.compiled.search(follows, np.array(best[0], dtype=np.int64), best[1])
    for _ in turns:
        if not search.step():
            break
    return tuple(search.best()), search.bound()


def plain_search(problem: Problem, best: Listed, turns: Turns) -> tuple[tuple[int, ...], float]:
    """The same in NumPy."""
    search = BestFirst(problem, best)
    for order in search.queue.take(turns, search.promising):
        search.expand(order)
    return search.best, max(search.queue.bound, search.closed)


class BestFirst:
    """Sets in the order of what their extensions can still score, and the best list so far."""

    def __init__(self, problem: Problem, best: Listed) -> None:
        self.problem = problem
        self.best, self.goal = best
        self.queue = SetQueue()
        self.queue.push(np.inf, (), 0.0)
        self.follows = problem.priced.dominated
        self.waiting = self.follows.sum(axis=1)  # for how many candidates each has to wait
        self.closed = -np.inf  # what lists that are complete would score if browsing cost nothing
        self.ranks, self.bounds = _number_bounds if isinstance(problem, NumberProblem) else _gain_bounds

    def promising(self, bound: float) -> bool:
        return self.problem.promises(bound, self.goal)

    def expand(self, order: tuple[int, ...]) -> None:
        known = self.problem.walked(order)
        pool, ready = self.pool(order, known)
        self.improve(order)
        if not len(pool):
            if self.problem.inverse and order:
                self.close(float(known.finished()[0]))
            return
        step = Step(known, pool, order)
        whole, each = np.inf, np.full(len(pool), np.inf)
        for bound in self.bounds:
            found = bound(self, step)
            whole, each = min(whole, found.whole), np.minimum(each, found.each)
            if not self.promising(whole):
                return
        limits, scores = np.minimum(whole, each), step.after.ahead()
        keys, done = coarse(limits), self.problem.lower.are_sure(step.after.unseen)
        for n in np.flatnonzero(ready).tolist():
            if not self.promising(float(limits[n])):
                continue
            longer = (*order, int(pool[n]))
            if done[n]:
                self.improve(longer)
                self.close(float(limits[n]))
            else:
                self.queue.push(float(limits[n]), longer, float(scores[n]), float(keys[n]))

    def pool(self, order: tuple[int, ...], known: Walk) -> tuple[IntArray, BoolArray]:
        """Candidates that can be among the next as far as bounds look, and whether they can be the very next: a
        dominated one follows its dominators."""
        left = np.asarray((self.problem.priced.rows * known.unseen > 0).any(axis=1))
        left[list(order)] = False
        waiting = self.waiting - self.follows[:, list(order)].sum(axis=1) if self.follows.size else self.waiting
        ranks = max(self.ranks(self, known, left), sum(self.problem.kinds(known.unseen[0])))
        pool = np.flatnonzero(left & (waiting < ranks))
        return pool, waiting[pool] == 0

    def improve(self, order: tuple[int, ...]) -> None:
        found = self.problem.cut(order)
        score = self.problem.score_of(found)
        if score > self.goal:
            self.best, self.goal = found, score

    def close(self, bound: float) -> None:
        """A list that needs nothing more. If browsing costs effort, another order of it may be better than the one that
        was tried."""
        if self.problem.priced.browses:
            self.closed = max(self.closed, bound)

    def horizon(self, known: Walk) -> float:
        """How much further effort is looked at piece by piece: what the best list takes in all, or several times what
        most readers need."""
        usual = 1.0 / self.goal if self.problem.inverse else -self.goal
        whole = float(np.cumsum(self.problem.priced.effort[list(self.best)])[-1])
        return min(whole, FAR * usual) - float(known.effort[0])


# --- what the extensions of a set can score -------------------------------------------------------------------------


@dataclass
class Step:
    """A set, as a walk of one list, and the candidates that may be appended to it."""

    known: Walk
    pool: IntArray
    order: tuple[int, ...] = ()

    @cached_property
    def left(self) -> LeastEffort:
        """What the candidates that are not in the set can add, for their effort."""
        problem, unseen = self.known.problem, self.known.unseen[0]
        need = problem.wanted - float(problem.gains[unseen == 0.0].sum())
        worth = row_totals(problem.priced.rows * np.where(unseen > 0, np.minimum(problem.gains, need), 0.0))
        worth[list(self.order)] = 0.0
        some = np.flatnonzero(worth > 0)
        return LeastEffort.of(worth[some], problem.priced.effort[some])

    @cached_property
    def after(self) -> Walk:
        """The set with each of them."""
        return self.known.after(self.pool)

    @cached_property
    def rows(self) -> FloatArray:
        return self.known.problem.priced.rows[self.pool]

    def after_kinds(self, other: float, sure: float) -> FloatArray:
        """One number for candidates that are not sure, another for those that surely show a target not yet sure."""
        return np.where((self.rows[:, self.known.unseen[0] > 0] == 1.0).any(axis=1), sure, other)


@dataclass(frozen=True)
class Limits:
    """What no extension of a set can pass, and none that begins with each of some candidates."""

    whole: float
    each: FloatArray | float = np.inf


#: A bound. Of several the least counts, and they are asked one after the other while there is something to find.
Bound = Callable[[BestFirst, Step], Limits]
#: How many further candidates bounds look at, among those left.
Ranks = Callable[[BestFirst, Walk, BoolArray], int]


def by_levels(search: BestFirst, step: Step, steps: int = STEPS) -> Limits:
    """From what any 1, 2, ... further candidates can lead to. Without steps towards tangents it takes less time."""
    problem, known = search.problem, step.known
    assert isinstance(problem, NumberProblem)
    rank, levels, unseen = int(known.effort[0]), problem.levels(known), known.unseen[0]
    bounds = level_bounds(step.rows, unseen, problem.r, levels, steps, problem.kinds(unseen))
    beyond = problem.most * (1 + ROUNDING) / (rank + levels + 1) if problem.inverse else 0.0  # all later ranks
    ways = best_ways(bounds.table, bounds.best, rank, problem.inverse, problem.most)
    here = float(known.ahead()[0])
    whole = here + min(float(_level_tails(bounds.best[:, None], rank, problem.inverse)[0, 0]) + beyond, ways[0])
    if not steps:
        return Limits(whole)
    later = _level_tails(bounds.given, rank, problem.inverse)[1] + beyond if levels > 1 else beyond
    return Limits(whole, step.after.ahead() + np.minimum(later, step.after_kinds(*ways[1:])))


def _level_tails(bounds: FloatArray, rank: int, inverse: bool) -> FloatArray:
    """The score of the levels j, j + 1, ... J, from bounds on P(F >= r)."""
    k = rank + np.arange(1, len(bounds) + 1)
    score = bounds / (k * (k + 1.0))[:, None] if inverse else bounds - 1.0
    return np.asarray(np.cumsum(score[::-1], axis=0)[::-1])


def _level_ranks(search: BestFirst, known: Walk, left: BoolArray) -> int:
    assert isinstance(search.problem, NumberProblem)
    return search.problem.levels(known)


def by_sums(search: BestFirst, step: Step) -> Limits:
    """From what the candidates that are left lead to in all (:mod:`sum_bounds`)."""
    problem, known = search.problem, step.known
    if problem.inverse:
        return Limits(np.inf)
    if isinstance(problem, NumberProblem):
        few = plain_law(known.seen, known.unseen)[0, : problem.r]
        further = float(few @ step.left(problem.r - np.arange(problem.r, dtype=np.float64)))
    else:
        further = float(_further(step, known)[0])
    floor = max(float(known.effort[0]), problem.floor) if known.effort[0] else 0.0  # is charged already
    return Limits(float(known.score[0]) - max(further - (floor - float(known.effort[0])) * float(known.below[0]), 0.0))


def by_sums_after(search: BestFirst, step: Step) -> Limits:
    """The same for each candidate that may be the next."""
    problem, after = search.problem, step.after
    if problem.inverse:
        return Limits(np.inf)
    charged = np.maximum(after.effort, problem.floor) - after.effort
    return Limits(np.inf, after.score - np.maximum(_further(step, after) - charged * after.below, 0.0))


def _further(step: Step, walk: Walk) -> FloatArray:
    """The effort that readers who have not got the gain still spend on average, times their share."""
    problem, left = step.known.problem, step.left
    near = 0.0 if problem.is_number else SAME * float(problem.gains.sum())  # sums that near are taken for equal
    missing = np.maximum(problem.wanted - near - problem.upper.expected(walk.seen, walk.unseen), 0.0)
    if problem.exact:
        return left.expected(walk.below, missing)
    # on a grid the share is not known exactly, and the whole is convex in it
    return np.maximum(walk.below * left.least, left.on_average(missing))


def by_budgets(search: BestFirst, step: Step) -> Limits:
    """From what any candidates within an effort can lead to."""
    problem, known, after = search.problem, step.known, step.after
    effort, unseen = problem.priced.effort[step.pool], known.unseen[0]
    budgets = Budgets.for_efforts(effort, search.horizon(known))
    together = np.vstack([known.seen, after.seen]), np.vstack([known.unseen, after.unseen])
    expected = problem.upper.expected(*together)
    added = float(expected[0]), np.maximum(expected[1:] - expected[0], 0.0)
    bounds = budget_bounds(step.rows, effort, unseen, problem.gains, problem.wanted, budgets, added)
    alone = np.array([after.reached[effort <= most * (1 + ROUNDING)].max(initial=0.0) for most in budgets.most])
    best = np.maximum(np.where(budgets.single, np.minimum(bounds.best, alone), bounds.best), known.reached)
    best = np.minimum(best, problem.most)
    whole = float(known.score[0] + _future(known, budgets, best[None, :], np.zeros(1))[0])
    in_all, later = _ways(step, effort, best)
    given = np.maximum(np.minimum(bounds.given, best[None, :]), after.reached[:, None])
    given = np.where(budgets.edges[None, 1:] <= (effort + effort.min())[:, None], after.reached[:, None], given)
    each = after.score + np.minimum(_future(known, budgets, given, effort), later)
    return Limits(min(whole, float(after.score[0]) + in_all), each)


def _ways(step: Step, effort: FloatArray, best: FloatArray) -> tuple[float, FloatArray | float]:
    """Bounds on what can be added after the next rank begins, in all, and for each candidate at it."""
    problem, known = step.known.problem, step.known
    kinds = problem.kinds(known.unseen[0])
    if not kinds[0]:
        return np.inf, np.inf
    one = float(effort[0])
    rank = round(float(known.effort[0]) / one)
    table = kinds_table(step.rows, known.unseen[0], problem.gains, problem.wanted, kinds)
    found = best_ways(table, best[1:], rank, problem.inverse, problem.most)
    after, reached = step.after_kinds(*found[1:]), step.after.reached
    if not problem.inverse:
        return found[0] * one, (reached - 1.0 + after) * one
    return found[0] / one, (reached / ((rank + 1) * (rank + 2)) + after) / one


def _future(known: Walk, budgets: Budgets, reached: FloatArray, begun: FloatArray) -> FloatArray:
    """What effort beyond that of a set and `begun` can add, given bounds on what is reached with it."""
    problem, spent = known.problem, float(known.effort[0])
    edges = np.maximum(spent + np.maximum(budgets.edges[None, :], begun[:, None]), problem.floor)
    if not problem.inverse:
        first = edges[:, 0] if not spent and not begun.any() else 0.0  # nobody has anything before the floor
        return -first - (np.diff(edges, axis=1) * (1.0 - reached)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(edges[:, :-1] > 0, np.diff(edges, axis=1) / (edges[:, :-1] * edges[:, 1:]), 0.0)
    return (weight * reached).sum(axis=1) + problem.most / edges[:, -1]


def _budget_ranks(search: BestFirst, known: Walk, left: BoolArray) -> int:
    cheapest = np.cumsum(np.sort(search.problem.priced.effort[left]))
    return int(np.searchsorted(cheapest, search.horizon(known) * (1 + ROUNDING), side="right")) + 1


_number_bounds: tuple[Ranks, tuple[Bound, ...]] = (
    _level_ranks,
    (by_sums, partial(by_levels, steps=0), by_levels, by_sums_after),
)
_gain_bounds: tuple[Ranks, tuple[Bound, ...]] = _budget_ranks, (by_sums, by_budgets, by_sums_after)
