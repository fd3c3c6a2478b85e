"""Ideal lists for EPRUM: the least expected number of ranks, and the largest expected inverse, for recall value r.

What a reader has seen after k ranks depends on *which* k candidates were consulted, not on their order; so all
orders can be searched as paths through the subsets (at most 2**8 of them) instead of one permutation after another.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Literal, TypeVar

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.kernels import in_use
from berrypick.kernels.lists.candidate_sets import best_order, order_of
from berrypick.kernels.lists.greedy import greedy_lists
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails

#: `exact` tries every order of the candidates; beyond this many it is refused.
MOST_CANDIDATES = 8

Objective = Literal["length", "inverse"]

#: What the best list is best by, for each norm of EPRUM.
OBJECTIVES: dict[str, Objective] = {"product": "length", "bounded": "inverse"}


@dataclass(frozen=True)
class Ideal:
    """For each recall value r = 1..t: E[ML*_r], the largest known E[A_r/ML_r], and the list that gives the first."""

    length: FloatArray  # nan where no list surely reaches r
    inverse: FloatArray
    lists: Sequence[Sequence[int] | IntArray]
    gap: FloatArray | None = None  # how much better than the list another one might be; None: not known
    stopped: bool = False  # the search was ended by the clock


def by_targets(targets: int) -> Ideal:
    """The papers' practice: the r-th target is found at rank r."""
    length = np.arange(1, targets + 1, dtype=np.float64)
    return Ideal(length, 1.0 / length, tuple(range(r) for r in range(1, targets + 1)))


def greedy(candidates: Reach) -> Ideal:
    """For each r append the candidate with the largest E[min(F, r)], the first of equals, until r is surely reached."""
    return _greedy(content(candidates), in_use())


@lru_cache(maxsize=256)
def _greedy(kept: ByContent[Reach], kernels: str) -> Ideal:
    return Ideal(*greedy_lists(kept.value))


def exact(candidates: Reach) -> Ideal:
    """All orders of all subsets, by dynamic programming over subsets."""
    if candidates.ranks > MOST_CANDIDATES:
        raise UsageError(f"{_too_many(candidates.ranks)}; ideal='certified' works for any number")
    seen, unseen, size = _subsets(candidates.dense())
    targets = candidates.targets
    mass = law(seen, unseen)
    below, reached = lower_tails(mass).T.copy(), upper_tails(mass).T.copy()
    length = np.full(targets, np.nan)
    inverse = np.zeros(targets)
    lists: list[tuple[int, ...]] = []
    for r in range(1, targets + 1):
        done = below[r] == 0.0
        cost = np.where(done, 0.0, -np.inf)  # of a list that ends there
        lists.append(order_of(best_order(below[r], size, False, cost, done)))
        length[r - 1] = -cost[0] if np.isfinite(cost[0]) else np.nan
        best = reached[r] / np.maximum(size, 1.0)
        best_order(reached[r], size, True, best, np.zeros_like(done))
        inverse[r - 1] = best[0]
    return Ideal(length, inverse, tuple(lists))


def _too_many(count: int) -> str:
    return f"ideal='exact' tries every order of at most {MOST_CANDIDATES} candidates, not {count}"


def _subsets(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each subset of a few candidates what is seen with it, what is not, and how many they are."""
    count, targets = rows.shape
    seen, unseen = np.zeros((1 << count, targets)), np.ones((1 << count, targets))
    for subset in range(1, 1 << count):
        last = subset.bit_length() - 1
        rest = subset ^ (1 << last)
        seen[subset] = seen[rest] + (1.0 - seen[rest]) * rows[last]
        unseen[subset] = unseen[rest] * (1.0 - rows[last])
    return seen, unseen, np.array([subset.bit_count() for subset in range(1 << count)], dtype=np.float64)


def exact_until(
    candidates: Reach, lacking: Callable[[FloatArray, FloatArray], FloatArray]
) -> tuple[float, tuple[int, ...]]:
    """The least expected number of ranks until nothing is lacking, of all orders, and the list that has it; nan if no
    list surely gets there. ``lacking`` tells the chance that something is, from what is seen and what is not."""
    if candidates.ranks > MOST_CANDIDATES:
        raise UsageError(f"{_too_many(candidates.ranks)}; remove ideal")
    seen, unseen, size = _subsets(candidates.dense())
    chance = np.ascontiguousarray(lacking(seen, unseen))
    done = chance == 0.0
    cost = np.where(done, 0.0, -np.inf)
    order = order_of(best_order(chance, size, False, cost, done))
    return (float(-cost[0]), order) if np.isfinite(cost[0]) else (math.nan, ())


def with_rows(candidates: Reach, reach: Reach) -> tuple[Reach, bool]:
    """The candidates and those rows of a list that are none of them (as often as they occur), and whether there are
    any: no list can then be better than the best of these."""
    other = others(candidates.dense(), reach.at_events)
    return (candidates.stacked(Reach.of(reach.at_events[other])), True) if len(other) else (candidates, False)


def others(known: FloatArray, rows: FloatArray) -> IntArray:
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


Value = TypeVar("Value")


class ByContent(Generic[Value]):
    """A value that equals another one with the same arrays."""

    def __init__(self, value: Value, *arrays: FloatArray | IntArray) -> None:
        self.value = value
        self.key = tuple((array.shape, np.ascontiguousarray(array).tobytes()) for array in arrays)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByContent) and self.key == other.key


def content(candidates: Reach) -> ByContent[Reach]:
    """Candidates, for a cache."""
    shape = np.array([candidates.ranks, candidates.targets])
    return ByContent(candidates, shape, candidates.rank, candidates.target, candidates.probability)
