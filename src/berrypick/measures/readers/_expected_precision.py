"""The numbers of EPRUM, from the reach of a list and what ideal lists need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.explanation import Table, number
from berrypick.core.reach import Reach
from berrypick.kernels.ideal import Ideal
from berrypick.kernels.poisson_binomial import events, normal_tails, number_seen, upper_tails, weighted_law
from berrypick.measures.readers._certificate import NormName
from berrypick.measures.readers._effort_precision import inverse_by_parts

LawName = Literal["exact", "normal"]


def expected_inverse(reach: Reach, law: LawName = "exact") -> FloatArray:
    """E[A_r / ML_r] for r = 1..t, summed by parts: only positive terms, so small values keep their digits."""
    k = events(reach).astype(np.float64)
    if not len(k):
        return np.zeros(reach.targets)
    weight = inverse_by_parts(k)  # sums of 1/(j(j+1)) until the next event
    if law == "normal":
        return (weight @ normal_tails(reach.seen, reach.unseen))[1:]
    return upper_tails(weighted_law(reach, weight))[1:]


def precisions(reach: Reach, best: Ideal, norm: NormName, law: LawName = "exact") -> FloatArray:
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


def precision_at_rank(reach: Reach, rank: int, best: Ideal, law: LawName = "exact") -> float:
    mass = law_after(reach, rank, law)
    length = np.concatenate([[0.0], best.length])
    possible = mass > 0
    return math.fsum(mass[possible] * length[possible]) / rank


def tails_at_events(reach: Reach, law: LawName = "exact") -> FloatArray:
    """P(F_k >= f) for f = 0..t, one row per rank at which anything is reached."""
    if not len(reach.events):
        return np.zeros((0, reach.targets + 1))
    return normal_tails(reach.seen, reach.unseen) if law == "normal" else upper_tails(number_seen(reach))


def terms_table(reach: Reach, names: Sequence[str], r: int, total: float, law: LawName = "exact") -> Table:
    """The terms of E[A_r/ML_r], one per rank at which anything is reached."""
    tails = tails_at_events(reach, law)[:, r]
    rows = []
    before = 0.0
    for k, tail in zip(reach.events.tolist(), tails.tolist(), strict=True):
        rows.append([f"{k} ({names[k - 1]})", number(tail), number(tail - before), number((tail - before) / k, 6)])
        before = tail
    rows.append(["sum", "", "", number(total, 6)])
    return Table(
        f"Search for {r}: the rank at which the reader has seen {r}",
        ["rank k", "P(F_k>=r)", "first at k", "first at k / k"],
        rows,
    )
