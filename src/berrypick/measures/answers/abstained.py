"""Abstained: whether nothing is returned for a topic without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.addons.judge._answers import AnswerMeasure
from berrypick.judging.topic import JudgedTopic


@dataclass(frozen=True)
class Abstained(AnswerMeasure):
    """Whether nothing is returned for a topic that has no answer.

    Formula
    -------
    Over topics without an answer alone::

        Abstained = 1 if the run returns nothing, else 0

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
    """

    topics: ClassVar[str] = "a topic without an answer"
    others: ClassVar[str] = "an answer, or nothing judged"

    def defined(self, judged: JudgedTopic) -> bool:
        return judged.truth.unanswerable

    def value(self, results: int) -> float:
        return float(results == 0)
