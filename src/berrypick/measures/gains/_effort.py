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
    why_above_one: ClassVar[str] = "several results at one rank are gained at once; the ideal list has one unit a rank"

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


def effort_precision(curves: Curves, level: float, interpolation: Interpolation) -> float:
    """i_ideal / i_run for a share of the total gain; 0 if the run never has it. Level 0 needs any gain at all."""
    gain = level * curves.total
    wanted = max(gain * (1 - 1e-9), np.finfo(np.float64).tiny)
    reached = np.flatnonzero(curves.run >= wanted)
    if not len(reached):
        return 0.0
    rank = int(reached[0])
    if interpolation == "step":
        return float(np.searchsorted(curves.ideal, wanted) + 1) / (rank + 1)
    if interpolation == "natural":
        return float(curves.ideal_position(curves.run[rank : rank + 1])[0]) / (rank + 1)
    before = float(curves.run[rank - 1]) if rank else 0.0
    rise = float(curves.run[rank]) - before
    if gain == 0:  # the limit: both curves are straight lines at first
        return rise / float(curves.ideal[0]) if rank == 0 else 0.0
    gain = min(gain, float(curves.run[rank]))  # a level is reached a little early
    return float(curves.ideal_position(np.array([gain]))[0]) / (rank + (gain - before) / rise)


def rises_table(curves: Curves, most: int = 40) -> Table:
    """Effort-precision at each rank where the gain rises."""
    ranks = np.flatnonzero(curves.rises)
    position = curves.ideal_position(curves.run[ranks])
    rows = [
        [str(k + 1), number(float(curves.run[k])), number(float(ideal)), number(float(ideal) / (k + 1), 6)]
        for k, ideal in list(zip(ranks.tolist(), position, strict=True))[:most]
    ]
    return Table("Where the gain rises", ["rank", "gain so far", "ideal rank", "ideal rank / rank"], rows)
