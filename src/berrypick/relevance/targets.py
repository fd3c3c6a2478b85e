"""Targets: the ideal units of a topic. A grade above 0 makes a target; its gain is the grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from berrypick.core.collection import Collection
from berrypick.core.errors import UsageError
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets, TopicTruth
from berrypick.relevance.idealism import idealism_of


def targets_of(topic: TopicTruth, all_grades: set[float], mapping: Mapping[float, float] | None) -> Targets:
    """The relevant units in truth order."""
    rows = np.flatnonzero(topic.grade > 0)
    grade = topic.grade[rows]
    return Targets(
        document=tuple(topic.document[row] for row in rows.tolist()),
        grade=grade,
        gain=grade.astype(np.float64),
        idealism=idealism_of(grade, all_grades, mapping),
        start=None if topic.start is None else topic.start[rows],
        end=None if topic.end is None else topic.end[rows],
    )


def targets_as_spans(targets: Targets, collection: Collection | None) -> Targets:
    """Whole documents as the intervals they are."""
    if targets.start is not None:
        return targets
    lengths = [_length(name, collection) for name in targets.document]
    return replace(targets, start=np.zeros(len(lengths)), end=np.array(lengths, dtype=np.float64))


def ranking_as_spans(ranking: Ranking, targets: Targets, collection: Collection | None) -> Ranking:
    """Whole documents as the intervals they are; a document nobody knows and nobody wants holds nothing."""
    if ranking.start is not None:
        return ranking
    wanted = set(targets.document)
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    known = collection.lengths if collection is not None else {}
    end = [float(known.get(name, 0.0)) if name not in wanted else _length(name, collection) for name in names]
    return replace(ranking, start=np.zeros(len(names)), end=np.array(end, dtype=np.float64))


def _length(document: str, collection: Collection | None) -> float:
    if collection is None or document not in collection.lengths:
        raise UsageError(
            f"the length of document {document} is needed to see it as a stretch of text or time: "
            "give document lengths with --collection"
        )
    return float(collection.lengths[document])
