"""Rows of judgements as a truth, whatever carrier they come from, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from berrypick.data.pointers import place_record
from berrypick.data.truth import Quote, TopicFields, TopicTruth, Truth, in_sets
from berrypick.files.problems import Problems
from berrypick.rows.counted_places import COUNTED, UNIT
from berrypick.rows.fields import PAGE_NAMES, QUESTIONS
from berrypick.rows.json_lines import Fields, Rows, plain
from berrypick.rows.questions import by_place
from berrypick.rows.relevance_fields import with_grades
from berrypick.rows.truth_parser import TruthParser

#: Fields of judgements and of runs; any other is a field of the topic.
OWN_FIELDS = frozenset({"topic", "doc", "start", "end", "grade", "quote", "offsets", "length", "text", "tag", "answer",
                        "judged", "is_impossible", "annotator", "set", "hop", UNIT, "score", "rank", "results",
                        *COUNTED, *PAGE_NAMES})  # fmt: skip


def truth_of_rows(rows: Rows, problems: Problems, path: str) -> Truth:
    """Read rows of any source by our names: lines of JSON, a table, a data frame."""
    split = _ByAnnotator(with_grades(by_place(rows, problems)), problems)
    topic_fields = TopicFields(OWN_FIELDS, QUESTIONS)
    first = _truth_of_one(split.first_rows(), problems, path, topic_fields)
    parts = {split.first: first}
    for who, held in split.others.items():
        parts[who] = _truth_of_one(held, problems, path, topic_fields)
    found = topic_fields.found()
    unread = (name for name, field in found.items() if field.problem and name not in QUESTIONS)
    unplaced = (name for part in parts.values() for name in part.origin.unread)
    truth = _merged(parts, problems)
    notes = (*truth.notes, *topic_fields.notes())
    return truth.changed(fields=found, notes=notes, unread=tuple(dict.fromkeys((*unplaced, *unread))))


def _truth_of_one(rows: Rows, problems: Problems, path: str, topic_fields: TopicFields) -> Truth:
    """Read the judgements of one annotator."""
    parser = TruthParser(problems, path, topic_fields)
    parser.read(rows)
    return parser.truth()


def rows_of_truth(value: Any) -> Iterator[dict[str, Any]]:
    """A truth as lines have it."""
    judgements = value.annotators or {"": value.topics}
    for who, topic in ((who, topic) for who, topics in judgements.items() for topic in topics.values()):
        more = {name: of.values[topic.topic] for name, of in value.fields.items() if topic.topic in of.values}
        more |= {"annotator": who} if who else {}
        unit = {} if value.offsets is None else {"offsets": value.offsets}
        checks: dict[tuple[str | None, float | None, float | None], str] = {}
        others = [
            q
            for q in topic.quotes
            if not q.has_offsets or checks.setdefault((q.document, q.start, q.end), q.text) != q.text
        ]
        for row, document in enumerate(topic.document):
            record: dict[str, Any] = {"topic": topic.topic, "doc": document}
            if topic.boxes is not None:
                record |= topic.boxes.record(row)
            elif topic.start is not None:
                start, end = plain(topic.start[row]), plain(topic.end[row])
                record |= place_record(topic.unit, start, end)
                if (document, start, end) in checks:
                    record["quote"] = checks[document, start, end]
            record |= {"grade": plain(topic.grade[row]), **topic.memberships(row)}
            yield record | (unit if topic.start is not None else {}) | more
        for quote in others:
            yield _quoted(topic.topic, quote) | (unit if quote.start is not None else {}) | more
        for record in _wholes(topic):
            yield {"topic": topic.topic, **record, **more}
    for document, made_on in value.checksums.items():
        yield {"doc": document, "checksum": made_on}


class _ByAnnotator:
    """Rows by who judged: those of the first annotator as they are read, those of others kept for later."""

    def __init__(self, rows: Rows, problems: Problems) -> None:
        self._rows, self._problems = rows, problems
        self.first = ""
        self.others: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}

    def first_rows(self) -> Rows:
        known = False
        for row in self._rows:
            who = self._annotator(row)
            if not known and "topic" in row[2]:
                self.first, known = who, True
            if who == self.first or "topic" not in row[2]:
                yield row
            else:
                self.others.setdefault(who, []).append(row)

    def _annotator(self, row: tuple[int, str, dict[str, Any]]) -> str:
        given = row[2].get("annotator")
        if given is None or given == "":
            return ""
        return Fields(*row, self._problems).name("annotator")


def _merged(parts: dict[str, Truth], problems: Problems) -> Truth:
    """The judgements of all annotators as one truth."""
    (name, first), *others = parts.items()
    if not others:
        return replace(first, annotators={name: first.topics}) if name else first
    for who, part in parts.items():
        if part.units != "spans":
            what = f"the lines of {f'annotator {who}' if who else 'no annotator'} judge whole documents"
            problems.report(what, remedy="judgements of several annotators are spans")
            return first
        if part.offsets != first.offsets or part.unit != first.unit:
            problems.report("offsets count different things in the lines of different annotators")
    from berrypick.data.annotators import merge_annotators

    annotators = {who: part.topics for who, part in parts.items()}
    return replace(
        first,
        topics=merge_annotators(annotators),
        annotators=annotators,
        checksums={name: made_on for part in parts.values() for name, made_on in part.checksums.items()},
    )


def _wholes(topic: TopicTruth) -> Iterator[dict[str, Any]]:
    """What a topic says of whole documents, or of all of them."""
    documents = dict.fromkeys(topic.document) if topic.judged_whole and topic.start is not None else ()
    for document in dict.fromkeys((*topic.judged_documents, *documents)):
        yield {"doc": document, "judged": True}
    for document in topic.empty_documents:
        yield {"doc": document, "grade": 0}
    if topic.no_answer:
        yield {"answer": None}
    elif not topic.quotes and not any(topic.documents()):
        yield {"judged": False}


def _quoted(topic: str, quote: Quote) -> dict[str, Any]:
    """A line for a quote that has not been located, or for another quote of a place."""
    start, end = (None if offset is None else plain(offset) for offset in (quote.start, quote.end))
    known = {"doc": quote.document, "start": start, "end": end, "quote": quote.text}
    given = {key: value for key, value in known.items() if value is not None}
    return {"topic": topic, **given, "grade": plain(quote.grade), **in_sets(quote.sets, quote.hops)}
