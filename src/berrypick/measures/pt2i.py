"""PT2I: probability of relevance under tolerance to irrelevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.core.explanation import Table, number
from berrypick.core.score import Score
from berrypick.judging.topic import JudgedTopic
from berrypick.measures._visits import _Searching


@dataclass(frozen=True)
class PT2I(_Searching):
    """Targets found per unit met, relevant or wasted, until S targets are found.

    Formula
    -------
    ::

        PT2I(wanted=S) = S/(S + ESL)

    with ESL as there, in tokens too.

    Meaning
    -------
    Raghavan's probability of relevance, with units of tolerance in the place of irrelevant documents.

    Use
    ---
    Precision-recall thinking for video and long text: one value per number of targets wanted.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets, or fewer than S.

    Example
    -------
    Targets [5,10) and [80,90) in 100 seconds, results that start at 0 and at 50: ESL = 4 for S = 2, so 2/(2 + 4)

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#80-90": 1}}, {"q": {"video#0-8": 2, "video#50-70": 1}}
    >>> seconds = bp.Collection({"video": 100})
    >>> round(bp.score("PT2I(wanted=2,tolerance=15)", truth, run, collection=seconds), 4)
    0.3333
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance", "raghavan1989critical")

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.search(judged)
        return self.scored(judged, None if found is None else found.wanted / (found.wanted + found.length))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        score = self.compute(judged)
        return score if score.value is None else Score(0.0)

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        value = self.compute(judged).value
        if value is None:
            return [f"Undefined: {self.wanted} targets are wanted, the topic has {len(judged.targets)}."]
        return [self.search_table(judged), f"PT2I = S/(S + ESL) = {number(value, 6)}"]
