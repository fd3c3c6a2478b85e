"""Labels that benchmarks give to claims or abstracts, and that systems predict beside their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from berrypick.core.errors import UsageError
from berrypick.core.truth import Truth
from berrypick.formats.base import Problems
from berrypick.judging.topic import JudgedTopic

#: Under which labels lie beside a topic: a text, or of each abstract what is said of it.
LABELS = "labels"
#: SciFact's, of which the last says that an abstract is no evidence.
SUPPORT, CONTRADICT, NO_INFO = "SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO"


@dataclass(frozen=True)
class Labelled:
    """What is said of an abstract: a label, and sentences, in gold as sufficient sets."""

    label: str
    sentences: tuple[tuple[int, ...], ...]


def with_labels(truth: Truth, labels: Mapping[str, Any]) -> Truth:
    """The truth with what is said of its topics."""
    topics = {
        name: replace(topic, extra={**topic.extra, LABELS: labels[name]}) if name in labels else topic
        for name, topic in truth.topics.items()
    }
    return replace(truth, topics=topics)


class PredictedLabels:
    """The labels of a file of predictions: all results have one, or none has."""

    def __init__(self, known: Iterable[str], problems: Problems) -> None:
        self._known, self._problems = tuple(known), problems
        self._bare = self._labelled = 0
        self.of: dict[str, Any] = {}

    def read(self, value: Any, line: int) -> str:
        """A label in capitals; one outside the vocabulary is counted under its name, and '' stands for none."""
        self._bare += value is None
        self._labelled += value is not None
        label = value.upper() if isinstance(value, str) else ""
        if value is not None and label not in self._known:
            what = f"predicted labels that are none of {', '.join(self._known)}, and never right"
            self._problems.label(what, value, line)
        return label

    def extra(self) -> dict[str, Any]:
        """What a run has beside its results: nothing where some results have no label."""
        if self._bare and self._labelled:
            self._problems.count("predictions without a label, as others have: labels are not read", self._bare)
        return {} if self._bare else {LABELS: self.of}


def gold_of(judged: JudgedTopic, kind: type | tuple[type, ...], benchmark: str) -> Any:
    """What the truth says of a topic; refused if it says nothing of the kind."""
    found = judged.truth.extra.get(LABELS)
    if not isinstance(found, kind):
        raise UsageError(f"the truth has no labels as that of {benchmark} has them")
    return found


def unlabelled(judged: JudgedTopic) -> tuple[str, ...]:
    """What is said of a topic for which the run has results and no label."""
    bare = len(judged.ranking) and LABELS not in judged.extra
    return ("the run has results and no labels, which count as wrong ones",) if bare else ()
