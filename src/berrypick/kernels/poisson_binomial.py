"""How many targets have been seen: a sum of independent, unequal indicators (EPRUM equations 6 and 7).

Only products and sums of non-negative numbers are formed, so every entry keeps its relative precision. The papers
switch to a normal law above ten partly seen targets; that errs by up to .1 in one probability and is not needed.

Three functions read a reach: the law at every event, sums of laws over events (EPRUM), and what PRUM needs. Each has
three forms. Where every reach is 0 or 1 the number seen is no longer random, and counting is enough. The compiled form
(native/law.hpp) shares factors between events by divide and conquer, so its work follows the number of non-zero
entries. The plain NumPy form takes one target at a time over all events.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.kernels import in_use, native


def number_seen(reach: Reach) -> FloatArray:
    """P(F_k = f) at each event k of a reach; shared by the measures that read the same one."""
    return _number_seen(reach, in_use())


@lru_cache(maxsize=4)
def _number_seen(reach: Reach, kernels: str) -> FloatArray:
    compiled = native()
    if is_certain(reach):
        count = _certainly_seen(reach)
        mass = np.zeros((len(count), reach.targets + 1))
        mass[np.arange(len(count)), count] = 1.0
    elif compiled is None:
        mass = law(reach.seen, reach.unseen)
    else:
        mass = np.empty((int(_heads(reach).sum()), reach.targets + 1))
        compiled.law_over_events(*entries(reach), mass)
    return mass


def weighted_law(reach: Reach, weight: FloatArray) -> FloatArray:
    """The sum over the events k of weight[k] P(F_k = f), for f = 0..t, without the law at each event."""
    compiled = native()
    if is_certain(reach):
        return np.bincount(_certainly_seen(reach), weights=weight, minlength=reach.targets + 1).astype(np.float64)
    if compiled is None:
        return weight @ number_seen(reach)
    total = np.empty(reach.targets + 1)
    compiled.weighted_law(*entries(reach), np.ascontiguousarray(weight, dtype=np.float64), total)
    return total


def inverse_by_parts(spent: FloatArray) -> FloatArray:
    """The weight of each event: 1/spent there minus 1/spent at the next one."""
    weight = np.empty_like(spent)
    weight[:-1] = (spent[1:] - spent[:-1]) / (spent[:-1] * spent[1:])
    weight[-1] = 1.0 / spent[-1]
    return weight


def consulted(reach: Reach, exact: bool, normal: bool = False) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What PRUM sums over the ranked part, by the number s = 0..t of targets seen before a rank.

    The expected number of ranks i with F_{i-1} = s that lead to something new, by equation 8 or exactly; the
    expected number of ranks with F_{i-1} = s; and P(F_o = s) after the last rank. ``normal``: by equation 8, with the
    normal law of the papers for all laws.
    """
    compiled = native()
    gap = np.diff(np.concatenate([[0], events(reach), [reach.ranks]])).astype(np.float64)
    if is_certain(reach):
        return _certainly_consulted(reach, gap)
    if compiled is None or normal:
        return _plainly_consulted(reach, gap, exact, normal)
    new, read, last = np.empty((3, reach.targets + 1))
    compiled.consulted(*entries(reach), gap, exact, new, read, last)
    return new, read, last


def events(reach: Reach) -> IntArray:
    """The ranks, counted from 1, at which anything is reached; entries are sorted, so no search is needed."""
    return reach.rank[_heads(reach)] + 1


def _heads(reach: Reach) -> BoolArray:
    """The first entry of each event."""
    head = np.ones(len(reach.rank), dtype=bool)
    np.not_equal(reach.rank[1:], reach.rank[:-1], out=head[1:])
    return head


def entries(reach: Reach) -> tuple[IntArray, IntArray, FloatArray]:
    """As the compiled kernels take them."""
    return (
        np.ascontiguousarray(reach.rank, dtype=np.int64),
        np.ascontiguousarray(reach.target, dtype=np.int64),
        np.ascontiguousarray(reach.probability, dtype=np.float64),
    )


# --- targets that are seen surely or never --------------------------------------------------------------------------


def is_certain(reach: Reach) -> bool:
    """Whether every reach is 0 or 1, so that the number seen is not random."""
    return bool((reach.probability == 1.0).all())


def _certainly_seen(reach: Reach) -> IntArray:
    """How many targets have been seen after each event."""
    head = _heads(reach)
    event = np.cumsum(head) - 1
    first = np.full(reach.targets, -1)
    first[reach.target[::-1]] = event[::-1]  # the earliest entry of a target is written last
    return np.cumsum(np.bincount(first[first >= 0], minlength=int(head.sum())))


def _certainly_consulted(reach: Reach, gap: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    size = reach.targets + 1
    count = np.concatenate([[0], _certainly_seen(reach)])  # before each event, and after the last
    new = np.bincount(count[:-1], weights=np.diff(count) > 0, minlength=size).astype(np.float64)
    read = np.bincount(count, weights=gap, minlength=size).astype(np.float64)
    last = np.zeros(size)
    last[count[-1]] = 1.0
    return new, read, last


# --- laws -----------------------------------------------------------------------------------------------------------


def law(seen: FloatArray, unseen: FloatArray) -> FloatArray:
    """P(F = f) for f = 0..t, one row per row of ``seen``.

    ``seen`` and ``unseen`` (events x targets) are the probabilities of the two outcomes; both are given because
    1 - seen has lost the digits of a small unseen.
    """
    compiled = native()
    if compiled is None:
        return plain_law(seen, unseen)
    mass = np.empty((seen.shape[0], seen.shape[1] + 1))
    compiled.law_of_rows(np.ascontiguousarray(seen, np.float64), np.ascontiguousarray(unseen, np.float64), mass)
    return mass


def plain_law(seen: FloatArray, unseen: FloatArray) -> FloatArray:
    """The same, one target at a time over all rows."""
    rows, targets = seen.shape
    mass = np.zeros((rows, targets + 1))
    mass[:, 0] = 1.0
    for target in range(targets):
        positive = np.flatnonzero(seen[:, target])
        if not len(positive):
            continue
        first = positive[0]  # seen never falls, so before it the target has no effect
        p = seen[first:, target, None]
        q = unseen[first:, target, None]
        block = mass[first:, : target + 2]
        shifted = block[:, :-1] * p
        block *= q
        block[:, 1:] += shifted
    return mass


#: Above so many partly seen targets the papers take a normal law.
FEW = 10


def normal_law(seen: FloatArray, unseen: FloatArray) -> FloatArray:
    """P(F = f) as the papers approximate it (EPRUM section 5, PRUM appendix A.1), one row per row of ``seen``.

    Up to ten partly seen targets the law is exact; above, P(s - 1/2 < normal <= s + 1/2) with mean and variance of
    their number (the sums: the appendix divides both by the number of targets). Less accurate than :func:`law`.
    """
    from scipy.special import ndtr

    certain = unseen == 0.0
    partly = (seen > 0.0) & ~certain
    many = partly.sum(axis=1) > FEW
    found = np.zeros((len(seen), seen.shape[1] + 1))
    found[~many] = plain_law(seen[~many], unseen[~many])
    for row in np.flatnonzero(many).tolist():
        p, sure = seen[row, partly[row]], int(certain[row].sum())
        mean, deviation = p.sum(), np.sqrt((p * unseen[row, partly[row]]).sum())
        borders = ndtr((np.arange(len(p) + 2) - 0.5 - mean) / deviation)
        found[row, sure : sure + len(p) + 1] = np.diff(borders)
    return found


def normal_tails(seen: FloatArray, unseen: FloatArray) -> FloatArray:
    """P(F >= f) for f = 0..t with a tail that is itself normal, one row per row of ``seen`` (EPRUM section 5).

    With a surely seen and m partly seen targets: 1 up to a, 0 above a + m, between them P(normal > f - a - 1/2). A sum
    of the masses of :func:`normal_law` would lose what the normal law has above m + 1/2.
    """
    from scipy.special import ndtr

    certain = unseen == 0.0
    partly = (seen > 0.0) & ~certain
    many = partly.sum(axis=1) > FEW
    found = np.zeros((len(seen), seen.shape[1] + 1))
    found[~many] = upper_tails(plain_law(seen[~many], unseen[~many]))
    for row in np.flatnonzero(many).tolist():
        p, sure = seen[row, partly[row]], int(certain[row].sum())
        mean, deviation = p.sum(), np.sqrt((p * unseen[row, partly[row]]).sum())
        found[row, : sure + 1] = 1.0
        found[row, sure + 1 : sure + len(p) + 1] = ndtr((mean + 0.5 - np.arange(1, len(p) + 1)) / deviation)
    return found


def upper_tails(mass: FloatArray) -> FloatArray:
    """P(F >= f) for f = 0..t from P(F = f), along the last axis: sums of positive terms, smallest first."""
    return np.cumsum(mass[..., ::-1], axis=-1)[..., ::-1]


def lower_tails(mass: FloatArray) -> FloatArray:
    """P(F < f) for f = 0..t, along the last axis."""
    below = np.zeros_like(mass)
    np.cumsum(mass[..., :-1], axis=-1, out=below[..., 1:])
    return below


# --- what PRUM needs, plainly ---------------------------------------------------------------------------------------


def _plainly_consulted(
    reach: Reach, gap: FloatArray, exact: bool, normal: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    t = reach.targets
    after = normal_law(reach.seen, reach.unseen) if normal else number_seen(reach)
    mass = np.vstack([np.eye(1, t + 1), after])
    before = np.vstack([np.zeros((1, t)), reach.seen[:-1]])
    unseen = np.vstack([np.ones((1, t)), reach.unseen[:-1]])
    if exact:
        new = something_new(before, unseen, reach.at_events)
    elif normal:
        new = mass[:-1] * normally_newly_seen(before, unseen, reach.at_events, mass[:-1])
    else:
        new = mass[:-1] * newly_seen(before, unseen, reach.at_events)
    return new.sum(axis=0), gap @ mass, mass[-1]


def newly_seen(before: FloatArray, unseen: FloatArray, reach: FloatArray) -> FloatArray:
    """P(F_i > s | F_{i-1} = s) by equation 8 of PRUM, one row per event i, s = 0..t."""
    count, t = before.shape
    found = np.zeros((count, t + 1))
    wanted = [np.flatnonzero(reach[:, x] > 0) for x in range(t)]
    others = without_each(before, unseen, wanted)
    for x in range(t):
        rows = wanted[x]
        if not len(rows):
            continue
        not_x = unseen[rows, x, None] * others[x]  # x not seen before, s others seen
        is_x = before[rows, x, None] * others[x]  # x seen before, s-1 others seen
        total = np.zeros((len(rows), t + 1))
        total[:, :t] += not_x
        total[:, 1:] += is_x
        share = np.zeros((len(rows), t + 1))
        np.divide(not_x, total[:, :t], out=share[:, :t], where=total[:, :t] > 0)
        cause = share * reach[rows, x, None]
        found[rows] += (1.0 - found[rows]) * cause
    return found


def normally_newly_seen(before: FloatArray, unseen: FloatArray, reach: FloatArray, mass: FloatArray) -> FloatArray:
    """The same with the papers' normal law, for F_{i-1} (``mass``) and for the number seen among the others.

    The two approximations do not belong to one another exactly, so that their ratio is kept within 1.
    """
    count, t = before.shape
    found = np.zeros((count, t + 1))
    for x in range(t):
        rows = np.flatnonzero(reach[:, x] > 0)
        others = normal_law(np.delete(before[rows], x, axis=1), np.delete(unseen[rows], x, axis=1))
        cause = np.zeros((len(rows), t + 1))
        joint = unseen[rows, x, None] * reach[rows, x, None] * others
        np.divide(joint, mass[rows, :t], out=cause[:, :t], where=mass[rows, :t] > 0)
        found[rows] += (1.0 - found[rows]) * np.minimum(cause, 1.0)
    return found


def something_new(before: FloatArray, before_unseen: FloatArray, reach: FloatArray) -> FloatArray:
    """P(F_{i-1} = s and something new at rank i) for s = 0..t, one row per rank i (PRUM without hypothesis 2.3).

    Keeps two laws target by target: of s targets seen before with nothing new yet, and with something new; the
    difference in the definition is never formed, so nothing cancels.
    """
    rows, targets = before.shape
    nothing = np.zeros((rows, targets + 1))
    nothing[:, 0] = 1.0
    new = np.zeros((rows, targets + 1))
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

    Divide and conquer over the targets: the product over everything outside a set is passed down and multiplied
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
