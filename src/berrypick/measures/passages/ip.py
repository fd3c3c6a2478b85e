"""iP: interpolated precision over characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.score import Explanation, Score
from berrypick.measures._text_views import text_table, view_of
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.passages._interpolated import InterpolatedMeasure, interpolated
from berrypick.measures.passages._read_block import by_topic, interpolated_block
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class iP(InterpolatedMeasure):
    """The largest precision, in characters, once a share of the relevant text has been retrieved.

    Formula
    -------
    With text counted once, after rank i::

        P[i] = relevant text so far / text so far,   R[i] = relevant text so far / all relevant text
        iP@x = max { P[i] : R[i] >= x },  0 if the list never reaches x

    Meaning
    -------
    How precise the retrieved text is when it contains that much of the answer.
    iP@0.01 looks at the very beginning of the list.

    Use
    ---
    The focused task of INEX from 2007 on, at 0.00, 0.01, 0.05 and 0.10; any passages or chunks.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; 0 under protocol inex2010.

    Example
    -------
    The first result has 50 relevant characters of 100, and these are a tenth of all: 50/100

    >>> import berrypick as bp
    >>> bp.score("iP@0.1", {"q": {"doc#50-550": 1}}, {"q": {"doc#0-100": 1}})
    0.5
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    cutoff_required: ClassVar[bool] = True
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        if view_of(judged).total <= 0:
            return self.empty_topic_score(judged)
        return Score(float(interpolated(judged, np.array([float(self.needed_cutoff())]))[0]))

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        level = 100 * float(self.needed_cutoff())
        found = interpolated_block(spans, [round(level)]) if abs(level - round(level)) < 1e-9 else None
        if found is None:
            return None
        values = zip(found[:, 0].tolist(), spans.total.tolist(), strict=True)
        return by_topic(spans, [value if total > 0 else None for value, total in values])

    def explain(self, judged: JudgedTopic) -> Explanation:
        value = f"The largest precision with recall of at least {self.at:g} is {self._value_text(judged)}."
        return self._explanation(judged, text_table(view_of(judged)), value)
