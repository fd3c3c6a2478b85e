"""What the measures of answering and abstaining share: a topic, and whether the run returns anything for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.core.explanation import Explanation, number
from berrypick.core.score import Score
from berrypick.core.words import counted
from berrypick.judging.topic import JudgedTopic
from berrypick.measures.base import Measure


@dataclass(frozen=True)
class AnswerMeasure(Measure):
    """Measures of whether a list is empty, each over some of the topics."""

    depends_on: ClassVar[tuple[str, ...]] = ()
    needs_targets: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ("rajpurkar2018squad2",)
    #: Whether it is about topics without an answer.
    on_unanswerable: ClassVar[bool] = False

    def defined(self, judged: JudgedTopic) -> bool:
        """Whether the measure is about this topic."""
        raise NotImplementedError

    def value(self, results: int) -> float:
        """From the number of results."""
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self.value(len(judged.ranking)) if self.defined(judged) else None)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def explanation(self, judged: JudgedTopic, kind: str, otherwise: str) -> Explanation:
        """The working, for topics that the measure is about and for others."""
        title = f"{self.canonical()} for topic {judged.topic}"
        if not self.defined(judged):
            return Explanation(title, [f"Undefined: the topic has {otherwise}."])
        results = len(judged.ranking)
        shown = f"The run returns {counted(results, 'result')} for {kind}."
        return Explanation(title, [shown, f"{self} = {number(self.value(results), 6)}"])
