"""What measures of labels ask of a judged topic."""

from __future__ import annotations

from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.labels import LABELS
from berrypick.topics.topic import JudgedTopic


def gold_of(judged: JudgedTopic, kind: type | tuple[type, ...], benchmark: str) -> Any:
    """What the truth says of a topic; refused if it says nothing of the kind."""
    found = judged.truth.extra.get(LABELS)
    if not isinstance(found, kind):
        raise UsageError(f"the truth has no labels in the form of {benchmark}")
    return found


def unlabelled(judged: JudgedTopic) -> tuple[str, ...]:
    """What is said of a topic for which the run has results and no label."""
    bare = len(judged.ranking) and LABELS not in judged.extra
    return ("the run has results but no labels, which count as wrong",) if bare else ()
