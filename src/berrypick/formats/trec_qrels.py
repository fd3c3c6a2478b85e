"""TREC relevance judgements."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.truth import TopicTruth, Truth
from berrypick.core.words import counted
from berrypick.formats import _columns
from berrypick.formats._files import content, finite, open_bytes
from berrypick.formats._spans import plain
from berrypick.formats.base import Format, Problems, Role


class TrecQrels(Format):
    """TREC qrels: one judged document per line, ``topic iteration document grade``, separated by white space.

    A grade above 0 is relevant. Blank lines and lines that begin with # are ignored. A document judged twice for
    the same topic is an error.

    Sample::

        301 0 FBIS3-10082 1
        301 0 FBIS3-10169 0
    """

    format_name: ClassVar[str] = "trec-qrels"
    role: ClassVar[Role] = "truth"
    shape: ClassVar[str] = "topic iteration document grade"
    suffixes: ClassVar[tuple[str, ...]] = (".qrels", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        return len(fields) == 4 and finite(fields[3]) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        if _columns.is_large(path):
            found = _columns.read_large(path, problems, _from_blocks)
            if found is not None:
                return Truth("documents", found, path, cls.format_name)
        quick = _all_at_once(path)
        if quick is not None:
            return Truth("documents", quick, path, cls.format_name)
        rows: dict[str, dict[str, tuple[float, int]]] = {}
        for number, text in content(path, problems):
            fields = _checked(number, text, problems)
            if fields is None:
                continue
            topic, document, grade = fields
            judged = rows.setdefault(topic, {})
            if document in judged:
                problems.report(
                    f"document {document} is judged twice for topic {topic}, first in line {judged[document][1]}",
                    number,
                    text,
                    "keep one of the two lines",
                )
                continue
            judged[document] = (grade, number)
        topics = {
            topic: TopicTruth(
                topic,
                tuple(judged),
                np.array([grade for grade, _ in judged.values()]),
                line=np.array([line for _, line in judged.values()], dtype=np.int64),
            )
            for topic, judged in rows.items()
        }
        return Truth("documents", topics, path, cls.format_name)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        if value.units != "documents":
            return "the truth judges parts of documents, qrels judge whole ones"
        names = (name for topic in value.topics.values() for name in (topic.topic, *topic.document))
        bad = next((name for name in names if not name or name.split() != [name]), None)
        return f"the name {bad!r} has white space in it" if bad is not None else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for topic in value.topics.values():
            for document, grade in zip(topic.document, topic.grade.tolist(), strict=True):
                out.write(f"{topic.topic} 0 {document} {plain(grade)!r}\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        judged = sum(len(topic) for topic in value.topics.values())
        relevant = sum(int((topic.grade > 0).sum()) for topic in value.topics.values())
        return [counted(len(value), "topic"), counted(judged, "judged document"), f"{relevant} relevant"]


def _all_at_once(path: str) -> dict[str, TopicTruth] | None:
    """A file in which every line is as it should be; None for any other, which the reader of lines has the word on."""
    try:
        with open_bytes(path) as stream:
            text = stream.read().decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile):
        return None
    lines = [line.split() for line in text.removesuffix("\n").split("\n")]
    if any(len(fields) != 4 or fields[0].startswith("#") for fields in lines):
        return None
    words = [fields[3] for fields in lines]
    grades = {word: finite(word) for word in set(words)}
    values = np.array([grades[word] for word in words], dtype=np.float64)  # nan for None
    if np.isnan(values).any():
        return None
    rows: dict[str, list[int]] = {}
    for row, fields in enumerate(lines):
        rows.setdefault(fields[0], []).append(row)
    topics: dict[str, TopicTruth] = {}
    for topic, chosen in rows.items():
        judged = tuple(lines[row][2] for row in chosen)
        if len(set(judged)) < len(judged):
            return None
        places = np.array(chosen, dtype=np.int64)
        topics[topic] = TopicTruth(topic, judged, values[places], line=places + 1)
    return topics


def _checked(number: int, text: str, problems: Problems) -> tuple[str, str, float] | None:
    """Topic, document and grade of a line; None if anything is wrong, which is reported."""
    fields = text.split()
    if len(fields) != 4:
        problems.report(f"has {len(fields)} columns, expected 4: {TrecQrels.shape}", number, text)
        return None
    topic, _, document, word = fields
    grade = finite(word)
    if grade is None:
        problems.report(f"the grade {word!r} is not a number", number, text, f"expected {TrecQrels.shape}")
        return None
    return topic, document, grade


def _from_blocks(blocks: Iterator[tuple[int, bytes]], problems: Problems) -> dict[str, TopicTruth]:
    topics, topic, document = _columns.Names(), _columns.Pieces(np.int64), _columns.Words()
    grade, line = _columns.Pieces(np.float64), _columns.Pieces(np.int64)
    for number, data in blocks:
        table = _columns.table(data, 4)
        grades = None if table is None else _columns.numbers(table["3"], finite)
        if table is not None and grades is not None and not np.isnan(grades).any():
            topic.extend(topics.codes(table["0"]))
            document.extend(table["2"])
            grade.extend(grades)
            line.extend(np.arange(number, number + len(grades)))
            continue
        for at, text in _columns.lines_of(data, number, problems):
            fields = _checked(at, text, problems)
            if fields is not None:
                topic.append(topics.code(fields[0]))
                document.append(fields[1])
                grade.append(fields[2])
                line.append(at)
    code = topic.joined()
    order = np.argsort(code, kind="stable")
    names, lines, values = document.listed(), line.joined()[order], grade.joined()[order]
    bounds = np.searchsorted(code[order], np.arange(len(topics.known) + 1)).tolist()
    found: dict[str, TopicTruth] = {}
    for i, name in enumerate(topics.known):
        rows = slice(bounds[i], bounds[i + 1])
        judged = tuple(map(names.__getitem__, order[rows].tolist()))
        if len(set(judged)) < len(judged):
            raise _columns.Damaged  # a document judged twice: the reader of lines names both
        found[name] = TopicTruth(name, judged, values[rows], line=lines[rows])
    return found
