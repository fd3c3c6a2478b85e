"""TREC relevance judgements."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.origin import Origin
from berrypick.data.truth import TopicTruth, Truth
from berrypick.files.files import content
from berrypick.files.line_words import finite, word_problem
from berrypick.files.scan import Scanned, scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.values import ONE_OF_TWO, Judgement, documents_topic, judged_counts, judged_twice


class TrecQrels(Format):
    """TREC qrels: one judged document per line, ``topic iteration document grade``, separated by white space.

    A grade above 0 is relevant; grades go from -1000 to 1000. Blank lines and lines that begin with # are ignored. A
    document judged twice for the same topic is an error.

    Sample::

        301 0 FBIS3-10082 1
        301 0 FBIS3-10169 0
    """

    format_name: ClassVar[str] = "trec-qrels"
    checks_names: ClassVar[bool] = True
    role: ClassVar[Role] = "truth"
    words: ClassVar[int] = 4
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "topic iteration document grade"
    suffixes: ClassVar[tuple[str, ...]] = (".qrels", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        return len(fields) == 4 and finite(fields[3]) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found = scan(path, cls.format_name)
        topics = None if found is None else _from_columns(found)
        if topics is not None:
            return Truth("documents", topics, Origin(path, cls.format_name))
        rows: dict[str, dict[str, Judgement]] = {}
        for number, text in content(path, problems):
            fields = _checked(number, text, problems)
            if fields is None:
                continue
            topic, document, grade = fields
            judged = rows.setdefault(topic, {})
            if document in judged:
                problems.report(judged_twice(document, topic, judged[document][1]), number, text, ONE_OF_TWO)
                continue
            judged[document] = (grade, number)
        topics = {topic: documents_topic(topic, judged) for topic, judged in rows.items()}
        return Truth("documents", topics, Origin(path, cls.format_name))

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        if value.units != "documents":
            return "the truth judges parts of documents, qrels judge whole ones"
        return word_problem(value.topics, (name for topic in value.topics.values() for name in topic.document))

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        from berrypick.rows.json_lines import plain

        for topic in value.topics.values():
            for document, grade in zip(topic.document, topic.grade.tolist(), strict=True):
                out.write(f"{topic.topic} 0 {document} {plain(grade)!r}\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        return judged_counts(value, "judged document")


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


def _from_columns(found: Scanned) -> dict[str, TopicTruth] | None:
    """None if a document is judged twice: the plain reader names both lines."""
    rows = found.by_topic()
    if rows is None:
        return None
    order, bounds = rows
    line, grade, places = found.line[order].astype(np.int64), found.grade[order], bounds.tolist()
    judged = zip(found.topic_names, found.parts(found.document[order], places), pairwise(places), strict=True)
    return {topic: TopicTruth(topic, names, grade[a:b], line=line[a:b]) for topic, names, (a, b) in judged}
