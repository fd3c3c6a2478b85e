"""INEX judgements of text: file, offset, length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any, ClassVar, TextIO, overload

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.origin import Origin
from berrypick.data.truth import EntryPoint, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import word_problem
from berrypick.files.scan import Scanned, scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.inex._inex import whole
from berrypick.kernels.index_ranges import expanded
from berrypick.rows.values import ONE_OF_TWO, judged_twice

Passages = list[tuple[int, int]]


@dataclass
class _Judged:
    """The judgements of one topic as they are read."""

    passages: list[tuple[str, int, int, int]] = field(default_factory=list)  # document, start, end, line
    empty: list[str] = field(default_factory=list)
    points: list[EntryPoint] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)  # document to its line

    def truth(self, topic: str) -> TopicTruth:
        documents, empty, points = tuple(one[0] for one in self.passages), tuple(self.empty), tuple(self.points)
        start, end, line = np.array([one[1:] for one in self.passages], dtype=np.int64).reshape(-1, 3).T.copy()
        grade = (end > start).astype(np.float64)
        return TopicTruth(topic, documents, grade, start, end, line, empty, entry_points=points, judged_whole=True)


class InexFolTruth(Format):
    """INEX judgements of text from 2008 on: ``topic Q0 document relevant length [entry offset:length ...]``.

    One judged document per line: how many of its characters are relevant, how many it has, where reading should best
    begin, and the relevant passages. Offsets count characters without mark-up, from 0. A line with five fields says
    that the document was judged and holds nothing relevant. A document judged twice for the same topic is an error,
    and so are a passage that ends after its document and a number of relevant characters that is not the sum of the
    passages. A passage of length 0 holds nothing: it is kept with grade 0 and counted. A document with another length
    for another topic is counted, and the first length stands. Blank lines and lines that begin with # are ignored.

    Sample::

        7 Q0 812 300 1000 250 250:200 600:100
        7 Q0 815 0 2215
    """

    format_name: ClassVar[str] = "inex-fol-truth"
    positions = "chars"
    role: ClassVar[Role] = "truth"
    words: ClassVar[int] = 5
    shape: ClassVar[str] = "topic Q0 document relevant length [entry offset:length ...]"
    suffixes: ClassVar[tuple[str, ...]] = (".qrels", ".txt")
    holds: ClassVar[frozenset[str]] = frozenset({"entry points", "documents judged as a whole"})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return 2 * sum(_plausible(line.split()) for line in lines) >= len(lines)  # the reader names the bad ones

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        scanned = scan(path, cls.format_name)
        truth = None if scanned is None else _from_columns(scanned, path, problems)
        return _read_lines(path, problems) if truth is None else truth

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        if value.units != "spans":
            return "the truth does not judge passages of text"
        for topic in value.topics.values():
            problem = word_problem((topic.topic,), topic.documents()) or _unwritable(topic, value)
            if problem:
                return problem
        return ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        line = 0
        for topic in value.topics.values():
            entries = {point.document: point.offset for point in topic.entry_points}
            for place, document, passages in _in_file_order(topic, line):
                line = place
                relevant = sum(size for _, size in passages)
                out.write(f"{topic.topic} Q0 {document} {relevant} {int(value.lengths[document])}")
                if passages:
                    spans = " ".join(f"{offset}:{size}" for offset, size in passages)
                    out.write(f" {int(entries[document])} {spans}")
                out.write("\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        topics = value.topics.values()
        relevant = sum(len(set(topic.document)) for topic in topics)
        empty = sum(len(topic.empty_documents) for topic in topics)
        return [
            counted(len(value), "topic"),
            counted(relevant, "relevant document"),
            counted(sum(len(topic) for topic in topics), "passage"),
            f"{empty} judged and not relevant",
        ]


_LENGTHS = "documents with different lengths for different topics; the first is used"
_EMPTY = "empty passages"
_OVERLAPPING = "passages that overlap another one"
_BEYOND = "entry points after the end of their document"


def _read_lines(path: str, problems: Problems) -> Truth:
    topics: dict[str, _Judged] = {}
    lengths: dict[str, float] = {}
    for number, text in content(path, problems):
        fields = text.split()
        checked = _nothing_relevant(fields) or _checked(fields, number, text, problems)
        if checked is None:
            continue
        topic, document = fields[0], fields[2]
        judged = topics.setdefault(topic, _Judged())
        if document in judged.first:
            problems.report(judged_twice(document, topic, judged.first[document]), number, text, ONE_OF_TWO)
            continue
        judged.first[document] = number
        length, entry, passages = checked
        if lengths.setdefault(document, length) != length:
            problems.count(_LENGTHS)
        if entry is None:
            judged.empty.append(document)
            continue
        judged.points.append(EntryPoint(document, offset=entry, line=number))
        judged.passages += [(document, offset, offset + size, number) for offset, size in passages]
    found = {topic: judged.truth(topic) for topic, judged in topics.items()}
    return Truth("spans", found, Origin(path, InexFolTruth.format_name), lengths=lengths)


def _from_columns(found: Scanned, path: str, problems: Problems) -> Truth | None:
    """None if a document is judged twice for a topic: the plain reader names both lines."""
    rows = found.by_topic()
    if rows is None:
        return None
    order, bounds = rows
    names = found.document_names
    first_length = np.empty(len(names), dtype=np.int64)
    first_length[found.document[::-1]] = found.length[::-1]
    other = int((first_length[found.document] != found.length).sum())
    for what, count in ((_EMPTY, found.empty), (_OVERLAPPING, found.overlapping), (_BEYOND, found.beyond),
                        (_LENGTHS, other)):  # fmt: skip
        if count:
            problems.count(what, count)
    judged = dict(_scanned_topics(found, order, bounds))
    lengths = dict(zip(names, first_length.tolist(), strict=True))
    return Truth("spans", judged, Origin(path, InexFolTruth.format_name), lengths=lengths)


def _scanned_topics(found: Scanned, order: IntArray | slice, bounds: IntArray) -> Iterator[tuple[str, TopicTruth]]:
    """The lines of each topic, which need not stand together: columns of all of them, from which each has its part."""
    has_text = found.entry[order] >= 0
    relevant, empty = (np.flatnonzero(kept) for kept in (has_text, ~has_text))
    if not isinstance(order, slice):
        relevant, empty = order[relevant], order[empty]
    first = found.first[relevant]
    which, place = expanded(first, first + np.diff(np.append(found.first, len(found.start)))[relevant])
    lines = np.append(0, np.cumsum(has_text))[bounds]  # those with relevant text before each topic
    passages = np.searchsorted(which, lines).tolist()
    start, end = (column[place].astype(np.int64) for column in (found.start, found.end))
    line = found.line[relevant].astype(np.int64)
    grade, line_of_passage = (end > start).astype(np.float64), line[which]
    entry, of_line = found.entry[relevant].astype(np.int64), found.document[relevant]
    named, without = found.named[of_line].tolist(), found.named[found.document[empty]].tolist()
    others = (bounds - lines).tolist()
    parts = (pairwise(one) for one in (lines.tolist(), passages, others))
    of_topics = zip(found.topic_names, found.parts(of_line[which], passages), *parts, strict=True)
    for topic, documents, (a, b), (low, high), (c, d) in of_topics:
        rows = slice(low, high)
        columns = (grade[rows], start[rows], end[rows], line_of_passage[rows])
        points = ScannedPoints(tuple(named[a:b]), entry[a:b], line[a:b])
        yield topic, TopicTruth(topic, documents, *columns, tuple(without[c:d]), entry_points=points, judged_whole=True)


@dataclass(frozen=True, eq=False)
class ScannedPoints(Sequence[EntryPoint]):
    """The entry points of a topic as columns: each is made when it is asked for."""

    documents: tuple[str, ...]
    offset: IntArray
    line: IntArray

    def __len__(self) -> int:
        return len(self.documents)

    @overload
    def __getitem__(self, row: int) -> EntryPoint: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[EntryPoint, ...]: ...
    def __getitem__(self, row: int | slice) -> EntryPoint | tuple[EntryPoint, ...]:
        if isinstance(row, slice):
            return tuple(self)[row]
        return EntryPoint(self.documents[row], None, int(self.offset[row]), int(self.line[row]))

    def __iter__(self) -> Iterator[EntryPoint]:
        return map(EntryPoint, self.documents, repeat(None), self.offset.tolist(), self.line.tolist())

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, ScannedPoints) else other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def _plausible(fields: list[str]) -> bool:
    """Whether a line has the form of a judgement; whether its numbers agree is for the reader to say."""
    if len(fields) < 5 or len(fields) == 6 or fields[1].upper() not in ("Q0", "0"):
        return False
    return fields[3].isdigit() and fields[4].isdigit() and all(":" in word for word in fields[6:])


def _nothing_relevant(fields: list[str]) -> tuple[int, None, Passages] | None:
    """A good line of a document that holds nothing relevant, as most lines are; None for all others."""
    length = whole(fields[4]) if len(fields) == 5 and fields[3] == "0" else None
    return None if length is None else (length, None, [])


def _checked(fields: list[str], number: int, text: str, problems: Problems) -> tuple[int, int | None, Passages] | None:
    """Length, entry point and passages of one line; None if anything is wrong, which is reported."""
    expected = f"expected {InexFolTruth.shape}"
    if len(fields) < 5 or len(fields) == 6:
        problems.report(f"has {len(fields)} columns, not 5 or at least 7", number, text, expected)
        return None
    relevant, length = whole(fields[3]), whole(fields[4])
    entry = whole(fields[5]) if len(fields) > 5 else None
    passages = [_passage(word) for word in fields[6:]]
    words = [(fields[3], relevant), (fields[4], length), *zip(fields[5:6], [entry], strict=False)]
    bad = [word for word, value in (*words, *zip(fields[6:], passages, strict=True)) if value is None]
    if bad or relevant is None or length is None:
        kind = "offset:length" if bad[0] in fields[6:] else "a whole number"
        problems.report(f"{bad[0]!r} is not {kind}, 0 or more", number, text, expected)
        return None
    known = [passage for passage in passages if passage is not None]
    beyond = next((passage for passage in known if sum(passage) > length), None)
    if beyond is not None:
        what = f"the passage {beyond[0]}:{beyond[1]} ends after the document, which has {length} characters"
        problems.report(what, number, text)
        return None
    total = sum(size for _, size in known)
    if total != relevant:
        problems.report(f"{relevant} relevant characters are declared, but the passages have {total}", number, text)
        return None
    _count(known, entry, length, problems)
    return length, entry, known


def _passage(word: str) -> tuple[int, int] | None:
    offset, colon, size = word.partition(":")
    start, length = whole(offset), whole(size)
    return (start, length) if colon and start is not None and length is not None else None


def _count(passages: Passages, entry: int | None, length: int, problems: Problems) -> None:
    """What is odd and changes no number."""
    empty = sum(size == 0 for _, size in passages)
    if empty:
        problems.count(_EMPTY, empty)
    ordered = sorted(passages)
    overlapping = sum(a + size > b for (a, size), (b, _) in pairwise(ordered))
    if overlapping:
        problems.count(_OVERLAPPING, overlapping)
    if entry is not None and entry > length:
        problems.count(_BEYOND)


def _unwritable(topic: TopicTruth, value: Truth) -> str:
    entries = {point.document for point in topic.entry_points if point.offset is not None}
    without = next((document for document in topic.document if document not in entries), None)
    if without is not None:
        return f"no entry point for {without}"
    unknown = next((document for document in topic.documents() if value.lengths.get(document, 0.5) % 1), None)
    if unknown is not None:
        return f"the length of {unknown} in characters is not known"
    assert topic.start is not None and topic.end is not None
    if np.any(topic.start % 1) or np.any(topic.end % 1):
        return "the offsets are not whole numbers"
    if not np.array_equal(topic.grade, topic.end > topic.start):
        return "the truth has grades, which this format cannot hold"
    return ""


def _in_file_order(topic: TopicTruth, line: int) -> Iterator[tuple[int, str, Passages]]:
    """(line, document, passages), going on after ``line``.

    Documents that hold nothing relevant have no lines: they take the ones left out in between, else come last.
    """
    assert topic.start is not None and topic.end is not None
    passages: dict[str, Passages] = {}
    lines: dict[str, int] = {}
    for row, document in enumerate(topic.document):
        start, end = int(topic.start[row]), int(topic.end[row])
        passages.setdefault(document, []).append((start, end - start))
        lines.setdefault(document, int(topic.line[row]) if topic.line is not None else 0)
    empty = [document for document in topic.empty_documents if document not in passages][::-1]
    for document, found in passages.items():
        while empty and line + 1 < lines[document]:
            line += 1
            yield line, empty.pop(), []
        line = lines[document]
        yield line, document, found
    while empty:
        line += 1
        yield line, empty.pop(), []
