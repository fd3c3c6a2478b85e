"""Greedy ideal lists: for each recall value append the candidate that adds most to E[min(F, r)].

The compiled form (native/greedy.hpp) keeps the law of the number of targets seen as its characteristic function, at as
many frequencies as count. A step of a list, and what a candidate adds for one recall value, then cost as much for many
targets as for few, and only recall values within some standard deviations of the mean number seen are undecided. With
t targets that are of the order of the root of t recall values at each of t ranks, and candidates as good as the best to
first order are few; so the work grows about as t^2, which is the length of all lists. The plain form computes laws.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.kernels import native
from berrypick.kernels.poisson_binomial import entries, law, lower_tails, upper_tails, weighted_law

#: E[ML_r], E[A_r/ML_r] and the list, for each recall value r = 1..t.
GreedyLists = tuple[FloatArray, FloatArray, list[IntArray]]


def greedy_lists(candidates: Reach) -> GreedyLists:
    """The greedy list of each recall value; E[ML_r] is nan where it does not surely reach r."""
    compiled = native()
    if compiled is None:
        return plain_greedy_lists(candidates)
    length, inverse, reached = np.empty((3, candidates.targets))
    flat, bounds = compiled.greedy_lists(*entries(candidates), candidates.ranks, length, inverse, reached)
    lists = np.split(flat, bounds[1:-1]) if candidates.targets else []
    return length, _with_small_inverses(candidates, inverse, reached, lists), lists


#: Sums over frequencies have an error of about 1e-15, which is too much for smaller probabilities than this.
SMALL = 0.01


def _with_small_inverses(
    candidates: Reach, inverse: FloatArray, reached: FloatArray, lists: list[IntArray]
) -> FloatArray:
    """Where hardly anybody reaches r, E[A_r/ML_r] is computed anew from laws that keep every digit of small values."""
    small = np.flatnonzero(reached < SMALL).tolist()
    rows = candidates.dense() if small else None
    laws: dict[bytes, FloatArray] = {}
    for i in small:
        if rows is not None and len(lists[i]):
            key = lists[i].tobytes()
            if key not in laws:
                rank = np.arange(1, len(lists[i]) + 1, dtype=np.float64)
                weight = 1.0 / (rank * (rank + 1.0))
                weight[-1] = 1.0 / rank[-1]
                laws[key] = upper_tails(weighted_law(Reach.of(rows[lists[i]]), weight))
            inverse[i] = laws[key][i + 1]
    return inverse


def plain_greedy_lists(candidates: Reach) -> GreedyLists:
    """The same with the law of each candidate that may be the best."""
    return _Greedy(candidates).lists()


#: Values that differ by less than this share are equal.
SAME = 1e-12
#: Candidates whose laws are computed together.
BATCH = 16


class _Greedy:
    """The greedy lists for all recall values at once; those that have chosen alike so far share one list.

    While no more than r targets can have been seen, E[min(F, r)] is E[F], and one sum over the candidate's targets
    gives its value. Beyond, what a candidate may add is at most what it adds to E[F], for readers who have seen no
    more than r, so that most candidates need no law.
    """

    def __init__(self, candidates: Reach) -> None:
        from scipy.sparse import csr_matrix

        self.targets = candidates.targets
        self.rows = candidates.dense()
        entries = (candidates.probability, (candidates.rank, candidates.target))
        self.sparse: Any = csr_matrix(entries, shape=self.rows.shape)
        self.leads = (self.sparse > 0).astype(np.int64)
        self.is_certain = bool((candidates.probability == 1.0).all())
        self.useful = np.unique(candidates.rank)

    def lists(self) -> GreedyLists:
        length, inverse = np.full(self.targets, np.nan), np.zeros(self.targets)
        lists = [np.zeros(0, dtype=np.int64)] * self.targets
        work = [(_List(self), np.arange(1, self.targets + 1))]
        while work:
            state, wanted = work.pop()
            done = wanted <= state.certain.sum()
            for r in (wanted if not state.left.any() else wanted[done]).tolist():
                length[r - 1], inverse[r - 1] = state.values(r)
                lists[r - 1] = np.array(state.chosen, dtype=np.int64)
            wanted = wanted[~done]
            if len(wanted) and state.left.any():
                work += self._appended(state, wanted)
        return length, inverse, lists

    def _appended(self, state: _List, wanted: IntArray) -> list[tuple[_List, IntArray]]:
        """The list with one more candidate, for each group of recall values that choose the same."""
        choice = self._choices(state, wanted)
        chosen = np.unique(choice).tolist()
        lists = [state, *(state.copy() for _ in chosen[1:])]
        for made, candidate in zip(lists, chosen, strict=True):
            made.append(candidate)
        return [(made, wanted[choice == candidate]) for made, candidate in zip(lists, chosen, strict=True)]

    def _choices(self, state: _List, wanted: IntArray) -> IntArray:
        """The candidate that each recall value chooses."""
        added = np.where(state.left, self.sparse @ (1.0 - state.seen), -np.inf)
        new = (self.leads @ (state.seen == 0.0).astype(np.int64))[state.left]
        free = wanted >= int((state.seen > 0).sum()) + int(new.max())
        choice = np.full(len(wanted), first_best(float(state.seen.sum()) + added[None, :])[0])
        if not free.all():
            choice[~free] = self._choices_of_few(state, wanted[~free], added)
        return choice

    def _choices_of_few(self, state: _List, wanted: IntArray, added: FloatArray) -> IntArray:
        """The same for recall values that readers may have passed already."""
        base = expected_least(state.mass[None, :], wanted)
        if self.is_certain:
            return first_best(np.minimum(base.T + added[None, :], wanted[:, None]))
        share = np.cumsum(state.mass)[wanted]  # of readers who have seen no more than r
        expected = np.full((len(wanted), len(added)), -np.inf)
        expected[:, int(np.argmax(state.left))] = base[0]  # as good as any where hardly anything can be added
        order = np.argsort(-added, kind="stable")[: int(state.left.sum())]
        for i in range(0, len(order), BATCH):
            known = expected.max(axis=1)
            most = np.minimum(base[0] + added[order[i]] * share, wanted)
            if ((np.maximum(most, known) * (1 - SAME) <= base[0]) | (most < known * (1 - SAME))).all():
                break
            batch = order[i : i + BATCH]
            expected[:, batch] = expected_least(state.laws(batch), wanted).T
        return first_best(expected)


def first_best(expected: FloatArray) -> IntArray:
    """In each row the first of the largest values."""
    return np.argmax(expected >= expected.max(axis=1, keepdims=True) * (1 - SAME), axis=1)


def expected_least(mass: FloatArray, wanted: IntArray) -> FloatArray:
    """E[min(F, r)] for each law and each r: the sum of P(F >= f) for f = 1..r."""
    return np.cumsum(upper_tails(mass)[:, 1:], axis=1)[:, wanted - 1]


class _List:
    """A list of candidates: what has been seen after it, and P(F < r) and P(F >= r) at each of its ranks."""

    def __init__(self, of: _Greedy) -> None:
        self.rows = of.rows
        self.left = np.zeros(len(of.rows), dtype=bool)
        self.left[of.useful] = True
        self.seen, self.unseen = np.zeros(of.targets), np.ones(of.targets)
        self.certain = np.zeros(of.targets, dtype=bool)
        self.mass = np.eye(1, of.targets + 1)[0]
        self.chosen: list[int] = []
        self.below: list[FloatArray] = []
        self.reached: list[FloatArray] = []

    def copy(self) -> _List:
        made = copy(self)
        made.left, made.chosen = self.left.copy(), list(self.chosen)
        made.below, made.reached = list(self.below), list(self.reached)
        return made

    def laws(self, candidates: IntArray) -> FloatArray:
        """P(F = f) after each of some candidates."""
        rows = self.rows[candidates]
        return law(self.seen + (1.0 - self.seen) * rows, self.unseen * (1.0 - rows))

    def append(self, candidate: int) -> None:
        row = self.rows[candidate]
        self.seen, self.unseen = self.seen + (1.0 - self.seen) * row, self.unseen * (1.0 - row)
        self.certain = self.certain | (row == 1.0)  # a chance may round to 1 and is no certainty
        self.mass = law(self.seen[None, :], self.unseen[None, :])[0]
        self.left[candidate] = False
        self.chosen.append(candidate)
        self.below.append(lower_tails(self.mass))
        self.reached.append(upper_tails(self.mass))

    def values(self, r: int) -> tuple[float, float]:
        """E[ML_r], nan if r is not surely reached, and E[A_r/ML_r]."""
        below = [float(one[r]) for one in self.below]
        value = expected_inverse([float(one[r]) for one in self.reached])
        if self.certain.sum() < r:
            return float("nan"), value
        # r targets that are surely reached need no more than r candidates
        return min(1.0 + sum(below), float(r)), max(value, 1.0 / r)


def expected_inverse(reached: list[float]) -> float:
    """E[A/ML] of a list from P(F_k >= r) at its ranks k = 1, 2, ..."""
    last = len(reached)
    return sum(p / (k * (k + 1) if k < last else k) for k, p in enumerate(reached, start=1))
