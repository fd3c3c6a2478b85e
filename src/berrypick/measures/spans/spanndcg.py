"""spanNDCG: discounted cumulated gain over spans, normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.spans._chunks import SpanMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class spanNDCG(SpanMeasure):
    """Each target counts once, at the rank by which it has been covered well enough, discounted by that rank.

    Formula
    -------
    With r(x) the first rank such that the results up to it together cover the given share of target x (with iou=t, the
    rank of the first result whose intersection over union with x is at least t), and g its grade (or 1, with
    gain='binary')::

        x_1, x_2, ..  = the targets found, by r(x), those of one rank by decreasing grade
        DCG@k         = sum over i <= k with r(x_i) <= k of g(x_i) / log2(1 + max(r(x_i), i))
        ideal@k       = sum over i <= k of the i-th largest grade / log2(1 + i)
        spanNDCG@k    = DCG@k / ideal@k

    Without a cut-off, of the whole list. Share or iou, and gain, are stated in the signature.

    Meaning
    -------
    1: every target is found as early as possible. A copy of a result takes a rank and gains nothing. A result that
    holds several targets at once is worth no more than the best list of as many targets, one at each rank.

    Use
    ---
    Answers in several parts of different worth. Numbers of nDCG over chunk ids cannot be compared with it.

    Bounds
    ------
    0 to 1.

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

    One result that holds both targets of its document: the second one counts as if at rank 2

    >>> bp.score("spanNDCG", {"q": {"a#0-90": 1, "a#100-190": 1}}, {"q": {"a#0-200": 1}})
    1.0
    """

    references: ClassVar[tuple[str, ...]] = ("jarvelin2002cumulated",)
    scored_in_blocks: ClassVar[bool] = True

    gain: Literal["graded", "binary"] = parameter("graded", "graded|binary", "grades as they are, or 1 for all")

    def _gains(self, grade: FloatArray) -> FloatArray:
        return grade.astype(np.float64) if self.gain == "graded" else np.ones(len(grade))

    def _discounted(self, gains: FloatArray, places: FloatArray) -> float:
        """Gains at places, from 1, of which only so many count as there are ranks."""
        kept = slice(None if self.at is None else int(self.at))
        return float((gains[kept] / np.log2(1 + places[kept])).sum())

    def _ideal(self, grade: FloatArray) -> float:
        gains = np.sort(self._gains(grade))[::-1]
        return self._discounted(gains, np.arange(1.0, len(gains) + 1))

    def _cumulated(self, ranks: FloatArray, grade: FloatArray) -> float:
        """The i-th target found counts at rank i at best: one result with many targets is no better than a list."""
        gains = self._gains(grade)
        order = np.lexsort((-gains, ranks))
        order = order[np.isfinite(ranks[order])]
        return self._discounted(gains[order], np.maximum(ranks[order], np.arange(1.0, len(order) + 1)))

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self.topic_value(self.ranks(judged), judged.targets.grade))

    def topic_value(self, ranks: FloatArray, grade: FloatArray) -> float:
        # the same terms summed in another order may differ in the last digit
        return min(1.0, self._cumulated(ranks, grade) / self._ideal(grade))

    def explain(self, judged: JudgedTopic) -> Explanation:
        ranks, grade = self.ranks(judged), judged.targets.grade
        dcg, ideal = self._cumulated(ranks, grade), self._ideal(grade)
        rows = [["DCG", number(dcg, 6)], ["ideal", number(ideal, 6)], [str(self), self._value_text(judged)]]
        return self._explanation(judged, self.table(judged), Table("Gain", ["quantity", "value"], rows))
