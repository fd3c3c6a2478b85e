"""How many targets have been seen: a sum of independent, unequal indicators (EPRUM equations 6 and 7).

Only products and sums of non-negative numbers are formed, so every entry keeps its relative precision. The papers
switch to a normal law above ten partly seen targets; that errs by up to .1 and is not needed.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.reach import Reach


@lru_cache(maxsize=4)
def number_seen(reach: Reach) -> FloatArray:
    """P(F_k = f) at each event k of a reach; shared by the measures that read the same one."""
    return law(reach.seen, reach.unseen)


def law(seen: FloatArray, unseen: FloatArray) -> FloatArray:
    """P(F = f) for f = 0..t, one row per row of ``seen``.

    ``seen`` and ``unseen`` (events x targets) are the probabilities of the two outcomes; both are given because
    1 - seen has lost the digits of a small unseen.
    """
    events, targets = seen.shape
    mass = np.zeros((events, targets + 1))
    mass[:, 0] = 1.0
    for target in range(targets):
        rows = _first_positive(seen[:, target])
        if rows == events:
            continue
        p = seen[rows:, target, None]
        q = unseen[rows:, target, None]
        block = mass[rows:, : target + 2]
        shifted = block[:, :-1] * p
        block *= q
        block[:, 1:] += shifted
    return mass


def upper_tails(mass: FloatArray) -> FloatArray:
    """P(F >= f) for f = 0..t from P(F = f): sums of positive terms, smallest first where it matters."""
    return np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]


def lower_tails(mass: FloatArray) -> FloatArray:
    """P(F < f) for f = 0..t."""
    below = np.zeros_like(mass)
    np.cumsum(mass[:, :-1], axis=1, out=below[:, 1:])
    return below


def something_new(before: FloatArray, before_unseen: FloatArray, reach: FloatArray) -> FloatArray:
    """P(F_{i-1} = s and something new at rank i) for s = 0..t, one row per rank i (PRUM without hypothesis 2.3).

    Keeps two laws target by target: of s targets seen before with nothing new yet, and with something new; the
    difference that the definition asks for is never formed, so nothing cancels.
    """
    events, targets = before.shape
    nothing = np.zeros((events, targets + 1))
    nothing[:, 0] = 1.0
    new = np.zeros((events, targets + 1))
    for target in range(targets):
        p = before[:, target, None]
        q = before_unseen[:, target, None]
        r = reach[:, target, None]
        fresh = nothing * (q * r)
        new = _times(new, p, q) + fresh
        nothing = _times(nothing, p, q * (1.0 - r))
    return new


def without_each(seen: FloatArray, unseen: FloatArray, wanted: list[IntArray]) -> list[FloatArray]:
    """For each target x, the law of the number seen among the *other* targets, at the rows ``wanted[x]``.

    Divide and conquer over the targets: the product over everything outside a set is handed down and multiplied
    by one half's factors for the other half. A factor is never divided out again, which would be unstable.
    """
    targets = seen.shape[1]
    found: list[FloatArray] = [np.zeros((0, targets)) for _ in range(targets)]
    everything = np.arange(seen.shape[0])
    start = np.zeros((seen.shape[0], targets + 1))
    start[:, 0] = 1.0
    work: list[tuple[int, int, IntArray, FloatArray]] = [(0, targets, everything, start)] if targets else []
    while work:
        low, high, rows, product = work.pop()
        if high - low == 1:
            found[low] = product[np.searchsorted(rows, wanted[low]), :targets]
            continue
        middle = (low + high) // 2
        for (inside_low, inside_high), (outside_low, outside_high) in (
            ((low, middle), (middle, high)),
            ((middle, high), (low, middle)),
        ):
            needed = [wanted[x] for x in range(inside_low, inside_high) if len(wanted[x])]
            if not needed:
                continue
            subset = np.unique(np.concatenate(needed))
            part = product[np.searchsorted(rows, subset)]
            for x in range(outside_low, outside_high):
                part = _times(part, seen[subset, x, None], unseen[subset, x, None])
            work.append((inside_low, inside_high, subset, part))
    return found


def _times(mass: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """Multiply by (p z + q), keeping the number of columns (the top one is still empty)."""
    product = mass * q
    product[:, 1:] += mass[:, :-1] * p
    return product


def _first_positive(column: FloatArray) -> int:
    """Seen never falls, so before the first positive row the target has no effect."""
    positive = np.flatnonzero(column)
    return int(positive[0]) if len(positive) else len(column)
