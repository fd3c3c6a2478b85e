"""Relevant spans as JSON Lines."""

from __future__ import annotations

import json
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.truth import TopicTruth, Truth
from berrypick.formats._base import Format, Problems, Role, counted
from berrypick.formats._spans import Fields, plain, positions, records


class SpanTruth(Format):
    """Relevant spans, one JSON object a line: ``topic``, ``doc``, ``start``, ``end`` and optionally ``grade`` (1).

    Offsets count from 0 and are half-open: ``end`` is the first position after the span. They are characters in text,
    seconds in video. A line with grade 0 and no offsets says that a document was judged and holds nothing relevant. A
    file without any offsets judges whole documents. Exact copies are merged, overlapping spans are kept. Other fields
    are passed over.

    Sample::

        {"topic": "1", "doc": "guide.md", "start": 120, "end": 260}
        {"topic": "1", "doc": "faq.md", "start": 0, "end": 80, "grade": 0.5}
    """

    format_name: ClassVar[str] = "span-truth"
    role: ClassVar[Role] = "truth"
    shape: ClassVar[str] = '{"topic": "1", "doc": "guide.md", "start": 120, "end": 260}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        return first.startswith("{") and '"topic"' in first and '"score"' not in first and '"rank"' not in first

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        spans: dict[str, dict[tuple[str, float, float], tuple[float, int]]] = {}
        whole: dict[str, dict[str, tuple[float, int]]] = {}
        any_span = False
        for number, text, value in records(path, problems):
            fields = Fields(number, text, value, problems)
            topic, document = fields.name("topic"), fields.name("doc")
            grade = fields.number_of("grade", 1.0)
            span = fields.span(empty_allowed=False)
            if not fields.good or grade is None:
                continue
            if span is None:
                whole.setdefault(topic, {})
                spans.setdefault(topic, {})
                cls._once(fields, whole[topic], document, document, grade)
            else:
                any_span = True
                cls._once(fields, spans.setdefault(topic, {}), (document, *span), document, grade)
        if any_span:
            cls._no_whole_documents(whole, problems)
            topics = {topic: _spans(topic, found, whole.get(topic, {})) for topic, found in spans.items()}
            return Truth("spans", topics, path, cls.format_name)
        topics = {topic: _documents(topic, found) for topic, found in whole.items()}
        return Truth("documents", topics, path, cls.format_name)

    @staticmethod
    def _once(fields: Fields, known: dict[Any, tuple[float, int]], key: Any, document: str, grade: float) -> None:
        if key in known and known[key][0] != grade:
            fields.fail(
                f"the same unit of {document} has grade {grade:g} here and {known[key][0]:g} in line {known[key][1]}",
                "keep one of the two lines",
            )
        known.setdefault(key, (grade, fields.number))

    @staticmethod
    def _no_whole_documents(whole: dict[str, dict[str, tuple[float, int]]], problems: Problems) -> None:
        for found in whole.values():
            for document, (grade, line) in found.items():
                if grade > 0:
                    problems.report(
                        f"{document} is judged relevant as a whole, but other lines judge spans",
                        line,
                        remedy="give start and end for every relevant line, or for none",
                    )

    @classmethod
    def accepts(cls, value: Any) -> str:
        return "" if isinstance(value, Truth) else "it is not a truth"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for topic in value.topics.values():
            for row, document in enumerate(topic.document):
                record: dict[str, Any] = {"topic": topic.topic, "doc": document}
                if topic.start is not None:
                    record["start"], record["end"] = plain(topic.start[row]), plain(topic.end[row])
                record["grade"] = plain(topic.grade[row])
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            for document in topic.empty_documents:
                out.write(json.dumps({"topic": topic.topic, "doc": document, "grade": 0}, ensure_ascii=False) + "\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        units = sum(len(topic) for topic in value.topics.values())
        relevant = sum(int((topic.grade > 0).sum()) for topic in value.topics.values())
        documents = {name for topic in value.topics.values() for name in topic.documents()}
        return [
            counted(len(value), "topic"),
            f"{units} judged {value.units}",
            f"{relevant} relevant",
            counted(len(documents), "document"),
        ]


def _spans(
    topic: str, found: dict[tuple[str, float, float], tuple[float, int]], whole: dict[str, tuple[float, int]]
) -> TopicTruth:
    return TopicTruth(
        topic,
        tuple(document for document, _, _ in found),
        np.array([grade for grade, _ in found.values()], dtype=np.float64),
        positions([start for _, start, _ in found]),
        positions([end for _, _, end in found]),
        np.array([line for _, line in found.values()], dtype=np.int64),
        tuple(whole),
    )


def _documents(topic: str, found: dict[str, tuple[float, int]]) -> TopicTruth:
    return TopicTruth(
        topic,
        tuple(found),
        np.array([grade for grade, _ in found.values()], dtype=np.float64),
        line=np.array([line for _, line in found.values()], dtype=np.int64),
    )
