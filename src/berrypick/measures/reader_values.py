"""What simulated readers get, as a measure counts it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray

#: Groups of readers, by which the error of a simulated value is estimated.
GROUPS = 128


#: Weights and numbers of columns.
Parts = tuple[tuple[float, int], ...]


@dataclass(frozen=True, eq=False)
class ReaderValues:
    """columns x readers: what each reader gets, and what that is divided by.

    The value of a column is the sum of ``top`` over all readers divided by that of ``bottom`` (1 for each reader unless
    given), and the value of the measure the mean of the columns, or the largest of them. A reader who does not count
    has 0 in both. ``parts`` are weights and numbers of columns that belong together, one after another: the value is
    then the weighted mean over them.
    """

    top: FloatArray
    bottom: FloatArray | None = None
    largest: bool = False
    parts: Parts = ()

    @classmethod
    def of(cls, values: FloatArray, counts: FloatArray | None = None) -> ReaderValues:
        """From a number for each reader."""
        return cls(values[None, :], None if counts is None else counts[None, :])

    @property
    def each(self) -> FloatArray:
        """What each reader gets, nan for those who do not count."""
        if self.bottom is None:
            values = self.top
        else:
            values = np.divide(self.top, self.bottom, out=np.full(self.top.shape, np.nan), where=self.bottom > 0)
        return joined(values, self.largest, self.parts)

    def sums(self) -> FloatArray:
        """2 x columns x groups: sums of both over each group of readers."""
        count = np.ones((1, self.top.shape[1])) if self.bottom is None else self.bottom
        bottom = np.broadcast_to(_group_sums(count), (len(self.top), GROUPS))
        return np.stack([_group_sums(self.top), bottom])


def joined(columns: FloatArray, largest: bool, parts: Parts) -> FloatArray:
    """The mean of the columns or the largest of them, or the weighted mean of that over parts that are defined."""
    if not parts:
        return np.asarray(columns.max(axis=0) if largest else columns.mean(axis=0))
    weight = np.array([weight for weight, _ in parts])[:, None]
    pieces = np.split(columns, np.cumsum([count for _, count in parts])[:-1])
    found = np.stack([piece.max(axis=0) if largest else piece.mean(axis=0) for piece in pieces])
    defined = np.isfinite(found)
    total, weights = (weight * np.where(defined, found, 0.0)).sum(axis=0), (weight * defined).sum(axis=0)
    return np.divide(total, weights, out=np.full(len(total), np.nan), where=weights > 0)


def _group_sums(values: FloatArray) -> FloatArray:
    whole = values.shape[1] // GROUPS * GROUPS
    found = values[:, :whole].reshape(len(values), -1, GROUPS).sum(axis=1)
    found[:, : values.shape[1] - whole] += values[:, whole:]
    return np.asarray(found)
