"""The numbers of EPRUM, from the reach of a list and what ideal lists need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.reach import Reach
from berrypick.data.score import Table, number
from berrypick.kernels.joint_bounds import TwoLists, bounds_at_events, mean_bound, weighted_bounds
from berrypick.kernels.lists.ideal import Ideal
from berrypick.kernels.poisson_binomial import (
    events,
    inverse_by_parts,
    is_certain,
    normal_tails,
    number_seen,
    upper_tails,
    weighted_law,
)
from berrypick.measures._reach_tables import MOST_ROWS
from berrypick.measures.readers._certificate import NormName

LawName = Literal["exact", "normal"]
#: What is assumed of targets seen together: that they are independent, or the worst or best that reach allows.
TogetherName = Literal["independent", "low", "high"]
#: Whence P(F >= r): a law under independence, or a bound for every joint law.
TailName = Literal["exact", "normal", "low", "high"]


def expected_inverse(reach: Reach, law: TailName = "exact") -> FloatArray:
    """E[A_r / ML_r] for r = 1..t, summed by parts: only positive terms, so small values keep their digits.

    Of bounds the same sum, which for r = 1 and r = t some joint law attains at all ranks at once.
    """
    k = events(reach).astype(np.float64)
    if not len(k):
        return np.zeros(reach.targets)
    weight = inverse_by_parts(k)  # sums of 1/(j(j+1)) until the next event
    if law == "normal":
        return (weight @ normal_tails(reach.seen, reach.unseen))[1:]
    if law in ("low", "high") and not is_certain(reach):
        return weighted_bounds(reach, weight, law)[1:]
    return upper_tails(weighted_law(reach, weight))[1:]


def precisions(reach: Reach, best: Ideal, norm: NormName, law: TailName = "exact") -> FloatArray:
    """Precision at each recall value; nan where it is undefined."""
    inverse = expected_inverse(reach, law)
    if norm == "product":
        return best.length * inverse
    return np.divide(inverse, best.inverse, out=np.full_like(inverse, np.nan), where=best.inverse > 0)


def law_after(reach: Reach, rank: int, law: LawName = "exact") -> FloatArray:
    """P(F_k = f) after a rank; beyond the end of the list nothing more is found."""
    event = int(np.searchsorted(reach.events, rank, side="right"))
    if event and law == "normal":
        tails = normal_tails(reach.seen[event - 1 : event], reach.unseen[event - 1 : event])[0]
        return -np.diff(tails, append=0.0)
    if event:
        return number_seen(reach)[event - 1]
    return np.eye(1, reach.targets + 1)[0]


def precision_at_rank(reach: Reach, rank: int, best: Ideal, law: TailName = "exact") -> float:
    if law == "low" or law == "high":
        return mean_bound(reach.expected_seen(rank), best.length, law) / rank
    mass = law_after(reach, rank, law)
    length = np.concatenate([[0.0], best.length])
    possible = mass > 0
    return math.fsum(mass[possible] * length[possible]) / rank


def pair_ends(
    lists: TwoLists, best: Ideal, versus: Ideal, wanted: Sequence[int], rank: int | None
) -> tuple[float, float] | None:
    """Bounds of the difference of two lists; None where their ideal lists differ, or are not known for all."""
    if rank is not None:
        return _pair_ends_at_rank(lists, best, versus, rank)
    places = np.array(wanted) - 1
    length = best.length[places]
    if not (np.isfinite(length).all() and np.array_equal(length, versus.length[places])):
        return None
    low, high = (float(length @ side[places]) / len(wanted) for side in lists.inverse_difference())
    return low, high


def _pair_ends_at_rank(lists: TwoLists, best: Ideal, versus: Ideal, rank: int) -> tuple[float, float] | None:
    """A target that one list alone shows is worth at most the largest step of E[ML*]."""
    if not (np.isfinite(best.length).all() and np.array_equal(best.length, versus.length)):
        return None
    steps = np.diff(best.length, prepend=0.0)
    (one_low, one_high), (other_low, other_high) = (
        [precision_at_rank(reach, rank, best, end) for end in ("low", "high")] for reach in (lists.one, lists.other)
    )
    if steps.min() < 0:
        return one_low - other_high, one_high - other_low
    only_one, only_other = (float(steps.max() * only[0]) / rank for only in lists.only(np.array([rank])))
    return max(one_low - other_high, -only_other), min(one_high - other_low, only_one)


def tails_at_events(reach: Reach, law: TailName = "exact") -> FloatArray:
    """P(F_k >= f) for f = 0..t, one row per rank at which anything is reached."""
    if not len(reach.events):
        return np.zeros((0, reach.targets + 1))
    if law in ("low", "high"):
        return bounds_at_events(reach, law)
    return normal_tails(reach.seen, reach.unseen) if law == "normal" else upper_tails(number_seen(reach))


def terms_table(reach: Reach, names: Sequence[str], r: int, total: float, law: TailName = "exact") -> Table:
    """The terms of E[A_r/ML_r], one per rank at which anything is reached."""
    tails = tails_at_events(reach, law)[:, r]
    rows = []
    before = 0.0
    for k, tail in zip(reach.events.tolist(), tails.tolist(), strict=True):
        rows.append([f"{k} ({names[k - 1]})", number(tail), number(tail - before), number((tail - before) / k, 6)])
        before = tail
    rows.append(["sum", "", "", number(total, 6)])
    bound = {"low": "at least ", "high": "at most "}.get(law, "")
    return Table(
        f"Search for {r}: the rank at which the reader has seen {r}",
        ["rank k", f"{bound}P(F_k>=r)", "first at k", "first at k / k"],
        rows,
    )


def bounds_table(reach: Reach, names: Sequence[str], wanted: Sequence[int]) -> Table:
    """Bounds without the independence assumption of P(F_k >= r), beside its value under independence."""
    low, independent, high = (tails_at_events(reach, law) for law in ("low", "exact", "high"))
    rows = []
    for event, k in enumerate(reach.events[:MOST_ROWS].tolist()):
        for r in list(wanted)[:3]:
            cells = [number(float(tails[event, r])) for tails in (low, independent, high)]
            rows.append([f"{k} ({names[k - 1]})", str(r), *cells])
    return Table(
        "P(F_k >= r) without assuming independence: at least, if independent, at most",
        ["rank k", "r", "at least", "independent", "at most"],
        rows,
    )
