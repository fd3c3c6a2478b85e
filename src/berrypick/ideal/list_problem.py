"""A problem of ideal lists: candidates, what they lead to and cost, and what is wanted of a list of them.

A reader consults candidates until the targets seen have a gain. With the effort C_k of the first k candidates and
P_k = P(gain reached after them) there are two objectives, the least expected effort and the largest expected inverse::

    ce_k     = C_k + sum_x paid_kx / max(seen_kx, P_k)         paid: what browsing to target x has cost its readers
    E[ce]    = sum_k (P_k - P_{k-1}) ce_k                      where the gain is surely reached in the end
    E[1/ce]  = sum_k (P_k - P_{k-1}) / ce_k

Where any one target has the gain, who reaches it at rank k has browsed to nothing before, and the mean over what is
browsed to at rank k takes the place of ce_k and 1/ce_k (:mod:`first_browsing`).

A recall value is the case where each target is a gain of 1 and each candidate costs 1: C_k = k, and the two are
E[ML_r] = 1 + sum_k P(F_k < r) and E[A_r/ML_r] = sum_k P(F_k >= r)/(k(k+1)), the last rank counting for all that could
follow (:mod:`number_problem`). Sums are added from left to right, so that the compiled form scores a list with the same
digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.ideal.best_list import Found
from berrypick.ideal.gain_steps import GainLaw, GainSteps, gain_steps, row_totals
from berrypick.ideal.list_bounds import MORE_LEVELS, MOST_PATHS
from berrypick.ideal.priced import Priced
from berrypick.ideal.tangents import ROUNDING, coarse
from berrypick.kernels import native
from berrypick.kernels.lists.ideal import Objective

#: Candidates among which the next one of a list is chosen, and ranks that are chosen one by one.
MOST_OPTIONS = 48
MOST_RANKS = 32
#: Changes made to a list, places at which it is changed, and candidates tried at each.
MOST_CHANGES = 12
MOST_PLACES = 16
MOST_EXCHANGED = 16
#: Sets examined for all gains together, unless a number is given: fewer where there are many candidates and sums.
MOST_NODES = 4000
NODES_WORK = 1 << 28

#: A list and its score.
Listed = tuple[tuple[int, ...], float]


@dataclass(frozen=True)
class Search:
    """How long to search: the number of sets examined (by default fewer where each takes longer), and seconds where
    given."""

    nodes: int | None = None
    seconds: float | None = None


class Walk:
    """Several lists at once, each step appending one candidate to each: what has been seen and paid, and the score.

    A walk that is ``charged`` leaves out what browsing costs, save that nobody has the gain below the floor. Its score
    is that of the effort so far, whoever has the gain then, and does not depend on what follows.
    """

    def __init__(self, problem: Problem, lists: int, charged: bool) -> None:
        self.problem, self.charged = problem, charged
        self.seen, self.paid = np.zeros((2, lists, len(problem.gains)))
        self.unseen = np.ones((lists, len(problem.gains)))
        self.effort, self.reached = np.zeros((2, lists))
        self.below, self.nothing = np.ones((2, lists))
        self.score = np.full(lists, problem.origin)

    def append(self, which: IntArray) -> None:
        """One candidate for each list, or one for all."""
        priced, before = self.problem.padded, copy(self)
        rows = priced.rows[which]
        self.seen, self.unseen = self.seen + (1.0 - self.seen) * rows, self.unseen * (1.0 - rows)
        self.effort = self.effort + priced.effort[which]
        if self.charged:
            self.score = before.charged_to(self.effort)
            self.below, self.reached = self.problem.possible(self.seen, self.unseen)
        else:
            self.paid = self.paid + before.unseen * rows * priced.outside[which]
            reached = self.problem.reached(self.seen, self.unseen)
            self.score = self.score + (self._first(which) if self.problem.one_decides else self._term(reached))
            self.reached = np.maximum(reached, self.reached)

    def charged_to(self, effort: FloatArray) -> FloatArray:
        """The score at a larger effort."""
        return self.score + self.problem.charge(self.effort, effort, self.below, self.reached)

    def ahead(self) -> FloatArray:
        """The score at the effort of the next rank, as far as that is known."""
        return self.charged_to(self.effort + self.problem.ahead)

    def _term(self, reached: FloatArray) -> FloatArray:
        """What the readers add who reach the gain at this rank."""
        share = np.maximum(self.seen, reached[:, None])
        browsed = np.divide(self.paid, share, out=np.zeros_like(share), where=share > 0)
        spent = row_totals(browsed, self.effort)
        first = np.maximum(reached - self.reached, 0.0)
        if not self.problem.inverse:
            return -first * spent
        return np.divide(first, spent, out=np.zeros_like(first), where=first > 0)

    def _first(self, which: IntArray) -> FloatArray:
        """The same where any one target has the gain; ``nothing``: the share of readers who have seen none."""
        first = self.problem.padded.first_browsing
        spent, share = self.effort[:, None] + first.cost[which], first.share[which]
        if self.problem.inverse:
            each = np.divide(share, spent, out=np.zeros_like(spent), where=share > 0)
        else:
            each = -share * spent
        added = self.nothing * row_totals(each)
        self.nothing = self.nothing * first.misses[which]
        return added

    def take(self, which: IntArray) -> Walk:
        made = copy(self)
        for name in ("seen", "paid", "unseen", "effort", "below", "nothing", "reached", "score"):
            setattr(made, name, getattr(self, name)[which])
        return made

    def after(self, which: IntArray) -> Walk:
        """One list with each of some candidates."""
        made = self.take(np.zeros(len(which), dtype=np.int64))
        made.append(which)
        return made

    def finished(self) -> FloatArray:
        """The scores of lists that end here: for E[ce] the gain must surely be reached."""
        if not self.problem.inverse:
            return np.where(self.problem.lower.are_sure(self.unseen), self.score, -np.inf)
        return self.ahead() + self.problem.rest(self.effort, self.reached) if self.charged else self.score


class Problem:
    """One gain and one objective. Scores are maximised: -E[ce], or E[1/ce]."""

    #: What the next rank costs, where that is known before.
    ahead = 0.0
    #: The score of nothing.
    origin = 0.0
    #: What rounding may add to a bound on a value, relative to it.
    slack = ROUNDING
    is_number = False

    def __init__(self, priced: Priced, laws: tuple[GainLaw, GainLaw], objective: Objective) -> None:
        self.priced, self.inverse = priced, objective == "inverse"
        self.upper, self.lower = laws
        self.gains, self.wanted = self.lower.gains, self.lower.wanted
        self.padded = priced.with_nothing()
        sure = (priced.rows == 1.0).any(axis=0)  # a product of many chances may round to 0 and is no certainty
        self.certain = bool(self.lower.are_sure(np.where(sure, 0.0, 1.0)[None, :])[0])
        everything = np.prod(1.0 - priced.rows, axis=0)[None, :]
        self.most = 1.0 if self.certain else min(1.0, float(self.upper.tails(1.0 - everything, everything)[1][0]))
        self.floor = self._floor() if priced.browses else 0.0
        self.one_decides = priced.browses and bool(self.gains.min() >= self.wanted)

    @classmethod
    def of_gain(cls, priced: Priced, gains: FloatArray, wanted: float, objective: Objective) -> Problem:
        return cls(priced, gain_steps(gains, wanted), objective)

    @cached_property
    def exact(self) -> bool:
        """Whether the law of the gain is no bound but known."""
        if not isinstance(self.upper, GainSteps) or not isinstance(self.lower, GainSteps):
            return True
        return bool((self.upper.counted == self.lower.counted).all())

    # --- scores ---

    def reached(self, seen: FloatArray, unseen: FloatArray) -> FloatArray:
        """P(gain reached), for each row; not above the true one."""
        return np.where(self.lower.are_sure(unseen), 1.0, self.lower.tails(seen, unseen)[1])

    def possible(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(gain not reached) and P(gain reached), for each row; the second is not below the true one."""
        reached = np.where(self.lower.are_sure(unseen), 1.0, self.upper.tails(seen, unseen)[1])
        return 1.0 - reached, reached

    def charge(self, effort: FloatArray, larger: FloatArray, below: FloatArray, reached: FloatArray) -> FloatArray:
        """What going from one effort to a larger one adds to a score where some have reached the gain before."""
        before, after = np.where(effort > 0, np.maximum(effort, self.floor), 0.0), np.maximum(larger, self.floor)
        if not self.inverse:
            return -(after - before) * below
        added, product = np.broadcast_arrays(reached * (after - before), before * after)
        return np.divide(added, product, out=np.zeros(added.shape), where=added > 0)

    def rest(self, effort: FloatArray, reached: FloatArray) -> FloatArray:
        """What the effort beyond the next rank adds to the E[1/ce] of a list that ends at an effort."""
        following = np.maximum(effort + self.ahead, self.floor)
        return np.divide(reached, following, out=np.zeros_like(reached), where=reached > 0)

    def value(self, score: float) -> float:
        return score if self.inverse else self.origin - score

    def promises(self, bound: float, goal: float) -> bool:
        """Whether a bound leaves room for a better list: more than it was raised by for rounding, whatever its last
        digits."""
        return bound > goal + abs(self.value(goal)) * self.slack

    @cached_property
    def compiled(self) -> Any:
        """The same for the compiled kernels."""
        module = native()
        assert module is not None
        priced, laws = self.priced, (self.upper.compiled, self.lower.compiled)
        numbers = self.inverse, self.certain, self.most, self.floor
        made = module.ListProblem(priced.rows, priced.effort, priced.outside, *laws, *numbers)
        if self.one_decides:
            first = priced.first_browsing
            made.decide(first.cost, first.share, first.misses)
        return made

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

    def score_of(self, order: Sequence[int]) -> float:
        return float(self.scores([order])[0])

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
        walk = Walk(self, len(padded), charged=self.is_number)
        for which in padded.T:
            walk.append(which)
        return walk.finished()

    def walked(self, order: Sequence[int]) -> Walk:
        """One list, charged."""
        walk = Walk(self, 1, charged=True)
        for i in order:
            walk.append(np.array([i]))
        return walk

    # --- lists ---

    def cut(self, order: Sequence[int]) -> tuple[int, ...]:
        """A list up to where it surely suffices; where it does not, what is sure to follow."""
        if native() is not None:
            return tuple(self.compiled.cut(np.array(order, dtype=np.int64)))
        made: list[int] = []
        unseen = np.ones(len(self.gains))
        rest = list(order)
        while not self.lower.are_sure(unseen[None])[0]:
            following = rest.pop(0) if rest else self.next_sure(made, unseen)
            if following is None:
                break
            made.append(following)
            unseen = unseen * (1.0 - self.priced.rows[following])
        return tuple(made)

    def next_sure(self, made: Sequence[int], unseen: FloatArray) -> int | None:
        """The sure candidate that is the cheapest for what it adds, where a list can be sure."""
        if self.inverse and not self.certain:
            return None
        shown = np.where((self.priced.rows == 1.0) & (unseen > 0), np.minimum(self.gains, self.wanted), 0.0)
        return self._first_left(row_totals(shown) / self.priced.effort, made)

    def _first_left(self, worth: FloatArray, made: Sequence[int]) -> int | None:
        """The candidate that is worth most and not in a list; None if nothing is worth anything."""
        worth[list(made)] = 0.0
        best = int(np.argmax(worth))
        return best if worth[best] > 0 else None

    def first(self) -> Listed:
        """A good list."""
        return self.improved(self.beginning(self.starts()))

    def density(self, unseen: FloatArray) -> FloatArray:
        """The gain that each candidate is expected to add, for its effort."""
        cost = row_totals(self.priced.rows * self.priced.outside * unseen, self.priced.effort)
        return row_totals(self.priced.rows * (unseen * np.minimum(self.gains, self.wanted))) / cost

    def greedy(self) -> list[int]:
        """By the largest E[min(gain, wanted)] added for the effort, the first of equals, among the densest."""
        walk, made = Walk(self, 1, charged=False), list[int]()
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

    def improved(self, best: tuple[int, ...]) -> Listed:
        """A list changed at one place after the other as long as that helps."""
        score, tail = self.score_of(best), self.cut(())
        for _ in range(MOST_CHANGES):
            lists = self.neighbours(best)
            scores = self.scores([(*one, *(i for i in tail if i not in one)) for one in lists])
            tried = self.cut(lists[int(np.argmax(scores))])
            if not (reached := self.score_of(tried)) > score + abs(score) * ROUNDING:
                break
            best, score = tried, reached
        return best, score

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

    # --- what a search looks at ---

    def cells(self, problems: int) -> int:
        """What each set takes where all are listed, for one of so many problems."""
        assert isinstance(self.upper, GainSteps)
        return max(len(self.gains), (int(self.upper.states.sum()) + 1) * problems >> 5)

    def nodes(self, problems: int) -> int:
        """How many sets take about a second."""
        assert isinstance(self.upper, GainSteps)
        work = self.priced.rows.size * int(self.upper.states.max())
        return max(4, min(MOST_NODES, NODES_WORK // work) // problems)

    def kinds(self, unseen: FloatArray) -> tuple[int, int]:
        """How many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices:
        where efforts are equal."""
        effort = self.priced.effort
        if not self.certain or self.priced.browses or (effort != effort[0]).any():
            return 0, 0
        need = self.needed(unseen)
        return (need + MORE_LEVELS, need + 1) if 1 < need <= MOST_PATHS else (0, 0)

    def needed(self, unseen: FloatArray) -> int:
        """The most targets that may be needed beyond those surely seen."""
        return int((unseen > 0).sum())

    def settled(self, order: tuple[int, ...], score: float, bound: float, stopped: bool = False) -> Found:
        """A list and a bound, which are one number where only rounding lies between."""
        value = self.value(score)
        if not self.promises(bound, score):
            return Found(order, value, value)
        return Found(order, value, self.value(float(coarse(np.array(bound)))), stopped)
