"""Greedy lists of items: for each recall value append the item that adds most to E[min(F, r)]."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.ideal.gain_steps import row_totals
from berrypick.ideal.items import Item, ItemList, Items
from berrypick.kernels.lists.greedy import expected_inverse, expected_least, first_best
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails

#: Pointers of a document of which all items are tried; of more, each first one with the others by what they lead to.
MOST_ORDERED = 5
#: Items x targets that are looked at.
MOST_CELLS = 1 << 17


def can_be_greedy(items: Items) -> bool:
    return _count(items) * items.targets <= MOST_CELLS


def _count(items: Items) -> int:
    return sum(
        sum(1 for length in range(1, n + 1) for _ in itertools.permutations(range(n), length))
        if n <= MOST_ORDERED
        else n * n
        for n in map(len, items.documents)
    )


def greedy_lists(items: Items, wanted: Sequence[int]) -> tuple[FloatArray, FloatArray, list[ItemList]]:
    """For each recall value: E[ML_r], E[A_r/ML_r] and the list of the items that add most to E[min(F, r)]; of equal
    ones that with the fewest pointers, then the first."""
    if not can_be_greedy(items):
        raise UsageError(
            f"ideal='greedy' tries {_count(items)} items for {items.targets} targets, which takes too long; "
            "ideal='certified' works for any number"
        )
    return _ItemGreedy(items).lists(np.array(wanted, dtype=np.int64))


class _ItemGreedy:
    def __init__(self, items: Items) -> None:
        made = [item for pointers in items.documents for item in _candidates(items, pointers.tolist())]
        self.items = sorted(made, key=lambda item: (len(item), item))
        self.rows = items.leads(self.items)
        self.holds = np.zeros((len(self.items), len(items)), dtype=bool)
        for n, item in enumerate(self.items):
            self.holds[n, list(item)] = True
        self.sure = (items.rows[:, items.wanted] == 1.0).any(axis=0)
        self.useful = np.asarray(self.rows.any(axis=1))

    def lists(self, wanted: IntArray) -> tuple[FloatArray, FloatArray, list[ItemList]]:
        length, inverse = np.full(len(wanted), np.nan), np.zeros(len(wanted))
        lists: list[ItemList] = [()] * len(wanted)
        work = [(_State(self.rows.shape[1], self.useful), np.arange(len(wanted)))]
        while work:
            state, which = work.pop()
            done = (wanted[which] <= state.certain.sum()) | (not state.left.any())
            for n in which[done].tolist():
                length[n], inverse[n] = self.values(state, int(wanted[n]))
                lists[n] = tuple(self.items[i] for i in state.chosen)
            which = which[~done]
            if not len(which):
                continue
            options = np.flatnonzero(state.left)
            rows = self.rows[options]
            laws = law(state.seen + (1.0 - state.seen) * rows, state.unseen * (1.0 - rows))
            choice = options[first_best(expected_least(laws, wanted[which]).T)]
            for item in np.unique(choice).tolist():
                work.append((self.appended(state, item), which[choice == item]))
        return length, inverse, lists

    def appended(self, state: _State, item: int) -> _State:
        row = self.rows[item]
        seen, unseen = state.seen + (1.0 - state.seen) * row, state.unseen * (1.0 - row)
        left = state.left & ~(self.holds & self.holds[item]).any(axis=1)  # a pointer occurs once
        mass = law(seen[None, :], unseen[None, :])[0]
        tails = (*state.below, lower_tails(mass)), (*state.reached, upper_tails(mass))
        return _State(len(seen), left, seen, unseen, state.certain | (row == 1.0), (*state.chosen, item), *tails)

    def values(self, state: _State, r: int) -> tuple[float, float]:
        value = expected_inverse([float(one[r]) for one in state.reached])
        length = 1.0 + sum(float(one[r]) for one in state.below) if state.certain.sum() >= r else np.inf
        if self.sure.sum() >= r:  # r targets that are surely reached need no more than r items
            length, value = min(length, float(r)), max(value, 1.0 / r)
        return (length if np.isfinite(length) else float("nan")), value


class _State:
    """A list of items: what has been seen after it, and P(F < r) and P(F >= r) at each of its ranks."""

    def __init__(
        self,
        targets: int,
        left: BoolArray,
        seen: FloatArray | None = None,
        unseen: FloatArray | None = None,
        certain: BoolArray | None = None,
        chosen: tuple[int, ...] = (),
        below: tuple[FloatArray, ...] = (),
        reached: tuple[FloatArray, ...] = (),
    ) -> None:
        self.left, self.chosen, self.below, self.reached = left, chosen, below, reached
        self.seen = np.zeros(targets) if seen is None else seen
        self.unseen = np.ones(targets) if unseen is None else unseen
        self.certain = np.zeros(targets, dtype=bool) if certain is None else certain


def _candidates(items: Items, pointers: list[int]) -> list[Item]:
    """Items of a document that greedy looks at."""
    if len(pointers) <= MOST_ORDERED:
        lengths = range(1, len(pointers) + 1)
        return [item for length in lengths for item in itertools.permutations(pointers, length)]
    weight = row_totals(items.rows[:, items.wanted])
    order = sorted(pointers, key=lambda i: -float(weight[i]))
    found = []
    for first in pointers:
        others = [i for i in order if i != first]
        found += [(first, *others[:more]) for more in range(len(pointers))]
    return found
