"""TREC runs."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.columns import NameColumn
from berrypick.data.run import Run
from berrypick.files.files import content
from berrypick.files.line_words import finite, word_problem
from berrypick.files.scan import scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.values import results


class TrecRun(Format):
    """TREC run: one retrieved document per line, ``topic Q0 document rank score tag``, separated by white space.

    The ranking is by score, largest first, then by document name, largest first, as trec_eval does; the rank column
    is not used. A line with fewer columns is an error, and so is a name with a blank, which shifts the rank. Words
    after the tag are skipped and counted, as trec_eval's own test files have them. Blank lines and lines that begin
    with # are ignored.

    Sample::

        301 Q0 FBIS3-10082 1 12.4 mysystem
        301 Q0 FBIS3-10169 2 11.9 mysystem
    """

    format_name: ClassVar[str] = "trec-run"
    checks_names: ClassVar[bool] = True
    role: ClassVar[Role] = "run"
    words: ClassVar[int] = 6
    before: ClassVar[tuple[str, ...]] = ("span-table-run",)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "topic Q0 document rank score tag"
    suffixes: ClassVar[tuple[str, ...]] = (".run", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        if len(fields) < 6 or finite(fields[4]) is None or "|" in fields:  # columns of another kind of table
            return False
        passages = any(word.replace(":", "").isdigit() and ":" in word for word in fields[6:])  # INEX judgements
        return not passages

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        found = scan(path, cls.format_name, in_parts=True)
        if found is not None and not found.longer:  # else the reader of lines has to look
            names = {"topic": found.stretches, "document": NameColumn(found.names)}
            columns = {"tag": found.tag, **names, "score": found.score, "line": found.line}
        else:
            columns = _read_lines(path, problems)
        return assemble(**columns, order="trec", source=path, format=cls.format_name, own_columns=True)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        if value.points_into_documents:
            return "the run retrieves parts of documents; a TREC run holds whole ones"
        if value.grouped:
            return "several results share a rank"
        if not _ordered(value):
            return "its order is not by falling score and name, the only order a TREC run can express"
        return word_problem(value.topics, value.documents)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split()) or "run"
        for topic, document, rank, score, _, _ in results(value):
            out.write(f"{topic} Q0 {document} {rank} {score!r} {tag}\n")


def _is_rank(word: str) -> bool:
    return word.isascii() and word.lstrip("-").isdigit()


def _has_blank_in_name(fields: list[str]) -> bool:
    """Whether a line of more than six columns is one of six whose name has a blank: its rank and score are not where
    they should be, or look as if they were further right."""
    in_place = _is_rank(fields[3]) and finite(fields[4]) is not None
    further = finite(fields[5]) is not None or (_is_rank(fields[-3]) and finite(fields[-2]) is not None)
    return further or not in_place


def _read_lines(path: str, problems: Problems) -> dict[str, Any]:
    topic, document, score, line = [], [], [], []
    tag = ""
    for number, text in content(path, problems):
        fields = text.split()
        if len(fields) < 6 or (len(fields) > 6 and _has_blank_in_name(fields)):
            remedy = "names have no blanks" if len(fields) > 6 else ""
            problems.report(f"has {len(fields)} columns, expected 6: {TrecRun.shape}", number, text, remedy)
            continue
        if len(fields) > 6:
            problems.count("lines with words after the tag")
        value = finite(fields[4])
        if value is None:
            problems.report(
                f"the score {fields[4]!r} is not a finite number", number, text, f"expected {TrecRun.shape}"
            )
            continue
        topic.append(fields[0])
        document.append(fields[2])
        score.append(value)
        line.append(number)
        tag = tag or fields[5]
    numbers = {"score": np.array(score, dtype=np.float64), "line": np.array(line, dtype=np.int64)}
    return {"tag": tag, "topic": topic, "document": document, **numbers}


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
