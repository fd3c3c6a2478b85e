"""TREC Genomics passages."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.origin import Origin
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import ascii_problem, cell_problem, whole_number
from berrypick.formats.base import Format, Problems, Role


class GenomicsGold(Format):
    """TREC Genomics gold passages, separated by TABs: ``topic pmid offset length ASPECT|ASPECT``, in Latin-1.

    Offsets count bytes. Every line is a relevant passage with the aspects it covers.

    Sample::

        200	14747618	64716	19412	ICAM-1|CD14
        200	10662869	40671	1038	SFAS
    """

    format_name: ClassVar[str] = "genomics-gold"
    positions = "chars"
    role: ClassVar[Role] = "truth"
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    shape: ClassVar[str] = "topic TAB pmid TAB offset TAB length TAB ASPECT|ASPECT"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)

    holds: ClassVar[frozenset[str]] = frozenset({"aspects"})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split("\t")
        return (
            len(fields) == 5
            and fields[1].upper() != "Q0"
            and whole_number(fields[2].strip()) is not None
            and whole_number(fields[3].strip()) is not None
        )

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        rows: dict[str, list[tuple[str, int, int, tuple[str, ...], int]]] = {}
        for number, text in content(path, problems, encoding="latin-1"):
            fields = text.split("\t")
            start, length = map(whole_number, fields[2:4]) if len(fields) == 5 else (None, None)
            if start is None or length is None or not fields[0].strip() or not fields[1].strip():
                problems.report(f"is not {cls.shape}", number, text)
                continue
            if length == 0:
                problems.report("the passage is empty", number, text)
                continue
            aspects = tuple(aspect for aspect in fields[4].split("|") if aspect)
            rows.setdefault(fields[0], []).append((fields[1], start, start + length, aspects, number))
        topics = {
            topic: TopicTruth(
                topic,
                tuple(row[0] for row in found),
                np.ones(len(found)),
                np.array([row[1] for row in found], dtype=np.int64),
                np.array([row[2] for row in found], dtype=np.int64),
                np.array([row[4] for row in found], dtype=np.int64),
                aspects=tuple(row[3] for row in found),
            )
            for topic, found in rows.items()
        }
        return Truth("spans", topics, Origin(path, cls.format_name))

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth) or value.units != "spans":
            return "it is not a truth of spans"
        if any(topic.aspects is None for topic in value.topics.values()):
            return "it has no aspects"
        if value.grades() - {1.0}:
            return "it has grades other than 1"
        names = [name for topic in value.topics.values() for name in (topic.topic, *topic.document)]
        aspects = [aspect for topic in value.topics.values() for row in topic.aspects or () for aspect in row]
        return ascii_problem((*names, *aspects)) or cell_problem(names)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for topic in value.topics.values():
            for row, document in enumerate(topic.document):
                start, end = int(topic.start[row]), int(topic.end[row])
                aspects = "|".join(topic.aspects[row])
                out.write(f"{topic.topic}\t{document}\t{start}\t{end - start}\t{aspects}\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        passages = sum(len(topic) for topic in value.topics.values())
        aspects = sum(len({a for row in topic.aspects or () for a in row}) for topic in value.topics.values())
        return [counted(len(value), "topic"), counted(passages, "passage"), counted(aspects, "aspect")]
