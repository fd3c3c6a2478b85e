"""List items that hold several pointers of one document, as the candidates of ideal lists.

Any pointers of a document, in any order, are an item; a pointer occurs once in a list. So candidates are many, and they
exclude each other. Three facts make lists of them searchable:

* A pointer at the end of an item takes nothing from those before it. So some best list has all pointers of each
  document that it points into, and where readers consider all of them anyway, one item of a document is enough.
* An item that begins with pointer a leads nowhere with more than a and all other pointers of its document, each
  considered with the chance of the second position at most. These relaxed items, one for each pointer, bound every list
  of items.
* So do sums: k items of a document have k first positions, k second ones and so on for its pointers. Where each pointer
  surely leads to one target and nowhere else, the same positions bound the law of the number seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.ideal.sum_bounds import LeastEffort
from berrypick.ideal.tangents import ROUNDING
from berrypick.kernels.item_chain import Chances, item_rows
from berrypick.kernels.poisson_binomial import plain_law

#: Targets for which lists are told apart by the number of their items.
MOST_COUNTED = 40

#: The pointers of an item, in order, and the items of a list.
Item = tuple[int, ...]
ItemList = tuple[Item, ...]


@dataclass(frozen=True, eq=False)
class Items:
    """Pointers: what each leads to (pointers x targets), its document, and how readers go through those of an item.

    ``wanted`` says which targets count; readers are as willing after any of them.
    """

    rows: FloatArray
    document: IntArray
    chances: Chances
    wanted: BoolArray

    def columns(self, keep: BoolArray) -> Items:
        """Only some of the targets count."""
        return replace(self, wanted=keep)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def targets(self) -> int:
        return int(self.wanted.sum())

    @cached_property
    def documents(self) -> list[IntArray]:
        """The pointers of each document, in the order of the first of them."""
        found: dict[int, list[int]] = {}
        for pointer, document in enumerate(self.document.tolist()):
            found.setdefault(document, []).append(pointer)
        return [np.array(pointers, dtype=np.int64) for pointers in found.values()]

    def leads(self, items: Sequence[Item]) -> FloatArray:
        """What each of some items leads to, of the targets that count."""
        found = np.zeros((len(items), self.targets))
        for length in {len(item) for item in items}:
            which = [n for n, item in enumerate(items) if len(item) == length]
            orders = np.array([items[n] for n in which], dtype=np.int64)
            found[which] = item_rows(self.rows, orders, self.chances)[:, self.wanted]
        return found

    def whole(self) -> list[Item] | None:
        """One item for each document that is as good as any others of it; None where that depends.

        Readers who surely go on consider every pointer. With ``miss`` below 1 they do behind one that surely finds
        something.
        """
        found: list[Item] = []
        for pointers in self.documents:
            sure = [i for i in pointers.tolist() if (self.rows[i] == 1.0).any()]
            willing = self.chances.consider == 1 == self.chances.after and (self.chances.miss == 1 or sure)
            if len(pointers) > 1 and not willing:
                return None
            first = sure[:1] if self.chances.miss < 1 else []
            found.append((*first, *(i for i in pointers.tolist() if i not in first)))
        return found

    @cached_property
    def _later(self) -> float:
        """The largest chance of considering any pointer but the first."""
        return max(self.chances.at(1))

    def relaxed(self) -> FloatArray:
        """For each pointer, a row that no item which begins with it exceeds anywhere."""
        unseen = np.empty_like(self.rows)
        for pointers in self.documents:
            later = 1.0 - self._later * self.rows[pointers]
            for place, pointer in enumerate(pointers.tolist()):
                others = np.delete(later, place, axis=0)
                unseen[pointer] = (1.0 - self.rows[pointer]) * others.prod(axis=0)
        return np.minimum(1.0, np.where(self.rows == 1.0, 1.0, 1.0 - unseen))[:, self.wanted]

    def sums(self, gains: FloatArray) -> LeastEffort:
        """The least number of items for an expected gain, from sums over pointers at their positions."""
        weight = self.rows[:, self.wanted] @ gains
        added: list[float] = []
        for pointers in self.documents:
            own = -np.sort(-weight[pointers])
            place = np.arange(len(own))
            chance = np.array([1.0, *(max(self.chances.at(p)) for p in range(1, len(own)))])
            most = np.array([0.0, *(float(own @ chance[place // k]) for k in range(1, len(own) + 1))])
            added += _concave_steps(most)
        worth = np.array(added)
        return LeastEffort.of(worth[worth > 0], np.ones(int((worth > 0).sum())))

    @cached_property
    def _own(self) -> IntArray | None:
        """How many pointers each document has, the largest number first, where each surely leads to a target of its own
        and nowhere else; None where they do not. Of those that lead to no target that counts none is needed."""
        rows = self.rows[:, self.wanted]
        leads = rows.sum(axis=1) > 0
        if not ((rows[leads] == 1.0).sum(axis=1) == (rows[leads] > 0).sum(axis=1)).all():
            return None
        if (rows[leads].sum(axis=1) != 1.0).any() or (rows.sum(axis=0) != 1.0).any():
            return None
        return -np.sort(-np.bincount(self.document[leads])).astype(np.int64)

    @cached_property
    def _finds(self) -> bool:
        """Whether every pointer surely finds something."""
        return bool((self.rows == 1.0).any(axis=1).all())

    def _chance(self, position: int) -> float:
        """The largest chance of considering a pointer that is not the first."""
        return self.chances.at(position)[1] if self._finds else max(self.chances.at(position))

    @cached_property
    def _behind(self) -> Callable[[int, int], FloatArray]:
        """By a number of items and of pointers behind the first ones: the law of how many of these are found."""

        @cache
        def law(items: int, others: int) -> FloatArray:
            seen = np.array([[self._chance(1 + place // items) for place in range(others)]])
            return plain_law(seen, 1.0 - seen)[0]

        return law

    def _most_reached(self, r: int, items: int, sizes: IntArray) -> FloatArray:
        """For k = 1 .. ``items`` ranks, what P(F_k >= r) cannot exceed where at least so many pointers stand first.

        k items have found the targets of their k first pointers at most, and some of the others.
        """
        found = np.ones(items)
        for k in range(1, min(r - 1, items) + 1):
            others = min(int(sizes[:k].sum()) - k, int(sizes.sum()) - items)
            found[k - 1] = min(1.0, float(self._behind(k, others)[r - k :].sum()) * (1 + ROUNDING))
        return found

    def least_length(self, r: int) -> float:
        """No list that surely reaches r has a smaller E[ML_r]: where others than first pointers are not sure, r or more
        stand first."""
        if self._own is None or self._chance(1) == 1:
            return 1.0
        return 1.0 + float((1.0 - self._most_reached(r, r, self._own)[: r - 1]).sum())

    def most_inverse(self, r: int) -> float:
        """No list has a larger E[A_r/ML_r]. Of a list of n items n pointers stand first and all others behind; not
        known where it might begin an item with one that finds nothing."""
        targets = 0 if self._own is None else int(self._own.sum())
        if self._own is None or not self._finds or not 0 < targets <= MOST_COUNTED:
            return np.inf
        found = 0.0
        for items in range(1, targets + 1):
            most, k = self._most_reached(r, items, self._own), np.arange(1, items + 1)
            found = max(found, float((most / (k * (k + 1))).sum() + most[-1] / (items + 1)))
        return found


def _concave_steps(values: FloatArray) -> list[float]:
    """The steps of the least concave function that is nowhere below some values."""
    found: list[float] = []
    at = 0
    while at < len(values) - 1:
        slope = (values[at + 1 :] - values[at]) / np.arange(1, len(values) - at)
        further = len(slope) - int(np.argmax(slope[::-1]))  # the last of the largest
        found += [float(slope[further - 1])] * further
        at += further
    return found
