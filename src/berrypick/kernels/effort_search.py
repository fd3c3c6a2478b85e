"""The best list for a gain, best first: sets of candidates in the order of what their extensions can still score.

The compiled form and the plain one examine the same sets. Scores have the same digits in both. Bounds contain
exponentials and logarithms, of which NumPy and the C++ library may round the last digit differently; so sets are
ordered, and bounds reported, by bounds that are rounded up to 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.budget_bounds import Budgets, budget_bounds, kinds_table
from berrypick.kernels.certified import MORE_LEVELS, MOST_PATHS, Found, Search, best_ways
from berrypick.kernels.effort_problem import Problem
from berrypick.kernels.gain_law import are_equal
from berrypick.kernels.list_bounds import ROUNDING, coarse
from berrypick.kernels.set_queue import SetQueue, Turns

#: How many times the effort of the best list is looked ahead.
FAR = 6.0
#: Sets examined for all gains together, unless a number is given: fewer where there are many candidates and sums.
MOST_NODES = 4000
NODES_WORK = 1 << 28


def best_first(problem: Problem, limit: Search, problems: int) -> Found:
    """The best list found, and the bound that is left when so many sets have been examined."""
    work = problem.priced.rows.size * int(problem.upper.states.max())
    turns = Turns(limit.nodes or max(4, min(MOST_NODES, NODES_WORK // work) // problems), limit.seconds)
    start = problem.changed(problem.beginning(problem.starts()))
    best, bound = (plain_search if native() is None else compiled_search)(problem, *start, turns)
    best, goal = problem.changed(best)
    return problem.settled(best, goal, bound, turns.stopped)


def compiled_search(
    problem: Problem, best: tuple[int, ...], goal: float, turns: Turns
) -> tuple[tuple[int, ...], float]:
    follows = np.ascontiguousarray(problem.priced.dominated).view(np.uint8)
    search = problem.compiled.search(follows, np.array(best, dtype=np.int64), goal)
    for _ in turns:
        if not search.step():
            break
    return tuple(search.best()), search.bound()


def plain_search(problem: Problem, best: tuple[int, ...], goal: float, turns: Turns) -> tuple[tuple[int, ...], float]:
    search = BestFirst(problem, best, goal)
    for order in search.queue.take(turns, search.promising):
        search.expand(search.state(order))
    return search.best, max(search.queue.bound, search.closed)


@dataclass(frozen=True)
class _Set:
    """A set of candidates in an order in which its score, without browsing, is the best known."""

    order: tuple[int, ...]
    seen: FloatArray
    unseen: FloatArray
    effort: float
    reached: float
    score: float  # of the effort so far


class BestFirst:
    """The sets that are left, and the best list so far."""

    def __init__(self, problem: Problem, best: tuple[int, ...], goal: float) -> None:
        self.problem, self.best, self.goal = problem, best, goal
        self.queue = SetQueue()
        self.queue.push(np.inf, (), 0.0)
        self.follows = problem.priced.dominated
        self.waiting = self.follows.sum(axis=1)  # for how many candidates each has to wait
        self.closed = -np.inf  # what lists that are complete would score if browsing cost nothing

    def promising(self, bound: float) -> bool:
        return bound > self.goal + abs(self.goal) * ROUNDING

    def state(self, order: tuple[int, ...]) -> _Set:
        problem, priced = self.problem, self.problem.priced
        seen, unseen = np.zeros(len(problem.gains)), np.ones(len(problem.gains))
        effort = reached = score = 0.0
        for i in order:
            score += float(self.steps(effort, np.array([effort + priced.effort[i]]), reached)[0])
            seen, unseen = seen + (1.0 - seen) * priced.rows[i], unseen * (1.0 - priced.rows[i])
            effort += float(priced.effort[i])
            reached = float(problem.possibly(seen[None], unseen[None])[0])
        return _Set(order, seen, unseen, effort, reached, score)

    def steps(self, effort: float, larger: FloatArray, reached: float) -> FloatArray:
        """What going from one effort to a larger one adds where a share has reached the gain before."""
        before = max(effort, self.problem.floor) if effort else 0.0
        after = np.maximum(larger, self.problem.floor)
        if self.problem.objective == "length":
            return -(after - before) * (1.0 - reached)
        return reached * (after - before) / (before * after) if reached else np.zeros(len(larger))

    def expand(self, known: _Set) -> None:
        problem, priced = self.problem, self.problem.priced
        pool, ready = self.pool(known)
        self.improve(known.order)
        if not len(pool):
            if problem.objective == "inverse" and known.order:
                self.close(known.score + known.reached / max(known.effort, problem.floor))
            return
        rows, effort = priced.rows[pool], priced.effort[pool]
        seen, unseen = known.seen + (1.0 - known.seen) * rows, known.unseen * (1.0 - rows)
        reached = problem.possibly(seen, unseen)
        budgets = Budgets.for_efforts(effort, self.horizon(known))
        together = np.vstack([known.seen[None], seen]), np.vstack([known.unseen[None], unseen])
        expected = problem.upper.expected(*together)
        added = float(expected[0]), np.maximum(expected[1:] - expected[0], 0.0)
        bounds = budget_bounds(rows, effort, known.unseen, problem.gains, problem.wanted, budgets, added)
        alone = np.array([reached[effort <= most * (1 + ROUNDING)].max(initial=0.0) for most in budgets.most])
        best = np.maximum(np.where(budgets.single, np.minimum(bounds.best, alone), bounds.best), known.reached)
        best = np.minimum(best, problem.most)
        whole = known.score + float(self.future(known, budgets, best[None, :], np.zeros(1))[0])
        scores = known.score + self.steps(known.effort, known.effort + effort, known.reached)
        in_all, later = self.ways(known, rows, effort, reached, best)
        whole = min(whole, float(scores[0]) + in_all)
        if not self.promising(whole):
            return
        given = np.maximum(np.minimum(bounds.given, best[None, :]), reached[:, None])
        given = np.where(budgets.edges[None, 1:] <= (effort + effort.min())[:, None], reached[:, None], given)
        limits = np.minimum(whole, scores + np.minimum(self.future(known, budgets, given, effort), later))
        keys, done = coarse(limits), problem.lower.are_sure(unseen)
        for n in np.flatnonzero(ready).tolist():
            if not self.promising(float(limits[n])):
                continue
            order = (*known.order, int(pool[n]))
            if done[n]:
                self.improve(order)
                self.close(float(limits[n]))
            else:
                self.queue.push(float(limits[n]), order, float(scores[n]), float(keys[n]))

    def kinds(self, known: _Set) -> tuple[int, int]:
        """How many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices:
        where efforts are equal."""
        problem = self.problem
        if not problem.certain or problem.priced.browses or not are_equal(problem.priced.effort):
            return 0, 0
        need = int((known.unseen > 0).sum())
        return (need + MORE_LEVELS, need + 1) if 1 < need <= MOST_PATHS else (0, 0)

    def ways(
        self, known: _Set, rows: FloatArray, effort: FloatArray, reached: FloatArray, best: FloatArray
    ) -> tuple[float, FloatArray]:
        """Bounds on what can be added after the next rank begins, in all, and for each candidate at it."""
        problem, kinds = self.problem, self.kinds(known)
        if not kinds[0]:
            return np.inf, np.full(len(rows), np.inf)
        one = float(effort[0])
        rank = round(known.effort / one)
        table = kinds_table(rows, known.unseen, problem.gains, problem.wanted, kinds)
        found = best_ways(table, best[1:], rank, problem.objective, problem.most)
        surely = (rows[:, known.unseen > 0] == 1.0).any(axis=1)
        after = np.where(surely, found[2], found[1])
        if problem.objective == "length":
            return found[0] * one, (reached - 1.0 + after) * one
        return found[0] / one, (reached / ((rank + 1) * (rank + 2)) + after) / one

    def pool(self, known: _Set) -> tuple[IntArray, BoolArray]:
        """Candidates that can be among the next within the horizon, and whether they can be the very next: a dominated
        one follows its dominators."""
        priced = self.problem.priced
        left = np.asarray((priced.rows * known.unseen > 0).any(axis=1))
        left[list(known.order)] = False
        waiting = self.waiting - self.follows[:, list(known.order)].sum(axis=1) if self.follows.size else self.waiting
        cheapest = np.cumsum(np.sort(priced.effort[left]))
        ranks = int(np.searchsorted(cheapest, self.horizon(known) * (1 + ROUNDING), side="right")) + 1
        pool = np.flatnonzero(left & (waiting < max(ranks, sum(self.kinds(known)))))
        return pool, waiting[pool] == 0

    def close(self, bound: float) -> None:
        """A list that needs nothing more. If browsing costs effort, another order of it may be better than the one that
        was tried."""
        if self.problem.priced.browses:
            self.closed = max(self.closed, bound)

    def horizon(self, known: _Set) -> float:
        """How much further effort is looked at piece by piece: what the best list takes in all, or several times what
        most readers need."""
        usual = -self.goal if self.problem.objective == "length" else 1.0 / self.goal
        return min(float(np.cumsum(self.problem.priced.effort[list(self.best)])[-1]), FAR * usual) - known.effort

    def future(self, known: _Set, budgets: Budgets, reached: FloatArray, begun: FloatArray) -> FloatArray:
        """What effort beyond that of the set and `begun` can add, given bounds on what is reached with it."""
        floor = self.problem.floor
        edges = known.effort + np.maximum(budgets.edges[None, :], begun[:, None])
        edges = np.maximum(edges, floor)
        if self.problem.objective == "length":
            first = edges[:, 0] if not known.effort and not begun.any() else 0.0  # nobody has anything before the floor
            return -first - (np.diff(edges, axis=1) * (1.0 - reached)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.where(edges[:, :-1] > 0, np.diff(edges, axis=1) / (edges[:, :-1] * edges[:, 1:]), 0.0)
        return (weight * reached).sum(axis=1) + self.problem.most / edges[:, -1]

    def improve(self, order: tuple[int, ...]) -> None:
        found = self.problem.cut(order)
        score = self.problem.score_of(found)
        if score > self.goal:
            self.best, self.goal = found, score
