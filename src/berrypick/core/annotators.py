"""Judgements of several annotators: kept apart, and merged character by character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.pieces import Pieces, Spans
from berrypick.core.truth import TopicTruth

MergeRule = Literal["union", "majority", "intersection"]
MERGE_RULES: tuple[MergeRule, ...] = get_args(MergeRule)
#: Judgements of one annotator, by topic.
Judgements = Mapping[str, TopicTruth]


def merged(annotators: Mapping[str, Judgements], rule: MergeRule = "union") -> dict[str, TopicTruth]:
    """One truth: text is as relevant as any of those who judged it say (union), as all of them say (intersection), or
    as more than half of them say (majority). What one annotator alone judged stays as it is."""
    topics: dict[str, list[TopicTruth]] = {}
    for judgements in annotators.values():
        for name, topic in judgements.items():
            topics.setdefault(name, []).append(topic)
    return {name: _merged_topic(found, rule) for name, found in topics.items()}


def _merged_topic(found: Sequence[TopicTruth], rule: MergeRule) -> TopicTruth:
    if len(found) == 1:
        return found[0]
    owners: dict[str, set[int]] = {}
    for number, topic in enumerate(found):
        for document in topic.documents():
            owners.setdefault(document, set()).add(number)
    shared = {document for document, who in owners.items() if len(who) > 1}
    pieces, votes = votes_of(found, shared)
    rows = pieces.runs(_decided(votes, rule))
    for topic in found:  # documents that one annotator alone judged
        for row, document in enumerate(topic.document):
            if document not in shared and topic.start is not None and topic.end is not None:
                rows.append((document, float(topic.start[row]), float(topic.end[row]), float(topic.grade[row])))
    whole = dict.fromkeys(d for topic in found for d in (*topic.empty_documents, *topic.judged_documents))
    return TopicTruth(
        found[0].topic,
        tuple(document for document, _, _, _ in rows),
        np.array([grade for _, _, _, grade in rows], dtype=np.float64),
        _positions([start for _, start, _, _ in rows]),
        _positions([end for _, _, end, _ in rows]),
        judged_documents=tuple(whole),
        quotes=tuple(quote for topic in found for quote in topic.quotes if not quote.has_offsets),
        no_answer=all(topic.no_answer for topic in found),
    )


def _positions(values: list[float]) -> FloatArray:
    whole = all(value.is_integer() for value in values)
    return np.array(values, dtype=np.int64 if whole else np.float64)


def votes_of(found: Sequence[TopicTruth], documents: set[str]) -> tuple[Pieces, FloatArray]:
    """The text of some documents in pieces, and the grade that each annotator gives each piece; nan if unjudged."""
    lists: list[Spans] = []
    graded: list[tuple[int, float]] = []
    for number, topic in enumerate(found):
        if topic.start is None or topic.end is None:
            continue
        kept = np.array([name in documents for name in topic.document], dtype=bool)
        for grade in sorted({grade for grade in topic.grade[kept].tolist() if grade >= 0}):
            rows = np.flatnonzero(kept & (topic.grade == grade))
            lists.append(([topic.document[row] for row in rows.tolist()], topic.start[rows], topic.end[rows]))
            graded.append((number, grade))
    pieces = Pieces.of(lists)
    votes = np.full((len(found), len(pieces.document)), np.nan)
    for number, topic in enumerate(found):
        votes[number, pieces.within(topic.whole_documents & documents)] = 0.0
    for which, (number, grade) in enumerate(graded):  # in order of grades: the highest counts
        votes[number, pieces.covered(which)] = grade
    return pieces, votes


def _decided(votes: FloatArray, rule: MergeRule) -> FloatArray:
    """The grade of each piece; of an even number of different grades the majority takes the lower middle one."""
    judged = (~np.isnan(votes)).sum(axis=0)
    ordered = np.sort(votes, axis=0)  # nan last
    place = {"union": judged - 1, "intersection": np.zeros_like(judged), "majority": (judged - 1) // 2}[rule]
    chosen = np.take_along_axis(ordered, np.maximum(place, 0)[None, :], axis=0)[0]
    return np.asarray(np.where(judged > 0, chosen, np.nan), dtype=np.float64)
