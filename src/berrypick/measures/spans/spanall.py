"""spanAll: whether everything wanted is in the first results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.score import Explanation, Score
from berrypick.measures.spans._chunks import SpanMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class spanAll(SpanMeasure):
    """1 if the first results together cover enough of every target, else 0.

    Formula
    -------
    With U the text of the first k results::

        spanAll@k        = 1 if |U and x| >= share x |x| for every target x, else 0
        spanAll(iou=t)@k = 1 if for every target x some result y of the first k has |y and x| >= t x |y or x|, else 0

    Without a cut-off, of the whole list. The share, 0.5 by default, or iou is stated in the signature.

    Meaning
    -------
    In how many topics a reader of the first k results has everything that the answer needs.

    Use
    ---
    Questions whose answer needs several places together, such as multi-hop questions. With one target a topic it is
    spanHit.

    Bounds
    ------
    0 or 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    Two places are necessary, and the second one comes with the third result

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-100": 1, "b#50-90": 1}}
    >>> run = {"q": {"a#0-100": 3, "b#0-40": 2, "b#40-80": 1}}
    >>> bp.score("spanAll@2", truth, run), bp.score("spanAll@3", truth, run)
    (0.0, 1.0)
    """

    references: ClassVar[tuple[str, ...]] = ("yang2018hotpotqa",)
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self.topic_value(self.ranks(judged), judged.targets.grade))

    def topic_value(self, ranks: FloatArray, grade: FloatArray) -> float:
        return 1.0 if np.isfinite(ranks).all() else 0.0

    def explain(self, judged: JudgedTopic) -> Explanation:
        ranks = self.ranks(judged)
        found = f"{int(np.isfinite(ranks).sum())} of {len(ranks)} targets are found."
        return self._explanation(judged, self.table(judged), found, f"{self} = {self._value_text(judged)}")
