"""Ideal lists for EPRUM: the least expected number of ranks, and the largest expected inverse, for recall value r.

What a reader has seen after k ranks depends on *which* k candidates were consulted, not on their order; so all
orders can be searched as paths through the subsets (at most 2**8 of them) instead of one permutation after another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.core.reach import Reach
from berrypick.kernels import effort_lists, in_use
from berrypick.kernels.certified import Found, Objective, Search, search
from berrypick.kernels.effort_problem import Priced
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails

#: `exact` tries every order of the candidates; beyond this many it is refused.
MOST_CANDIDATES = 8


#: What the best list is best by, for each norm of EPRUM.
OBJECTIVES: dict[str, Objective] = {"product": "length", "bounded": "inverse"}


@dataclass(frozen=True)
class Ideal:
    """For each recall value r = 1..t: E[ML*_r], the largest known E[A_r/ML_r], and the list that gives the first."""

    length: FloatArray  # nan where no list surely reaches r
    inverse: FloatArray
    lists: Sequence[Sequence[int]]
    gap: FloatArray | None = None  # how much better than the list another one might be; None: not known
    stopped: bool = False  # the search was ended by the clock


def by_targets(targets: int) -> Ideal:
    """The papers' practice: the r-th target is found at rank r."""
    length = np.arange(1, targets + 1, dtype=np.float64)
    return Ideal(length, 1.0 / length, tuple(range(r) for r in range(1, targets + 1)))


def greedy(candidates: Reach) -> Ideal:
    """For each r append the candidate with the largest E[min(F, r)], the first of equals, until r is surely reached."""
    return _Greedy(candidates).ideal()


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

    def ideal(self) -> Ideal:
        length, inverse = np.full(self.targets, np.nan), np.zeros(self.targets)
        lists: list[tuple[int, ...]] = [()] * self.targets
        work = [(_List(self), np.arange(1, self.targets + 1))]
        while work:
            state, wanted = work.pop()
            done = state.below[-1][wanted] == 0.0 if state.below else np.zeros(len(wanted), dtype=bool)
            for r in (wanted if not state.left.any() else wanted[done]).tolist():
                length[r - 1], inverse[r - 1] = state.values(r)
                lists[r - 1] = tuple(state.chosen)
            wanted = wanted[~done]
            if len(wanted) and state.left.any():
                work += self._appended(state, wanted)
        return Ideal(length, inverse, tuple(lists))

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
        choice = np.full(len(wanted), _first_best(float(state.seen.sum()) + added[None, :])[0])
        if not free.all():
            choice[~free] = self._choices_of_few(state, wanted[~free], added)
        return choice

    def _choices_of_few(self, state: _List, wanted: IntArray, added: FloatArray) -> IntArray:
        """The same for recall values that readers may have passed already."""
        base = _expected_least(state.mass[None, :], wanted)
        if self.is_certain:
            return _first_best(np.minimum(base.T + added[None, :], wanted[:, None]))
        share = np.cumsum(state.mass)[wanted]  # of readers who have seen no more than r
        expected = np.full((len(wanted), len(added)), -np.inf)
        expected[:, int(np.argmax(state.left))] = base[0]  # as good as any where hardly anything can be added
        order = np.argsort(-added, kind="stable")[: int(state.left.sum())]
        for i in range(0, len(order), BATCH):
            most = np.minimum(base[0] + added[order[i]] * share, wanted)
            if ((most * (1 - SAME) <= base[0]) | (most < expected.max(axis=1) * (1 - SAME))).all():
                break
            batch = order[i : i + BATCH]
            expected[:, batch] = _expected_least(state.laws(batch), wanted).T
        return _first_best(expected)


def _first_best(expected: FloatArray) -> IntArray:
    """In each row the first of the largest values."""
    return np.argmax(expected >= expected.max(axis=1, keepdims=True) * (1 - SAME), axis=1)


def _expected_least(mass: FloatArray, wanted: IntArray) -> FloatArray:
    """E[min(F, r)] for each law and each r: the sum of P(F >= f) for f = 1..r."""
    return np.cumsum(upper_tails(mass)[:, 1:], axis=1)[:, wanted - 1]


class _List:
    """A list of candidates: what has been seen after it, and P(F < r) and P(F >= r) at each of its ranks."""

    def __init__(self, of: _Greedy) -> None:
        self.rows = of.rows
        self.left = np.zeros(len(of.rows), dtype=bool)
        self.left[of.useful] = True
        self.seen, self.unseen = np.zeros(of.targets), np.ones(of.targets)
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
        self.mass = law(self.seen[None, :], self.unseen[None, :])[0]
        self.left[candidate] = False
        self.chosen.append(candidate)
        self.below.append(lower_tails(self.mass))
        self.reached.append(upper_tails(self.mass))

    def values(self, r: int) -> tuple[float, float]:
        """E[ML_r], nan if r is not surely reached, and E[A_r/ML_r]."""
        below = [float(one[r]) for one in self.below]
        value = expected_inverse([float(one[r]) for one in self.reached])
        if not below or below[-1] > 0.0:
            return float("nan"), value
        # r targets that are surely reached need no more than r candidates
        return min(1.0 + sum(below), float(r)), max(value, 1.0 / r)


def exact(candidates: Reach) -> Ideal:
    """All orders of all subsets, by dynamic programming over subsets."""
    rows = candidates.dense()
    count, targets = rows.shape
    if count > MOST_CANDIDATES:
        raise UsageError(
            f"ideal='exact' tries every order of at most {MOST_CANDIDATES} candidates, not {count}; "
            "ideal='certified' works for any number"
        )
    unseen = np.ones((1 << count, targets))
    seen = np.zeros((1 << count, targets))
    for subset in range(1, 1 << count):
        last = subset.bit_length() - 1
        rest = subset ^ (1 << last)
        seen[subset] = seen[rest] + (1.0 - seen[rest]) * rows[last]
        unseen[subset] = unseen[rest] * (1.0 - rows[last])
    mass = law(seen, unseen)
    below, reached = lower_tails(mass), upper_tails(mass)
    length = np.full(targets, np.nan)
    inverse = np.zeros(targets)
    lists: list[tuple[int, ...]] = []
    for r in range(1, targets + 1):
        length[r - 1], best = _shortest(below[:, r], count)
        inverse[r - 1] = _largest_inverse(reached[:, r], count)
        lists.append(best)
    return Ideal(length, inverse, tuple(lists))


def shortest(candidates: Reach, wanted: Sequence[int], limit: Search) -> Ideal:
    """The best lists found for some recall values, each with its gap; nothing is said about other recall values."""
    found = certified(candidates, tuple(wanted), "length", limit)
    length, gap = np.full((2, candidates.targets), np.nan)
    lists: list[tuple[int, ...]] = [()] * candidates.targets
    for r, one in zip(wanted, found, strict=True):
        length[r - 1], gap[r - 1], lists[r - 1] = one.value, one.gap, one.order
    return Ideal(length, np.full(candidates.targets, np.nan), lists, gap, any(one.stopped for one in found))


def largest_inverse(candidates: Reach, wanted: Sequence[int], limit: Search) -> Ideal:
    """A bound on E[A_r/ML_r] of all lists, for some recall values, and lists that come within the gap of it."""
    found = certified(candidates, tuple(wanted), "inverse", limit)
    inverse, gap = np.full((2, candidates.targets), np.nan)
    lists: list[tuple[int, ...]] = [()] * candidates.targets
    for r, one in zip(wanted, found, strict=True):
        inverse[r - 1], gap[r - 1], lists[r - 1] = one.bound, one.gap, one.order
    return Ideal(np.full(candidates.targets, np.nan), inverse, lists, gap, any(one.stopped for one in found))


def with_rows(candidates: Reach, reach: Reach) -> tuple[Reach, bool]:
    """The candidates and those rows of a list that are none of them (as often as they occur), and whether there are
    any: no list can then be better than the best of these."""
    other = _others(candidates.dense(), reach.at_events)
    return (candidates.stacked(Reach.of(reach.at_events[other])), True) if len(other) else (candidates, False)


def with_priced_rows(candidates: Priced, ranks: Priced) -> tuple[Priced, bool]:
    """The same where rows have efforts."""
    other = _others(*(np.hstack([one.rows, one.effort[:, None], one.outside]) for one in (candidates, ranks)))
    if not len(other):
        return candidates, False
    parts = ((getattr(candidates, name), getattr(ranks, name)[other]) for name in ("rows", "effort", "outside"))
    return Priced(*map(np.concatenate, parts)), True


def _others(known: FloatArray, rows: FloatArray) -> IntArray:
    """The rows that are not known, each known one standing for one of its kind."""
    left = Counter(row.tobytes() for row in known)
    found = []
    for n, row in enumerate(rows):
        key = row.tobytes()
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(n)
    return np.array(found, dtype=np.int64)


def certified(candidates: Reach, wanted: tuple[int, ...], objective: Objective, limit: Search) -> tuple[Found, ...]:
    """The search, kept for other runs on the same topic."""
    shape = np.array([candidates.ranks, candidates.targets])
    content = _Content(candidates, shape, candidates.rank, candidates.target, candidates.probability)
    return _certified(content, wanted, objective, limit, in_use())


@lru_cache(maxsize=256)
def _certified(
    content: _Content[Reach], wanted: tuple[int, ...], objective: Objective, limit: Search, kernels: str
) -> tuple[Found, ...]:
    return tuple(search(content.value.dense(), wanted, objective, limit))


def cheapest(
    candidates: Priced, gains: FloatArray, wanted: tuple[float, ...], objective: Objective, limit: Search
) -> tuple[Found, ...]:
    """The same for gains, where candidates cost different effort."""
    content = _Content((candidates, gains), candidates.rows, candidates.effort, candidates.outside, gains)
    return _cheapest(content, wanted, objective, limit, in_use())


@lru_cache(maxsize=256)
def _cheapest(
    content: _Content[tuple[Priced, FloatArray]],
    wanted: tuple[float, ...],
    objective: Objective,
    limit: Search,
    kernels: str,
) -> tuple[Found, ...]:
    return tuple(effort_lists.search(*content.value, wanted, objective, limit))


Value = TypeVar("Value")


class _Content(Generic[Value]):
    """A value that equals another one with the same arrays."""

    def __init__(self, value: Value, *arrays: FloatArray | IntArray) -> None:
        self.value = value
        self.key = tuple((array.shape, np.ascontiguousarray(array).tobytes()) for array in arrays)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self.key == other.key


def _shortest(below: FloatArray, count: int) -> tuple[float, tuple[int, ...]]:
    """min over orders of 1 + sum_k P(F_k < r): the cheapest path from the empty set to a set that surely suffices."""
    full = (1 << count) - 1
    cost = np.full(1 << count, np.inf)
    step = np.full(1 << count, -1)
    for subset in range(full, -1, -1):
        if below[subset] == 0.0:
            cost[subset] = 0.0
            continue
        for candidate in range(count):
            larger = subset | (1 << candidate)
            if larger != subset:
                total = below[larger] + cost[larger]
                if total < cost[subset]:
                    cost[subset], step[subset] = total, candidate
    if not np.isfinite(cost[0]):
        return float("nan"), ()
    path: list[int] = []
    subset = 0
    while step[subset] >= 0:
        path.append(int(step[subset]))
        subset |= 1 << int(step[subset])
    return 1.0 + float(cost[0]), tuple(path)


def _largest_inverse(reached: FloatArray, count: int) -> float:
    """max over orders of sum_k P(F_k >= r)/(k(k+1)), the last rank counting for all that could follow."""
    best = np.zeros(1 << count)
    for subset in range((1 << count) - 1, -1, -1):
        size = subset.bit_count()
        stay = reached[subset] / size if size else 0.0
        here = reached[subset] / (size * (size + 1)) if size else 0.0
        go = 0.0
        for candidate in range(count):
            larger = subset | (1 << candidate)
            if larger != subset:
                go = max(go, here + best[larger])
        best[subset] = max(stay, go)
    return float(best[0])


def expected_inverse(reached: list[float]) -> float:
    """E[A/ML] of a list from P(F_k >= r) at its ranks k = 1, 2, ..."""
    last = len(reached)
    return sum(p / (k * (k + 1) if k < last else k) for k, p in enumerate(reached, start=1))
