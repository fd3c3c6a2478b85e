"""Upper bounds on P(gain reached) over all ways to append candidates whose effort stays within a budget.

As in :mod:`list_bounds`, exposures y = sum of log(1/(1 - p)) add up over a list. Functions of them that lie above
P(gain reached) and have a concave logarithm lie below their tangents; a tangent is largest at the candidates with the
largest weight for their effort, the last one in part (the knapsack in fractions). Of these bounds the least counts:

* Mean: P(gain >= G) is at most the expected gain over G, each gain counted up to G. This is linear already.
* Number: the gain takes at least so many targets, and log P(F >= r) is concave.
* Exponential: for every theta > 0, P(gain >= G) is at most E[exp(theta gain)]/exp(theta G), a product over targets of
  1 + seen (exp(theta g) - 1), whose logarithms are concave in y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray
from berrypick.kernels.list_bounds import ROUNDING, exposure_caps, log_reached

#: Parts into which the effort ahead is divided where efforts differ, and most ranks where they do not.
PARTS = 24
MOST_LEVELS = 40
#: Budgets from which tangents are sought, and steps from each.
POINTS = 5
STEPS = 5
#: theta x the gain that is needed, for the exponential bound.
THETAS = np.geomspace(0.25, 64.0, 17)


@dataclass(frozen=True)
class Budgets:
    """Parts of the effort ahead. In part m, from edges[m] to edges[m + 1], a list holds sets of effort up to most[m];
    ``single`` says where these hold one candidate at most."""

    edges: FloatArray
    most: FloatArray
    single: BoolArray

    @classmethod
    def for_efforts(cls, effort: FloatArray, horizon: float) -> Budgets:
        least = float(effort.min())
        if float(effort.max()) == least:
            ranks = int(np.clip(np.ceil(horizon / least - 1e-9), 1, MOST_LEVELS))
            edges = np.arange(ranks + 1) * least
            return cls(edges, edges[:-1], np.arange(ranks) <= 1)
        last = max(horizon, 2 * least)
        edges = np.concatenate([[0.0], np.linspace(least, last, PARTS)])
        whole = bool((effort == np.round(effort)).all())
        # sums of whole numbers are whole, and those in a part lie below its end
        most = np.ceil(edges[1:]) - 1.0 if whole else edges[1:].copy()
        most[0] = 0.0
        two = float(np.sort(effort)[:2].sum()) if len(effort) > 1 else np.inf
        return cls(edges, most, most < two)


@dataclass(frozen=True)
class BudgetBounds:
    """For each part: for any candidates within the budget, and given that one of them is candidate i
    (candidates x parts)."""

    best: FloatArray
    given: FloatArray


#: At exposures: the logarithm of a function above P(gain reached), and its gradient.
Concave = Callable[[FloatArray], tuple[float, FloatArray]]


def budget_bounds(
    rows: FloatArray, effort: FloatArray, unseen: FloatArray, gains: FloatArray, wanted: float, budgets: Budgets
) -> BudgetBounds:
    """``rows``: the candidates that may be appended; ``unseen``: of each target, before them."""
    is_open = unseen > 0
    need = wanted - float(gains[~is_open].sum())
    parts = len(budgets.most)
    if need <= 0:
        return BudgetBounds(np.ones(parts), np.ones((len(rows), parts)))
    rows, unseen, gains = rows[:, is_open], unseen[is_open], np.minimum(gains[is_open], need)
    if float(gains.sum()) < need * (1 - ROUNDING):
        return BudgetBounds(np.zeros(parts), np.zeros((len(rows), parts)))
    knapsack = _Knapsack(effort, budgets)
    weight = rows @ (gains * unseen)
    best, given = (found / need for found in knapsack.bounds(weight, float(gains @ (1.0 - unseen))))
    number = int(np.searchsorted(np.cumsum(-np.sort(-gains)), need * (1 - ROUNDING))) + 1
    functions: list[Callable[[FloatArray], Concave]] = [lambda y: lambda at: log_reached(at, number)]
    if float(gains.max()) > float(gains.min()):
        functions.append(lambda y: _exponential(y, gains, need))
    with np.errstate(divide="ignore"):
        exposure = -np.log1p(-rows)
    for function in functions:
        for logs in _tangents(exposure, unseen, function, knapsack, budgets):
            with np.errstate(over="ignore"):
                best, given = np.minimum(best, np.exp(logs[0])), np.minimum(given, np.exp(logs[1]))
    return BudgetBounds(np.minimum(best * (1 + ROUNDING), 1.0), np.minimum(given * (1 + ROUNDING), 1.0))


class _Knapsack:
    """The largest sum of weights within each budget, the last candidate in part."""

    def __init__(self, effort: FloatArray, budgets: Budgets) -> None:
        self.effort, self.most = effort, budgets.most
        self.left = budgets.most[None, :] - effort[:, None]

    def bounds(self, weight: FloatArray, constant: float) -> tuple[FloatArray, FloatArray]:
        """For any candidates, and with candidate i; where i alone is beyond the budget, nothing is said."""
        order = np.argsort(-weight / self.effort, kind="stable")
        spent = np.concatenate([[0.0], np.cumsum(self.effort[order])])
        sums = np.concatenate([[0.0], np.cumsum(weight[order])])
        best = constant + np.interp(self.most, spent, sums)
        given = constant + weight[:, None] + np.interp(self.left, spent, sums)
        return best, np.where(self.left >= 0, np.minimum(given, best[None, :]), np.inf)

    def filled(self, weight: FloatArray, budget: float) -> FloatArray:
        """How much of each candidate the best sum within a budget takes."""
        order = np.argsort(-weight / self.effort, kind="stable")
        before = np.concatenate([[0.0], np.cumsum(self.effort[order])[:-1]])
        found = np.empty(len(order))
        found[order] = np.clip((budget - before) / self.effort[order], 0.0, 1.0)
        return found


def _tangents(
    exposure: FloatArray,
    unseen: FloatArray,
    function: Callable[[FloatArray], Concave],
    knapsack: _Knapsack,
    budgets: Budgets,
) -> list[tuple[FloatArray, FloatArray]]:
    """Logarithms of bounds, from tangents at points that Frank-Wolfe steps find for some of the budgets."""
    found = []
    before = -np.log(unseen)
    several = budgets.most[~budgets.single]
    chosen = several[np.unique(np.linspace(0, len(several) - 1, POINTS).round().astype(int))] if len(several) else []
    for budget in chosen:
        first = np.minimum(exposure, 1.0)
        taken = knapsack.filled(first.sum(axis=1), float(budget))
        y = before + 0.5 * (taken @ first) + 0.05
        for step in range(STEPS):
            value, slope = function(y)(y)
            if not np.isfinite(value):
                break
            capped = np.minimum(exposure, np.maximum(exposure_caps(y, slope) - before, 0.0))
            weight = capped @ slope
            found.append(knapsack.bounds(weight, value - float(slope @ (y - before))))
            y = y + (before + knapsack.filled(weight, float(budget)) @ capped - y) * (2.0 / (step + 4.0))
    return found


def _exponential(y: FloatArray, gains: FloatArray, need: float) -> Concave:
    """The exponential bound with the theta that is best at y."""
    grown = np.expm1(np.minimum(THETAS[:, None] * gains / need, 700.0))
    values = np.log1p(-np.expm1(-y) * grown).sum(axis=1) - THETAS
    best = grown[int(np.argmin(values))]
    value = float(values.min())

    def at(y: FloatArray) -> tuple[float, FloatArray]:
        return value, np.exp(-y) * best / (1.0 - np.expm1(-y) * best)

    return at
