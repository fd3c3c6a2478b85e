"""The problem of a recall value: so many targets, each a gain of 1, of candidates that cost 1 each.

Laws of numbers are cheap, so every candidate is tried at every place of a list.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.ideal.gain_steps import NumberLaw
from berrypick.ideal.list_problem import Listed, Problem, Walk
from berrypick.ideal.priced import Priced
from berrypick.ideal.tangents import ROUNDING
from berrypick.kernels import native
from berrypick.kernels.lists.ideal import Objective

#: Candidates that a greedy list holds, and further ranks that are looked at where no number of them is sure to suffice.
MOST_LEVELS = 40
#: Rounds of improving a list by exchanging one candidate, and the largest recall value for which that is done.
MOST_ROUNDS = 4
MOST_IMPROVED = 24
#: Sets examined unless a number is given: fewer where there are many candidates, targets and ranks to look at.
MOST_NODES = 200
NODES_WORK = 1 << 24


class NumberProblem(Problem):
    """One recall value and one objective. Scores are 1 - E[ML_r], or E[A_r/ML_r]."""

    ahead = 1.0
    slack = 2 * ROUNDING
    is_number = True

    def __init__(self, priced: Priced, r: int, objective: Objective) -> None:
        law = NumberLaw(priced.rows.shape[1], r)
        super().__init__(priced, (law, law), objective)
        self.r = r
        self.origin = 0.0 if self.inverse else 1.0
        #: Lists of which it is known that no other candidate at a place is better, nor any (None) at another place.
        self.tried: set[tuple[tuple[int, ...], int | None]] = set()

    def possible(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self.lower.tails(seen, unseen)

    # --- lists ---

    def cut(self, order: Sequence[int]) -> tuple[int, ...]:
        """A list up to where it surely suffices; where it does not, sure candidates follow, and then any others if a
        list need not be sure."""
        made = super().cut(order)
        if native() is None and self.inverse:
            made = (*made, *self.greedy_order(made))
        return made

    def next_sure(self, made: Sequence[int], unseen: FloatArray) -> int | None:
        """The candidate that surely shows the target that is least seen."""
        shown = np.where((self.priced.rows == 1.0) & (unseen > 0), unseen, 0.0)
        return self._first_left(shown.max(axis=1), made)

    def first(self) -> Listed:
        return max((self.improved(order) for order in ((), tuple(self.greedy_order(())))), key=lambda one: one[1])

    def greedy_order(self, made: Sequence[int]) -> list[int]:
        """What follows a list by the largest E[min(F, r)], the first of equals."""
        known, order = self.walked(made), list[int]()
        left = self._left(made)
        while left.any() and len(order) < MOST_LEVELS and not self.lower.are_sure(known.unseen)[0]:
            options = np.flatnonzero(left)
            rows = self.priced.rows[options]
            expected = self.lower.expected(known.seen + (1.0 - known.seen) * rows, known.unseen * (1.0 - rows))
            order.append(int(options[np.argmax(expected >= expected.max() * (1 - 1e-12))]))
            left[order[-1]] = False
            known.append(np.array(order[-1:]))
        return order

    def _left(self, order: Sequence[int]) -> BoolArray:
        left = np.ones(len(self.priced.rows), dtype=bool)
        left[list(order)] = False
        return left

    def improved(self, best: tuple[int, ...]) -> Listed:
        """Exchange one candidate for any other, or move it, while that helps."""
        order = self.cut(best)
        found = order, self.score_of(order)
        for _ in range(MOST_ROUNDS if self.r <= MOST_IMPROVED else 0):
            before = found[1]
            for place in range(min(len(found[0]), self.r)):
                found = self._exchanged(*found, place)
            found = self._moved(*found)
            if not found[1] > before + abs(before) * 1e-12:
                break
        return found

    def _exchanged(self, order: tuple[int, ...], score: float, place: int) -> Listed:
        """The best candidate at one place, all others staying where they are."""
        if place >= len(order) or (order, place) in self.tried:  # an exchange before may have made the list shorter
            return order, score
        left = self._left(order)
        left[order[place]] = True
        options = np.flatnonzero(left)
        best = int(options[np.argmax(self.exchanged_scores(order, place, options))])
        found, n = self._better((order, score), [(*order[:place], best, *order[place + 1 :])])
        if n is None:
            self.tried.add((order, place))
        return found

    def exchanged_scores(self, order: tuple[int, ...], place: int, options: IntArray) -> FloatArray:
        """The scores of a list with each of some candidates at one place, at the effort of the next rank."""
        if native() is None:
            return self.plain_exchanged_scores(order, place, options)
        found = np.empty(len(options))
        self.compiled.exchanged(np.array(order, dtype=np.int64), place, options, found)
        return found

    def plain_exchanged_scores(self, order: tuple[int, ...], place: int, options: IntArray) -> FloatArray:
        walk = self.walked(order[:place]).after(options)
        for i in order[place + 1 :]:
            walk.append(np.array([i]))
        return walk.ahead()

    def _moved(self, order: tuple[int, ...], score: float) -> Listed:
        """Each candidate at the first place where it is better, and from there on at further ones."""
        found = order, score
        if (order, None) in self.tried:
            return found
        for place in range(min(len(found[0]), self.r)):
            to, end = 0, min(len(found[0]), self.r)
            while to < end and place < len(found[0]):
                one, others = found[0][place], (*found[0][:place], *found[0][place + 1 :])
                places = [n for n in range(to, end) if n != place]
                found, n = self._better(found, [(*others[:n], one, *others[n:]) for n in places])
                to = end if n is None else places[n] + 1
        if found[1] == score:
            self.tried.add((order, None))
        return found

    def _better(self, best: Listed, orders: Sequence[tuple[int, ...]]) -> tuple[Listed, int | None]:
        """The first of some lists of one length, cut, that is better than another one, and its number."""
        if native() is None or not orders:
            return self.plain_better(best, orders)
        n, found, score = self.compiled.better(np.array(orders, dtype=np.int64), best[1])
        return ((tuple(found), score), n) if n >= 0 else (best, None)

    def plain_better(self, best: Listed, orders: Sequence[tuple[int, ...]]) -> tuple[Listed, int | None]:
        lists = [self.cut(order) for order in orders]
        scores = self.scores(lists) if lists else np.zeros(0)
        better = np.flatnonzero(scores > best[1])
        if not len(better):
            return best, None
        n = int(better[0])
        return (lists[n], float(scores[n])), n

    # --- what a search looks at ---

    def cells(self, problems: int) -> int:
        return len(self.gains) + 1

    def nodes(self, problems: int) -> int:
        return max(1, min(MOST_NODES, NODES_WORK // (self.priced.rows.size * self.r)))

    def needed(self, unseen: FloatArray) -> int:
        return self.r - int((unseen == 0.0).sum())

    def levels(self, known: Walk) -> int:
        """How many further ranks are bounded one by one."""
        left = len(self.priced.rows) - int(known.effort[0])
        return max(1, min(self.needed(known.unseen[0]) - 1 if self.certain else MOST_LEVELS, left))
