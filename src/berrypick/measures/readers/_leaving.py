"""A reader who leaves the list when the next rank is not worth its cost: the distribution of the last rank consulted.

After k ranks, f of them useful, the reader expects the next one to be useful with p = (a + f)/(a + b + k), the mean of
a beta distribution. Consulting it costs c; a useful rank is worth d^f, less the more was found. Looking ahead to the
end of the list, N ranks long::

    V(N, f) = 0
    V(k, f) = max(0, p (d^f + V(k+1, f+1)) + (1 - p) V(k+1, f) - c)

and the reader leaves at the first state with V = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.data import spec as specs
from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import Parameterized, above_zero, positive_share
from berrypick.data.reach import Reach


@dataclass(frozen=True, repr=False)
class Leaves(Parameterized):
    """What the reader expects, and what consulting a rank costs."""

    what: ClassVar[str] = "stopping rule"

    cost: float = above_zero(0.1, "c: cost of consulting a rank, where the first useful one is worth 1")
    a: float = above_zero(1, "useful ranks that the reader imagines before the first")
    b: float = above_zero(1, "useless ranks that the reader imagines before the first")
    discount: float = positive_share(1, "d: value of each useful rank as a share of the one before")

    @classmethod
    def name(cls) -> str:
        return "leaves"

    def stays(self, ranks: int) -> list[BoolArray]:
        """For k = 0 .. ranks, whether the reader goes on after k ranks with f = 0 .. k useful ones."""
        return [np.unpackbits(row, count=k + 1).astype(bool) for k, row in enumerate(_packed(self, ranks))]


@lru_cache(maxsize=16)
def _packed(rule: Leaves, ranks: int) -> tuple[np.typing.NDArray[np.uint8], ...]:
    """The policy as bits, from the end of the list back to its beginning."""
    value = np.zeros(ranks + 1)
    found = [np.packbits(np.zeros(ranks + 1, dtype=bool))]
    for k in range(ranks - 1, -1, -1):
        f = np.arange(k + 1)
        p = (rule.a + f) / (rule.a + rule.b + k)
        value = np.maximum(0.0, -rule.cost + p * (rule.discount**f + value[1:]) + (1.0 - p) * value[:-1])
        found.append(np.packbits(value > 0))
    return tuple(reversed(found))


def parse_stop(text: str) -> Leaves:
    """Read a stopping rule, as in leaves(cost=.1)."""
    spec = specs.parse(text, "stopping rule")
    if spec.name != Leaves.name() or spec.at is not None:
        raise UsageError(f"unknown stopping rule {text!r:.60}; there is leaves(cost=.1), with a=, b= and discount=")
    return Leaves.from_parameters(dict(spec.parameters), text)


def useful(reach: Reach) -> FloatArray:
    """P(a rank leads to a target that was not seen before), for each rank of the list."""
    found = np.zeros(reach.ranks)
    if len(reach.events):
        before = np.vstack([np.ones((1, reach.targets)), reach.unseen[:-1]])
        found[reach.events - 1] = 1.0 - np.prod(1.0 - before * reach.at_events, axis=1)
    return found


def leaving(rule: Leaves, chance: FloatArray) -> FloatArray:
    """P(the reader leaves after k ranks) for k = 0 .. ranks, where ranks are useful independently of one another."""
    stays = rule.stays(len(chance))
    found = np.zeros(len(chance) + 1)
    mass = np.ones(1)  # of those who are there, by the number of useful ranks
    for k, go_on in enumerate(stays):
        found[k] = mass[~go_on].sum()
        mass = np.where(go_on, mass, 0.0)
        if k < len(chance):
            mass = np.append(mass * (1.0 - chance[k]), 0.0) + np.insert(mass * chance[k], 0, 0.0)
    return found


def last_ranks(rule: Leaves, new: BoolArray) -> np.typing.NDArray[np.int64]:
    """The last rank that each reader consults; ``new`` (ranks x readers) says which ranks are useful to whom."""
    ranks, readers = new.shape
    stays = rule.stays(ranks)
    last, count = np.full(readers, -1), np.zeros(readers, dtype=np.int64)
    for k, go_on in enumerate(stays):
        last[(last < 0) & ~go_on[count]] = k
        if k < ranks:
            count = count + new[k]
    return last
