"""The best list for a gain, where candidates cost different effort, with a bound that no list can pass.

Two objectives: the least E[ce], the expected effort until the gain is reached, and the largest E[1/ce]. With the effort
C_k of the first k candidates and P_k = P(gain reached after them)::

    ce_k     = C_k + sum_x paid_kx / max(seen_kx, P_k)         paid: what browsing to target x has cost its readers
    E[ce]    = sum_k (P_k - P_{k-1}) ce_k                      where the gain is surely reached in the end
    E[1/ce]  = sum_k (P_k - P_{k-1}) / ce_k

Without browsing, what has been seen and spent depends on which candidates were consulted, not on their order, so sets
are searched: exactly where they can be listed, else best first with the bounds of :mod:`budget_bounds`. With browsing,
all orders of a few candidates are tried. For more, no list reaches the gain for less than a floor, whatever it browses
to, so max(C_k, floor) takes the place of ce_k in the bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import certified, native
from berrypick.kernels.budget_bounds import Budgets, budget_bounds, kinds_table
from berrypick.kernels.certified import (
    MORE_LEVELS,
    MOST_CELLS,
    MOST_COMPARED,
    MOST_LISTED,
    MOST_PATHS,
    Found,
    Objective,
    Search,
    best_ways,
    order_of,
    set_sizes,
)
from berrypick.kernels.gain_law import are_equal
from berrypick.kernels.gain_steps import gain_steps
from berrypick.kernels.list_bounds import ROUNDING
from berrypick.kernels.set_queue import SetQueue

#: Candidates of which all orders are tried where browsing costs effort.
MOST_ORDERED = 8
#: Candidates among which the next one of a list is chosen, and ranks that are chosen one by one.
MOST_OPTIONS = 48
MOST_RANKS = 32
#: Changes made to a list, places at which it is changed, and candidates tried at each.
MOST_ROUNDS = 12
MOST_PLACES = 16
MOST_EXCHANGED = 16
#: How many times the effort of the best list is looked ahead.
FAR = 6.0
#: Sets examined for all gains together, unless a number is given: fewer where there are many candidates and sums.
MOST_NODES = 400
NODES_WORK = 1 << 24


@dataclass(frozen=True)
class Priced:
    """Candidates: what each leads to (candidates x targets), its effort, and what browsing from it to targets costs."""

    rows: FloatArray
    effort: FloatArray
    outside: FloatArray

    def take(self, which: IntArray) -> Priced:
        return Priced(np.ascontiguousarray(self.rows[which]), self.effort[which], self.outside[which])

    def with_nothing(self) -> Priced:
        """With one more candidate, which leads nowhere and costs nothing."""
        none = np.zeros((1, self.rows.shape[1]))
        return Priced(np.vstack([self.rows, none]), np.append(self.effort, 0.0), np.vstack([self.outside, none]))

    @cached_property
    def dominated(self) -> BoolArray:
        """Whether candidate i (row) is dominated by j (column), which reaches every target at least as well and costs
        no more. Exchanging the two loses nothing where browsing costs nothing."""
        if self.browses or len(self.rows) > MOST_COMPARED:
            return np.zeros((len(self.rows), 0), dtype=bool)
        return certified.dominated(np.hstack([self.rows, (self.effort.max() - self.effort)[:, None]]))

    @cached_property
    def browses(self) -> bool:
        return bool((self.outside[self.rows > 0] > 0).any())


def search(
    candidates: Priced, gains: FloatArray, wanted: Sequence[float], objective: Objective, limit: Search
) -> list[Found]:
    """The best list for each gain wanted."""
    useful = np.flatnonzero((candidates.rows > 0).any(axis=1))
    priced = candidates.take(useful)
    found = []
    if len(useful) and not priced.browses and are_equal(gains) and are_equal(priced.effort):
        return _by_number(candidates.rows, float(priced.effort[0]), gains, wanted, objective, limit)
    for gain in wanted:
        one = Problem(priced, gains, gain, objective).search(limit, len(wanted))
        found.append(replace(one, order=tuple(int(useful[i]) for i in one.order)))
    return found


def _by_number(
    rows: FloatArray, effort: float, gains: FloatArray, wanted: Sequence[float], objective: Objective, limit: Search
) -> list[Found]:
    """Equal gains and efforts: a gain is a number of targets, and effort a number of ranks."""
    numbers = [max(1, math.ceil(gain / float(gains[0]) - 1e-12)) for gain in wanted]
    scale = effort if objective == "length" else 1.0 / effort
    found = certified.search(rows, numbers, objective, limit)
    return [replace(one, value=one.value * scale, bound=one.bound * scale) for one in found]


class Walk:
    """Several lists at once, each step appending one candidate to each: what has been seen and paid, and the score."""

    def __init__(self, problem: Problem, lists: int) -> None:
        targets = problem.priced.rows.shape[1]
        self.problem = problem
        self.seen, self.paid = np.zeros((2, lists, targets))
        self.unseen = np.ones((lists, targets))
        self.effort, self.reached, self.score = np.zeros((3, lists))

    def append(self, which: IntArray) -> None:
        """One candidate for each list, or one for all."""
        priced = self.problem.padded
        rows = priced.rows[which]
        self.paid = self.paid + self.unseen * rows * priced.outside[which]
        self.seen, self.unseen = self.seen + (1.0 - self.seen) * rows, self.unseen * (1.0 - rows)
        self.effort = self.effort + priced.effort[which]
        reached = self.problem.reached(self.seen, self.unseen)
        self.score = self.score + self.problem.term(self, reached)
        self.reached = np.maximum(reached, self.reached)

    def take(self, which: IntArray) -> Walk:
        made = Walk(self.problem, 0)
        for name in ("seen", "paid", "unseen", "effort", "reached", "score"):
            setattr(made, name, getattr(self, name)[which])
        return made

    def finished(self) -> FloatArray:
        """The scores of lists that end here: for E[ce] the gain must surely be reached."""
        if self.problem.objective == "inverse":
            return self.score
        return np.where(self.problem.lower.are_sure(self.unseen), self.score, -np.inf)


class Problem:
    """One gain and one objective. Scores are maximised: -E[ce], or E[1/ce]."""

    def __init__(self, priced: Priced, gains: FloatArray, wanted: float, objective: Objective) -> None:
        self.priced, self.gains, self.wanted, self.objective = priced, gains, wanted, objective
        self.padded = priced.with_nothing()
        self.upper, self.lower = gain_steps(gains, wanted)
        everything = np.prod(1.0 - priced.rows, axis=0)[None, :]
        self.certain = bool(self.lower.are_sure(everything)[0])
        self.most = 1.0 if self.certain else float(self.upper.tails(1.0 - everything, everything)[1][0])
        self.floor = self._floor() if priced.browses else 0.0

    # --- scores ---

    def reached(self, seen: FloatArray, unseen: FloatArray) -> FloatArray:
        """P(gain reached), for each row; not above the true one."""
        return np.where(self.lower.are_sure(unseen), 1.0, self.lower.tails(seen, unseen)[1])

    def possibly(self, seen: FloatArray, unseen: FloatArray) -> FloatArray:
        """The same, not below the true one."""
        return np.where(self.lower.are_sure(unseen), 1.0, self.upper.tails(seen, unseen)[1])

    def term(self, walk: Walk, reached: FloatArray) -> FloatArray:
        """What the readers add who reach the gain at this rank."""
        share = np.maximum(walk.seen, reached[:, None])
        spent = walk.effort + np.divide(walk.paid, share, out=np.zeros_like(share), where=share > 0).sum(axis=1)
        first = np.maximum(reached - walk.reached, 0.0)
        if self.objective == "length":
            return -first * spent
        return np.divide(first, spent, out=np.zeros_like(first), where=first > 0)

    def value(self, score: float) -> float:
        return -score if self.objective == "length" else score

    def score_of(self, order: Sequence[int]) -> float:
        return float(self.scores([order])[0])

    def _floor(self) -> float:
        """No reader has the gain for less.

        Let s[x] be prices such that consulting candidate i costs at least the sum over its targets of what s[x] exceeds
        the cost of browsing to x. Then consulting and browsing together cost at least the sum of s[x] over the targets
        seen, and the cheapest way to the gain, in parts where need be, is the floor.
        """
        leads = self.priced.rows > 0
        share = self.priced.effort / np.maximum(leads.sum(axis=1), 1)
        price = np.where(leads, self.priced.outside + share[:, None], np.inf).min(axis=0, initial=np.inf)
        price, gain = price[np.isfinite(price)], self.gains[np.isfinite(price)]
        order = np.argsort(price / gain, kind="stable")
        cost, have = 0.0, 0.0
        for x in order.tolist():
            part = min(1.0, max(0.0, self.wanted - have) / float(gain[x]))
            cost, have = cost + part * float(price[x]), have + part * float(gain[x])
        return cost * (1 - ROUNDING)

    # --- lists ---

    def cut(self, order: Sequence[int]) -> tuple[int, ...]:
        """A list up to where it surely suffices; sure candidates follow where it does not, the cheapest for what they
        add first."""
        made: list[int] = []
        unseen = np.ones(len(self.gains))
        rest = list(order)
        while len(made) < MOST_RANKS + len(order) and not self.lower.are_sure(unseen[None])[0]:
            if rest:
                i = rest.pop(0)
            elif self.objective == "inverse" and not self.certain:
                break
            else:
                sure = self._next_sure(made, unseen)
                if sure is None:
                    break
                i = sure
            made.append(i)
            unseen = unseen * (1.0 - self.priced.rows[i])
        return tuple(made)

    def _next_sure(self, made: Sequence[int], unseen: FloatArray) -> int | None:
        gain = ((self.priced.rows == 1.0) & (unseen > 0)) @ np.minimum(self.gains, self.wanted) / self.priced.effort
        gain[list(made)] = 0.0
        best = int(np.argmax(gain))
        return best if gain[best] > 0 else None

    def density(self, unseen: FloatArray) -> FloatArray:
        """The gain that each candidate is expected to add, for its effort."""
        cost = self.priced.effort + (self.priced.rows * self.priced.outside) @ unseen
        return np.asarray(self.priced.rows @ (unseen * np.minimum(self.gains, self.wanted)) / cost)

    def greedy(self) -> list[int]:
        """By the largest E[min(gain, wanted)] added for the effort, the first of equals, among the densest."""
        walk, made = Walk(self, 1), list[int]()
        while len(made) < min(MOST_RANKS, len(self.priced.rows)) and not self.lower.are_sure(walk.unseen)[0]:
            density = self.density(walk.unseen[0])
            density[made] = -1.0
            options = np.sort(np.argsort(-density, kind="stable")[:MOST_OPTIONS])
            options = options[density[options] > 0]
            if not len(options):
                break
            rows = self.priced.rows[options]
            seen, unseen = walk.seen + (1.0 - walk.seen) * rows, walk.unseen * (1.0 - rows)
            added = self.lower.expected(seen, unseen) - self.lower.expected(walk.seen, walk.unseen)
            cost = self.priced.effort[options] + (walk.unseen * rows * self.priced.outside[options]).sum(axis=1)
            worth = added / cost
            made.append(int(options[np.argmax(worth >= worth.max() * (1 - ROUNDING))]))
            walk.append(np.array(made[-1:]))
        return made

    def starts(self) -> list[list[int]]:
        """Lists to improve: the sure candidates by gain, by gain for the effort, and the greedy one."""
        sure = np.flatnonzero((self.priced.rows == 1.0).any(axis=1))
        gain = (self.priced.rows[sure] == 1.0) @ np.minimum(self.gains, self.wanted)
        by_gain = sure[np.lexsort((self.priced.effort[sure], -gain))]
        by_density = sure[np.argsort(-gain / self.priced.effort[sure], kind="stable")]
        return [by_gain.tolist()[:MOST_RANKS], by_density.tolist()[:MOST_RANKS], self.greedy()]

    def beginning(self, orders: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """The best beginning of some lists."""
        lists = list(dict.fromkeys(self.cut(order[:k]) for order in orders for k in range(len(order) + 1)))
        return lists[int(np.argmax(self.scores(lists)))]

    def changed(self, best: tuple[int, ...]) -> tuple[tuple[int, ...], float]:
        """A list changed at one place after the other as long as that helps."""
        score, tail = self.score_of(best), self.cut(())
        for _ in range(MOST_ROUNDS):
            lists = self.neighbours(best)
            scores = self.scores([(*one, *(i for i in tail if i not in one)) for one in lists])
            tried = self.cut(lists[int(np.argmax(scores))])
            if not (reached := self.score_of(tried)) > score + abs(score) * ROUNDING:
                break
            best, score = tried, reached
        return best, score

    def scores(self, lists: Sequence[Sequence[int]]) -> FloatArray:
        """The score of each list."""
        longest = max(map(len, lists))
        nothing = len(self.priced.rows)  # a candidate that leads nowhere and costs nothing
        padded = np.array([[*one, *[nothing] * (longest - len(one))] for one in lists], dtype=np.int64)
        walk = Walk(self, len(lists))
        for which in padded.T:
            walk.append(which)
        return walk.finished()

    def neighbours(self, order: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Lists with a candidate inserted, put in the place of another, left out, or moved."""
        found = []
        unseen = np.ones(len(self.gains))
        for place in range(min(len(order), MOST_PLACES) + 1):
            density = self.density(unseen)
            density[list(order)] = -1.0
            options = np.argsort(-density, kind="stable")[:MOST_EXCHANGED]
            before, rest = order[:place], order[place + 1 :]
            for i in options[density[options] > 0].tolist():
                found += [(*before, i, *order[place:]), (*before, i, *rest)]
            found.append((*before, *rest))
            if place < len(order):
                others = (*before, *rest)
                places = range(min(len(order), MOST_PLACES))
                found += [(*others[:to], order[place], *others[to:]) for to in places if to != place]
                unseen = unseen * (1.0 - self.priced.rows[order[place]])
        return found

    # --- search ---

    def search(self, limit: Search, problems: int = 1) -> Found:
        count = len(self.priced.rows)
        if self.objective == "length" and not self.certain:
            return Found((), float("nan"), float("nan"))
        if not count or self.most == 0.0:
            return Found((), 0.0, 0.0)
        if self.priced.browses and count <= MOST_ORDERED:
            return self.all_orders()
        states = int(self.upper.states.sum()) + 1
        if count <= MOST_LISTED and (1 << count) * max(len(self.gains), states * problems >> 5) <= MOST_CELLS:
            return self.all_sets()
        return BestFirst(self, limit, problems).run()

    def all_orders(self) -> Found:
        """All orders of all sets."""
        walk = Walk(self, 1)
        best: tuple[int, ...] = ()
        score = -np.inf
        for orders, parent in orders_of(len(self.priced.rows)):
            walk = walk.take(parent)
            walk.append(orders[:, -1])
            finished = walk.finished()
            n = int(np.argmax(finished))
            if finished[n] > score:
                best, score = tuple(orders[n].tolist()), float(finished[n])
        value = self.value(score)
        return Found(self.cut(best) if self.certain else best, value, value)

    def all_sets(self) -> Found:
        """All sets, by dynamic programming from the largest to the smallest."""
        count, inverse = len(self.priced.rows), self.objective == "inverse"
        below, reached, done = self.upper.of_sets(self.priced.rows)
        effort = np.zeros(1 << count)
        for i in range(count):
            effort[1 << i : 2 << i] = effort[: 1 << i] + self.priced.effort[i]
        effort[1:] = np.maximum(effort[1:], self.floor)
        if inverse:
            weight, best = reached, np.divide(reached, effort, out=np.zeros_like(reached), where=effort > 0)
            done = np.zeros_like(done)
        else:
            weight, best = np.where(done, 0.0, below), np.where(done, 0.0, -np.inf)
        step = cheapest_order(weight, effort, inverse, best, done)
        order = order_of(step)
        bound = self.value(float(best[0]))
        if not self.priced.browses and self.upper is self.lower:
            return Found(order, bound, bound)
        return self.settled(*self.changed(self.beginning([order, *self.starts()])), float(best[0]))

    def settled(self, order: tuple[int, ...], score: float, bound: float, stopped: bool = False) -> Found:
        """A list and a bound, which are one number where only rounding lies between."""
        value = self.value(score)
        if not bound > score + abs(score) * ROUNDING:
            return Found(order, value, value)
        return Found(order, value, self.value(bound), stopped)


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
    """Sets in the order of what their extensions can still score."""

    def __init__(self, problem: Problem, limit: Search, problems: int) -> None:
        self.problem, self.limit = problem, limit
        work = problem.priced.rows.size * int(problem.upper.states.max())
        self.nodes = limit.nodes or max(4, min(MOST_NODES, NODES_WORK // work) // problems)
        self.queue = SetQueue()
        self.follows = problem.priced.dominated
        self.waiting = self.follows.sum(axis=1)  # for how many candidates each has to wait
        self.closed = -np.inf  # what lists that are complete would score if browsing cost nothing
        self.best, self.goal = problem.changed(problem.beginning(problem.starts()))

    def run(self) -> Found:
        problem = self.problem
        self.queue.push(np.inf, (), 0.0)
        for order in self.queue.take(self.nodes, self.limit.seconds, self.promising):
            self.expand(self.state(order))
        bound = max(self.queue.bound, self.closed)
        self.best, self.goal = problem.changed(self.best)
        return problem.settled(self.best, self.goal, bound, self.queue.stopped)

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
        done = problem.lower.are_sure(unseen)
        for n in np.flatnonzero(ready).tolist():
            if not self.promising(float(limits[n])):
                continue
            order = (*known.order, int(pool[n]))
            if done[n]:
                self.improve(order)
                self.close(float(limits[n]))
            else:
                self.queue.push(float(limits[n]), order, float(scores[n]))

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
        return min(float(self.problem.priced.effort[list(self.best)].sum()), FAR * usual) - known.effort

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


def cheapest_order(
    weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray
) -> IntArray:
    """The candidate to append to each set, -1 where its list ends; ``best``, what a list that ends there scores,
    becomes what can still be scored. A step from a set scores -weight x (effort added), or weight x (1/effort lost)."""
    compiled = native()
    if compiled is None:
        return plain_cheapest_order(weight, effort, inverse, best, done)
    step = np.empty(len(weight), dtype=np.int64)
    compiled.cheapest_order(weight, effort, inverse, best, step, done.view(np.uint8), len(weight).bit_length() - 1)
    return step


def plain_cheapest_order(
    weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray
) -> IntArray:
    count = len(weight).bit_length() - 1
    step = np.full(1 << count, -1)
    size = set_sizes(count)
    for n in range(count - 1, -1, -1):
        level = np.flatnonzero((size == n) & ~done)
        for i in range(count):
            smaller = level[(level >> i) & 1 == 0]
            larger = smaller | (1 << i)
            more = effort[larger] - effort[smaller]
            share = weight[smaller]
            if inverse:
                product = effort[smaller] * effort[larger]
                added = np.divide(share * more, product, out=np.zeros_like(share), where=share > 0)
            else:
                added = -share * more
            total = best[larger] + added
            better = total > best[smaller]
            best[smaller[better]], step[smaller[better]] = total[better], i
    return step
