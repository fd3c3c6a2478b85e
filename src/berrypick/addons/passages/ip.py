"""iP: interpolated precision over characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.addons.passages._interpolated import InterpolatedMeasure, interpolated
from berrypick.core.score import Explanation, Score
from berrypick.judging.topic import JudgedTopic
from berrypick.measures.text_views import text_table, view_of


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

    def compute(self, judged: JudgedTopic) -> Score:
        if view_of(judged).total <= 0:
            return self.empty_topic_score(judged)
        return Score(float(interpolated(judged, np.array([float(self.needed_cutoff())]))[0]))

    def explain(self, judged: JudgedTopic) -> Explanation:
        value = f"The largest precision with recall of at least {self.at:g} is {self._value_text(judged)}."
        return self._explanation(judged, text_table(view_of(judged)), value)
