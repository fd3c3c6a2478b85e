"""Some topics of a run, judged when a measure asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from berrypick.data.run import Duplicates, Run
from berrypick.data.truth import Truth
from berrypick.topics.documents import JudgedDocuments, judged_documents

if TYPE_CHECKING:
    from berrypick.topics.context import JudgingContext
    from berrypick.topics.topic import JudgedTopic


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

    def judge(self, topic: str) -> JudgedTopic:
        """One of the topics."""
        if topic not in self._kept:
            from berrypick.topics.judge import judge_topic

            self._kept[topic] = judge_topic(self.truth, self.run, topic, self.context)
        found: JudgedTopic = self._kept[topic]
        return found

    @property
    def documents(self) -> JudgedDocuments:
        """Whole documents of all topics at once."""
        found: JudgedDocuments = self.kept(
            JudgedDocuments, lambda: judged_documents(self.truth, self.run, self.topics, self.duplicates)
        )
        return found

    @property
    def duplicates(self) -> Duplicates:
        """What is done about repeated results."""
        return self.context.duplicates or self.run.ordering.duplicates

    def kept(self, key: type, make: Callable[[], Any]) -> Any:
        """What is made once for all measures of a class."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]
