"""Bounds from tangents of concave functions of exposures, within budgets of effort.

A target x that has been exposed to candidates with the reaches p_1, p_2, ... is unseen with the probability 1/exp(y),
y = sum of log(1/(1 - p_i)). This exposure y[x] is a plain sum over the candidates of a list. A function of the vector y
that lies above a probability and has a concave logarithm lies below its tangents: at any point y0 the tangent plane is
largest at the candidates with the largest weight for their effort, its gradient times their exposures, the last one in
part (the knapsack in fractions). A sure candidate would count without end; but P(F >= r) with target x surely seen is
at most that with any exposure m divided by 1 - 1/exp(m), so that it counts m and the logarithm of this divisor, for the
best m. Frank-Wolfe steps move the point to where the bound is low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from berrypick.data.arrays import FloatArray

#: Smaller gradients are taken for this one.
LEAST_SLOPE = 1e-30
#: What rounding may add to a bound, relative to it.
ROUNDING = 1e-12
#: Bits of a number that is compared with others where the last digits should not decide.
BITS = 32

#: At exposures: the logarithm of a function, and its gradient.
Concave = Callable[[FloatArray], tuple[float, FloatArray]]


class Knapsack:
    """The largest sum of weights within each budget, the last candidate in part."""

    def __init__(self, effort: FloatArray, most: FloatArray) -> None:
        self.effort, self.most = effort, most
        self.left = most[None, :] - effort[:, None]

    def bounds(self, weight: FloatArray, constant: float) -> tuple[FloatArray, FloatArray]:
        """For any candidates, and with candidate i; where i alone is beyond the budget, nothing is said."""
        order = np.argsort(-weight / self.effort, kind="stable")
        spent = np.concatenate([[0.0], np.cumsum(self.effort[order])])
        sums = np.concatenate([[0.0], np.cumsum(weight[order])])
        best = constant + np.interp(self.most, spent, sums)
        given = constant + weight[:, None] + np.interp(self.left, spent, sums)
        return best, np.where(self.left >= 0, np.minimum(given, best[None, :]), np.inf)

    def filled(self, weight: FloatArray, budget: float) -> FloatArray:
        """How much of each candidate the best sum within a budget takes; the first of those that are worth about the
        same, so that it does not depend on the last digits."""
        order = np.argsort(-coarse(weight / self.effort), kind="stable")
        before = np.concatenate([[0.0], np.cumsum(self.effort[order])[:-1]])
        found = np.empty(len(order))
        found[order] = np.clip((budget - before) / self.effort[order], 0.0, 1.0)
        return found


def tangents(
    exposure: FloatArray, unseen: FloatArray, function: Concave, knapsack: Knapsack, points: Iterable[float], steps: int
) -> tuple[FloatArray, FloatArray]:
    """The least logarithms of bounds, for each budget of the knapsack: for any candidates, and with each (candidates x
    budgets). Points are sought for some budgets."""
    least = np.full(len(knapsack.most), np.inf), np.full(knapsack.left.shape, np.inf)
    before, first = -np.log(unseen), np.minimum(exposure, 1.0)
    for budget in points:
        y = before + 0.5 * (knapsack.filled(first.sum(axis=1), budget) @ first) + 0.05
        for step in range(steps):
            value, slope = function(y)
            if not (np.isfinite(value) and np.isfinite(slope).all()):  # too small a number: this point gives no bound
                break
            capped = np.minimum(exposure, np.maximum(exposure_caps(y, slope) - before, 0.0))
            weight = capped @ slope
            found = knapsack.bounds(weight, value - float(slope @ (y - before)))
            least = np.minimum(least[0], found[0]), np.minimum(least[1], found[1])
            y = y + (before + knapsack.filled(weight, budget) @ capped - y) * (2.0 / (step + 4.0))
    return least


def exposure_caps(y: FloatArray, slope: FloatArray) -> FloatArray:
    """The exposure that stands for a sure target in a tangent at y: slope x (it - y) is the least over m of
    slope x (m - y) + log(1/(1 - 1/exp(m))), which is at m = log(1 + 1/slope)."""
    slope = np.maximum(slope, LEAST_SLOPE)
    return np.asarray(np.log1p(1.0 / slope) + np.log1p(slope) / slope)


def coarse(values: FloatArray) -> FloatArray:
    """Rounded up to 32 bits; what is above such a number by no more than rounding does becomes that number."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.ceil(mantissa * 2.0**BITS - 2.0**-12), exponent - BITS)


def log_reached(y: FloatArray, need: int) -> tuple[float, FloatArray]:
    """log P(F >= need) at exposures y, and its gradient: unseen[x] P(F without x = need - 1) / P(F >= need)."""
    seen, unseen = -np.expm1(-y), np.exp(-y)
    n = len(y)
    ahead = np.zeros((n + 1, need + 1))  # P(number seen among the first x = f), f >= need together
    behind = np.zeros((n + 1, need + 1))
    ahead[0, 0] = behind[n, 0] = 1.0
    for x in range(n):
        ahead[x + 1] = _with(ahead[x], seen[x], unseen[x])
    for x in range(n - 1, -1, -1):
        behind[x] = _with(behind[x + 1], seen[x], unseen[x])
    reached = ahead[n, need]
    missing = np.array([ahead[x, :need] @ behind[x + 1, need - 1 :: -1][:need] for x in range(n)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(reached)), unseen * missing / reached


def _with(mass: FloatArray, seen: float, unseen: float) -> FloatArray:
    found = mass * unseen
    found[1:] += mass[:-1] * seen
    found[-1] += mass[-1] * seen
    return found
