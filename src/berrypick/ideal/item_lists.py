"""All lists of items of a few pointers.

Some best list has every pointer of every document, so it is enough to look at all ways to put the pointers of each
document into items, and for each at all orders of the items, as paths through their sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.ideal.gain_steps import SAME
from berrypick.ideal.items import Item, ItemList, Items
from berrypick.kernels import gain_law
from berrypick.kernels.lists.ideal import Objective
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails

#: The most pointers of which all lists are looked at.
MOST_POINTERS = 8
#: Sets of items whose laws are computed together.
BATCH = 1 << 16


class Goal(Protocol):
    """What is wanted of a list: several recall values, or gains."""

    def tails(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(not reached) and P(reached), rows x wanted."""
        ...

    def sure(self, unseen: FloatArray) -> BoolArray:
        """Whether it is surely reached, rows x wanted."""
        ...


@dataclass(frozen=True)
class Numbers:
    """Recall values."""

    wanted: tuple[int, ...]

    def tails(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        mass, places = law(seen, unseen), list(self.wanted)
        return lower_tails(mass)[:, places], upper_tails(mass)[:, places]

    def sure(self, unseen: FloatArray) -> BoolArray:
        return np.asarray((unseen == 0.0).sum(axis=1)[:, None] >= np.array(self.wanted))


@dataclass(frozen=True, eq=False)
class Gains:
    """Sums of gains."""

    gains: FloatArray
    wanted: tuple[float, ...]

    def tails(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        reached = np.minimum(gain_law.reached(self.gains, seen, unseen, np.array(self.wanted))[0], 1.0)
        return 1.0 - reached, reached

    def sure(self, unseen: FloatArray) -> BoolArray:
        near = SAME * float(self.gains.sum())
        return np.asarray(((unseen == 0.0) @ self.gains)[:, None] >= np.array(self.wanted) - near)


def best_lists(items: Items, goal: Goal, wanted: int, objective: Objective) -> list[tuple[float, ItemList]]:
    """For each of so many things wanted the best value of any list, and such a list; nan where none surely suffices."""
    table, combined = _table(items), _partitions_of_all(items)
    rows = items.leads(table)
    best = np.full(wanted, np.inf if objective == "length" else -np.inf)
    lists: list[tuple[int, ...]] = [()] * wanted
    for sets in combined:
        step = max(1, BATCH >> sets.shape[1])
        for begin in range(0, len(sets), step):
            batch = sets[begin : begin + step]
            values = _ways(rows[batch], goal, wanted, objective)[0][0]
            for w in range(wanted):
                n = int(np.argmin(values[:, w]) if objective == "length" else np.argmax(values[:, w]))
                if values[n, w] < best[w] if objective == "length" else values[n, w] > best[w]:
                    best[w], lists[w] = values[n, w], tuple(batch[n].tolist())
    found: list[tuple[float, ItemList]] = []
    for w in range(wanted):
        if not np.isfinite(best[w]):
            found.append((float("nan"), ()))
            continue
        order = _order(rows[list(lists[w])][None], goal, w, wanted, objective)
        found.append((float(best[w]), tuple(table[lists[w][i]] for i in order)))
    return found


def _ways(rows: FloatArray, goal: Goal, wanted: int, objective: Objective) -> tuple[list[FloatArray], list[FloatArray]]:
    """For lists x items x targets: the value from each set of items on, lists x wanted, and which item follows."""
    lists, count, targets = rows.shape
    seen, unseen = np.zeros((1 << count, lists, targets)), np.ones((1 << count, lists, targets))
    for s in range(1, 1 << count):
        last = s.bit_length() - 1
        rest = s ^ (1 << last)
        seen[s] = seen[rest] + (1.0 - seen[rest]) * rows[:, last]
        unseen[s] = unseen[rest] * (1.0 - rows[:, last])
    flat = seen.reshape(-1, targets), unseen.reshape(-1, targets)
    below, reached = (tail.reshape(1 << count, lists, wanted) for tail in goal.tails(*flat))
    sure = goal.sure(flat[1]).reshape(1 << count, lists, wanted)
    ahead: list[FloatArray] = [np.zeros(0)] * (1 << count)
    follows: list[FloatArray] = [np.full((lists, wanted), -1)] * (1 << count)
    for s in sorted(range(1 << count), key=int.bit_count, reverse=True):
        size = s.bit_count()
        options = [ahead[s | (1 << i)] for i in range(count) if not s >> i & 1]
        which = np.array([i for i in range(count) if not s >> i & 1])
        if objective == "length":
            if options:
                stacked = np.stack(options)
                ahead[s] = np.where(sure[s], 0.0, below[s] + stacked.min(axis=0))
                follows[s] = np.where(sure[s], -1, which[np.argmin(stacked, axis=0)])
            else:
                ahead[s] = np.where(sure[s], 0.0, np.inf)
        elif options:
            stacked = np.stack(options)
            own = reached[s] / (size * (size + 1)) if size else 0.0
            ahead[s] = own + stacked.max(axis=0)
            follows[s] = which[np.argmax(stacked, axis=0)]
        else:
            ahead[s] = reached[s] / max(size, 1)
    return ahead, follows


def _order(rows: FloatArray, goal: Goal, w: int, wanted: int, objective: Objective) -> Iterator[int]:
    """The best order of the items of one list."""
    _, follows = _ways(rows, goal, wanted, objective)
    s = 0
    while (i := int(follows[s][0, w])) >= 0:
        yield i
        s |= 1 << i


def _table(items: Items) -> list[Item]:
    """Every item, document by document, as :func:`_partitions` numbers them."""
    return [tuple(pointers[list(one)].tolist()) for pointers in items.documents for one in _orders(len(pointers))]


def _partitions_of_all(items: Items) -> list[IntArray]:
    """All ways to put every pointer into an item: for each number of items, lists x items."""
    found: dict[int, list[IntArray]] = {0: [np.zeros((1, 0), dtype=np.int64)]}
    offset = 0
    for pointers in items.documents:
        made: dict[int, list[IntArray]] = {}
        for (m, before), sets in itertools.product(found.items(), _partitions(len(pointers))):
            for one in before:
                left, right = np.repeat(one, len(sets), axis=0), np.tile(sets + offset, (len(one), 1))
                made.setdefault(m + sets.shape[1], []).append(np.hstack([left, right]))
        found, offset = made, offset + len(_orders(len(pointers)))
    return [np.vstack(parts) for parts in found.values()]


@lru_cache(maxsize=MOST_POINTERS)
def _orders(count: int) -> Sequence[Item]:
    """All items of so many pointers: shorter ones first, then in the order of the pointers."""
    lengths = range(1, count + 1)
    return [order for length in lengths for order in itertools.permutations(range(count), length)]


@lru_cache(maxsize=MOST_POINTERS)
def _partitions(count: int) -> list[IntArray]:
    """All ways to put so many pointers into items, as numbers of :func:`_orders`: for each number of items, ways x
    items, their first pointers rising."""
    digits = (count + 1) ** np.arange(count)
    known = np.array([int(digits[: len(one)] @ (np.array(one) + 1)) for one in _orders(count)], dtype=np.int64)
    by_key = np.argsort(known)
    orders = np.array(list(itertools.permutations(range(count))), dtype=np.int64).reshape(-1, count)
    found: dict[int, list[IntArray]] = {}
    for ends in itertools.product((False, True), repeat=count - 1):
        starts = [0, *(place + 1 for place, end in enumerate(ends) if end)]
        kept = orders[(np.diff(orders[:, starts], axis=1) > 0).all(axis=1)]
        keys = [(kept[:, a:b] + 1) @ digits[: b - a] for a, b in zip(starts, [*starts[1:], count], strict=True)]
        numbers = by_key[np.searchsorted(known[by_key], np.stack(keys, axis=1))]
        found.setdefault(len(starts), []).append(numbers)
    return [np.vstack(parts) for parts in found.values()]
