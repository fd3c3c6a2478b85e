"""Interpolated precision over characters: what iP and AiP share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.laws import with_laws
from berrypick.data.observed import once_for_each
from berrypick.data.score import Curve, CurveColumns, Score
from berrypick.measures._text_views import view_of, without_text
from berrypick.measures.base import Measure
from berrypick.measures.passages._read_block import interpolated_block
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic

if TYPE_CHECKING:
    from berrypick.measures.blocks import SpanBlock

#: 0.00, 0.01 .. 1.00
POINTS = tuple(i / 100 for i in range(101))


@dataclass(frozen=True)
class InterpolatedMeasure(Measure):
    """Precision over characters where a share of the relevant text has been retrieved, read at levels."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("pehcevski2006hixeval",)
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "interpolated precision")

    def curve(self, judged: JudgedTopic) -> Curve | None:
        return list(zip(POINTS, interpolated(judged, np.array(POINTS)).tolist(), strict=True))

    def curves_of_block(
        self, spans: SpanBlock, context: JudgingContext, found: Mapping[str, Score]
    ) -> dict[str, tuple[Curve | None, Curve | None]]:
        points = interpolated_block(spans, range(len(POINTS)))
        if points is None:
            return {}
        curves: dict[str, tuple[Curve | None, Curve | None]] = {}
        states = zip(spans.topics, spans.targets.tolist(), spans.answered.tolist(), spans.total.tolist(), strict=True)
        for row, (topic, targets, answered, total) in zip(points, states, strict=True):
            if targets and total > 0:
                curve = CurveColumns(POINTS, row) if answered else self.missing_topic_curve()
                curves[topic] = curve, curve
            elif not targets:
                curves[topic] = None, None
        return curves

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
