"""Upper bounds on P(F >= r) over all ways to append j candidates to a list.

log P(F >= r) is a concave function of the exposures y of the targets (:mod:`tangents`), which are plain sums over the
candidates of a list. (With Poisson variables of means y, P(F >= r) is exp(-sum y) times the sum of y^n/n!
over all n with at least r positive entries. These n form an M-convex set once padded to a common sum, so their
generating polynomials are Lorentzian, hence log-concave: Brändén and Huh 2020.) Two bounds follow, the smaller counts:

* Split. Let a of the targets be surely seen. Each other candidate exposes the rest no more than its best t - a targets.
  A symmetric concave function of a vector with a given sum is largest where all entries are equal, so the rest is no
  better than a binomial law with the mean exposure; nor, where r - a exceeds the mean number seen by 1 or more, than
  one with the mean number (Hoeffding 1956, theorem 4). The maximum over the number of sure candidates is taken.
* Tangent, of log P(F >= r), within a budget of j candidates (:mod:`tangents`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.ideal.tangents import ROUNDING, Knapsack, log_reached, tangents

#: Candidates that are not sure beyond the number needed, up to which the ways to a list that suffices are told apart.
MORE_LEVELS = 8
#: The largest number of targets for which they are.
MOST_PATHS = 60
#: Frank-Wolfe steps towards the best tangent.
STEPS = 8
#: Levels at which the split bound is also taken for each candidate.
SPLIT_GIVEN = 4
#: Targets above which binomial coefficients do not fit a double.
MOST_SPLIT = 1000


@dataclass(frozen=True)
class LevelBounds:
    """For j = 1..J further candidates: bounds on P(F >= r), for any of them and given that one of them is candidate i.

    ``given`` is J x candidates. ``table`` has the bounds for h candidates that are not sure and m that are, from 0 on
    both; -1 where there are not so many.
    """

    best: FloatArray
    given: FloatArray
    table: FloatArray


def level_bounds(
    rows: FloatArray, unseen: FloatArray, r: int, levels: int, steps: int = STEPS, kinds: tuple[int, int] = (0, 0)
) -> LevelBounds:
    """``rows``: the candidates that may be appended; ``unseen``: of each target, before them; ``kinds``: the shape of
    the table."""
    open_targets = unseen > 0
    need = r - int((~open_targets).sum())
    if need <= 0:
        return LevelBounds(np.ones(levels), np.ones((levels, len(rows))), np.ones(kinds))
    rows, unseen = rows[:, open_targets], unseen[open_targets]
    split = Split(rows, unseen, need)
    without, with_sure = split.bounds(levels)
    if split.surely.any() and not split.surely.all():
        without = np.minimum(without, tangent_bounds(rows[~split.surely], unseen, need, levels, steps)[0])
    table = split.table(kinds)
    if kinds[1]:
        few = table[1 : levels + 1, 0]
        few[:] = np.where(few >= 0, np.minimum(few, without[: len(few)]), few)
    best, given = tangent_bounds(rows, unseen, need, levels, steps)
    best = np.minimum(np.minimum(np.maximum(without, with_sure), best), 1.0)
    given = np.minimum(given, best[:, None])
    for j in range(2, min(levels, SPLIT_GIVEN) + 1):
        given[j - 1] = np.minimum(given[j - 1], split.given(j))
    return LevelBounds(best, given, table)


# --- split ----------------------------------------------------------------------------------------------------------


class Split:
    """Sums over the largest of everything that the split bounds look at."""

    def __init__(self, rows: FloatArray, unseen: FloatArray, need: int) -> None:
        sure = rows == 1.0
        self.need, self.targets = need, len(unseen)
        self.surely = sure.any(axis=1)
        self.sure = sure.sum(axis=1)
        unsure = np.where(sure, 0.0, rows)
        # of each candidate the sum over its q best targets: what it can add where q are not sure
        self.exposure = _row_sums(-np.log1p(-unsure))
        self.mean = _row_sums(unsure * unseen)
        groups = self.surely, ~self.surely
        self.covered = _largest_sums(self.sure[self.surely].astype(np.float64)[:, None])[0]
        self.exposed = [_largest_sums(self.exposure[group]) for group in groups]
        self.seen = [_largest_sums(self.mean[group]) for group in groups]
        self.exposed_before = _smallest_sums(-np.log(unseen))
        self.seen_before = _smallest_sums(1.0 - unseen)

    def bounds(self, levels: int) -> tuple[FloatArray, FloatArray]:
        """Among lists without a sure candidate, and among those with one or more."""
        best = np.zeros((2, levels))
        nothing = np.zeros((1, self.targets + 1))
        for j in range(1, levels + 1):
            for m in range(min(j, len(self.covered) - 1) + 1):
                bound = float(self._bound(j - m, m, 0, nothing, nothing)[0])
                best[min(m, 1), j - 1] = max(best[min(m, 1), j - 1], bound)
        return best[0], best[1]

    def table(self, kinds: tuple[int, int]) -> FloatArray:
        """Among lists of h candidates that are not sure and m that are."""
        found = np.full(kinds, -1.0)
        nothing = np.zeros((1, self.targets + 1))
        for h in range(min(kinds[0], self.exposed[1].shape[1])):
            for m in range(min(kinds[1], len(self.covered))):
                found[h, m] = self._bound(h, m, 0, nothing, nothing)[0]
        return found

    def given(self, j: int) -> FloatArray:
        """Among lists of j with a given candidate, for each."""
        found = np.zeros(len(self.sure))
        for sure in np.unique(self.sure).tolist():
            rows = self.sure == sure
            for m in range(min(j - 1, len(self.covered) - 1) + 1):
                bound = self._bound(j - 1 - m, m, int(sure), self.exposure[rows], self.mean[rows])
                found[rows] = np.maximum(found[rows], bound)
        return found

    def _bound(self, others: int, m: int, sure: int, exposure: FloatArray, mean: FloatArray) -> FloatArray:
        """With the largest sums of m sure candidates and some others, and one more candidate."""
        others = min(others, self.exposed[1].shape[1] - 1)
        certain = min(int(self.covered[m]) + sure, self.targets)
        need, targets = self.need - certain, self.targets - certain
        if need <= 0 or targets > MOST_SPLIT:
            return np.ones(len(exposure))
        before = self.exposed_before[-1] - self.exposed_before[certain]
        exposed = self.exposed[0][targets, m] + self.exposed[1][targets, others] + exposure[:, targets]
        p = -np.expm1(-(before + exposed) / targets)
        seen = self.seen[0][targets, m] + self.seen[1][targets, others] + mean[:, targets]
        seen = self.seen_before[-1] - self.seen_before[certain] + seen
        by_mean = np.minimum(p, seen / targets)
        p = np.where(targets * by_mean <= need - 1, by_mean, p)
        return np.minimum(1.0, binomial_tail(targets, p, need) * (1 + ROUNDING))


def binomial_tail(n: int, p: FloatArray, least: int) -> FloatArray:
    """P(Bin(n, p) >= least), for each p."""
    q = 1.0 - p
    return np.asarray(sum(_binomials(n)[n - k] * p**k * q ** (n - k) for k in range(n, least - 1, -1)))


@cache
def _binomials(n: int) -> tuple[float, ...]:
    return tuple(float(comb(n, k)) for k in range(n, -1, -1))


def _row_sums(values: FloatArray) -> FloatArray:
    """In each row the sum of the q largest, q = 0, 1, ..."""
    sums: FloatArray = np.cumsum(-np.sort(-values, axis=1), axis=1)
    return np.hstack([np.zeros((len(values), 1)), sums])


def _largest_sums(values: FloatArray) -> FloatArray:
    """Of each column, as a row: the sum of the m largest, m = 0, 1, ..."""
    return _row_sums(values.T)


def _smallest_sums(values: FloatArray) -> FloatArray:
    """The sum of the m smallest, m = 0, 1, ..."""
    return np.concatenate([[0.0], np.cumsum(np.sort(values))])


# --- tangent --------------------------------------------------------------------------------------------------------


def tangent_bounds(
    rows: FloatArray, unseen: FloatArray, need: int, levels: int, steps: int
) -> tuple[FloatArray, FloatArray]:
    best, given = np.empty(levels), np.empty((levels, len(rows)))
    with np.errstate(divide="ignore"):
        exposure = -np.log1p(-rows)
    for j in range(levels):
        knapsack = Knapsack(np.ones(len(rows)), np.array([j + 1.0]))
        logs = tangents(exposure, unseen, lambda y: log_reached(y, need), knapsack, knapsack.most, steps)
        best[j], given[j] = logs[0][0], logs[1][:, 0]
    with np.errstate(over="ignore"):
        return np.exp(best) * (1 + ROUNDING), np.exp(given) * (1 + ROUNDING)


# --- ways -----------------------------------------------------------------------------------------------------------


def best_ways(table: FloatArray, best: FloatArray, rank: int, inverse: bool, most: float) -> tuple[float, float, float]:
    """What all ranks after one can add: in all, after a next candidate that is not sure, and after one that is.

    ``table``: bounds on P(suffices) for numbers of candidates of both kinds, -1 where there are none; ``best``: for
    numbers of any. Both numbers only grow along a list, each rank by one of them. So a list that has seen much without
    sure candidates does not suffice as soon as one of sure candidates.
    """
    if not table.size:
        return np.inf, np.inf, np.inf
    others, sures = table.shape
    ahead = np.full((others + 1, sures + 1), -np.inf)  # what is added from a number of each kind on
    later = ahead.copy()  # the same without the rank itself
    for h in range(others - 1, -1, -1):
        for m in range(sures - 1, -1, -1):
            if table[h, m] >= 0:
                k = rank + h + m
                share = float(min(table[h, m], best[h + m - 1]) if 1 <= h + m <= len(best) else table[h, m])
                beyond = h + 1 == others or m + 1 == sures
                if inverse:  # what is added if the list ends here, or is not looked at any further
                    own, end = share / (max(k, 1) * (k + 1.0)), (most if beyond else share) / (k + 1.0)
                else:
                    own, end = share - 1.0, 0.0 if beyond or share >= 1.0 else -np.inf
                later[h, m] = max(ahead[h + 1, m], ahead[h, m + 1], end)
                ahead[h, m] = own + later[h, m]
    return float(later[0, 0]), float(later[1, 0]), float(later[0, 1])
