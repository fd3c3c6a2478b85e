"""spanNDCG: discounted cumulated gain over spans, normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.parameters import parameter
from berrypick.core.score import Score
from berrypick.judging.topic import JudgedTopic
from berrypick.measures._chunks import SpanMeasure


@dataclass(frozen=True)
class spanNDCG(SpanMeasure):
    """Each target counts once, at the rank by which it has been covered well enough, discounted by that rank.

    Formula
    -------
    With r(x) the first rank such that the results up to it together cover the given share of target x, and g its
    grade (or 1, with gain='binary')::

        DCG@k      = sum over targets x with r(x) <= k of g(x) / log2(r(x) + 1)
        ideal@k    = the same for a list of the targets by decreasing grade, one a rank
        spanNDCG@k = DCG@k / ideal@k

    Without a cut-off, of the whole list. Share and gain are stated in the signature.

    Meaning
    -------
    1: every target is found as early as possible. A copy of a result takes a rank and gains nothing.

    Use
    ---
    Answers in several parts of different worth. Numbers of nDCG over chunk ids cannot be compared with it.

    Bounds
    ------
    From 0. It can exceed 1, since one result may cover several targets at once.

    Undefined
    ---------
    No targets.

    Example
    -------
    Two targets of the same grade, covered at ranks 1 and 3: (1 + 1/log2(4))/(1 + 1/log2(3)) = 1.5/1.6309

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-90": 1, "b#0-90": 1}}
    >>> round(bp.score("spanNDCG", truth, {"q": {"a#0-90": 3, "x#0-30": 2, "b#0-90": 1}}), 4)
    0.9197
    """

    why_above_one: ClassVar[str] = "one result covers several targets at once; the ideal list has one target a rank"
    references: ClassVar[tuple[str, ...]] = ("jarvelin2002cumulated",)

    gain: Literal["graded", "binary"] = parameter("graded", "graded|binary", "grades count as they are, or all as 1")

    def _gains(self, judged: JudgedTopic) -> FloatArray:
        grade = judged.targets.grade
        return grade.astype(np.float64) if self.gain == "graded" else np.ones(len(grade))

    def _ideal(self, judged: JudgedTopic) -> float:
        gains = np.sort(self._gains(judged))[::-1]
        gains = gains if self.at is None else gains[: int(self.at)]
        return float((gains / np.log2(np.arange(len(gains)) + 2)).sum())

    def compute(self, judged: JudgedTopic) -> Score:
        ranks = self.ranks(judged)
        found = np.isfinite(ranks)
        return Score(float((self._gains(judged)[found] / np.log2(ranks[found] + 1)).sum()) / self._ideal(judged))

    def explain(self, judged: JudgedTopic) -> Explanation:
        value, ideal = self.compute(judged).value or 0.0, self._ideal(judged)
        rows = [["DCG", number(value * ideal, 6)], ["ideal", number(ideal, 6)], [str(self), number(value, 6)]]
        return Explanation(
            f"{self.canonical()} for topic {judged.topic}",
            [self.table(judged), Table("Gain", ["quantity", "value"], rows)],
        )
