"""Judgements of several annotators: documents cut where some span starts or ends, and merged character by character."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.data.boxes import Boxes
from berrypick.data.errors import UsageError, option
from berrypick.data.truth import MergeRule, TopicTruth

#: Spans of one list: the names of their documents, starts and ends.
Spans = tuple[Sequence[str], Positions, Positions]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of all documents in order; the last one of a document has no length."""

    names: tuple[str, ...]
    document: IntArray  # index into names
    start: FloatArray
    length: FloatArray
    ends: tuple[tuple[IntArray, IntArray], ...]  # pieces where the spans of each list start, and end

    @classmethod
    def of(cls, lists: Iterable[Spans]) -> Pieces:
        """Cut at the ends of the spans of some lists; empty spans do not count."""
        given = list(lists)
        numbers = {name: i for i, name in enumerate(dict.fromkeys(name for names, _, _ in given for name in names))}
        columns = [_columns(spans, numbers) for spans in given]
        document = np.concatenate([np.concatenate([d, d]) for d, _, _ in columns] or [np.zeros(0, dtype=np.int64)])
        place = np.concatenate([np.concatenate([a, b]) for _, a, b in columns] or [np.zeros(0)])
        order = np.lexsort((place, document))
        new = np.ones(len(order), dtype=bool)
        same = document[order][1:] == document[order][:-1]
        new[1:] = ~(same & (place[order][1:] == place[order][:-1]))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        heads = order[new]
        length = np.zeros(len(heads))
        inner = document[heads][1:] == document[heads][:-1]
        length[:-1][inner] = np.diff(place[heads])[inner]
        bounds = np.cumsum([0, *(2 * len(d) for d, _, _ in columns)]).tolist()
        parts = [number[a:b] for a, b in pairwise(bounds)]
        ends = tuple((part[: len(part) // 2], part[len(part) // 2 :]) for part in parts)
        return cls(tuple(numbers), document[heads], place[heads], length, ends)

    def covered(self, which: int) -> BoolArray:
        """The pieces that a list holds."""
        start, end = self.ends[which]
        count = len(self.document)
        change = np.bincount(start, minlength=count) - np.bincount(end, minlength=count)
        return np.asarray(np.cumsum(change) > 0, dtype=bool)

    def within(self, documents: Iterable[str]) -> BoolArray:
        """The pieces of some documents."""
        numbers = {name: i for i, name in enumerate(self.names)}
        wanted = [numbers[name] for name in documents if name in numbers]
        return np.isin(self.document, np.array(wanted, dtype=np.int64))

    def runs(self, status: FloatArray) -> list[tuple[str, float, float, float]]:
        """Neighbouring pieces of the same status as one: document, start, end, status; nan is left out."""
        found: list[tuple[str, float, float, float]] = []
        rows = zip(self.document.tolist(), self.start.tolist(), self.length.tolist(), status.tolist(), strict=True)
        for document, start, length, value in rows:
            if value != value or length == 0:
                continue
            last = found[-1] if found else None
            if last is not None and last[0] == self.names[document] and last[2] == start and last[3] == value:
                found[-1] = (last[0], last[1], start + length, value)
            else:
                found.append((self.names[document], start, start + length, value))
        return found


def _columns(spans: Spans, numbers: dict[str, int]) -> tuple[IntArray, FloatArray, FloatArray]:
    names, start, end = spans
    kept = np.flatnonzero(np.asarray(end) > np.asarray(start))
    code = np.array([numbers[name] for name in names], dtype=np.int64)
    return code[kept], np.asarray(start, dtype=np.float64)[kept], np.asarray(end, dtype=np.float64)[kept]


#: Judgements of one annotator, by topic.
Judgements = Mapping[str, TopicTruth]


def merge_annotators(annotators: Mapping[str, Judgements], rule: MergeRule = "union") -> dict[str, TopicTruth]:
    """Merge the judgements of several annotators; what one of them alone judged stays as it is.

    Parameters
    ----------
    annotators : mapping
        The judgements of each annotator, by topic, as a truth has them.
    rule : {'union', 'majority', 'intersection'}
        Text is as relevant as any of those who judged it say, as more than half of them say, or as all of them say.

    Returns
    -------
    dict
        The merged judgements of each topic.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.data.annotators import merge_annotators
    >>> rows = [{"topic": "q", "doc": "a", "start": 0, "end": 9, "grade": 1, "annotator": "Ana"},
    ...         {"topic": "q", "doc": "a", "start": 5, "end": 12, "grade": 0, "annotator": "Ben"}]
    >>> both = merge_annotators(bp.Truth.from_records(rows).annotators, "intersection")["q"]
    >>> both.start.tolist(), both.end.tolist(), both.grade.tolist()
    ([0, 5], [5, 12], [1.0, 0.0])
    """
    topics: dict[str, list[TopicTruth]] = {}
    for judgements in annotators.values():
        for name, topic in judgements.items():
            topics.setdefault(name, []).append(topic)
    return {name: _merged_topic(found, rule) for name, found in topics.items()}


def _merged_topic(found: Sequence[TopicTruth], rule: MergeRule) -> TopicTruth:
    if len(found) == 1:
        return found[0]
    if any(topic.names_sets for topic in found):
        what = f"topic {found[0].topic} has sets or hops and several annotators, whose spans cannot be merged"
        raise UsageError(f"{what}: give the lines of one annotator")
    if any(topic.boxes is not None for topic in found):
        return _all_boxes(found, rule)
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
        unit=next((topic.unit for topic in found if topic.unit), ""),
    )


def _all_boxes(found: Sequence[TopicTruth], rule: MergeRule) -> TopicTruth:
    """The boxes of all annotators; the same box counts once, with its highest grade."""
    if rule != "union":
        what = "the annotators judged places on pages, which can only be merged as the union of their boxes"
        raise UsageError(f"{what}: omit {option('annotators', rule)}")
    parts = [topic for topic in found if topic.boxes is not None]
    boxes = Boxes.joined([topic.boxes for topic in parts if topic.boxes is not None])
    names = [name for topic in parts for name in topic.document]
    grade = np.concatenate([topic.grade for topic in parts])
    best: dict[str, int] = {}
    for row, name in enumerate(names):
        place = boxes.name(name, row)
        if place not in best or grade[row] > grade[best[place]]:
            best[place] = row
    kept = np.array(sorted(best.values()), dtype=np.int64)
    start, end = boxes[kept].extent()
    whole = dict.fromkeys(d for topic in found for d in (*topic.empty_documents, *topic.judged_documents))
    return TopicTruth(
        found[0].topic,
        tuple(names[row] for row in kept.tolist()),
        np.asarray(grade[kept], dtype=np.float64),
        start,
        end,
        judged_documents=tuple(whole),
        no_answer=all(topic.no_answer for topic in found),
        boxes=boxes[kept],
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
