"""Ideal lists for EPRUM: the least expected number of ranks, and the largest expected inverse, for recall value r.

What a reader has seen after k ranks depends on *which* k candidates were consulted, not on their order; so all
orders can be searched as paths through the subsets (at most 2**8 of them) instead of one permutation after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.errors import UsageError
from berrypick.core.reach import Reach
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails

#: `exact` tries every order of the candidates; beyond this many it is refused.
MOST_CANDIDATES = 8


@dataclass(frozen=True)
class Ideal:
    """For each recall value r = 1..t: E[ML*_r], the largest known E[A_r/ML_r], and the list that gives the first."""

    length: FloatArray  # nan where no list surely reaches r
    inverse: FloatArray
    lists: Sequence[Sequence[int]]


def by_targets(targets: int) -> Ideal:
    """The papers' practice: the r-th target is found at rank r."""
    length = np.arange(1, targets + 1, dtype=np.float64)
    return Ideal(length, 1.0 / length, tuple(range(r) for r in range(1, targets + 1)))


def greedy(candidates: Reach) -> Ideal:
    """For each r append the candidate with the largest E[min(F, r)], the first of equals, until r is surely reached."""
    rows = candidates.dense()
    targets = candidates.targets
    useful = [i for i in range(len(rows)) if rows[i].any()]
    length = np.full(targets, np.nan)
    inverse = np.zeros(targets)
    lists: list[tuple[int, ...]] = []
    for r in range(1, targets + 1):
        chosen, below, reached = _greedy_list(rows, useful, r)
        lists.append(tuple(chosen))
        surely = bool(below) and below[-1] == 0.0
        if surely:
            # r targets that are surely reached need no more than r candidates
            length[r - 1] = min(1.0 + sum(below), float(r))
        value = expected_inverse(reached)
        inverse[r - 1] = max(value, 1.0 / r) if surely else value
    return Ideal(length, inverse, tuple(lists))


def _greedy_list(rows: FloatArray, useful: list[int], r: int) -> tuple[list[int], list[float], list[float]]:
    """The list, and P(F_k < r) and P(F_k >= r) at each of its ranks."""
    seen = np.zeros(rows.shape[1])
    unseen = np.ones(rows.shape[1])
    left = list(useful)
    chosen: list[int] = []
    below: list[float] = []
    reached: list[float] = []
    while left and not (below and below[-1] == 0.0):
        options = rows[left]
        mass = law(seen + (1.0 - seen) * options, unseen * (1.0 - options))
        expected = mass @ np.minimum(np.arange(mass.shape[1]), r)
        best = int(np.argmax(expected >= expected.max() * (1 - 1e-12)))
        row = rows[left[best]]
        seen, unseen = seen + (1.0 - seen) * row, unseen * (1.0 - row)
        below.append(float(mass[best, :r].sum()))
        reached.append(float(mass[best, r:].sum()))
        chosen.append(left.pop(best))
    return chosen, below, reached


def exact(candidates: Reach) -> Ideal:
    """All orders of all subsets, by dynamic programming over subsets."""
    rows = candidates.dense()
    count, targets = rows.shape
    if count > MOST_CANDIDATES:
        raise UsageError(
            f"ideal='exact' tries every order of at most {MOST_CANDIDATES} candidates, not {count}; "
            "ideal='greedy' works for any number"
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
