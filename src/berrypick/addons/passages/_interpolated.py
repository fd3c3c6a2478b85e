"""Interpolated precision over characters: what iP and AiP share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.laws import with_laws
from berrypick.core.observed import once_for_each
from berrypick.core.score import Curve, Score
from berrypick.judging.topic import JudgedTopic
from berrypick.measures.base import Measure
from berrypick.measures.text_views import view_of, without_text

#: 0.00, 0.01 .. 1.00
POINTS = tuple(i / 100 for i in range(101))


@dataclass(frozen=True)
class InterpolatedMeasure(Measure):
    """Precision over characters where a share of the relevant text has been retrieved, read at levels."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...]] = ()
    references: ClassVar[tuple[str, ...]] = ("pehcevski2006hixeval",)
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "interpolated precision")

    def curve(self, judged: JudgedTopic) -> Curve | None:
        return list(zip(POINTS, interpolated(judged, np.array(POINTS)).tolist(), strict=True))

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        return without_text(judged)

    def missing_topic_curve(self) -> Curve | None:
        return [(level, 0.0) for level in POINTS]


@once_for_each
def precision_from(judged: JudgedTopic) -> tuple[FloatArray, FloatArray, float]:
    """Relevant text found by each rank; the largest precision at that rank or later; all relevant text."""
    view = view_of(judged)
    found, read = view.cumulated(view.good), view.cumulated(view.new)
    precision, begun = np.zeros(len(found)), int(np.searchsorted(read, 0.0, side="right"))
    np.divide(found[begun:], read[begun:], out=precision[begun:])
    return found, np.maximum.accumulate(precision[::-1])[::-1], view.total


def interpolated(judged: JudgedTopic, levels: FloatArray) -> FloatArray:
    """max precision at recall >= level; hundredths of characters are compared in whole numbers."""
    found, best, total = precision_from(judged)
    hundredths = levels * 100
    whole = np.abs(hundredths - np.round(hundredths)) < 1e-9
    counted = float(total).is_integer() and np.array_equal(found, np.round(found))  # seconds need a little slack
    wanted = np.where(whole, np.round(hundredths), hundredths) * total
    wanted = np.where(whole & counted, wanted, wanted * (1 - 1e-9))
    first = np.searchsorted(100 * found, wanted)
    return np.append(best, 0.0)[first]
