"""spanHit: whether anything wanted is in the first results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.score import Score
from berrypick.measures._matched_places import length_parameter, of_length
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.spans._chunks import SpanMeasure
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class spanHit(SpanMeasure):
    """1 if the first results together cover enough of some target, else 0; the mean is the hit rate.

    Formula
    -------
    With U the text of the first k results::

        spanHit@k        = 1 if |U and x| >= share x |x| for some target x, else 0
        spanHit(iou=t)@k = 1 if |y and x| >= t x |y or x| for some target x and one of the first k results y, else 0

    Without a cut-off, of the whole list. The share, 0.5 by default, or iou is stated in the signature. length= keeps
    the targets of some lengths in seconds alone, as in spanAP.

    Meaning
    -------
    In how many topics a reader of the first k results finds at least one answer.

    Use
    ---
    Questions with one answer. Where answers have several parts, charR and spanAll say more. spanHit(iou=0.5)@1 is
    R1@0.5 of moment retrieval.

    Bounds
    ------
    0 or 1.

    Undefined
    ---------
    No targets; with length=, no targets of that length.

    Example
    -------
    A target of 100 characters, of which two results bring 30 each, without overlap: 30 is less than half of it, 60 is
    not

    >>> import berrypick as bp
    >>> truth, run = {"q": {"doc#0-100": 1}}, {"q": {"doc#0-30": 2, "doc#30-60": 1}}
    >>> bp.score("spanHit@1", truth, run), bp.score("spanHit@2", truth, run)
    (0.0, 1.0)

    Matched as in detection, a result of 90 characters of which 60 are relevant has an intersection over union of
    60/130 with it

    >>> run = {"q": {"doc#40-130": 1}}
    >>> bp.score("spanHit", truth, run), bp.score("spanHit(iou=0.5)", truth, run)
    (1.0, 0.0)
    """

    references: ClassVar[tuple[str, ...]] = ("smith2024chunking", "lei2021qvhighlights")
    scored_in_blocks: ClassVar[bool] = True

    length: str | None = length_parameter()

    def ranks(self, judged: JudgedTopic) -> FloatArray:
        found = super().ranks(judged)
        return found if self.length is None else np.where(of_length(judged, self.length), found, np.inf)

    def compute(self, judged: JudgedTopic) -> Score:
        if not of_length(judged, self.length).any():
            return Score(None)
        return Score(self.topic_value(self.ranks(judged), judged.targets.grade))

    def topic_value(self, ranks: FloatArray, grade: FloatArray) -> float:
        return 1.0 if np.isfinite(ranks).any() else 0.0

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        return super().score_block(spans, context) if self.length is None else None

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)
