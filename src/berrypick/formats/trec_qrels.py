"""TREC relevance judgements."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.truth import TopicTruth, Truth
from berrypick.formats._base import Format, Problems, Role, content, counted, finite
from berrypick.formats._spans import plain


class TrecQrels(Format):
    """TREC qrels: one judged document a line, ``topic iteration document grade``, separated by white space.

    A grade above 0 is relevant. Blank lines and lines that begin with # are passed over. A document judged twice for
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
        rows: dict[str, dict[str, tuple[float, int]]] = {}
        for number, text in content(path, problems):
            fields = text.split()
            if len(fields) != 4:
                problems.report(f"has {len(fields)} columns, expected 4: {cls.shape}", number, text)
                continue
            topic, _, document, word = fields
            grade = finite(word)
            if grade is None:
                problems.report(f"the grade {word!r} is not a number", number, text, f"expected {cls.shape}")
                continue
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
