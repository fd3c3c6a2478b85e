"""Effort-precision with navigation, at gain-recall levels: the ideal list's effort times E[1/effort] of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.observed import once_for_each
from berrypick.data.reach import Reach
from berrypick.kernels import gain_law
from berrypick.kernels.first_browsing import FirstBrowsing
from berrypick.kernels.poisson_binomial import inverse_by_parts, number_seen, weighted_law
from berrypick.measures.readers._expected_precision import LawName
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Working:
    """By level: the ideal list's effort, E[1/effort] of the run, their product, its uncertainty.

    ``spent`` is the effort of the list up to each event, without browsing; ``browsing`` says how exact that part is.
    """

    ideal: FloatArray
    inverse: FloatArray
    precision: FloatArray
    doubt: FloatArray
    cells: int
    spent: FloatArray
    browsing: Literal["", "exact", "estimate"] = ""

    @property
    def doubt_of_inverse(self) -> FloatArray:
        return self.doubt / self.ideal


@once_for_each
def working_of(judged: JudgedTopic, levels: tuple[float, ...], law: LawName = "exact") -> Working:
    effort = judged.effort
    return work(judged.reach, judged.targets.gain, effort.ranks, effort.targets, effort.outside, levels, law)


def work(
    reach: Reach,
    gains: FloatArray,
    effort: FloatArray,
    target_effort: FloatArray,
    outside: FloatArray,
    levels: tuple[float, ...],
    law: LawName = "exact",
) -> Working:
    """``outside``: for each entry of the reach, the effort of the part of the target outside of the result."""
    wanted = thresholds(gains, levels)
    ideal = _ideal_effort(gains, target_effort, wanted)
    if not len(reach.events):
        nothing = np.zeros(len(levels))
        return Working(ideal, nothing, nothing, nothing, 0, np.zeros(0))
    spent = np.cumsum(effort)[reach.events - 1]
    if not outside.any():
        weight = inverse_by_parts(spent)
        if gain_law.are_equal(gains) and law == "exact":
            inverse = gain_law.reached_by_count(weighted_law(reach, weight), gains, wanted)
            doubtful, cells = np.zeros(len(levels)), 0
        else:
            reached, doubt, cells = reached_gains(reach, gains, wanted, law)
            inverse, doubtful = weight @ reached, weight @ doubt
        return Working(ideal, inverse, ideal * inverse, ideal * doubtful, cells, spent)
    cost = _cost_at_events(reach, outside)
    reached, doubt, cells = reached_gains(reach, gains, wanted, law)
    weight = inverse_by_parts(spent[:, None] + _browsed(reach, cost, reached))
    inverse, doubtful = (weight * reached).sum(axis=0), (np.abs(weight) * doubt).sum(axis=0)
    decides, exact = one_decides(gains, wanted), False
    if law == "exact" and decides.any():
        first = FirstBrowsing.of(reach.at_events, cost)
        inverse[decides], doubtful[decides] = first.inverse_effort(spent), 0.0
        exact = first.exact and bool(decides.all())
    return Working(ideal, inverse, ideal * inverse, ideal * doubtful, cells, spent, "exact" if exact else "estimate")


def one_decides(gains: FloatArray, wanted: FloatArray) -> BoolArray:
    """Whether any one target has each gain."""
    return np.asarray(gains.min(initial=np.inf) >= wanted)


def reached_gains(
    reach: Reach, gains: FloatArray, wanted: FloatArray, law: LawName = "exact"
) -> tuple[FloatArray, FloatArray, int]:
    """P(cg >= wanted), events x levels; the half-width of its uncertainty; the cells of the grid (0: exact)."""
    if law == "normal":
        return gain_law.normally_reached(gains, reach.seen, reach.unseen, wanted)
    if not gain_law.are_equal(gains):
        return gain_law.reached(gains, reach.seen, reach.unseen, wanted)
    found = np.minimum(gain_law.reached_by_count(number_seen(reach), gains, wanted), 1.0)
    return found, np.zeros_like(found), 0


def thresholds(gains: FloatArray, levels: tuple[float, ...]) -> FloatArray:
    """The gain at each level, less what sums may have lost by rounding."""
    return np.asarray(levels) * gains.sum() * (1 - 1e-9)


def _cost_at_events(reach: Reach, outside: FloatArray) -> FloatArray:
    """events x targets: what browsing to each target costs."""
    cost = np.zeros_like(reach.at_events)
    cost[np.searchsorted(reach.events, reach.rank + 1), reach.target] = outside
    return cost


def _browsed(reach: Reach, cost: FloatArray, reached: FloatArray) -> FloatArray:
    """events x levels: the effort of browsing among readers who have reached the gain.

    The sum over targets of min(1, seen/P) b, with b the mean cost of those who have seen the target.
    """
    before = np.vstack([np.ones((1, reach.targets)), reach.unseen[:-1]])
    paid = np.cumsum(before * reach.at_events * cost, axis=0)
    each = np.divide(paid, reach.seen, out=np.zeros_like(paid), where=reach.seen > 0)
    found = np.empty_like(reached)
    for level in range(reached.shape[1]):  # one at a time: events x targets x levels would not fit
        share = reached[:, level, None]
        seen = np.divide(reach.seen, share, out=np.ones_like(reach.seen), where=share > reach.seen)
        found[:, level] = (seen * each).sum(axis=1)
    return found


def _ideal_effort(gains: FloatArray, effort: FloatArray, wanted: FloatArray) -> FloatArray:
    """The effort of the ideal list until each wanted gain is reached."""
    order = np.lexsort((np.arange(len(gains)), effort, -gains))
    gain, spent = np.cumsum(gains[order]), np.cumsum(effort[order])
    return spent[np.minimum(np.searchsorted(gain, wanted), len(gain) - 1)]
