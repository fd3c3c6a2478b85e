"""What reach alone says of the number of targets seen: bounds of P(F >= r) under every joint law (Rueger 1978).

Reach gives the probability q_x of having seen each target, and not what is seen together. With q_(1) <= .. <= q_(t)::

    high  P(F >= r) <= min(1, min_{0 <= m < r} (q_(1) + .. + q_(t-m))/(r - m))
    low   P(F >= r) >= max(0, max_{r <= n <= t} (q_(t) + .. + q_(t-n+1) - (r - 1))/(n - (r - 1)))

The second is 1 - the first for the unseen probabilities and t - r + 1, without its difference of nearly equal numbers.
Both are attained by some joint law, for each rank and r. The best m and n do not fall as r grows, so that one pass over
sorted probabilities gives all of them; the compiled form (native/joint_bounds.hpp) does the same operations in the same
order, and has the same digits.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.reach import Reach
from berrypick.kernels import native
from berrypick.kernels.poisson_binomial import entries

End = Literal["low", "high"]


def weighted_bounds(reach: Reach, weight: FloatArray, end: End) -> FloatArray:
    """The sum over the events k of weight[k] times the bound of P(F_k >= r), for r = 0..t."""
    compiled = native()
    if compiled is None:
        terms = weight[:, None] * bounds_at_events(reach, end)
        return np.asarray(np.cumsum(terms, axis=0)[-1])  # one after the other, as the compiled form adds
    total = np.empty(reach.targets + 1)
    compiled.weighted_bounds(*entries(reach), np.ascontiguousarray(weight, dtype=np.float64), end == "high", total)
    return total


def bounds_at_events(reach: Reach, end: End) -> FloatArray:
    """The bound of P(F_k >= r) for r = 0..t, one row per event k."""
    return (_upper if end == "high" else _lower)(np.sort(reach.seen, axis=1))


def _upper(seen: FloatArray) -> FloatArray:
    """Each row of ``seen`` ascending; ``m`` of its largest are left out of the sum."""
    rows, targets = seen.shape
    total = np.concatenate([np.zeros((rows, 1)), np.cumsum(seen, axis=1)], axis=1)
    found, m = np.ones((rows, targets + 1)), np.zeros(rows, dtype=np.int64)
    for r in range(1, targets + 1):
        moving = np.arange(rows)
        ratio = np.empty(rows)
        while len(moving):
            own = m[moving]
            ratio[moving] = total[moving, targets - own] / (r - own)
            moving = moving[(own + 1 < r) & (seen[moving, targets - 1 - own] > ratio[moving])]
            m[moving] += 1
        found[:, r] = np.minimum(1.0, ratio)
    return found


def _lower(seen: FloatArray) -> FloatArray:
    """Each row of ``seen`` ascending; its ``n`` largest are in the sum."""
    rows, targets = seen.shape
    seen = seen[:, ::-1]
    total = np.concatenate([np.zeros((rows, 1)), np.cumsum(seen, axis=1)], axis=1)
    found, n = np.ones((rows, targets + 1)), np.ones(rows, dtype=np.int64)
    for r in range(1, targets + 1):
        n = np.maximum(n, r)
        moving = np.arange(rows)
        ratio = np.empty(rows)
        while len(moving):
            own = n[moving]
            ratio[moving] = (total[moving, own] - (r - 1)) / (own - (r - 1))
            moving = moving[(own < targets) & (seen[moving, np.minimum(own, targets - 1)] > ratio[moving])]
            n[moving] += 1
        found[:, r] = np.maximum(0.0, ratio)
    return found


def mean_bound(seen: FloatArray, worth: FloatArray, end: End) -> float:
    """A bound of E[worth_F] under every joint law, for a number of targets F with these probabilities; worth_0 = 0."""
    sums, weight = mean_terms(seen, worth, end)
    return float(weight @ sums)


def mean_terms(seen: FloatArray, worth: FloatArray, end: End) -> tuple[FloatArray, FloatArray]:
    """Bounds of P(F >= 1) + .. + P(F >= m) for m = 1, 2 .., and the weight of each in E[worth_F], a linear function.

    A law of F goes with the probabilities iff each of these sums is at least that of the m largest probabilities, and
    the last is equal to it. So they lie between that and min(m, E[F]). All bounds are attained at once where the
    increments of ``worth`` rise or fall throughout; where they are equal, only the last sum counts, which is E[F].
    """
    possible = np.sort(seen[seen > 0])[::-1]
    step = np.diff(worth[: len(possible)], prepend=0.0)
    weight = -np.diff(step, append=0.0)
    least = np.cumsum(possible)
    most = np.minimum(np.arange(1, len(possible) + 1), least[-1:])
    return np.where((weight > 0) == (end == "high"), most, least), weight
