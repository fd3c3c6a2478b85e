"""Spans follow their documents into a new version: within a document, and into others.

:mod:`berrypick.judgements.relocation.two_versions` finds a span in the new version of its document,
:mod:`berrypick.judgements.relocation.documents` in a document of another name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from berrypick import formats
from berrypick.data.errors import UsageError
from berrypick.data.pointers import place_record, span_name
from berrypick.data.score import Table
from berrypick.data.truth import Offsets, Quote, TopicTruth, Truth
from berrypick.documents.checked import called, checked_truth
from berrypick.documents.locator import located_truth
from berrypick.documents.texts import Texts, checksum, read_texts
from berrypick.given.convert import TruthLike, as_truth
from berrypick.judgements.relocation.documents import Documents, NewPlace
from berrypick.judgements.relocation.line_spans import LineSpans
from berrypick.judgements.relocation.two_versions import CERTAIN as CERTAIN
from berrypick.judgements.relocation.two_versions import PLACED as PLACED
from berrypick.judgements.relocation.two_versions import Status
from berrypick.tables.tabular import Tabular


@dataclass(frozen=True)
class RelocatedSpan:
    """One span: where it was, where it is now, and how it got there.

    Start and end count characters, or lines (``unit``; half open, from 0). ``documents`` are those of the places.
    """

    topic: str
    document: str
    start: int
    end: int
    status: Status
    places: tuple[tuple[int, int], ...]  # in the new version: one, the parts of a split span, or the candidates
    similarity: float  # of the new text to the old one, in percent
    text: str
    now: str = ""
    line: int | None = None
    documents: tuple[str, ...] = ()
    unit: str = ""

    def as_dict(self) -> dict[str, Any]:
        now = zip(self.documents, self.places, strict=True)
        return {
            "topic": self.topic,
            "status": self.status,
            "from": {"doc": self.document, **place_record(self.unit, self.start, self.end)},
            "to": [{"doc": document, **place_record(self.unit, *place)} for document, place in now],
            "similarity": round(self.similarity, 1),
            "text": self.text,
            "now": self.now,
            **({} if self.line is None else {"line": self.line}),
        }


@dataclass(frozen=True)
class Relocation(Tabular):
    """The truth in the new version of its documents, and the outcome for every span.

    Attributes
    ----------
    truth
        The judgements in the new version.
    cases
        For each span where it was, where it is now, and how it got there.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.relocate({"q": {"guide#0-3": 1}}, {"guide": "Cut the canes."}, {"guide": "Now: Cut the canes."})
    >>> isinstance(found, bp.Relocation), found.counts
    (True, {'moved': 1})
    """

    truth: Truth
    cases: tuple[RelocatedSpan, ...] = field(repr=False)

    @property
    def counts(self) -> dict[Status, int]:
        """How many spans there are of each status."""
        found = Counter(case.status for case in self.cases)
        return {status: found[status] for status in (*PLACED, "ambiguous", "gone") if found[status]}

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:  # type: ignore[override]
        """Write the truth in the new version, as ``berrypick relocate -o FILE`` does; :meth:`table` has the cases."""
        formats.write(self.truth, path, format or "span-truth")

    def records(self) -> list[dict[str, Any]]:
        """Return the outcome for every span, as in the report of the command line."""
        return [case.as_dict() for case in self.cases]

    def rows(self) -> list[dict[str, Any]]:
        return [{**case.as_dict(), **_shown(case), "line": case.line} for case in self.cases]

    def tables(self, places: int = 4) -> list[Table]:
        header = ["topic", "status", "from", "to", "similarity"]
        rows = [[f"{row[name]}" for name in header] for row in self.rows()]
        return [Table(str(self), header, rows, "<<<<>")]

    def __str__(self) -> str:
        return ", ".join(f"{count} {status}" for status, count in self.counts.items()) or "no spans"


def _shown(case: RelocatedSpan) -> dict[str, str]:
    """Where a span was and is, as names."""
    now = zip(case.documents, case.places, strict=True)
    return {
        "from": span_name(case.document, case.start, case.end, case.unit),
        "to": " ".join(span_name(document, *place, case.unit) for document, place in now),
    }


def relocate(
    truth: TruthLike,
    old: Texts | Mapping[str, str] | str | PathLike[str],
    new: Texts | Mapping[str, str] | str | PathLike[str],
) -> Relocation:
    """Move the spans of a truth to a new version of the documents.

    A span whose text moved to another document, or whose document has another name, follows it there.

    Parameters
    ----------
    truth : TruthLike
        Judgements of spans: characters, or lines.
    old : Texts, mapping, str or path
        The documents that were judged.
    new : Texts, mapping, str or path
        Their new version.

    Returns
    -------
    Relocation
        The truth in the new version, and the outcome for every span.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"guide#0-17": 1}}
    >>> moved = bp.relocate(truth, {"guide": "Cut the old canes."}, {"guide": "In autumn: Cut the old canes."})
    >>> moved.cases[0].status, moved.cases[0].places
    ('moved', ((11, 28),))
    """
    before, after = read_texts(old), read_texts(new)
    judged: Truth = as_truth(truth)
    if judged.of_pages or judged.unit not in ("", "lines"):
        what = "places on pages" if judged.of_pages else f"stretches of {judged.unit}"
        raise UsageError(f"{judged.source or 'the truth'} judges {what}; relocate finds spans of text and of lines")
    if judged.units != "spans":
        raise UsageError(f"{judged.source or 'the truth'} judges {judged.units}; only spans of text are relocated")
    if judged.annotators:
        return _by_annotator(judged, before, after)
    spans: _Characters
    if judged.unit == "lines":
        judged = _checked_lines(judged, before)
        spans = _Lines(Documents(before, after, lines=True))
    else:
        counting = judged.offsets or "chars"
        judged = located_truth(checked_truth(judged, before, counting), before, "exact", counting)
        spans = _Characters(Documents(before, after))
    cases: list[RelocatedSpan] = []
    topics = {}
    for name, topic in judged.topics.items():
        found = [_case(topic, row, spans) for row in range(len(topic))]
        cases += found
        topics[name] = _moved_topic(topic, found, spans)
    used = {name for topic in topics.values() for name in topic.documents()}
    made = {name: checksum(after[name]) for name in sorted(used) if name in after}
    placed = replace(judged, topics=topics, offsets=spans.counting, checksums=made, lengths={}, texts={})
    return Relocation(placed, tuple(cases))


def _by_annotator(judged: Truth, old: Texts, new: Texts) -> Relocation:
    """The judgements of each annotator by themselves, so that they stay apart."""
    from berrypick.data.annotators import merge_annotators

    parts = {
        who: relocate(replace(judged, topics=topics, annotators={}), old, new)
        for who, topics in judged.annotators.items()
    }
    annotators = {who: part.truth.topics for who, part in parts.items()}
    checksums = {name: made for part in parts.values() for name, made in part.truth.checksums.items()}
    made_on = {"offsets": next(iter(parts.values())).truth.offsets, "checksums": checksums, "lengths": {}, "texts": {}}
    merged = merge_annotators(annotators)
    truth = replace(judged, topics=merged, annotators=annotators, **made_on)  # type: ignore[arg-type]
    return Relocation(truth, tuple(case for part in parts.values() for case in part.cases))


def _checked_lines(judged: Truth, texts: Texts) -> Truth:
    """Lines that are in their documents, with the quotes beside them on them; documents by their one name."""
    lines, topics = LineSpans(texts), {}
    for name, topic in judged.topics.items():
        for document in topic.documents():
            if document not in texts:
                line = None if topic.line is None or document not in topic.document else topic.line
                number = None if line is None else int(line[topic.document.index(document)])
                raise texts.unknown(document, judged.source or None, number)
        topics[name] = topic = called(topic, texts)
        if topic.start is None or topic.end is None:
            continue
        for row, (start, end) in enumerate(zip(topic.start.tolist(), topic.end.tolist(), strict=True)):
            number = None if topic.line is None else int(topic.line[row])
            lines.check(topic.document[row], int(start), int(end), judged.source, number)
        for quote in topic.quotes:
            if quote.has_offsets:
                lines.check_quote(quote, judged.source)
    return replace(judged, topics=topics)


class _Characters:
    """Spans of characters."""

    unit: ClassVar[str] = ""
    counting: ClassVar[Offsets | None] = "chars"

    def __init__(self, documents: Documents) -> None:
        self.documents = documents

    def found(self, document: str, start: int, end: int) -> tuple[Status, tuple[NewPlace, ...], float]:
        """Return what became of a span."""
        return self.documents.place(document, start, end)

    def old_text(self, document: str, start: int, end: int) -> str:
        return self.documents.old[document][start:end]

    def new_text(self, place: NewPlace) -> str:
        return self.documents.new[place.document][place.start : place.end]


class _Lines(_Characters):
    """Spans of lines."""

    unit = "lines"
    counting = None

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents)
        self.old, self.new = LineSpans(documents.old), LineSpans(documents.new)

    def found(self, document: str, start: int, end: int) -> tuple[Status, tuple[NewPlace, ...], float]:
        low, high = self.old.characters(document, start, end)
        now = self.documents.unchanged(document)
        if now is not None:
            return "same" if now == document else "moved", (NewPlace(now, start, end),), 100.0
        if low == high:  # blank lines are nowhere to be told from others
            return "ambiguous", (), 0.0
        status, places, similarity = self.documents.place(document, low, high)
        blank = self.old.blank_around(document, start, end)
        lines = [(place.document, *self.new.lines(*place)) for place in places]
        made = tuple(dict.fromkeys(NewPlace(one[0], *self.new.widened(*one, blank)) for one in lines))
        if status == "moved" and made == (NewPlace(document, start, end),):
            status = "same" if self.old_text(document, start, end) == self.new_text(made[0]) else "moved"
        elif status == "same" and made != (NewPlace(document, start, end),):
            status = "moved"
        return status, made, similarity

    def old_text(self, document: str, start: int, end: int) -> str:
        return _line_text(self.documents.old[document], self.old.starts(document), start, end)

    def new_text(self, place: NewPlace) -> str:
        starts = self.new.starts(place.document)
        return _line_text(self.documents.new[place.document], starts, place.start, place.end)


def _line_text(text: str, starts: list[int], first: int, last: int) -> str:
    return text[starts[first] : starts[last] - 1]


def _case(topic: TopicTruth, row: int, spans: _Characters) -> RelocatedSpan:
    assert topic.start is not None and topic.end is not None
    name, start, end = topic.document[row], int(topic.start[row]), int(topic.end[row])
    status, places, similarity = spans.found(name, start, end)
    return RelocatedSpan(
        topic.topic,
        name,
        start,
        end,
        status,
        tuple((place.start, place.end) for place in places),
        similarity,
        spans.old_text(name, start, end),
        " ... ".join(map(spans.new_text, places)) if status in PLACED else "",
        None if topic.line is None else int(topic.line[row]),
        tuple(place.document for place in places),
        spans.unit,
    )


def _moved_topic(topic: TopicTruth, found: list[RelocatedSpan], spans: _Characters) -> TopicTruth:
    """The placed spans; documents judged as a whole stay so only where their text is the same."""
    rows = [
        (row, NewPlace(document, *place))
        for row, case in enumerate(found)
        if case.status in PLACED
        for document, place in zip(case.documents, case.places, strict=True)
    ]
    lost = next((row for row, case in enumerate(found) if case.status not in PLACED and topic.grade[row] > 0), None)
    if topic.names_sets and lost is not None:
        what = f"topic {topic.topic} names sets or hops, which would look complete without {topic.name(lost)}"
        raise UsageError(f"{what} ({found[lost].status}): judge the topic again, or remove it")
    judged = (spans.documents.unchanged(name) for name in (*topic.judged_documents, *topic.empty_documents))
    quotes = [
        Quote(spans.new_text(place), place.document, place.start, place.end, float(topic.grade[row]))
        for row, place in rows
    ]
    return TopicTruth(
        topic.topic,
        tuple(place.document for _, place in rows),
        np.array([topic.grade[row] for row, _ in rows], dtype=np.float64),
        np.array([place.start for _, place in rows], dtype=np.int64),
        np.array([place.end for _, place in rows], dtype=np.int64),
        quotes=tuple(quotes),
        judged_documents=tuple(dict.fromkeys(name for name in judged if name is not None)),
        no_answer=topic.no_answer,
        unit=topic.unit,
        sets=None if topic.sets is None else tuple(topic.sets[row] for row, _ in rows),
        hops=None if topic.hops is None else tuple(topic.hops[row] for row, _ in rows),
    )
