"""Kendall's tau and tau_AP between two rankings of the same runs.

**Kendall's tau**, with ties as in tau-b: concordant minus discordant pairs of runs, divided by the geometric mean of
the numbers of pairs that each ranking orders.

**tau_AP** (Yilmaz, Aslam and Robertson 2008) weighs the top: for each run of the second ranking that is not at its top,
the share of the runs above it that the first ranking, the reference, also has above it; the mean of these shares, times
2, minus 1. A run is compared with the runs strictly above its ties (Urbano and Marrero 2017); their symmetric form, the
mean of both directions, is ``tau_ap_b``.

Neither is defined for fewer than two runs, or where one ranking ties them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.statistics import statistics

#: Means that differ by less than this share of the largest are tied: what differs is rounding.
SAME = statistics.SAME


def kendall_tau(one: FloatArray, other: FloatArray) -> FloatArray:
    """tau-b of each row: draws x runs, larger is better; nan where it is undefined.

    >>> import numpy as np
    >>> kendall_tau(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]]))
    array([0.33333333])
    """
    first, second = np.triu_indices(one.shape[1], 1)
    signs = [_signs(values[:, first] - values[:, second], values) for values in (one, other)]
    agree = np.einsum("ij,ij->i", *(side.astype(np.float64) for side in signs))
    ordered = [np.count_nonzero(side, axis=1) for side in signs]
    found = np.full(len(one), np.nan)
    np.divide(agree, np.sqrt(ordered[0] * ordered[1]), out=found, where=(ordered[0] > 0) & (ordered[1] > 0))
    return _without_undefined(found, one, other)


def tau_ap(reference: FloatArray, estimate: FloatArray) -> FloatArray:
    """tau_AP of each row: draws x runs, larger is better; nan where it is undefined.

    The estimate swaps the first two, so the shares are 0 of 1 and 2 of 2.

    >>> import numpy as np
    >>> tau_ap(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]]))
    array([0.])
    """
    above, truly = _above(estimate), _above(reference)
    over = above.sum(axis=2)
    right = (above & truly).sum(axis=2)
    share = np.divide(right, over, out=np.zeros(right.shape), where=over > 0)
    below = np.count_nonzero(over, axis=1)
    found = np.full(len(reference), np.nan)
    np.divide(2 * share.sum(axis=1), below, out=found, where=(below > 0) & truly.any(axis=(1, 2)))
    return _without_undefined(found - 1, reference, estimate)


def _tolerance(values: FloatArray) -> FloatArray:
    largest: FloatArray = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    return SAME * largest


def _signs(differences: FloatArray, values: FloatArray) -> Any:
    tolerance = _tolerance(values)
    return (differences > tolerance).astype(np.int8) - (differences < -tolerance)


def _above(values: FloatArray) -> BoolArray:
    """draws x runs x runs: whether the last is ranked above the one before."""
    above: BoolArray = values[:, None, :] - values[:, :, None] > _tolerance(values)[:, :, None]
    return above


def _without_undefined(found: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    found[np.isnan(one).any(axis=1) | np.isnan(other).any(axis=1)] = np.nan
    return found


def rank_coefficients(one: FloatArray, other: FloatArray) -> list[FloatArray]:
    """tau, tau_AP with the first as the reference, and symmetric tau_AP, of each row."""
    ahead, back = tau_ap(one, other), tau_ap(other, one)
    return [kendall_tau(one, other), ahead, (ahead + back) / 2]


def pair_counts(one: FloatArray, other: FloatArray) -> tuple[int, int, int]:
    """Pairs of runs in the same order, tied in a ranking, in opposite order."""
    first, second = np.triu_indices(one.shape[1], 1)
    signs = [_signs(values[:, first] - values[:, second], values)[0] for values in (one, other)]
    product = signs[0] * signs[1]
    return int((product > 0).sum()), int((product == 0).sum()), int((product < 0).sum())


def why_undefined(one: FloatArray, other: FloatArray) -> str:
    """Why nothing can be computed; empty if it can."""
    if one.shape[1] < 2:
        return f"a ranking needs two runs or more, not {one.shape[1]}"
    for side in (one, other):
        if side.max() - side.min() <= _tolerance(side)[0, 0]:
            return "a ranking ties all runs"
    return ""
