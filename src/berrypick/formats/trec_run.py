"""TREC runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.arrays import IntArray
from berrypick.core.run import Run, assemble
from berrypick.core.words import counted
from berrypick.formats import _columns
from berrypick.formats._files import content, finite
from berrypick.formats.base import Format, Problems, Role


class TrecRun(Format):
    """TREC run: one retrieved document per line, ``topic Q0 document rank score tag``, separated by white space.

    The ranking is by score, largest first, then by document name, largest first, as trec_eval does; the rank column
    is not used, and columns after the sixth are ignored. Blank lines and lines that begin with # are ignored.

    Sample::

        301 Q0 FBIS3-10082 1 12.4 mysystem
        301 Q0 FBIS3-10169 2 11.9 mysystem
    """

    format_name: ClassVar[str] = "trec-run"
    role: ClassVar[Role] = "run"
    shape: ClassVar[str] = "topic Q0 document rank score tag"
    suffixes: ClassVar[tuple[str, ...]] = (".run", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        passages = any(word.replace(":", "").isdigit() and ":" in word for word in fields[6:])  # INEX judgements
        return len(fields) >= 6 and finite(fields[4]) is not None and not passages

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        if _columns.is_large(path):
            found = _columns.read_large(path, problems, _from_blocks)
            if found is not None:
                return found.run(path)
        rows = _Rows(problems)
        for number, text in content(path, problems):
            rows.add(number, text)
        return rows.run(path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        if value.points_into_documents:
            return "the run points to parts of documents, a TREC run to whole ones"
        if len(value) != len(np.unique(_positions(value))):
            return "several results share a rank"
        if not _ordered(value):
            return "its order is not that of falling scores and names, which is all that a TREC run can say"
        bad = next((name for name in (*value.topics, *value.documents) if not name or name.split() != [name]), None)
        return f"the name {bad!r} has white space in it" if bad is not None else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split()) or "run"
        for topic, ranking in value.rankings():
            for row in range(len(ranking)):
                position = int(ranking.rank[row]) + 1
                score = float(ranking.score[row]) if ranking.score is not None else -float(position)
                out.write(f"{topic} Q0 {ranking.name(row)} {position} {score!r} {tag}\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return [counted(len(value.topics), "topic"), counted(len(value), "result"), f"tag {value.tag}"]


class _Rows:
    """The columns of a run as its lines, or blocks of lines, are read."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.topics, self.topic = _columns.Names(), _columns.Pieces(np.int64)
        self.document = _columns.Words()
        self.score, self.line = _columns.Pieces(np.float64), _columns.Pieces(np.int64)
        self.tag = ""

    def add(self, number: int, text: str) -> None:
        fields = text.split()
        if len(fields) < 6:
            self.problems.report(f"has {len(fields)} columns, expected 6: {TrecRun.shape}", number, text)
            return
        if len(fields) > 6:
            self.problems.count("lines with more than 6 columns, the rest passed over")
        value = finite(fields[4])
        if value is None:
            self.problems.report(
                f"the score {fields[4]!r} is not a finite number", number, text, f"expected {TrecRun.shape}"
            )
            return
        self.topic.append(self.topics.code(fields[0]))
        self.document.append(fields[2])
        self.score.append(value)
        self.line.append(number)
        self.tag = self.tag or fields[5]

    def add_block(self, number: int, data: bytes) -> bool:
        """False, and nothing added, if the lines have to be read one by one."""
        table = _columns.table(data, 6)
        score = None if table is None else _columns.numbers(table["4"], finite)
        if table is None or score is None or np.isnan(score).any():
            return False
        self.topic.extend(self.topics.codes(table["0"]))
        self.document.extend(table["2"])
        self.score.extend(score)
        self.line.extend(np.arange(number, number + len(score)))
        self.tag = self.tag or table["5"][0]
        return True

    def run(self, path: str) -> Run:
        return assemble(
            tag=self.tag,
            topic=self.topics.coded(self.topic.joined()),
            document=self.document.coded(),
            score=self.score.joined(),
            line=self.line.joined(),
            order="trec",
            source=path,
            format=TrecRun.format_name,
            duplicates="error",
        )


def _from_blocks(blocks: Iterator[tuple[int, bytes]], problems: Problems) -> _Rows:
    return _columns.filled(_Rows(problems), blocks, problems)


def _positions(run: Run) -> IntArray:
    """Every list item of the run with a number of its own."""
    return np.repeat(run.bounds[:-1], np.diff(run.bounds)) + run.rank


def _ordered(run: Run) -> bool:
    """Whether reading the scores again gives the same order: falling, ties by falling document names."""
    if run.score is None:
        return True
    for _, ranking in run.rankings():
        assert ranking.score is not None
        falls = ranking.score[:-1] > ranking.score[1:]
        for row in np.flatnonzero(~falls).tolist():
            if ranking.score[row] < ranking.score[row + 1] or ranking.name(row) <= ranking.name(row + 1):
                return False
    return True
