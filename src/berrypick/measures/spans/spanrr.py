"""spanRR: how early the first target is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.arrays import FloatArray
from berrypick.data.score import Score
from berrypick.measures.spans._chunks import SpanMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class spanRR(SpanMeasure):
    """The reciprocal of the first rank by which some target has been covered well enough.

    Formula
    -------
    ::

        spanRR@k = 1/r, with r <= k the first rank such that the results 1 .. r together cover
                   at least the given share of some target; 0 if there is none

    With iou=t, r is the rank of the first result whose intersection over union with some target is at least t. Without
    a cut-off, of the whole list. The share, 0.5 by default, or iou is stated in the signature.

    Meaning
    -------
    1: the first result is enough. 1/2: the second one had to be read, and so on.

    Use
    ---
    Questions with one answer, and readers who stop when they have it.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    The second result brings a third of a target, the fourth another third, which makes more than half: 1/4

    >>> import berrypick as bp
    >>> run = {"q": {"other#0-30": 4, "doc#0-30": 3, "other#30-60": 2, "doc#30-60": 1}}
    >>> bp.score("spanRR", {"q": {"doc#0-90": 1}}, run)
    0.25
    """

    references: ClassVar[tuple[str, ...]] = ("smith2024chunking",)
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self.topic_value(self.ranks(judged), judged.targets.grade))

    def topic_value(self, ranks: FloatArray, grade: FloatArray) -> float:
        return 1.0 / float(ranks.min())
