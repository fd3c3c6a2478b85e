"""What the effort-precision measures without navigation share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.core.explanation import Table, number
from berrypick.core.parameters import parameter
from berrypick.measures._gains import Base, Curves, GainMeasure

Interpolation = Literal["linear", "step"]


@dataclass(frozen=True)
class _EffortPrecision(GainMeasure):
    """Full recall base by default: overlap is ignored (thorough task)."""

    why_above_one: ClassVar[str] = "several results at one rank are gained at once; the ideal list has one unit a rank"

    base: Base = parameter("full", "ideal|full", "the full recall base (thorough), or the ideal one (focused)")


def effort_precision(curves: Curves, level: float, interpolation: Interpolation) -> float:
    """i_ideal / i_run at the first rank whose cumulated gain reaches a share of the total; 0 if none does.

    Level 0 asks for any gain at all.
    """
    wanted = max(level * curves.total * (1 - 1e-9), np.finfo(np.float64).tiny)
    reached = np.flatnonzero(curves.run >= wanted)
    if not len(reached):
        return 0.0
    rank = int(reached[0])
    if interpolation == "step":
        return float(np.searchsorted(curves.ideal, wanted) + 1) / (rank + 1)
    return float(curves.ideal_position(curves.run[rank : rank + 1])[0]) / (rank + 1)


def rises_table(curves: Curves, most: int = 40) -> Table:
    """Effort-precision at each rank where the gain rises."""
    ranks = np.flatnonzero(curves.rises)
    position = curves.ideal_position(curves.run[ranks])
    rows = [
        [str(k + 1), number(float(curves.run[k])), number(float(ideal)), number(float(ideal) / (k + 1), 6)]
        for k, ideal in list(zip(ranks.tolist(), position, strict=True))[:most]
    ]
    return Table("Where the gain rises", ["rank", "gain so far", "ideal rank", "ideal rank / rank"], rows)
