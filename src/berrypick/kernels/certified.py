"""The best list for a recall value, with a bound that no list of the candidates can pass.

Two objectives: the least E[ML_r] = 1 + sum_k P(F_k < r), and the largest E[A_r/ML_r] = sum_k P(F_k >= r)/(k(k+1)) (the
last rank counts for all that could follow). What a reader has seen depends on which candidates were consulted, not on
their order, so both are searched over growing sets: exactly where the sets can be listed, else best first with the
bounds of :mod:`list_bounds`. The search ends after a number of sets, not of seconds, and so gives the same digits
everywhere; :class:`Search` can also be given seconds. The compiled search and the plain one examine the same sets:
scores have the same digits in both, and sets are ordered, and bounds reported, by bounds rounded up to 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.candidate_sets import best_order, order_of, reached_of, set_sizes, tails_of_rows, tails_of_sets
from berrypick.kernels.list_bounds import ROUNDING, STEPS, LevelBounds, coarse, level_bounds
from berrypick.kernels.poisson_binomial import law
from berrypick.kernels.set_queue import SetQueue, Turns

Objective = Literal["length", "inverse"]

#: Sets of at most this many candidates are all listed, where also sets x targets is at most `MOST_CELLS`.
MOST_LISTED = 20
MOST_CELLS = 1 << 25
#: Further candidates that the bounds look at where no number of them is sure to suffice.
MOST_LEVELS = 40
#: Candidates that are not sure beyond the number needed, up to which the ways to a list that suffices are told apart.
MORE_LEVELS = 8
#: The largest number of targets for which they are.
MOST_PATHS = 60
#: Candidates that are compared with each other, to see which need not come before which.
MOST_COMPARED = 8192
#: Rounds of improving a list by exchanging one candidate, and the largest recall value for which that is done.
MOST_ROUNDS = 4
MOST_IMPROVED = 24
#: Probabilities of lists that are kept while others are made of them.
MOST_KEPT = 1 << 19
#: Sets examined unless a number is given: fewer where there are many candidates, targets and ranks to look at.
MOST_NODES = 200
NODES_WORK = 1 << 24


@dataclass(frozen=True)
class Found:
    """A list, its value, and a bound: no list is shorter (length), or has more (inverse)."""

    order: tuple[int, ...]
    value: float  # nan where no list surely suffices (length)
    bound: float
    stopped: bool = False  # by seconds

    @property
    def gap(self) -> float:
        """How much worse than the bound the list is, relative to the better of the two."""
        if not self.value > 0 or not self.bound > 0:
            return 0.0
        return max(self.value / self.bound, self.bound / self.value) - 1.0


@dataclass(frozen=True)
class Search:
    """How long to search: the number of sets examined (by default fewer where each takes longer), and seconds where
    given."""

    nodes: int | None = None
    seconds: float | None = None

    def nodes_for(self, rows: FloatArray, r: int) -> int:
        return self.nodes or max(1, min(MOST_NODES, NODES_WORK // (rows.size * r)))


def search(rows: FloatArray, wanted: Sequence[int], objective: Objective, limit: Search) -> list[Found]:
    """The best list for each recall value wanted. ``rows``: candidates x targets."""
    useful = np.flatnonzero((rows > 0).any(axis=1))
    rows = np.ascontiguousarray(rows[useful], dtype=np.float64)
    follows = dominated(rows) if MOST_LISTED < len(rows) <= MOST_COMPARED else np.zeros((len(rows), 0), dtype=bool)
    found = []
    for r in wanted:
        one = Problem(rows, follows, r, objective).search(limit)
        found.append(replace(one, order=tuple(int(useful[i]) for i in one.order)))
    return found


@dataclass(frozen=True)
class _Set:
    """A set of candidates in the best order known for it."""

    order: tuple[int, ...]
    seen: FloatArray
    unseen: FloatArray
    score: float  # of the ranks so far

    def after(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Seen and unseen once each of the rows has been consulted as well."""
        return self.seen + (1.0 - self.seen) * rows, self.unseen * (1.0 - rows)


class Problem:
    """One recall value and one objective. Scores are maximised: -P(F_k < r), or P(F_k >= r)/(k(k+1)), summed."""

    def __init__(self, rows: FloatArray, follows: BoolArray, r: int, objective: Objective) -> None:
        self.rows, self.follows, self.r, self.objective = rows, follows, r, objective
        self.targets = rows.shape[1]
        self._kept: dict[tuple[int, ...], _Set] = {}  # changed lists mostly begin like the list that is changed
        self.sure = (rows == 1.0).any(axis=0)
        self.certain = int(self.sure.sum()) >= r
        unseen = np.prod(1.0 - rows, axis=0)[None, :]
        self.most = float(reached_of(1.0 - unseen, unseen, r)[0])

    # --- scores ---

    def terms(self, seen: FloatArray, unseen: FloatArray, rank: int) -> FloatArray:
        """The score of a rank, for each row of what may have been seen after it."""
        if self.objective == "length":
            return -tails_of_rows(seen, unseen, self.r)[0]
        return reached_of(seen, unseen, self.r) / (rank * (rank + 1))

    def value(self, score: float) -> float:
        return 1.0 - score if self.objective == "length" else score

    def append(self, known: _Set, i: int) -> _Set:
        order = (*known.order, i)
        if (kept := self._kept.get(order)) is not None:
            return kept
        seen, unseen = known.after(self.rows[i : i + 1])
        score = known.score + float(self.terms(seen, unseen, len(order))[0])
        if len(self._kept) * self.targets >= MOST_KEPT:
            self._kept.clear()
        self._kept[order] = _Set(order, seen[0], unseen[0], score)
        return self._kept[order]

    def start(self) -> _Set:
        return _Set((), np.zeros(self.targets), np.ones(self.targets), 0.0)

    def listing(self, order: Sequence[int]) -> _Set:
        known = self.start()
        for i in order:
            known = self.append(known, i)
        return known

    def is_done(self, known: _Set) -> bool:
        return self.targets - np.count_nonzero(known.unseen) >= self.r

    def finished(self, known: _Set) -> float:
        """The score of a list that ends here: for E[A/ML] the last rank counts for all that could follow."""
        if self.objective == "length":
            return known.score if self.is_done(known) else -np.inf
        if not known.order:
            return 0.0
        reached = float(reached_of(known.seen[None], known.unseen[None], self.r)[0])
        return known.score + reached / (len(known.order) + 1)

    # --- lists ---

    def completed(self, order: Sequence[int]) -> _Set:
        """A list cut where it suffices; where it does not, sure candidates follow, those of the least seen first."""
        known = self.start()
        for i in order:
            if self.is_done(known):
                break
            known = self.append(known, i)
        while not self.is_done(known):
            sure = self.next_sure(known)
            if sure is None:
                break
            known = self.append(known, sure)
        if self.objective == "inverse" and not self.is_done(known):
            for i in self.greedy_order(known, MOST_LEVELS):
                known = self.append(known, i)
        return known

    def next_sure(self, known: _Set) -> int | None:
        """The candidate that surely shows a target not yet sure, with the largest sum over the unseen."""
        gain = np.where((self.rows == 1.0) & (known.unseen > 0), known.unseen, 0.0).max(axis=1)
        gain[list(known.order)] = 0.0
        best = int(np.argmax(gain))
        return best if gain[best] > 0 else None

    def greedy_order(self, known: _Set, most: int) -> list[int]:
        """By the largest E[min(F, r)], the first of equals."""
        left = np.ones(len(self.rows), dtype=bool)
        left[list(known.order)] = False
        order: list[int] = []
        while left.any() and len(order) < most and not self.is_done(known):
            options = np.flatnonzero(left)
            mass = law(*known.after(self.rows[options]))
            expected = mass @ np.minimum(np.arange(mass.shape[1]), self.r)
            best = int(options[np.argmax(expected >= expected.max() * (1 - 1e-12))])
            order.append(best)
            left[best] = False
            known = self.append(known, best)
        return order

    def improved(self, order: tuple[int, ...]) -> _Set:
        """Exchange one candidate for any other, or move it, while that helps."""
        best = self.completed(order)
        for _ in range(MOST_ROUNDS if self.r <= MOST_IMPROVED else 0):
            before = self.finished(best)
            for place in range(min(len(best.order), self.r)):
                best = self._exchanged(best, place)
            best = self._moved(best)
            if not self.finished(best) > before + abs(before) * 1e-12:
                break
        return best

    def _exchanged(self, best: _Set, place: int) -> _Set:
        """The best candidate at one place, all others staying where they are."""
        order = best.order
        if place >= len(order):  # an exchange before it has made the list shorter
            return best
        left = np.ones(len(self.rows), dtype=bool)
        left[list(order)] = False
        left[order[place]] = True
        options = np.flatnonzero(left)
        known = self.listing(order[:place])
        seen, unseen = known.after(self.rows[options])
        total = known.score + self.terms(seen, unseen, place + 1)
        for rank, i in enumerate(order[place + 1 :], start=place + 2):
            seen, unseen = seen + (1.0 - seen) * self.rows[i], unseen * (1.0 - self.rows[i])
            total = total + self.terms(seen, unseen, rank)
        found = self.completed((*order[:place], int(options[np.argmax(total)]), *order[place + 1 :]))
        return found if self.finished(found) > self.finished(best) else best

    def _moved(self, best: _Set) -> _Set:
        for place in range(min(len(best.order), self.r)):
            for to in range(min(len(best.order), self.r)):
                if to != place and place < len(best.order):
                    rest = [*best.order[:place], *best.order[place + 1 :]]
                    found = self.completed((*rest[:to], best.order[place], *rest[to:]))
                    if self.finished(found) > self.finished(best):
                        best = found
        return best

    # --- search ---

    def search(self, limit: Search) -> Found:
        if self.objective == "length" and not self.certain:
            return Found((), float("nan"), float("nan"))
        if not len(self.rows) or self.most == 0.0:
            return Found((), 0.0, 0.0)
        if len(self.rows) <= MOST_LISTED and (1 << len(self.rows)) * (self.targets + 1) <= MOST_CELLS:
            return self.listed()
        return self.best_first(limit)

    def best_first(self, limit: Search) -> Found:
        """The best list found, and the bound that is left when so many sets have been examined."""
        turns = Turns(limit.nodes_for(self.rows, self.r), limit.seconds)
        starts = (), tuple(self.greedy_order(self.start(), MOST_LEVELS))
        best = max((self.improved(order) for order in starts), key=self.finished)
        order, bound = (plain_search if native() is None else compiled_search)(self, best, turns)
        best = max((self.listing(order), self.improved(order)), key=self.finished)
        goal = self.finished(best)
        value = self.value(goal)
        if not self.promising(bound, goal):
            return Found(best.order, value, value)
        return Found(best.order, value, self.value(float(coarse(np.array(bound)))), turns.stopped)

    def promising(self, bound: float, goal: float) -> bool:
        """Whether a bound leaves room for a better list: more than it was raised by for rounding, whatever its last
        digits."""
        return bound > goal + abs(self.value(goal)) * 2 * ROUNDING

    def listed(self) -> Found:
        """All sets, by dynamic programming from the largest to the smallest."""
        count = len(self.rows)
        below, reached, done = tails_of_sets(self.rows, self.r)
        if self.objective == "length":
            score, best = -below, np.where(done, 0.0, -np.inf)
        else:
            size = set_sizes(count).astype(np.float64)
            score = np.divide(reached, size * (size + 1.0), out=np.zeros_like(reached), where=size > 0)
            best = np.where(size > 0, reached / (size + 1.0), 0.0)  # what follows if nothing is appended
            done = np.zeros_like(done)
        order = order_of(best_order(score, best, done, count))
        value = self.value(float(best[0]))
        return Found(order, value, value)


def compiled_search(problem: Problem, best: _Set, turns: Turns) -> tuple[tuple[int, ...], float]:
    """The best list found, and what the sets that are left can score."""
    compiled = native()
    assert compiled is not None
    order, inverse = np.array(best.order, dtype=np.int64), problem.objective == "inverse"
    follows, goal = problem.follows.view(np.uint8), problem.finished(best)
    search = compiled.RecallSearch(problem.rows, follows, problem.r, inverse, problem.most, order, goal)
    for _ in turns:
        if not search.step():
            break
    return tuple(search.best()), search.bound()


def plain_search(problem: Problem, best: _Set, turns: Turns) -> tuple[tuple[int, ...], float]:
    """The same in NumPy."""
    search = BestFirst(problem, best)
    for order in search.queue.take(turns, search.promising):
        search.expand(order)
    return search.best.order, search.queue.bound


class BestFirst:
    """Sets in the order of what their extensions can still score."""

    def __init__(self, problem: Problem, best: _Set) -> None:
        self.problem, self.best = problem, best
        self.goal = problem.finished(best)
        self.queue = SetQueue()
        self.queue.push(np.inf, (), 0.0)
        self.waiting = problem.follows.sum(axis=1)  # for how many candidates each has to wait

    def promising(self, bound: float) -> bool:
        return self.problem.promising(bound, self.goal)

    def expand(self, order: tuple[int, ...]) -> None:
        problem = self.problem
        known = problem.listing(order)
        self.improve(order)
        rank = len(order)
        levels, tail = self.levels(known, rank)
        kinds = self.kinds(known)
        pool, ready = self.pool(order, max(levels, sum(kinds)))
        if not len(pool):
            return
        for steps in (0, STEPS):  # without tangents first, which is cheaper
            bounds = level_bounds(problem.rows[pool], known.unseen, problem.r, levels, steps, kinds)
            paths = self.paths(bounds, rank)
            whole = known.score + min(float(self.tails(bounds.best[:, None], rank)[0, 0]) + tail, paths[0])
            if not self.promising(whole):
                return
        later = self.tails(bounds.given, rank)[1] + tail if levels > 1 else np.full(len(pool), tail)
        seen, unseen = known.after(problem.rows[pool])
        scores = known.score + problem.terms(seen, unseen, rank + 1)
        surely = (problem.rows[pool][:, known.unseen > 0] == 1.0).any(axis=1)
        limit = np.minimum(whole, scores + np.minimum(later, np.where(surely, paths[2], paths[1])))
        keys, done = coarse(limit), (unseen == 0.0).sum(axis=1) >= problem.r
        for n in np.flatnonzero(ready).tolist():
            if not self.promising(float(limit[n])):
                continue
            longer = (*order, int(pool[n]))
            if done[n]:
                self.improve(longer)
            if not done[n] or problem.objective == "inverse":
                self.queue.push(float(limit[n]), longer, float(scores[n]), float(keys[n]))

    def kinds(self, known: _Set) -> tuple[int, int]:
        """How many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices."""
        need = self.problem.r - int((known.unseen == 0.0).sum())
        return (need + MORE_LEVELS, need + 1) if self.problem.certain and 1 < need <= MOST_PATHS else (0, 0)

    def paths(self, bounds: LevelBounds, rank: int) -> tuple[float, float, float]:
        return best_ways(bounds.table, bounds.best, rank, self.problem.objective, self.problem.most)

    def pool(self, order: tuple[int, ...], levels: int) -> tuple[IntArray, BoolArray]:
        """Candidates that can be among the next, and whether they can be the very next: a dominated one follows its
        dominators."""
        follows = self.problem.follows
        waiting = np.zeros(len(self.problem.rows), dtype=np.int64)
        if follows.shape[1]:
            waiting = self.waiting - follows[:, list(order)].sum(axis=1)
        left = np.ones(len(waiting), dtype=bool)
        left[list(order)] = False
        pool = np.flatnonzero(left & (waiting < max(levels, 1)))
        return pool, waiting[pool] == 0

    def levels(self, known: _Set, rank: int) -> tuple[int, float]:
        """How many further ranks are bounded one by one, and the score that all later ones can add."""
        problem = self.problem
        need = problem.r - int((known.unseen == 0.0).sum())
        left = len(problem.rows) - rank
        levels = max(1, min(need - 1 if problem.certain else MOST_LEVELS, left))
        if problem.objective == "length":
            return levels, 0.0
        return levels, problem.most * (1 + ROUNDING) / (rank + levels + 1)

    def tails(self, bounds: FloatArray, rank: int) -> FloatArray:
        """The score of the levels j, j + 1, ... J, from bounds on P(F >= r)."""
        if self.problem.objective == "length":
            score = bounds - 1.0
        else:
            k = rank + np.arange(1, len(bounds) + 1)
            score = bounds / (k * (k + 1.0))[:, None]
        return np.asarray(np.cumsum(score[::-1], axis=0)[::-1])

    def improve(self, order: tuple[int, ...]) -> None:
        found = self.problem.completed(order)
        score = self.problem.finished(found)
        if score > self.goal:
            self.best, self.goal = found, score


def best_ways(
    table: FloatArray, best: FloatArray, rank: int, objective: Objective, most: float
) -> tuple[float, float, float]:
    """What all ranks after one can add: in all, after a next candidate that is not sure, and after one that is.

    ``table``: bounds on P(suffices) for numbers of candidates of both kinds, -1 where there are none; ``best``: for
    numbers of any. Both numbers only grow along a list, each rank by one of them. So a list that has seen much without
    sure candidates does not suffice as soon as one of sure candidates.
    """
    if not table.size:
        return np.inf, np.inf, np.inf
    others, sures = table.shape
    ahead = np.full((others + 1, sures + 1), -np.inf)  # what is added from a number of each kind on
    later = ahead.copy()  # the same without the rank itself
    for h in range(others - 1, -1, -1):
        for m in range(sures - 1, -1, -1):
            if table[h, m] >= 0:
                k = rank + h + m
                share = float(min(table[h, m], best[h + m - 1]) if 1 <= h + m <= len(best) else table[h, m])
                beyond = h + 1 == others or m + 1 == sures
                if objective == "inverse":  # what is added if the list ends here, or is not looked at any further
                    own, end = share / (max(k, 1) * (k + 1.0)), (most if beyond else share) / (k + 1.0)
                else:
                    own, end = share - 1.0, 0.0 if beyond or share >= 1.0 else -np.inf
                later[h, m] = max(ahead[h + 1, m], ahead[h, m + 1], end)
                ahead[h, m] = own + later[h, m]
    return float(later[0, 0]), float(later[1, 0]), float(later[0, 1])


def dominated(rows: FloatArray) -> BoolArray:
    """Whether candidate i (row) is dominated by j (column), which reaches every target at least as well; the first of
    equals dominates the others. A dominated candidate need not come first: exchanging the two loses nothing."""
    compiled = native()
    if compiled is None:
        return plain_dominated(rows)
    found = np.empty((len(rows), len(rows)), dtype=np.uint8)
    compiled.dominated(rows, found)
    return found.view(np.bool_)


def plain_dominated(rows: FloatArray) -> BoolArray:
    found = np.empty((len(rows), len(rows)), dtype=bool)
    for i, row in enumerate(rows):
        equal = (rows == row).all(axis=1)
        equal[:i] = False  # the first of equals stays
        found[i] = (rows >= row).all(axis=1) & ~equal
    return found
