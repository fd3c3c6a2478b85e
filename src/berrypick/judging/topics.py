"""Some topics of a run, judged when a measure asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from berrypick.core.observed import observed
from berrypick.core.run import Run
from berrypick.core.score import Score
from berrypick.core.truth import Truth
from berrypick.judging.context import JudgingContext
from berrypick.judging.documents import JudgedDocuments, judged_documents
from berrypick.judging.judge import judge_topic
from berrypick.judging.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class JudgedTopics:
    """What a measure scores: topics of a run, one by one or as whole documents of all of them."""

    truth: Truth
    run: Run
    topics: Sequence[str]
    context: JudgingContext
    #: All measures that are asked for them: some are computed faster together.
    measures: Sequence[Any] = ()
    #: What measures share: by topic what is judged, by any other key what :meth:`kept` was given.
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    #: The topics as the measure at work has them: each measure has values of its own, so that what it reads is seen.
    _own: dict[str, JudgedTopic] = field(default_factory=dict, init=False, repr=False)

    def judge(self, topic: str) -> JudgedTopic:
        """One of the topics."""
        if topic not in self._own:
            if topic not in self._kept:
                self._kept[topic] = judge_topic(self.truth, self.run, topic, self.context)
            self._own[topic] = made = object.__new__(JudgedTopic)
            vars(made).update(vars(self._kept[topic]))
        return self._own[topic]

    def score(self, measure: Any) -> tuple[dict[str, Score], set[str]]:
        """Score all topics by a measure, and tell what it read."""
        self._own.clear()
        with observed() as reads:
            return measure.score_topics(self), reads

    @property
    def documents(self) -> JudgedDocuments:
        """Whole documents of all topics at once."""
        found: JudgedDocuments = self.kept(JudgedDocuments, lambda: judged_documents(self.truth, self.run, self.topics))
        return found

    def kept(self, key: type, make: Callable[[], Any]) -> Any:
        """What is made once for all measures of a class."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]
