"""What the measures of answering and abstaining share: a topic, and whether the run returns anything for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.core.laws import with_laws
from berrypick.core.score import Explanation, Score
from berrypick.core.words import counted
from berrypick.judging.topic import JudgedTopic
from berrypick.measures.base import Measure


@dataclass(frozen=True)
class AnswerMeasure(Measure):
    """Measures of whether a list is empty, each over some of the topics."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...]] = ()
    of_areas: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = False
    of_answers: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("rajpurkar2018squad2",)
    #: The topics that it is about, and what others have, for explanations.
    topics: ClassVar[str]
    others: ClassVar[str]

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

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not self.defined(judged):
            return self._explanation(judged, f"Undefined: the topic has {self.others}.")
        shown = f"The run returns {counted(len(judged.ranking), 'result')} for {self.topics}."
        return self._explanation(judged, shown, f"{self} = {self._value_text(judged)}")
