"""What reach alone says of the number of targets seen: bounds of P(F >= r) under every joint law (Rueger 1978).

Reach gives the probability q_x of having seen each target, and not what is seen together. With q_(1) <= .. <= q_(t)::

    high  P(F >= r) <= min(1, min_{0 <= m < r} (q_(1) + .. + q_(t-m))/(r - m))
    low   P(F >= r) >= max(0, max_{r <= n <= t} (q_(t) + .. + q_(t-n+1) - (r - 1))/(n - (r - 1)))

The second is 1 - the first for the unseen probabilities and t - r + 1, without its difference of nearly equal numbers.
Both are attained by some joint law, for each rank and r. The best m and n do not fall as r grows, so that one pass over
sorted probabilities gives all of them; the compiled form (native/joint_bounds.hpp) does the same operations in the same
order, and has the same digits.

Two lists that share results: a result leads to a target or it does not, whichever list shows it. With a_k, b_k and u_k
the probabilities that a target has been seen after the first k ranks of one list, of the other, of both::

    low   max(low^A_k - high^B_k, -sum_x (u_k(x) - a_k(x)))
    high  min(high^A_k - low^B_k, sum_x (u_k(x) - b_k(x)))

bound P(F^A_k >= r) - P(F^B_k >= r): it can only be above 0 where somebody sees a target by A and not by B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.kernels import native
from berrypick.kernels.poisson_binomial import entries, inverse_by_parts

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


#: Bounds of lists for as long as they are compared with one list after the other.
_KEPT: WeakKeyDictionary[Reach, tuple[FloatArray, FloatArray]] = WeakKeyDictionary()


def _kept_bounds(reach: Reach) -> tuple[FloatArray, FloatArray]:
    found = _KEPT.get(reach)
    if found is None:
        found = _KEPT[reach] = (bounds_at_events(reach, "low"), bounds_at_events(reach, "high"))
    return found


@dataclass(frozen=True, eq=False)
class TwoLists:
    """What two lists lead to; ``both`` is the reach of a reader who consults the same ranks of both, each result once.

    None where it is not known what a reader of both sees; then every joint distribution of the two lists counts.
    """

    one: Reach
    other: Reach
    both: Reach | None

    @property
    def events(self) -> IntArray:
        """The ranks, from 1, at which either list reaches anything."""
        return np.union1d(self.one.events, self.other.events)

    def only(self, events: IntArray) -> tuple[FloatArray, FloatArray]:
        """At each event, how many targets are expected to be seen by the first list alone, and by the second alone."""
        one, other = (_rows_at(reach, reach.seen, events) for reach in (self.one, self.other))
        union = np.minimum(1.0, one + other) if self.both is None else _rows_at(self.both, self.both.seen, events)
        return np.maximum(union - other, 0.0).sum(axis=1), np.maximum(union - one, 0.0).sum(axis=1)

    def inverse_difference(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of E[A_r/ML_r] of the first list minus that of the second, for r = 1..t."""
        events = self.events
        if not len(events):
            return np.zeros(self.one.targets), np.zeros(self.one.targets)
        weight = inverse_by_parts(events.astype(np.float64))
        (one_low, one_high), (other_low, other_high) = (
            [_rows_at(reach, bounds, events) for bounds in _kept_bounds(reach)] for reach in (self.one, self.other)
        )
        only_one, only_other = self.only(events)
        low = np.maximum(one_low - other_high, -only_other[:, None])
        high = np.minimum(one_high - other_low, only_one[:, None])
        return (weight @ low)[1:], (weight @ high)[1:]


def _rows_at(reach: Reach, rows: FloatArray, events: IntArray) -> FloatArray:
    """Rows of the events of a list at more events: each holds until the next, before the first there is nothing."""
    place = np.searchsorted(reach.events, events, side="right")
    return np.concatenate([np.zeros((1, rows.shape[1])), rows])[place]
