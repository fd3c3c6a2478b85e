"""What intervals and tests need of many resamples: order statistics of rows, and sign changes with extreme sums."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.kernels import native
from berrypick.workers.blas_threads import one_blas_thread

_NEAR = 64  # columns whose sums stay in the caches
#: Draws x topics, each 1 or -1.
Signs = npt.NDArray[Any]


def order_statistics(rows: FloatArray, ranks: IntArray) -> FloatArray:
    """rows x ranks: the values of each row at some ranks, 0 the smallest; ranks ascend.

    >>> import numpy as np
    >>> order_statistics(np.array([[3.0, 1.0, 2.0]]), np.array([0, 2]))
    array([[1., 3.]])
    """
    compiled = native()
    if compiled is None:
        found: FloatArray = np.partition(rows, ranks, axis=1)[:, ranks]
        return found
    out = np.empty((len(rows), len(ranks)))
    compiled.order_statistics(np.ascontiguousarray(rows), ranks, out)
    return out


def extreme_sums(values: FloatArray, bounds: IntArray, least: FloatArray) -> IntArray:
    """How many of the 2^n sign changes of some values have a sum of at least ``least``, for several sets of values.

    The values of set i are those from ``bounds[i]`` to ``bounds[i + 1]``. They are split in two halves: the sums of one
    half are looked up among the sorted sums of the other.

    >>> import numpy as np
    >>> extreme_sums(np.array([0.1, 0.2, 0.4]), np.array([0, 3]), np.array([0.4]))
    array([2])
    """
    compiled = native()
    out = np.empty(len(least), dtype=np.int64)
    if compiled is None or not np.isfinite(np.abs(values).sum()):
        for i, (start, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            out[i] = _extreme_sums(values[start:end], least[i])
        return out
    compiled.extreme_sums(values, bounds, least, out)
    return out


def _extreme_sums(values: FloatArray, least: float) -> int:
    half = len(values) // 2
    some, others = np.sort(_signed_sums(values[:half])), np.sort(_signed_sums(values[half:]))
    return int((len(others) - np.searchsorted(others, least - some, "left")).sum())


def _signed_sums(values: FloatArray) -> FloatArray:
    """The 2^n sums of the values with all signs."""
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums - value, sums + value])
    return sums


@one_blas_thread()
def extreme_sign_changes(differences: FloatArray, signs: Signs, least: FloatArray) -> IntArray:
    """How many sign changes give a sum at least as far from 0 as ``least``, for each column of differences.

    ``signs`` is draws x topics, each 1 or -1. Sums may be rounded otherwise by the compiled form, so ``least`` should
    lie below any sum that is to count.

    >>> import numpy as np
    >>> extreme_sign_changes(np.array([[0.1], [0.2]]), np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([0.29]))
    array([1])
    """
    compiled = native()
    out = np.empty(len(least), dtype=np.int64)
    if compiled is not None:
        compiled.extreme_sign_changes(np.ascontiguousarray(differences.T), np.packbits(signs > 0, axis=1), least, out)
        return out
    changes = signs.T.astype(np.float64, copy=False)
    for first in range(0, len(least), _NEAR):
        some = slice(first, first + _NEAR)
        sums = differences[:, some].T @ changes
        np.abs(sums, out=sums)
        out[some] = [np.count_nonzero(row) for row in sums >= least[some, None]]
    return out


class PairedColumns(NamedTuple):
    """Values of topics x runs, and the two runs of each column of differences."""

    values: FloatArray
    one: IntArray
    other: IntArray

    def chosen(self, columns: IntArray) -> PairedColumns:
        """Return the same for some columns of differences."""
        return PairedColumns(self.values, self.one[columns], self.other[columns])


def extreme_pair_changes(differences: FloatArray, signs: Signs, least: FloatArray, pairs: PairedColumns) -> IntArray:
    """Count what :func:`extreme_sign_changes` counts, for differences of runs, of which there are fewer than pairs.

    The sum of a difference is the difference of two sums, rounded otherwise. A pair with a sum so near to ``least``
    that rounding could decide is counted by its own sums.

    >>> import numpy as np
    >>> runs = np.array([[0.3, 0.2], [0.9, 0.7]])
    >>> pairs = PairedColumns(runs, np.array([0]), np.array([1]))
    >>> extreme_pair_changes(np.array([[0.1], [0.2]]), np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([0.29]), pairs)
    array([1])
    """
    compiled, values = native(), pairs.values
    if compiled is None or not np.isfinite(values).all():
        return extreme_sign_changes(differences, signs, least)
    size = np.abs(values).sum(axis=0)
    apart = np.abs(values[:, pairs.one] - values[:, pairs.other] - differences).sum(axis=0)  # ties became 0
    rounding = 2 * (len(values) + 8) * np.finfo(np.float64).eps
    margin = apart + rounding * (size[pairs.one] + size[pairs.other])
    sure, maybe = np.empty(len(least), dtype=np.int64), np.empty(len(least), dtype=np.int64)
    packed, columns = np.packbits(signs > 0, axis=1), np.ascontiguousarray(values.T)
    ends = least + margin, least - margin
    compiled.extreme_pairs(columns, packed, *map(np.ascontiguousarray, pairs[1:]), *ends, sure, maybe)
    if len(open_ := np.flatnonzero(sure != maybe)):
        sure[open_] = extreme_sign_changes(differences[:, open_], signs, least[open_])
    return sure
