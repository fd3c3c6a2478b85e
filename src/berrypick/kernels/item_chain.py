"""Readers who go through the pointers of a list item one after the other.

At each pointer a reader considers it or not, with a chance that depends on its position and on whether a target was
found in this item already. For a target x there are three states: nothing found, something but not x found, x found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Chances:
    """The chance of considering a pointer: consider^position, from the second on times ``miss`` while nothing has been
    found in the item, times ``after`` once something has."""

    consider: float
    after: float
    miss: float

    @property
    def alike(self) -> bool:
        """Whether it does not matter what was found."""
        return self.after == self.miss

    @property
    def takes_all(self) -> bool:
        """Whether the reader who opens an item goes through all of it."""
        return self.consider == 1 == self.after

    def at(self, position: int) -> tuple[float, float]:
        """While nothing has been found, and once something has."""
        if position == 0:
            return 1.0, 1.0
        willing = self.consider**position
        return willing * self.miss, willing * self.after

    def considered(self, finds: Sequence[float]) -> Iterator[float]:
        """P(considered) of each pointer of an item, which lead to anything with these probabilities."""
        none = 1.0
        for position, found in enumerate(finds):
            nothing, after = self.at(position)
            yield none * nothing + (1.0 - none) * after
            none *= 1.0 - nothing * found


class ItemChain:
    """Many items at once, and of each some targets: pairs of an item and a target, given by the item of each pair."""

    def __init__(self, item: IntArray, items: int) -> None:
        self.item, self.items = item, items
        self.seen = np.zeros(len(item))  # P(x found)
        self.some = np.zeros(len(item))  # of those who have not found x: the share that has found something

    def follow(self, leads: FloatArray, nothing: FloatArray, after: FloatArray) -> None:
        """Each item's next pointer, which leads to the target of each pair with these probabilities.

        ``nothing`` and ``after`` are the chances, by item, of considering it in the two states.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = np.log1p(-leads)
            all_missed = np.bincount(self.item, weights=missed, minlength=self.items)
            others = np.where(leads < 1.0, -np.expm1(all_missed[self.item] - missed), 0.0)  # P(meets another | not x)
        first, later = nothing[self.item], after[self.item]
        none = 1.0 - self.some
        self.seen += (1.0 - self.seen) * (none * first + self.some * later) * leads
        begins = none * first * (1.0 - leads) * others
        has_some = begins + self.some * (1.0 - later * leads)
        without = has_some + none * (1.0 - first * (leads + (1.0 - leads) * others))
        self.some = np.divide(has_some, without, out=np.ones_like(without), where=without > 0)


def item_rows(rows: FloatArray, orders: IntArray, chances: Chances) -> FloatArray:
    """What items lead to: each row of ``orders`` has the pointers of one, whose own rows are given."""
    items, targets = len(orders), rows.shape[1]
    chain = ItemChain(np.repeat(np.arange(items), targets), items)
    for position, pointers in enumerate(orders.T):
        nothing, after = (np.full(items, chance) for chance in chances.at(position))
        chain.follow(rows[pointers].ravel(), nothing, after)
    return chain.seen.reshape(items, targets)
