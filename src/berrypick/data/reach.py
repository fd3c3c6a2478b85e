"""Reach: with what probability a reader who consults rank k ends up seeing target x.

The one matrix behind EPRUM, PRUM, the expected ratio and effort-precision with navigation. It is sparse: a rank
usually reaches targets of its own document only, and most ranks reach nothing. What changes happens at *events*,
the ranks with at least one entry; between events nothing changes, so nothing is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError

#: The most retrievable units: every whole number up to here is a float as well.
MOST_UNITS = 2**53


def check_units(units: Any, least: int = 1) -> None:
    """An error if this is no number of retrievable units."""
    good = isinstance(units, (int, float, np.integer)) and not isinstance(units, bool)
    if not good or not least <= units <= MOST_UNITS or units % 1:
        raise UsageError(f"units must be a whole number from {least} to 2^53, not {units!r:.60}")


@dataclass(frozen=True, eq=False)
class Reach:
    """Probability that a reader who looks at a rank sees a target: a sparse ranks x targets matrix.

    Entries are sorted by rank, then target, each pair at most once, none of them zero.

    Attributes
    ----------
    ranks
        How many rows there are.
    targets
        How many columns there are.
    rank
        The row of each entry.
    target
        The column of each entry.
    probability
        The value of each entry, above 0 and up to 1.

    Examples
    --------
    >>> import berrypick as bp
    >>> reach = bp.Reach.of([[0, 0.5], [1, 0]])
    >>> reach.ranks, reach.expected_seen(2).tolist()
    (2, [1.0, 0.5])
    """

    ranks: int
    targets: int
    rank: IntArray
    target: IntArray
    probability: FloatArray

    @classmethod
    def from_entries(cls, ranks: int, targets: int, rank: Any, target: Any, probability: Any) -> Reach:
        """Entries in any order, each pair at most once; checked, zeros dropped."""
        rank = np.asarray(rank, dtype=np.int64)
        target = np.asarray(target, dtype=np.int64)
        probability = np.asarray(probability, dtype=np.float64)
        bad = ~((probability >= 0) & (probability <= 1))
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            raise UsageError(
                f"reach of rank {rank[i] + 1} to target {target[i] + 1} is {probability[i]}: "
                "a probability must be between 0 and 1"
            )
        kept = probability > 0
        if not kept.all():
            rank, target, probability = rank[kept], target[kept], probability[kept]
        in_order = (rank[1:] > rank[:-1]) | ((rank[1:] == rank[:-1]) & (target[1:] > target[:-1]))
        if in_order.all():
            return cls(ranks, targets, rank, target, probability)
        order = np.lexsort((target, rank))
        return cls(ranks, targets, rank[order], target[order], probability[order])

    @classmethod
    def of(cls, matrix: Any) -> Reach:
        """Make one from a ranks x targets matrix: nested lists, a NumPy array, or a SciPy sparse matrix or array."""
        if isinstance(matrix, Reach):
            return matrix
        if hasattr(matrix, "tocoo"):
            rows = matrix.tocsr(copy=True)
            rows.sum_duplicates()
            entries = rows.tocoo()
            ranks, targets = matrix.shape
            return cls.from_entries(ranks, targets, entries.row, entries.col, entries.data)
        try:
            dense = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise UsageError("reach must be a matrix of probabilities, ranks x targets") from None
        if dense.ndim != 2:
            raise UsageError(f"reach must be a matrix of ranks x targets, not an array of {dense.ndim} dimension(s)")
        rank, target = np.nonzero(dense)
        return cls.from_entries(dense.shape[0], dense.shape[1], rank, target, dense[rank, target])

    @classmethod
    def nothing(cls, ranks: int, targets: int) -> Reach:
        """Make one in which no rank leads to any target."""
        return cls.from_entries(ranks, targets, [], [], [])

    @classmethod
    def identity(cls, targets: int) -> Reach:
        """Return the list of the targets themselves, each reaching itself alone."""
        diagonal = np.arange(targets)
        return cls.from_entries(targets, targets, diagonal, diagonal, np.ones(targets))

    def dense(self) -> FloatArray:
        """Return the matrix with its zeros."""
        matrix = np.zeros((self.ranks, self.targets))
        matrix[self.rank, self.target] = self.probability
        return matrix

    def columns(self, keep: BoolArray) -> Reach:
        """Only some of the targets."""
        number = np.cumsum(keep) - 1
        kept = keep[self.target]
        return Reach(self.ranks, int(keep.sum()), self.rank[kept], number[self.target[kept]], self.probability[kept])

    @cached_property
    def row_sums(self) -> FloatArray:
        """For each rank the number of targets that it leads to, expected."""
        return np.bincount(self.rank, weights=self.probability, minlength=self.ranks).astype(np.float64)

    @cached_property
    def events(self) -> IntArray:
        """The ranks, counted from 1, at which anything is reached."""
        return np.unique(self.rank) + 1

    @cached_property
    def at_events(self) -> FloatArray:
        """events x targets: the reach at each event."""
        matrix = np.zeros((len(self.events), self.targets))
        matrix[np.searchsorted(self.events, self.rank + 1), self.target] = self.probability
        return matrix

    @cached_property
    def seen(self) -> FloatArray:
        """events x targets: the probability that a target has been seen after the event (equation 1)."""
        seen = np.empty_like(self.at_events)
        current = np.zeros(self.targets)
        for i, row in enumerate(self.at_events):
            current = current + (1.0 - current) * row  # stays in [0, 1] and keeps small values accurate
            seen[i] = current
        return seen

    @cached_property
    def unseen(self) -> FloatArray:
        """events x targets: the probability that it has not; zero only where the target is surely seen."""
        return np.asarray(np.cumprod(1.0 - self.at_events, axis=0), dtype=np.float64)

    def expected_seen(self, rank: int) -> FloatArray:
        """Return the probability of having seen each target after consulting ``rank`` ranks."""
        event = int(np.searchsorted(self.events, rank, side="right"))
        return self.seen[event - 1] if event else np.zeros(self.targets)

    def stacked(self, other: Reach) -> Reach:
        """Return the rows of both, one after the other."""
        return Reach(
            self.ranks + other.ranks,
            self.targets,
            np.concatenate([self.rank, other.rank + self.ranks]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.probability, other.probability]),
        )

    def take(self, rows: Sequence[int]) -> Reach:
        """Return the given rows, in the given order."""
        return Reach.of(self.dense()[np.asarray(rows, dtype=np.int64)].reshape(len(rows), self.targets))
