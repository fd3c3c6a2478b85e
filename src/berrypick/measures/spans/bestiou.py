"""BestIoU: how well the best result fits each target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures._matched_places import nothing_to_match, overlaps
from berrypick.measures.base import SHOWN, Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class BestIoU(Measure):
    """The mean over targets of the best intersection over union that any result has with it.

    Formula
    -------
    With targets x and the first k results y (all of them without a cut-off)::

        BestIoU@k = mean over x of max over y of |y and x| / |y or x|

    Meaning
    -------
    How well the borders of the best result for each target fit, whatever else is returned.

    Use
    ---
    Boxes on pages, as BBox-DocVQA scores them. Results that fit nothing cost nothing: spanAP and IoU charge for them.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    The first target is met by half, the second one by nothing

    >>> import berrypick as bp
    >>> truth = {"q": {"doc#0-10": 1, "doc#50-60": 1}}
    >>> bp.score("BestIoU", truth, {"q": {"doc#0-5": 2, "doc#90-99": 1}})
    0.25
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("targets",)
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("heilbron2015activitynet",)

    def best(self, judged: JudgedTopic) -> FloatArray:
        """The best ratio of each target."""
        rank, best = judged.ranking_spans.rank, np.zeros(len(judged.targets))
        for row, target, ratio in overlaps(judged).blocks():
            counts = np.ones(len(row), dtype=bool) if self.at is None else rank[row] < self.at
            np.maximum.at(best, target[counts], ratio[counts])
        return best

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        return nothing_to_match(judged)

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(float(self.best(judged).mean()))

    def explain(self, judged: JudgedTopic) -> Explanation:
        best = self.best(judged)
        rows = [[judged.targets.name(x), number(float(best[x]))] for x in range(min(len(best), SHOWN))]
        table = Table("The best result for each target", ["target", "IoU"], rows)
        return self._explanation(judged, table, f"{self} = {self._value_text(judged)}")
