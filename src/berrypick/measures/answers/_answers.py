"""What the measures of answering and abstaining share: a topic, and whether the run returns anything for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import with_laws
from berrypick.data.score import Explanation, Score
from berrypick.data.words import counted
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic
from berrypick.topics.topics import JudgedTopics


@dataclass(frozen=True)
class AnswerMeasure(Measure):
    """Measures of whether a list is empty, each over some of the topics."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...] | None] = ()
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

    def returned(self, judged: JudgedTopic) -> str:
        """What the run returns for the topic, as a sentence of an explanation."""
        return f"The run returns {counted(len(judged.ranking), 'result')} for {self.topics}."

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def explain_topic(self, judged: JudgedTopics, text: str) -> Explanation:
        """Explain a topic without results as any other: an empty list is what these measures are about."""
        [topic] = judged.topics
        return self.explain(judged.judge(topic))

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not self.defined(judged):
            return self._explanation(judged, f"Undefined: the topic has {self.others}.")
        return self._explanation(judged, self.returned(judged), f"{self} = {self._value_text(judged)}")
