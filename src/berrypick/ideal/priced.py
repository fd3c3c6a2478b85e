"""Candidates of a list, with what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.first_browsing import FirstBrowsing

#: Candidates that are compared with each other, to see which need not come before which.
MOST_COMPARED = 8192


@dataclass(frozen=True)
class Priced:
    """Candidates: what each leads to (candidates x targets), its effort, and what browsing from it to targets costs."""

    rows: FloatArray
    effort: FloatArray
    outside: FloatArray

    @classmethod
    def of_rows(cls, rows: FloatArray) -> Priced:
        """Candidates that cost 1 each."""
        return cls(rows, np.ones(len(rows)), np.zeros(rows.shape))

    def take(self, which: IntArray) -> Priced:
        return Priced(np.ascontiguousarray(self.rows[which]), self.effort[which], self.outside[which])

    def with_nothing(self) -> Priced:
        """With one more candidate, which leads nowhere and costs nothing."""
        none = np.zeros((1, self.rows.shape[1]))
        return Priced(np.vstack([self.rows, none]), np.append(self.effort, 0.0), np.vstack([self.outside, none]))

    @cached_property
    def dominated(self) -> BoolArray:
        """Whether candidate i (row) is dominated by j (column), which reaches every target at least as well and costs
        no more; the first of equals dominates the others. A dominated candidate need not come first where browsing
        costs nothing: exchanging the two loses nothing."""
        if self.browses or len(self.rows) > MOST_COMPARED:
            return np.zeros((len(self.rows), 0), dtype=bool)
        return dominated(np.hstack([self.rows, (self.effort.max() - self.effort)[:, None]]))

    @cached_property
    def browses(self) -> bool:
        return bool((self.outside[self.rows > 0] > 0).any())

    @cached_property
    def first_browsing(self) -> FirstBrowsing:
        return FirstBrowsing.of(self.rows, self.outside)


def dominated(rows: FloatArray) -> BoolArray:
    """Whether row i is nowhere above row j (column), and not an equal one before it."""
    compiled = native()
    if compiled is None:
        return plain_dominated(rows)
    found = np.empty((len(rows), len(rows)), dtype=np.uint8)
    compiled.dominated(rows, found)
    return found.view(np.bool_)


def plain_dominated(rows: FloatArray) -> BoolArray:
    found = np.empty((len(rows), len(rows)), dtype=bool)
    for i, row in enumerate(rows):
        equal = (rows == row).all(axis=1)
        equal[:i] = False  # the first of equals stays
        found[i] = (rows >= row).all(axis=1) & ~equal
    return found
