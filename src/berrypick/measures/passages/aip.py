"""AiP: average interpolated precision over characters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures._text_views import text_table, view_of
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.passages._interpolated import POINTS, InterpolatedMeasure, interpolated
from berrypick.measures.passages._read_block import by_topic, interpolated_block
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class AiP(InterpolatedMeasure):
    """Interpolated precision over characters, averaged over the recall points 0.00, 0.01 .. 1.00.

    Formula
    -------
    ::

        AiP = (1/101) sum of iP@x over x = 0.00, 0.01 .. 1.00

    with iP as in measure iP. MAiP is accepted as its name.

    Meaning
    -------
    How precisely the whole answer is retrieved, from its first characters to its last.

    Use
    ---
    The focused and thorough tasks of INEX from 2007 on; comparing chunkers and retrievers.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; 0 under protocol inex2010.

    Example
    -------
    One result that is the first half of the relevant text: iP is 1 at the 51 levels up to 0.50, then 0, so 51/101

    >>> import berrypick as bp
    >>> round(bp.score("AiP", {"q": {"doc#0-100": 1}}, {"q": {"doc#0-50": 1}}), 4)
    0.505
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAiP",)
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        if view_of(judged).total <= 0:
            return self.empty_topic_score(judged)
        return Score(math.fsum(interpolated(judged, np.array(POINTS))) / len(POINTS))

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        found = interpolated_block(spans, range(101))
        if found is None:
            return None
        values = zip(found.tolist(), spans.total.tolist(), strict=True)
        return by_topic(spans, [math.fsum(one) / len(POINTS) if total > 0 else None for one, total in values])

    def explain(self, judged: JudgedTopic) -> Explanation:
        points = self.curve(judged) or []
        rows = [[f"{x:.2f}", number(y, 6)] for x, y in points[::10]]
        rows.append(["mean of 101", self._value_text(judged)])
        table = Table("Interpolated precision", ["recall", "iP"], rows)
        return self._explanation(judged, text_table(view_of(judged)), table)
