"""TREC Genomics runs."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.columns import unpacked
from berrypick.data.run import Run
from berrypick.files.files import content
from berrypick.files.line_words import ascii_problem, finite, whole_number, word_problem
from berrypick.files.scan import scan
from berrypick.formats.base import Format, Problems, Role


class GenomicsRun(Format):
    """TREC Genomics run: ``topic pmid rank score offset length tag``, separated by white space.

    The order is by rank, then document, offset and length. Offsets count bytes.

    Sample::

        200 12595615 1 48.63 28426 295 mysystem
        200 15814577 2 43.338 5656 125 mysystem
    """

    format_name: ClassVar[str] = "genomics-run"
    positions = "chars"
    role: ClassVar[Role] = "run"
    words: ClassVar[int] = 7
    before: ClassVar[tuple[str, ...]] = ("trec-run",)
    shape: ClassVar[str] = "topic pmid rank score offset length tag"

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        return len(fields) == 7 and fields[1].upper() != "Q0" and cls._numbers(fields) is not None

    @staticmethod
    def _numbers(fields: list[str]) -> tuple[int, float, int, int] | None:
        score, rank = finite(fields[3]), whole_number(fields[2])
        offset, length = whole_number(fields[4]), whole_number(fields[5])
        if score is None or rank is None or offset is None or length is None:
            return None
        return rank, score, offset, length

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        found = scan(path, cls.format_name)
        if found is None:
            rows, tag = _read_lines(path, problems)
        else:
            rows, tag = list(found.rows("rank", "start", "end", "score", "line")), found.tag
        rows.sort(key=itemgetter(2, 1, 3, 4))
        return assemble(
            tag=tag,
            topic=[row[0] for row in rows],
            document=[row[1] for row in rows],
            start=np.array([row[3] for row in rows], dtype=np.int64),
            end=np.array([row[4] for row in rows], dtype=np.int64),
            score=np.array([row[5] for row in rows], dtype=np.float64),
            line=np.array([row[6] for row in rows], dtype=np.int64),
            order="file",
            source=path,
            format=cls.format_name,
            duplicates="keep",
        )

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run) or value.start is None or unpacked(value.start).dtype != np.int64:
            return "it is not a run of spans counted in bytes"
        if unpacked(value.start).min(initial=0) < 0:
            return "some results have no offsets"
        if value.grouped:
            return "some ranks hold several results"
        return ascii_problem((*value.topics, *value.documents, value.tag)) or word_problem(
            value.topics, value.documents
        )

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split()) or "run"
        for topic, ranking in value.rankings():
            for row in range(len(ranking)):
                start, end = int(ranking.start[row]), int(ranking.end[row])
                rank = row + 1
                score = float(ranking.score[row]) if ranking.score is not None else -float(rank)
                name = ranking.documents[int(ranking.document[row])]
                out.write(f"{topic} {name} {rank} {score!r} {start} {end - start} {tag}\n")


def _read_lines(path: str, problems: Problems) -> tuple[list[tuple[Any, ...]], str]:
    """Topic, document, rank, start, end, score and number of every line; and the tag."""
    rows = []
    tag = ""
    for number, text in content(path, problems, encoding="latin-1"):
        fields = text.split()
        numbers = GenomicsRun._numbers(fields) if len(fields) == 7 else None
        if numbers is None:
            problems.report(f"is not {GenomicsRun.shape}", number, text)
            continue
        rank, score, offset, length = numbers
        if offset + length > 2**53:
            problems.report("the passage is beyond any document", number, text)
            continue
        rows.append((fields[0], fields[1], rank, offset, offset + length, score, number))
        tag = tag or fields[6]
    return rows, tag
