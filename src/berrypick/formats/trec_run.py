"""TREC runs."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.run import Run, assemble
from berrypick.formats._base import Format, Problems, Role, content, counted, finite


class TrecRun(Format):
    """TREC run: one retrieved document a line, ``topic Q0 document rank score tag``, separated by white space.

    The ranking is by score, largest first, then by document name, largest first, as trec_eval does; the rank column
    is not used, and columns after the sixth are passed over. Blank lines and lines that begin with # are passed over.

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
        return len(fields) >= 6 and finite(fields[4]) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        topic: list[str] = []
        document: list[str] = []
        score: list[float] = []
        line: list[int] = []
        tag = ""
        for number, text in content(path, problems):
            fields = text.split()
            if len(fields) < 6:
                problems.report(f"has {len(fields)} columns, expected 6: {cls.shape}", number, text)
                continue
            if len(fields) > 6:
                problems.count("lines with more than 6 columns, the rest passed over")
            value = finite(fields[4])
            if value is None:
                problems.report(
                    f"the score {fields[4]!r} is not a finite number", number, text, f"expected {cls.shape}"
                )
                continue
            topic.append(fields[0])
            document.append(fields[2])
            score.append(value)
            line.append(number)
            tag = tag or fields[5]
        return assemble(
            tag=tag,
            topic=topic,
            document=document,
            score=np.array(score, dtype=np.float64),
            line=np.array(line, dtype=np.int64),
            order="trec",
            source=path,
            format=cls.format_name,
            duplicates="error",
        )

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        if value.points_into_documents:
            return "the run points to parts of documents, a TREC run to whole ones"
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
