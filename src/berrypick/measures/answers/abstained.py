"""Abstained: whether nothing is returned for a topic without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.score import Score
from berrypick.measures.answers._answers import AnswerMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Abstained(AnswerMeasure):
    """Whether nothing is returned for a topic that has no answer.

    Formula
    -------
    Over topics without an answer alone::

        Abstained = 1 if the run returns an empty list, else 0

    Nested results, dictionaries, objects and traces can state an empty list. A topic that such a run does not mention
    is absent, not an empty list, and scores 0: a retriever that crashed has not abstained. Flat rows (TREC, CSV, JSON
    Lines, data frames) cannot state it, so a topic without rows counts as an empty list. The option missing decides
    otherwise; the signature says what unmentioned topics counted as.

    A topic has no answer if the truth says so, or if it judges something for the topic and nothing of it is relevant.

    Meaning
    -------
    The share of unanswerable questions that a system leaves unanswered. A system that always returns something has 0.

    Use
    ---
    Together with Answered, which falls as results are held back: the option min_score trades one for the other.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Topics that have an answer.

    Example
    -------
    Two questions without an answer, one of which gets results:

    >>> import berrypick as bp
    >>> truth = {"q1": {"a": 1}, "q8": None, "q9": None}
    >>> bp.score("Abstained", truth, {"q1": {"a": 2}, "q8": {"a": 1}, "q9": {}})
    0.5

    Without the empty list for q9 the run says nothing about it:

    >>> bp.score("Abstained", truth, {"q1": {"a": 2}, "q8": {"a": 1}})
    0.0
    >>> bp.score("Abstained", truth, {"q1": {"a": 2}, "q8": {"a": 1}}, missing="empty")
    0.5
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("missing",)
    topics: ClassVar[str] = "a topic without an answer"
    others: ClassVar[str] = "an answer, or nothing judged"

    def defined(self, judged: JudgedTopic) -> bool:
        return judged.truth.unanswerable

    def value(self, results: int) -> float:
        return float(results == 0)

    def compute(self, judged: JudgedTopic) -> Score:
        if not judged.missing or not self.defined(judged):
            return super().compute(judged)
        return Score(float(judged.missing == "empty"), signed=(("missing", judged.missing),))

    def returned(self, judged: JudgedTopic) -> str:
        if not judged.missing:
            return super().returned(judged)
        counts = "an empty list" if judged.missing == "empty" else "absent, which is not abstaining"
        return f"The run does not mention {self.topics}; it counts as {counts}."
