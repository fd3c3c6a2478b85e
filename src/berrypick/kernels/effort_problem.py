"""One gain, one objective: what lists of candidates that cost different effort score, and good lists of them.

Sums are added from left to right, so that the compiled form scores a list with the same digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import certified, native
from berrypick.kernels.certified import MOST_COMPARED, Found, Objective
from berrypick.kernels.gain_steps import gain_steps, row_totals
from berrypick.kernels.list_bounds import ROUNDING, coarse

#: Candidates among which the next one of a list is chosen, and ranks that are chosen one by one.
MOST_OPTIONS = 48
MOST_RANKS = 32
#: Changes made to a list, places at which it is changed, and candidates tried at each.
MOST_ROUNDS = 12
MOST_PLACES = 16
MOST_EXCHANGED = 16


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
        browsed = np.divide(walk.paid, share, out=np.zeros_like(share), where=share > 0)
        spent = row_totals(browsed, walk.effort)
        first = np.maximum(reached - walk.reached, 0.0)
        if self.objective == "length":
            return -first * spent
        return np.divide(first, spent, out=np.zeros_like(first), where=first > 0)

    def value(self, score: float) -> float:
        return -score if self.objective == "length" else score

    @cached_property
    def compiled(self) -> Any:
        """The same for the compiled kernels."""
        module = native()
        assert module is not None
        priced, inverse = self.priced, self.objective == "inverse"
        laws = self.upper.compiled, self.lower.compiled
        return module.EffortProblem(
            priced.rows, priced.effort, priced.outside, *laws, inverse, self.certain, self.most, self.floor
        )

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
        shown = np.where((self.priced.rows == 1.0) & (unseen > 0), np.minimum(self.gains, self.wanted), 0.0)
        gain = row_totals(shown) / self.priced.effort
        gain[list(made)] = 0.0
        best = int(np.argmax(gain))
        return best if gain[best] > 0 else None

    def density(self, unseen: FloatArray) -> FloatArray:
        """The gain that each candidate is expected to add, for its effort."""
        cost = row_totals(self.priced.rows * self.priced.outside * unseen, self.priced.effort)
        return row_totals(self.priced.rows * (unseen * np.minimum(self.gains, self.wanted))) / cost

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
            cost = row_totals(walk.unseen * rows * self.priced.outside[options], self.priced.effort[options])
            worth = added / cost
            made.append(int(options[np.argmax(worth >= worth.max() * (1 - ROUNDING))]))
            walk.append(np.array(made[-1:]))
        return made

    def starts(self) -> list[list[int]]:
        """Lists to improve: the sure candidates by gain, by gain for the effort, and the greedy one."""
        sure = np.flatnonzero((self.priced.rows == 1.0).any(axis=1))
        gain = row_totals(np.where(self.priced.rows[sure] == 1.0, np.minimum(self.gains, self.wanted), 0.0))
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
        if native() is None:
            return self.plain_scores(padded)
        found = np.empty(len(lists))
        self.compiled.scores(padded, found)
        return found

    def plain_scores(self, padded: IntArray) -> FloatArray:
        walk = Walk(self, len(padded))
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

    def settled(self, order: tuple[int, ...], score: float, bound: float, stopped: bool = False) -> Found:
        """A list and a bound, which are one number where only rounding lies between."""
        value = self.value(score)
        if not bound > score + abs(score) * ROUNDING:
            return Found(order, value, value)
        return Found(order, value, self.value(float(coarse(np.array(bound)))), stopped)
