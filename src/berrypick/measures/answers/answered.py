"""Answered: whether anything is returned for a topic that has an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.measures.answers._answers import AnswerMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Answered(AnswerMeasure):
    """Whether anything is returned for a topic that has an answer.

    Formula
    -------
    Over topics with relevant text alone::

        Answered = 1 if the run returns anything, else 0

    Meaning
    -------
    The share of answerable questions for which a system returns results, right or wrong.

    Use
    ---
    Together with Abstained: a system that never returns anything abstains perfectly.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Topics without relevant text.

    Example
    -------
    Two questions with an answer, one of which gets results:

    >>> import berrypick as bp
    >>> truth = {"q1": {"a": 1}, "q2": {"b": 1}, "q9": None}
    >>> bp.score("Answered", truth, {"q1": {"c": 2}, "q2": {}, "q9": {}})
    0.5
    """

    topics: ClassVar[str] = "a topic with an answer"
    others: ClassVar[str] = "nothing relevant"

    def defined(self, judged: JudgedTopic) -> bool:
        return judged.truth.has_relevant

    def value(self, results: int) -> float:
        return float(results > 0)
