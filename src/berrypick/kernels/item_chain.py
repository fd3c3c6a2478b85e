"""Readers who go through the pointers of a list item one after the other.

At each pointer a reader considers it or not, with a chance that depends on its position and on whether a target was
found in this item already. For a target x there are three states: nothing found, something but not x found, x found.
In a cascade a reader who does not consider a pointer has left the item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray

#: Readers in an item: the share that has found nothing there, and the share that has found something.
Stayed = tuple[float, float]
ENTERED: Stayed = (1.0, 0.0)


@dataclass(frozen=True)
class Chances:
    """The chance of considering a pointer: consider^position, from the second on times ``miss`` while nothing has been
    found in the item, times ``after`` once something has. In a cascade readers go on from a considered pointer to the
    next with the chance ``consider`` times these factors, and from others they do not go on."""

    consider: float
    after: float
    miss: float
    cascade: bool = False

    @property
    def independent(self) -> bool:
        """Whether readers decide at each pointer without regard to those before it."""
        return self.after == self.miss and not self.cascade

    @property
    def takes_all(self) -> bool:
        """Whether the reader who opens an item goes through all of it."""
        return self.consider == 1 == self.after

    def at(self, position: int) -> tuple[float, float]:
        """While nothing has been found, and once something has; in a cascade for readers who have not left."""
        if position == 0:
            return 1.0, 1.0
        willing = self.consider if self.cascade else self.consider**position
        return willing * self.miss, willing * self.after

    def considered(self, finds: Sequence[float]) -> Iterator[float]:
        """P(considered) of each pointer of an item, which lead to anything with these probabilities."""
        stayed = ENTERED
        for position, found in enumerate(finds):
            yield self.chance(position, stayed)
            stayed = self.following(position, stayed, found)

    def chance(self, position: int, stayed: Stayed) -> float:
        """P(considered) of the pointer at a position, by what readers have found before it."""
        nothing, after = self.at(position)
        return stayed[0] * nothing + stayed[1] * after

    def following(self, position: int, stayed: Stayed, found: float) -> Stayed:
        """Who is left behind the pointer at a position, which leads to anything with probability ``found``."""
        nothing, after = self.at(position)
        finds = stayed[0] * nothing * found
        if self.cascade:
            return stayed[0] * nothing - finds, stayed[1] * after + finds
        return stayed[0] - finds, stayed[1] + finds

    def chain(self, item: IntArray, items: int) -> ItemChain:
        """Follow readers through items, one pointer after the other."""
        return Cascade(item, items) if self.cascade else ItemChain(item, items)


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
        others = self.others(leads)
        first, later = nothing[self.item], after[self.item]
        none = 1.0 - self.some
        self.seen += (1.0 - self.seen) * (none * first + self.some * later) * leads
        begins = none * first * (1.0 - leads) * others
        has_some = begins + self.some * (1.0 - later * leads)
        without = has_some + none * (1.0 - first * (leads + (1.0 - leads) * others))
        self.some = np.divide(has_some, without, out=np.ones_like(without), where=without > 0)

    def others(self, leads: FloatArray) -> FloatArray:
        """P(a pointer leads to another target of its item | not to x)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = np.log1p(-leads)
            all_missed = np.bincount(self.item, weights=missed, minlength=self.items)
            return np.where(leads < 1.0, -np.expm1(all_missed[self.item] - missed), 0.0)


class Cascade(ItemChain):
    """The same for readers who leave an item at the first pointer that they do not consider."""

    def __init__(self, item: IntArray, items: int) -> None:
        super().__init__(item, items)
        self.none = np.ones(len(item))  # P(in the item, nothing found); ``some``: something found, but not x

    def follow(self, leads: FloatArray, nothing: FloatArray, after: FloatArray) -> None:
        others = self.others(leads)
        first, later = self.none * nothing[self.item], self.some * after[self.item]
        self.seen += (first + later) * leads
        self.none = first * (1.0 - leads) * (1.0 - others)
        self.some = (later + first * others) * (1.0 - leads)


def item_rows(rows: FloatArray, orders: IntArray, chances: Chances) -> FloatArray:
    """What items lead to: each row of ``orders`` has the pointers of one, whose own rows are given."""
    items, targets = len(orders), rows.shape[1]
    chain = chances.chain(np.repeat(np.arange(items), targets), items)
    for position, pointers in enumerate(orders.T):
        nothing, after = (np.full(items, chance) for chance in chances.at(position))
        chain.follow(rows[pointers].ravel(), nothing, after)
    return chain.seen.reshape(items, targets)
