"""Targets: the ideal units of a topic, and targets and results as intervals of the documents.

Documents and spans with a grade above 0 are targets, worth their grade. Where elements are judged, those of the ideal
recall base are, worth their gains. A unit that is ideal for nobody is no target. Readers who look for
entry points have those as targets.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, NeedsError, UsageError, option
from berrypick.data.observed import copied
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted, Targets, TopicTruth
from berrypick.targets.gains import Quantisation
from berrypick.targets.idealism import Idealism, exhaustivity_idealism, idealism_of
from berrypick.targets.recall_base import RecallBase


def targets_of(
    topic: TopicTruth, all_grades: set[float], mapping: Idealism | None, quant: Quantisation | None = None
) -> Targets:
    """The relevant documents or spans in truth order; in the strict sense those of the topic's highest grade."""
    if mapping == "gain":
        raise UsageError(
            f"{option('idealism', 'gain')} is for elements; grades of documents and spans are mapped, as in '1=.5,2=1'"
        )
    rows = relevant_rows(topic.grade, quant)
    grade = topic.grade[rows]
    all_of_them = len(rows) == len(topic.document)
    return Targets(
        document=topic.document if all_of_them else tuple(topic.document[row] for row in rows.tolist()),
        grade=grade,
        gain=grade.astype(np.float64),
        idealism=idealism_of(grade, all_grades, mapping),
        start=None if topic.start is None else topic.start[rows],
        end=None if topic.end is None else topic.end[rows],
        boxes=None if topic.boxes is None else topic.boxes[rows],
        unit=topic.unit,
    )


def relevant_rows(grade: FloatArray, quant: Quantisation | None) -> IntArray:
    """Units with a grade above 0; in the strict sense those of the topic's highest grade."""
    least = grade.max(initial=0.0) if quant == "strict" else 0.0
    return np.flatnonzero((grade > 0) & (grade >= least))


def element_targets(
    topic: TopicTruth, base: RecallBase, collection: Collection | None, mapping: Idealism | None
) -> Targets:
    """The ideal elements in truth order; those that a mapping makes ideal for no reader are left out."""
    idealism = _element_idealism(topic, base, mapping)
    ideal = base.ideal[idealism > 0]
    targets = Targets(
        document=tuple(base.document[i] for i in ideal.tolist()),
        grade=np.ones(len(ideal)),
        gain=base.gain[ideal],
        idealism=idealism[idealism > 0],
        path=tuple(base.path[i] for i in ideal.tolist()),
        size=base.size[ideal],
    )
    if collection is None or not collection.structures:
        return targets
    assert targets.path is not None
    spans = [_place(name, path, collection) for name, path in zip(targets.document, targets.path, strict=True)]
    return replace(
        targets,
        start=np.array([start for start, _ in spans], dtype=np.int64),
        end=np.array([end for _, end in spans], dtype=np.int64),
    )


def _element_idealism(topic: TopicTruth, base: RecallBase, mapping: Idealism | None) -> FloatArray:
    """Ideal for all users, or by the exhaustivity of the ideal element, or by its gain (EPRUM section 3.1)."""
    if mapping is None:
        return np.ones(len(base.ideal))
    if mapping == "gain":
        return base.gain[base.ideal]
    judged = topic.exhaustivity if topic.exhaustivity is not None else np.full(len(topic), np.nan)
    return exhaustivity_idealism(judged[base.row[base.ideal]], mapping)


def _place(document: str, path: str, collection: Collection) -> tuple[int, int]:
    try:
        return collection.structures[document].span_of_path(path)
    except KeyError:
        raise InputError(
            f"document {document} is assessed, but not in the collection {collection.source}",
            remedy=f"give the folder with all documents with {option('collection')}",
        ) from None


def entry_points_of(topic: TopicTruth) -> Targets | None:
    """Entry points as targets without extent; None where the truth has none."""
    if not topic.entry_points:
        return None
    offsets = []
    for point in topic.entry_points:
        if point.offset is None:
            raise without_structure(
                f"the entry point {point.point} of {point.document} has to be found in its document"
            )
        offsets.append(point.offset)
    count = len(offsets)
    place = np.array(offsets, dtype=np.float64)
    names = tuple(point.document for point in topic.entry_points)
    return Targets(names, np.ones(count), np.ones(count), np.ones(count), place, place.copy())


def without_structure(problem: str, kind: type[UsageError] = UsageError) -> UsageError:
    """The error for what only the XML documents of a collection say."""
    return kind(f"{problem}: give the folder of XML documents with {option('collection')}")


def relevant_text(topic: TopicTruth, targets: Targets, collection: Collection | None) -> Highlighted:
    """Relevant text as spans: what was highlighted, or relevant documents as a whole."""
    text = topic.relevant_text()
    if text is not None:
        return text
    if topic.path is None:
        spans = targets_as_spans(targets, collection)
        assert spans.start is not None and spans.end is not None
        return Highlighted(spans.document, spans.start, spans.end)
    if topic.passages:
        raise without_structure("reads highlighted text, whose passages are given by paths", NeedsError)
    raise NeedsError("reads highlighted text; this truth grades elements and has no highlighted passages")


def targets_as_spans(targets: Targets, collection: Collection | None) -> Targets:
    """Whole documents as the intervals they are."""
    if targets.start is not None:
        return targets
    if targets.path is not None:
        raise without_structure("needs the offsets of elements in their documents", NeedsError)
    lengths = [_length(name, collection) for name in targets.document]
    return copied(targets, start=np.zeros(len(lengths)), end=np.array(lengths, dtype=np.float64))


def ranking_as_spans(ranking: Ranking, wanted: set[str], collection: Collection | None) -> Ranking:
    """Whole documents as the intervals they are.

    A document without targets may be unknown: its interval is empty then, and its size is nan, so that code that counts
    what is read notices.
    """
    if ranking.start is not None:
        return ranking
    if ranking.path is not None:
        raise without_structure("needs the offsets of retrieved elements in their documents", NeedsError)
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    known = collection.lengths if collection is not None else {}
    sizes = [_length(name, collection) if name in wanted else float(known.get(name, np.nan)) for name in names]
    size = np.array(sizes, dtype=np.float64)
    return replace(ranking, start=np.zeros(len(names)), end=np.nan_to_num(size), size=size)


def with_sizes(ranking: Ranking, topic: TopicTruth) -> Ranking:
    """Lengths of retrieved elements, from the assessments that have them."""
    if ranking.path is None or ranking.start is not None or topic.path is None or topic.size is None:
        return ranking
    known = dict(zip(zip(topic.document, topic.path, strict=True), topic.size.tolist(), strict=True))
    sizes = [
        known.get((ranking.documents[document], ranking.paths[path]), np.nan)
        for document, path in zip(ranking.document.tolist(), ranking.path.tolist(), strict=True)
    ]
    return replace(ranking, size=np.array(sizes, dtype=np.float64))


def _length(document: str, collection: Collection | None) -> float:
    if collection is None or document not in collection.lengths:
        missing = f"; {collection.source} does not have it" if collection is not None and collection.source else ""
        raise UsageError(
            f"document {document} has no known length: "
            f"give document lengths with {option('collection')}, or the texts with {option('documents')}{missing}"
        )
    return float(collection.lengths[document])
