"""Labels that benchmarks give to claims or abstracts, and that systems predict beside their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from berrypick.data.truth import Truth

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
