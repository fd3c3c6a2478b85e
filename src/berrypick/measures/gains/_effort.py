"""What the effort-precision measures without navigation share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.parameters import parameter
from berrypick.data.score import Curve, Table, number
from berrypick.measures.base import LEVELS
from berrypick.measures.gains._gains import Base, Curves, GainMeasure, curves
from berrypick.topics.topic import JudgedTopic

Interpolation = Literal["step", "linear", "natural"]


@dataclass(frozen=True)
class _EffortPrecision(GainMeasure):
    """Full recall base by default: overlap is ignored (thorough task)."""

    curve_axes: ClassVar[tuple[str, str]] = ("gain-recall", "effort-precision")
    why_above_one: ClassVar[str] = (
        "several results at one rank are gained at once; the ideal list has one unit per rank"
    )

    base: Base = parameter("full", "ideal|full", "the full recall base (thorough), or the ideal one (focused)")

    def curves(self, judged: JudgedTopic) -> Curves:
        return curves(judged, self.quant, self.base)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        found = self.curves(judged)
        return [(level, effort_precision(found, level, "step")) for level in LEVELS]


@dataclass(frozen=True)
class _Interpolated(_EffortPrecision):
    """The curves are read between ranks."""

    interpolation: Interpolation = parameter(
        "step",
        "step|linear|natural",
        "whole ranks of both lists, both curves as straight lines, or the ideal curve at the gain that the run has",
    )

    def curve(self, judged: JudgedTopic) -> Curve | None:
        found = self.curves(judged)
        return [(level, effort_precision(found, level, self.interpolation)) for level in LEVELS]


@dataclass(frozen=True)
class Reached:
    """Where the run and the ideal list have a gain: the first whole rank, from 0, and the position on the curve."""

    gain: float  # that the ideal list is asked for
    rank: int
    position: float
    ideal_rank: int
    ideal_position: float
    #: The ratio of the positions; at level 0 of straight lines its limit.
    precision: float


def reached(curves: Curves, level: float, interpolation: Interpolation) -> Reached | None:
    """Where both lists have a share of the total gain; None if the run never has it. Level 0 needs any gain at all."""
    gain = level * curves.total
    wanted = max(gain * (1 - 1e-9), np.finfo(np.float64).tiny)
    ranks = np.flatnonzero(curves.run >= wanted)
    if not len(ranks):
        return None
    rank = int(ranks[0])
    if interpolation == "natural":
        gain = wanted = float(curves.run[rank])
    first = min(int(np.searchsorted(curves.ideal, wanted)), len(curves.ideal) - 1)
    if interpolation == "step":
        return Reached(gain, rank, rank + 1, first, first + 1, float(first + 1) / (rank + 1))
    if interpolation == "natural":
        place = float(curves.ideal_position(curves.run[rank : rank + 1])[0])
        return Reached(gain, rank, rank + 1, first, place, place / (rank + 1))
    before = float(curves.run[rank - 1]) if rank else 0.0
    rise = float(curves.run[rank]) - before
    if gain == 0:  # the limit: both curves are straight lines at first
        return Reached(0.0, rank, float(rank), 0, 0.0, rise / float(curves.ideal[0]) if rank == 0 else 0.0)
    gain = min(gain, float(curves.run[rank]))  # a level is reached a little early
    place, own = float(curves.ideal_position(np.array([gain]))[0]), rank + (gain - before) / rise
    return Reached(gain, rank, own, first, place, place / own)


def effort_precision(curves: Curves, level: float, interpolation: Interpolation) -> float:
    """i_ideal / i_run for a share of the total gain; 0 if the run never has it."""
    found = reached(curves, level, interpolation)
    return 0.0 if found is None else found.precision


def reached_table(curves: Curves, found: Reached) -> Table:
    """Where each list has a gain: the ratio of the two positions is the effort-precision."""
    lists = (
        ("ideal list", curves.ideal, found.ideal_rank, found.ideal_position),
        ("run", curves.run, found.rank, found.position),
    )
    rows = []
    for name, gains, rank, position in lists:
        before = float(gains[rank - 1]) if rank else 0.0
        rows.append([name, str(rank + 1), number(before), number(float(gains[rank])), number(position, 6)])
    title = f"Where each list has the gain {number(found.gain)}"
    return Table(title, ["list", "rank", "gain before it", "gain at it", "position"], rows)


def rises_table(curves: Curves, most: int = 40) -> Table:
    """Effort-precision at each rank where the gain rises."""
    ranks = np.flatnonzero(curves.rises)
    position = curves.ideal_position(curves.run[ranks])
    rows = [
        [str(k + 1), number(float(curves.run[k])), number(float(ideal)), number(float(ideal) / (k + 1), 6)]
        for k, ideal in list(zip(ranks.tolist(), position, strict=True))[:most]
    ]
    return Table("Where the gain rises", ["rank", "gain so far", "ideal rank", "ideal rank / rank"], rows)
