"""Judged documents as BEIR keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, TextIO

from berrypick.data.truth import Truth
from berrypick.files.files import content
from berrypick.files.line_words import finite
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows

HEADER = ("query-id", "corpus-id", "score")


class BeirQrels(TruthRecords):
    """Judgements of BEIR: a line ``query-id``, ``corpus-id``, ``score`` with TABs, then one judged document per line.

    The score is the grade. BEIR's corpus.jsonl, with ``_id`` and ``text`` in every line, can be given as documents; its
    ``title`` is no part of the text.

    Sample::

        query-id	corpus-id	score
        1	berries	2
        1	hedges	0
    """

    format_name: ClassVar[str] = "beir-qrels"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    before: ClassVar[tuple[str, ...]] = ("span-table-truth",)
    shape: ClassVar[str] = "query-id<TAB>corpus-id<TAB>score"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _cells(lines[0]) == HEADER

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        return replace(super().read(path, problems), units="documents")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for row, (number, text) in enumerate(content(path, problems)):
            if not row and _cells(text) == HEADER:
                continue
            cells = [cell.strip() for cell in text.split("\t")]
            grade = finite(cells[2]) if len(cells) == 3 else None
            if grade is None:
                problems.report("expected query-id, corpus-id and score, separated by TABs", number, text)
                continue
            yield number, text, {"topic": cells[0], "doc": cells[1], "grade": grade}

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        if value.units != "documents":
            return f"{value.units} are judged, not documents"
        names = [name for topic in value.topics.values() for name in (topic.topic, *topic.documents())]
        return "names with TABs or line ends" if any(set(name) & set("\t\r\n") for name in names) else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        out.write("\t".join(HEADER) + "\n")
        for topic in value.topics.values():
            for document, grade in zip(topic.document, topic.grade.tolist(), strict=True):
                out.write(f"{topic.topic}\t{document}\t{grade:g}\n")


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().strip('"').lower().replace("_", "-") for cell in line.lstrip("\ufeff").split("\t"))
