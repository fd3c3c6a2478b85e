"""Upper bounds on P(F >= r) over all ways to append j candidates to a list.

A target x that has been exposed to candidates with the reaches p_1, p_2, ... is unseen with the probability exp(-y),
y = sum of -log(1 - p_i). This exposure y[x] is a plain sum over the candidates of a list, and log P(F >= r) is a concave
function of the vector y. (With Poisson variables of means y, P(F >= r) is exp(-sum y) times the sum of y^n/n! over
all n with at least r positive entries. These n form an M-convex set once padded to a common sum, so their generating
polynomials are Lorentzian, hence log-concave: Brändén and Huh 2020.) Two bounds follow, and the smaller one counts:

* Split. Let a of the targets be surely seen. A symmetric concave function of a vector with a given sum is largest where
  all entries are equal, so the rest is no better than a binomial law with the mean exposure; nor, where r - a exceeds
  the mean number seen by 1 or more, than one with the mean number (Hoeffding 1956, theorem 4). The maximum over the
  number of sure candidates among the j is taken.
* Tangent. At any point y0 the tangent plane of log P(F >= r) lies above it, and is largest at the j candidates with the
  largest weights, its gradient times their exposures. A sure candidate counts as much exposure as makes up for all
  that its target can add, which is -log(seen at y0). The point is moved by Frank-Wolfe steps to where the bound is low.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native

#: Frank-Wolfe steps towards the best tangent.
STEPS = 8
#: What rounding may add to a bound, relative to it.
ROUNDING = 1e-12


@dataclass(frozen=True)
class LevelBounds:
    """For j = 1..J further candidates: bounds on P(F >= r), for any of them and given that one of them is candidate i.

    ``given`` is J x candidates.
    """

    best: FloatArray
    given: FloatArray


def level_bounds(rows: FloatArray, unseen: FloatArray, r: int, levels: int, steps: int = STEPS) -> LevelBounds:
    """``rows``: the candidates that may be appended; ``unseen``: of each target, before them."""
    compiled = native()
    if compiled is None:
        return plain_level_bounds(rows, unseen, r, levels, steps)
    best, given = np.empty(levels), np.empty((levels, len(rows)))
    compiled.level_bounds(np.ascontiguousarray(rows), np.ascontiguousarray(unseen), r, steps, best, given)
    return LevelBounds(best, given)


def plain_level_bounds(rows: FloatArray, unseen: FloatArray, r: int, levels: int, steps: int = STEPS) -> LevelBounds:
    """The same in NumPy."""
    open_targets = unseen > 0
    need = r - int((~open_targets).sum())
    if need <= 0:
        return LevelBounds(np.ones(levels), np.ones((levels, len(rows))))
    rows, unseen = rows[:, open_targets], unseen[open_targets]
    surely = (rows == 1.0).any(axis=1)
    without, with_sure = split_bounds(rows, surely, unseen, need, levels)
    if surely.any() and not surely.all():
        without = np.minimum(without, tangent_bounds(rows[~surely], unseen, need, levels, steps)[0])
    best, given = tangent_bounds(rows, unseen, need, levels, steps)
    best = np.minimum(np.minimum(np.maximum(without, with_sure), best), 1.0)
    return LevelBounds(best, np.minimum(given, best[:, None]))


# --- split ----------------------------------------------------------------------------------------------------------


def split_bounds(
    rows: FloatArray, surely: BoolArray, unseen: FloatArray, need: int, levels: int
) -> tuple[FloatArray, FloatArray]:
    """Among lists without a sure candidate, and among those with one or more."""
    sure = rows == 1.0
    exposure = np.where(sure, 0.0, -np.log1p(-np.where(sure, 0.0, rows))).sum(axis=1)
    mean = np.where(sure, 0.0, rows) @ unseen
    covered = _largest_sums(sure.sum(axis=1)[surely].astype(np.float64))
    exposed = _largest_sums(exposure[surely]), _largest_sums(exposure[~surely])
    seen = _largest_sums(mean[surely]), _largest_sums(mean[~surely])
    exposed_before = _smallest_sums(-np.log(unseen))
    seen_before = _smallest_sums(1.0 - unseen)
    targets = len(unseen)
    best = np.zeros((2, levels))
    for j in range(1, levels + 1):
        for m in range(min(j, len(covered) - 1) + 1):
            others = min(j - m, len(exposed[1]) - 1)
            certain = min(int(covered[m]), targets)
            if need - certain <= 0:
                best[1, j - 1] = 1.0
                break
            y = exposed_before[-1] - exposed_before[certain] + exposed[0][m] + exposed[1][others]
            mean_seen = seen_before[-1] - seen_before[certain] + seen[0][m] + seen[1][others]
            bound = split_bound(targets - certain, need - certain, float(y), float(mean_seen))
            best[min(m, 1), j - 1] = max(best[min(m, 1), j - 1], bound)
    return best[0], best[1]


def split_bound(targets: int, need: int, exposure: float, mean: float) -> float:
    """P(F >= need) among targets of which none is sure, given bounds on the sums of exposure and of seen."""
    p = -float(np.expm1(-exposure / targets))
    p_mean = min(p, mean / targets)
    if targets * p_mean <= need - 1:
        p = p_mean
    return min(1.0, binomial_tail(targets, p, need) * (1 + ROUNDING))


def binomial_tail(n: int, p: float, least: int) -> float:
    """P(Bin(n, p) >= least)."""
    if least <= 0 or p >= 1.0:
        return 1.0 if least <= n else 0.0
    q = 1.0 - p
    return float(sum(c * p**k * q ** (n - k) for k, c in zip(range(n, least - 1, -1), _binomials(n), strict=False)))


@lru_cache(maxsize=None)
def _binomials(n: int) -> tuple[float, ...]:
    return tuple(float(comb(n, k)) for k in range(n, -1, -1))


def _largest_sums(values: FloatArray) -> FloatArray:
    """The sum of the m largest, m = 0, 1, ..."""
    return np.concatenate([[0.0], np.cumsum(-np.sort(-values))])


def _smallest_sums(values: FloatArray) -> FloatArray:
    """The sum of the m smallest, m = 0, 1, ..."""
    return np.concatenate([[0.0], np.cumsum(np.sort(values))])


# --- tangent --------------------------------------------------------------------------------------------------------


def tangent_bounds(
    rows: FloatArray, unseen: FloatArray, need: int, levels: int, steps: int
) -> tuple[FloatArray, FloatArray]:
    with np.errstate(divide="ignore"):
        exposure = -np.log1p(-rows)
    before = -np.log(unseen)
    best = np.full(levels, np.inf)
    given = np.full((levels, len(rows)), np.inf)
    for j in range(1, levels + 1):
        size = min(j, len(rows))
        first = np.minimum(exposure, 1.0)
        y = before + 0.5 * first[largest(first.sum(axis=1), size)].sum(axis=0) + 0.05
        for step in range(steps):
            value, slope = log_reached(y, need)
            if not np.isfinite(value):  # too small a number: this point gives no bound
                break
            seen = -np.expm1(-y)
            cap = np.minimum(y - np.log(seen) / np.maximum(slope, 1e-300), 1e6) - before
            capped = np.minimum(exposure, cap)
            weight = capped @ slope
            top = largest(weight, size)
            constant = value - slope @ (y - before)
            total = constant + weight[top].sum()
            if total < best[j - 1]:
                best[j - 1] = total
                least = weight[top].min()
                given[j - 1] = total + np.minimum(weight - least, 0.0)
            y = y + (before + capped[top].sum(axis=0) - y) * (2.0 / (step + 4.0))
    with np.errstate(over="ignore"):
        return np.exp(best) * (1 + ROUNDING), np.exp(given) * (1 + ROUNDING)


def largest(values: FloatArray, count: int) -> IntArray:
    """The places of the largest values, the first of equals."""
    return np.argsort(-values, kind="stable")[:count]


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
