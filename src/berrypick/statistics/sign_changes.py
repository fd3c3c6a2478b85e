"""The p-value of the randomisation test between two bounds, as close as a small level of significance needs.

A sample of N sign changes gives no p-value below 1/(N + 1), and one near the level only by chance. This module rounds
differences to whole numbers of a small unit; then the distribution of their sum under all sign changes follows by
adding one difference after the other. Rounding moves the sum of one sign change by the sum of +-e_i, with e_i the
rounding errors, which is beyond c sqrt(sum e_i^2) with a probability of at most 2 / exp(c^2 / 2) (Hoeffding). So

    P(rounded sum >= s + c E) - t  <=  P(sum >= s)  <=  P(rounded sum >= s - c E) + t,   E = sqrt(sum e_i^2)

Where all differences have the same size, as those of hits have, nothing is rounded and both bounds are the p-value.
"""

from __future__ import annotations

import math

import numpy as np

from berrypick.data.arrays import FloatArray

#: So many deviations of the rounding are allowed for, and the probability of more.
_DEVIATIONS = 9.0
_BEYOND = 2 * math.exp(-(_DEVIATIONS**2) / 2)
#: Differences whose sizes differ by less than this share are of one size; sums nearer than this are ties.
_SAME = 1e-9


def randomisation_bounds(differences: FloatArray, cells: int) -> tuple[float, float]:
    """Return bounds of the two-sided p-value of the paired randomisation test; more cells bring them closer.

    Parameters
    ----------
    differences : array
        A difference for each topic, or the sum of them for each cluster.
    cells : int
        How many units the sum of all sizes is divided into.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = randomisation_bounds(np.ones(40), 1 << 14)
    >>> low == high == 2.0 ** -39
    True
    """
    sizes = np.abs(differences[differences != 0])
    sum_seen = abs(math.fsum(differences.tolist()))
    if not len(sizes) or sum_seen <= _SAME * sizes.sum():
        return 1.0, 1.0
    one_size = bool(sizes.max() - sizes.min() <= _SAME * sizes.max())
    unit = float(sizes.mean()) if one_size else float(sizes.sum()) / cells
    rounded = np.rint(sizes / unit).astype(np.int64)
    errors = np.zeros(len(sizes)) if one_size else sizes / unit - rounded
    slack = _DEVIATIONS * math.sqrt(float((errors**2).sum()))
    beyond = _BEYOND if slack else 0.0
    tails = _tails(np.sort(rounded))
    total = int(rounded.sum())
    low, high = (_tail(tails, total, sum_seen / unit + side * slack - _SAME * total) for side in (1.0, -1.0))
    least = 2.0 ** (1 - len(sizes))  # what was seen, and its mirror image
    return min(1.0, max(least, 2 * (low - beyond))), min(1.0, max(least, 2 * (high + beyond)))


def _tails(sizes: np.ndarray) -> FloatArray:
    """For x from 0: the probability that the sum of the sizes with a positive sign is at least x."""
    law = np.ones(1)
    for size in sizes.tolist():
        grown = np.zeros(len(law) + size)
        grown[: len(law)] = law
        grown[size:] += law
        grown *= 0.5
        grown[grown < 1e-290] = 0.0  # numbers below the smallest normal one take a hundred times as long
        law = grown
    return np.cumsum(law[::-1])[::-1]


def _tail(tails: FloatArray, total: int, least: float) -> float:
    """The probability that the sum over signs is at least this: positive ones minus negative ones."""
    place = max(0, math.ceil((least + total) / 2))
    return float(tails[place]) if place < len(tails) else 0.0
