"""The law of the cumulated gain: a sum of independent indicators, each weighted by its target's gain.

P(cg >= threshold) is exact as long as the distinct sums of gains are few enough to be listed: gains that are
multiples of one step, or that take few values, keep them few. Where they are too many, gains are rounded down and up
to a grid; the truth lies between the two results, and half their distance is reported as the precision.
"""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.kernels.poisson_binomial import FEW, upper_tails

#: Most distinct sums that are listed, and most products formed, before the grid is used.
MOST_SUMS = 1 << 17
MOST_WORK = 400_000_000


def reached(
    gains: FloatArray, seen: FloatArray, unseen: FloatArray, thresholds: FloatArray
) -> tuple[FloatArray, FloatArray, int]:
    """P(cg >= threshold), events x thresholds; the half-width of its uncertainty; the cells of the grid (0: exact)."""
    events = seen.shape[0]
    certain = ((seen == 0.0) | (unseen == 0.0)).all(axis=0)
    shift = ((unseen == 0.0) & certain) @ gains
    partial = np.flatnonzero(~certain)
    partial = partial[np.argsort(-gains[partial], kind="stable")]
    p, q, g = seen[:, partial], unseen[:, partial], gains[partial]
    total = float(gains.sum())
    steps = _sums(g, total, events)
    if steps is not None:
        sums, mass = _listed(steps, p, q)
        found = _at_least(sums, mass, thresholds[None, :] - shift[:, None])
        return found, np.zeros_like(found), 0
    cells = int(np.clip(MOST_WORK // (2 * events * len(g)), 512, 8192))
    unit = total / cells
    low = _gridded(np.floor(g / unit + 1e-9).astype(np.int64), p, q)
    high = _gridded(np.ceil(g / unit - 1e-9).astype(np.int64), p, q)
    wanted = thresholds[None, :] - shift[:, None]
    lower = _at_least(_grid(low.shape[1], unit), low, wanted)
    upper = _at_least(_grid(high.shape[1], unit), high, wanted)
    return (lower + upper) / 2, (upper - lower) / 2, cells


def normally_reached(
    gains: FloatArray, seen: FloatArray, unseen: FloatArray, thresholds: FloatArray
) -> tuple[FloatArray, FloatArray, int]:
    """:func:`reached` with the normal distribution of the 2007 paper above ten partly seen targets.

    With ``sure`` the gain of surely seen targets, mu and sd those of the gain of partly seen ones, P(cg >= threshold)
    is 1 up to sure, 0 above all that can be seen, and 1 - Phi((threshold - sure - mu)/sd) between, without a
    continuity correction. Less accurate than :func:`reached`.
    """
    from scipy.special import ndtr

    certain = unseen == 0.0
    partly = (seen > 0.0) & ~certain
    many = partly.sum(axis=1) > FEW
    found, doubt, cells = np.zeros((len(seen), len(thresholds))), np.zeros((len(seen), len(thresholds))), 0
    if not many.all():
        found[~many], doubt[~many], cells = reached(gains, seen[~many], unseen[~many], thresholds)
    p = np.where(partly, seen, 0.0)[many]
    sure = (certain[many] @ gains)[:, None]
    most = sure + (partly[many] @ gains)[:, None]
    mean, deviation = (p @ gains)[:, None], np.sqrt((p * unseen[many]) @ gains**2)[:, None]
    between = ndtr((sure + mean - thresholds) / deviation)
    found[many] = np.where(thresholds <= sure, 1.0, np.where(thresholds > most, 0.0, between))
    return found, doubt, cells


def are_equal(gains: FloatArray) -> bool:
    """Whether so many targets are always so much gain."""
    return bool((gains == gains[:1]).all())


def reached_by_count(mass: FloatArray, gains: FloatArray, thresholds: FloatArray) -> FloatArray:
    """P(cg >= threshold) where gains are equal, from the law of the number of targets seen along the last axis."""
    sums = np.arange(len(gains) + 1) * gains[0]
    return upper_tails(mass)[..., np.searchsorted(sums, thresholds)]


def _sums(gains: FloatArray, total: float, events: int) -> list[tuple[FloatArray, IntArray, IntArray]] | None:
    """The distinct sums after each gain, with how the two copies of the sums before fall together; None if too many."""
    steps: list[tuple[FloatArray, IntArray, IntArray]] = []
    sums = np.zeros(1)
    work = 0
    for gain in gains:
        both = np.concatenate([sums, sums + gain])
        order = np.argsort(both, kind="stable")
        ordered = both[order]
        heads = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 1e-12 * total]))
        sums = ordered[heads]
        work += len(both) * events
        if len(sums) > MOST_SUMS or work > MOST_WORK:
            return None
        steps.append((sums, order, heads))
    return steps


def _listed(
    steps: list[tuple[FloatArray, IntArray, IntArray]], p: FloatArray, q: FloatArray
) -> tuple[FloatArray, FloatArray]:
    sums = np.zeros(1)
    mass = np.ones((p.shape[0], 1))
    for target, (sums, order, heads) in enumerate(steps):  # noqa: B007 (the last sums are returned)
        both = np.concatenate([mass * q[:, target, None], mass * p[:, target, None]], axis=1)
        mass = np.add.reduceat(both[:, order], heads, axis=1)
    return sums, mass


def _gridded(steps: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
    mass = np.zeros((p.shape[0], int(steps.sum()) + 1))
    mass[:, 0] = 1.0
    top = 0
    for target, step in enumerate(steps):
        block = mass[:, : top + 1].copy()
        mass[:, : top + 1] *= q[:, target, None]
        mass[:, step : top + 1 + step] += block * p[:, target, None]
        top += int(step)
    return mass


def _grid(cells: int, unit: float) -> FloatArray:
    return np.arange(cells, dtype=np.float64) * (unit * (1 + 1e-12))


def _at_least(sums: FloatArray, mass: FloatArray, wanted: FloatArray) -> FloatArray:
    tails = np.zeros((mass.shape[0], mass.shape[1] + 1))
    tails[:, :-1] = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
    # a cumulated sum of probabilities may end an ulp above 1
    np.minimum(tails, 1.0, out=tails)
    return np.take_along_axis(tails, np.searchsorted(sums, wanted), axis=1)
