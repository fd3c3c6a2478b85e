"""People who move from page to page, one step after the other: which pages each of them has been at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.users.links._hitting import Chain

#: Steps after which a walk ends that would hardly ever end by itself.
MOST_STEPS = 10_000
#: How often it is looked up whether anything new can be reached.
OFTEN = 16


@dataclass(eq=False)
class ChainWalker:
    """Walks on a chain until the walker leaves, or can get to none of the wanted pages any more."""

    chain: Chain
    wanted: list[int]  # pages, each once

    @cached_property
    def _leads(self) -> BoolArray:
        """wanted x pages: whether some route leads from the page to the wanted one."""
        found = [self.chain.leading_to([page]) for page in self.wanted]
        return np.array(found, dtype=bool).reshape(len(self.wanted), len(self.chain.units))  # also where none is wanted

    @cached_property
    def _useful(self) -> BoolArray:
        return np.asarray(self._leads.any(axis=0))

    @cached_property
    def _number(self) -> IntArray:
        """The place of each page among the wanted ones, -1 for others."""
        number = np.full(len(self.chain.units), -1, dtype=np.int64)
        number[self.wanted] = np.arange(len(self.wanted))
        return number

    @cached_property
    def _steps(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Page + cumulated probability of its steps, where each step goes, and where the steps of a page end."""
        table = self.chain.step
        sums = np.concatenate([[0.0], np.cumsum(table.data)])
        count = np.diff(table.indptr)
        source = np.repeat(np.arange(len(count)), count)
        below = np.minimum(sums[1:] - sums[table.indptr[source]], 1.0)
        return np.maximum.accumulate(source + below), table.indices.astype(np.int64), table.indptr[1:].astype(np.int64)

    def visits(
        self, start: int, random: np.random.Generator, count: int, steps: IntArray | int | None = None
    ) -> tuple[BoolArray, int]:
        """wanted x walkers: who has been where, within ``steps`` if there is a limit; and how many were stopped."""
        been = np.zeros((len(self.wanted), count), dtype=bool)
        if self._number[start] >= 0:
            been[self._number[start]] = True
        page = np.full(count, start, dtype=np.int64)
        walker = np.arange(count)
        limit = MOST_STEPS if steps is None else int(np.max(steps, initial=0))
        for step in range(limit):
            if isinstance(steps, np.ndarray) and step:
                going = steps[walker] > step
                walker, page = walker[going], page[going]
            walker, page = self._step(walker, page, random)
            found = self._number[page]
            there = found >= 0
            been[found[there], walker[there]] = True
            going = self._useful[page]
            if step % OFTEN == OFTEN - 1:
                going &= (self._leads[:, page] & ~been[:, walker]).any(axis=0)
            walker, page = walker[going], page[going]
            if not len(walker):
                return been, 0
        return been, len(walker) if steps is None else 0

    def _step(self, walker: IntArray, page: IntArray, random: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Who goes on, and to where."""
        bounds, target, end = self._steps
        place = np.searchsorted(bounds, page + random.random(len(page)), side="right")
        going = place < end[page]
        return walker[going], target[place[going]]
