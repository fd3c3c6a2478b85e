"""Upper bounds on P(gain reached) over all ways to append candidates whose effort stays within a budget.

Tangents of concave functions bound it from above (:mod:`tangents`), the least of these counts:

* Mean: P(gain >= G) is at most E[min(gain, G)]/G. This expectation is submodular over sets of candidates: together they
  add no more than the sum of what each adds alone.
* Number: the gain takes at least so many targets, and at least so many of the dearest; log P(F >= r) is concave.
* Exponential: for every theta > 0, P(gain >= G) is at most E[exp(theta gain)]/exp(theta G), a product over targets of
  1 + seen (exp(theta g) - 1), whose logarithms are concave in y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.ideal.list_bounds import level_bounds
from berrypick.ideal.tangents import ROUNDING, Concave, Knapsack, log_reached, tangents

#: Parts into which the effort ahead is divided where efforts differ, and most ranks where they do not.
PARTS = 32
MOST_LEVELS = 40
#: Budgets from which tangents are sought, and steps from each.
POINTS = 5
STEPS = 5
#: How often the dearest targets are counted by themselves.
MOST_CLASSES = 3
#: theta x the gain that is needed, for the exponential bound.
THETAS = 2.0 ** np.arange(-2, 6.5, 0.5)


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
            edges: FloatArray = np.arange(ranks + 1, dtype=np.float64) * least
            return cls(edges, edges[:-1], np.arange(ranks) <= 1)
        far = max(horizon, 2 * least)
        edges = np.concatenate([[0.0], least * (far / least) ** (np.arange(PARTS - 1) / (PARTS - 1)), [far]])
        whole = bool((effort == np.round(effort)).all())
        if whole:
            edges = np.unique(np.ceil(edges * (1 - 1e-12)))
        # sums of whole numbers are whole, and those in a part lie below its end
        most = edges[1:] - 1.0 if whole else edges[1:].copy()
        most[0] = 0.0
        two = float(np.sort(effort)[:2].sum()) if len(effort) > 1 else np.inf
        return cls(edges, most, most < two)

    def points(self) -> FloatArray:
        """Some of the budgets that hold several candidates."""
        several = self.most[~self.single]
        return (
            several[np.unique(np.linspace(0, len(several) - 1, POINTS).round().astype(int))]
            if len(several)
            else several
        )


@dataclass(frozen=True)
class BudgetBounds:
    """For each part: for any candidates within the budget, and given that one of them is candidate i
    (candidates x parts)."""

    best: FloatArray
    given: FloatArray


def budget_bounds(
    rows: FloatArray,
    effort: FloatArray,
    unseen: FloatArray,
    gains: FloatArray,
    wanted: float,
    budgets: Budgets,
    expected: tuple[float, FloatArray],
) -> BudgetBounds:
    """``rows``: the candidates that may be appended; ``unseen``: of each target, before them; ``expected``:
    E[min(gain, wanted)] before them, and what each candidate alone adds to it."""
    is_open = unseen > 0
    need = wanted - float(gains[~is_open].sum())
    parts = len(budgets.most)
    if need <= 0:
        return BudgetBounds(np.ones(parts), np.ones((len(rows), parts)))
    rows, unseen, gains = rows[:, is_open], unseen[is_open], np.minimum(gains[is_open], need)
    if float(gains.sum()) < need * (1 - ROUNDING):
        return BudgetBounds(np.zeros(parts), np.zeros((len(rows), parts)))
    knapsack = Knapsack(effort, budgets.most)
    sure = wanted - need
    best, given = (found / need for found in knapsack.bounds(expected[1], expected[0] - sure))
    with np.errstate(divide="ignore"):
        exposure = -np.log1p(-rows)
    best_log, given_log = np.full(best.shape, np.inf), np.full(given.shape, np.inf)
    for targets, function in _functions(gains, need):
        logs = tangents(exposure[:, targets], unseen[targets], function, knapsack, budgets.points(), STEPS)
        best_log, given_log = np.minimum(best_log, logs[0]), np.minimum(given_log, logs[1])
    with np.errstate(over="ignore"):
        best, given = np.minimum(best, np.exp(best_log)), np.minimum(given, np.exp(given_log))
    return BudgetBounds(np.minimum(best * (1 + ROUNDING), 1.0), np.minimum(given * (1 + ROUNDING), 1.0))


def kinds_table(
    rows: FloatArray, unseen: FloatArray, gains: FloatArray, wanted: float, kinds: tuple[int, int]
) -> FloatArray:
    """Bounds for h candidates that are not sure and m that are, from 0 on both; -1 where there are not so many.

    The m sure ones have at most the dearest targets, as many as they can show. The rest of the gain is bounded by its
    mean, over the best targets that are not sure, and the number of targets as in :mod:`list_bounds`.
    """
    is_open = unseen > 0
    need = wanted - float(gains[~is_open].sum())
    if need <= 0:
        return np.ones(kinds)
    rows, unseen, gains = rows[:, is_open], unseen[is_open], gains[is_open]
    dearest = np.append(0.0, np.cumsum(-np.sort(-gains)))
    number = int(np.searchsorted(dearest, need * (1 - ROUNDING)))
    if number > len(gains):
        return np.zeros(kinds)
    table = level_bounds(rows, unseen, number, 1, 0, kinds).table
    sure = rows == 1.0
    surely = sure.any(axis=1)
    unsure = np.where(sure, 0.0, rows) * unseen
    covered = np.append(0.0, np.cumsum(-np.sort(-sure.sum(axis=1)[surely])))
    for m in range(min(kinds[1], len(covered))):
        certain = min(int(covered[m]), len(gains))
        rest = need - float(dearest[certain])
        if rest <= need * ROUNDING:
            continue
        capped, q = np.minimum(gains, rest), len(gains) - certain
        worth = (-np.sort(-unsure * capped, axis=1))[:, :q].sum(axis=1)
        before = float(np.sort(capped * (1.0 - unseen))[len(gains) - q :].sum())
        have = before + float(-np.sort(-worth[surely])[:m].sum())
        sums = np.append(0.0, np.cumsum(-np.sort(-worth[~surely])))[: kinds[0]]
        share = np.minimum((have + sums) / rest * (1 + ROUNDING), 1.0)
        table[: len(sums), m] = np.where(table[: len(sums), m] >= 0, np.minimum(table[: len(sums), m], share), -1.0)
    return table


def _functions(gains: FloatArray, need: float) -> list[tuple[IntArray, Concave]]:
    """Concave functions, each of the exposures of some targets."""
    order = np.argsort(-gains, kind="stable")
    ends = np.flatnonzero(np.diff(gains[order]) < 0) + 1  # where the dearest end and cheaper ones begin
    found: list[tuple[IntArray, Concave]] = []
    for end in [len(gains), *ends.tolist()[::-1][:MOST_CLASSES]]:
        rest = need * (1 - ROUNDING) - float(gains[order[end:]].sum())
        number = int(np.searchsorted(np.cumsum(gains[order[:end]]), rest)) + 1
        if rest > 0 and number <= end:
            found.append((order[:end], partial(log_reached, need=number)))
    if len(ends):
        found.append((np.arange(len(gains)), partial(_exponential, gains=gains, need=need)))
    return found


def _exponential(y: FloatArray, gains: FloatArray, need: float) -> tuple[float, FloatArray]:
    """The exponential bound with the theta that is best at y."""
    grown = np.expm1(np.minimum(THETAS[:, None] * gains / need, 700.0))
    values = np.log1p(-np.expm1(-y) * grown).sum(axis=1) - THETAS
    best = grown[int(np.argmin(values))]
    return float(values.min()), np.exp(-y) * best / (1.0 - np.expm1(-y) * best)
