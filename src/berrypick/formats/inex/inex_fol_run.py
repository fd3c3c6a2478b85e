"""INEX runs as text: file, offset, length; or paths to elements."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple, TextIO

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.assemble import assemble
from berrypick.data.columns import Coded, Names, Packed, unpacked
from berrypick.data.run import Ranking, Run
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import finite, word_problem
from berrypick.files.scan import LONG, Scanned, scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.inex._inex import NOWHERE, Paths, ends_before, nowhere, run_problem, unlocated_note, whole
from berrypick.rows.values import results

Kind = Literal["passage", "entry point", "element", "range of elements"]
Place = tuple[int, int] | tuple[str, str]


class InexFolRun(Format):
    """INEX run as text from 2008 on: ``topic Q0 document rank score tag offset length``, white space in between.

    The order of the lines is the ranking; rank and score are not used. Offsets count characters without mark-up.
    Instead of offset and length a run may have

    * a path (7 columns): it retrieves elements;
    * two paths (8 columns): it retrieves the text from one element to another;
    * an offset alone (7 columns): it retrieves entry points, best in context. (With a length, which that task
      ignores, the file looks like a run of passages.)

    One kind per file. ``X`` or ``-1`` as the offset is a passage that could not be located: it counts as 18 characters,
    not relevant, and is kept as an interval before the start of its document, of which no two are alike. Steps of
    paths without a number are taken as [1], and counted. Blank lines and lines that begin with # are ignored.

    Sample::

        7 Q0 812 1 9.2 mysystem 200 120
        7 Q0 815 2 8.9 mysystem 0 512
        7 Q0 901 3 8.1 mysystem X X
    """

    format_name: ClassVar[str] = "inex-fol-run"
    positions = "chars"
    role: ClassVar[Role] = "run"
    words: ClassVar[int] = 7
    before: ClassVar[tuple[str, ...]] = ("trec-run",)
    shape: ClassVar[str] = "topic Q0 document rank score tag offset length"
    suffixes: ClassVar[tuple[str, ...]] = (".run", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return 2 * sum(_plausible(line.split()) for line in lines) >= len(lines)  # the reader names the bad ones

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        found = scan(path, cls.format_name, in_parts=True)
        run = None if found is None else _from_columns(found, path, problems)
        if run is not None:
            return run
        rows = _Rows(problems)
        for number, text in content(path, problems):
            rows.add(number, text)
        return rows.run(path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if problem := run_problem(value, "this format"):
            return problem
        if value.path_end is not None and len(np.unique(value.path_end < 0)) > 1:
            return "the run retrieves both elements and ranges; this format holds one kind"
        if value.grouped:
            return "several results share a rank; this format has one result per rank"
        return word_problem(value.topics, (*value.documents, *value.paths))

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split()) or "run"
        points = value.ordering.task == "best-in-context" and _only_points(value)
        for topic, document, rank, score, ranking, row in results(value):
            where = _pointer_columns(ranking, row, points)
            out.write(f"{topic} Q0 {document} {rank} {score!r} {tag} {where}\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        if value.path is not None:
            kinds = ("element", "elements") if value.path_end is None else ("range of elements", "ranges of elements")
        else:
            kinds = (
                ("entry point", "entry points") if value.ordering.task == "best-in-context" else ("passage", "passages")
            )
        return [
            counted(len(value.topics), "topic"),
            counted(value.size(), *kinds),
            counted(len(value.documents), "document"),
            f"tag {value.tag}",
        ]


def _plausible(fields: list[str]) -> bool:
    """Whether a line has the form of a result."""
    if len(fields) not in (7, 8) or fields[1].upper() not in ("Q0", "0") or whole(fields[3]) is None:
        return False
    place = fields[6:]
    if place[0].startswith("/"):
        return all(word.startswith("/") for word in place)
    return all(word in NOWHERE or word.isdigit() for word in place)


class _Rows:
    """The columns of a run as its lines are read."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.paths = Paths(problems)
        #: Topic, document, rank (-1 where it is no whole number), score, line, where the result begins and ends.
        self.rows: list[tuple[str, str, int, float, int, str | int, str | int]] = []
        self.kind: Kind | None = None
        self.kind_line = 0
        self.tag = ""
        self.unlocated = 0

    def add(self, number: int, text: str) -> None:
        fields = text.split()
        if len(fields) not in (7, 8):
            what = f"has {len(fields)} columns, not 7 or 8"
            self.problems.report(what, number, text, f"expected {InexFolRun.shape}, or paths")
            return
        kind = _kind(fields)
        place = self._place(kind, fields, number, text) if self._same_kind(kind, number, text) else None
        if place is None:
            return
        rank, score = whole(fields[3]), finite(fields[4])
        row = fields[0], fields[2], -1 if rank is None else rank, float("nan") if score is None else score, number
        self.rows.append((*row, *place))
        self.tag = self.tag or fields[5]

    def _place(self, kind: Kind, fields: list[str], number: int, text: str) -> Place | None:
        """Where a result lies; None if the line does not say, which is reported."""
        if kind in ("element", "range of elements"):
            return self._on_paths(fields[6:], number, text)
        if fields[6] in NOWHERE:
            self.unlocated += 1
            return nowhere(self.unlocated - 1)
        offset, length = whole(fields[6]), whole(fields[7]) if kind == "passage" else 0
        if offset is None or length is None:
            bad = fields[6] if offset is None else fields[7]
            remedy = "a passage that could not be located has X or -1 as its offset"
            self.problems.report(f"{bad!r} is not a whole number, 0 or more", number, text, remedy)
            return None
        return offset, offset + length

    def _on_paths(self, words: list[str], number: int, text: str) -> tuple[str, str] | None:
        read = self.paths.element if len(words) == 1 else self.paths.point
        for word in words:
            if read(word) is None:
                self.problems.report(f"{word!r} is not a path", number, text, "expected /article[1]/bdy[1]/sec[2]")
                return None
        first, last = read(words[0]) or "", read(words[1]) or "" if len(words) > 1 else ""
        if last and ends_before(first, last):
            self.problems.report("the range ends before it starts", number, text, rule="range")
            return None
        return first, last

    def _same_kind(self, kind: Kind, number: int, text: str) -> bool:
        if self.kind is None:
            self.kind, self.kind_line = kind, number
        if kind != self.kind:
            what = f"retrieves {_article(kind)}, but line {self.kind_line} {_article(self.kind)}"
            self.problems.report(what, number, text, "a file holds one kind of result")
        return kind == self.kind

    def run(self, path: str) -> Run:
        topics, documents, ranks, scores, lines, begins, ends = zip(*self.rows, strict=True) if self.rows else [()] * 7
        topic, score, line = Coded.of(topics), np.array(scores, dtype=np.float64), np.array(lines, dtype=np.int64)
        columns = {"tag": self.tag, "topic": topic, "document": Coded.of(documents), "score": score, "line": line}
        if self.rows and isinstance(begins[0], str):
            columns |= {"path": Coded.of(begins), "path_end": ends if self.kind == "range of elements" else None}
        else:
            columns |= {"start": np.array(begins, dtype=np.int64), "end": np.array(ends, dtype=np.int64)}
        falls = _falls(topic.codes, np.array(ranks, dtype=np.int64))
        counts = _Counts(self.unlocated, falls, int(np.isnan(score).sum()))
        return _assembled(columns, counts, self.kind == "entry point", path, self.problems)


class _Counts(NamedTuple):
    """What was counted in the lines of a run."""

    unlocated: int
    falls: int  # how often the rank column falls from one line of a topic to its next
    unscored: int


def _assembled(columns: dict[str, Any], counts: _Counts, points: bool, path: str, problems: Problems) -> Run:
    if counts.unscored:
        problems.count("lines whose score is not a number (scores are ignored)", counts.unscored)
        columns["score"] = None
    notes = unlocated_note(counts.unlocated)
    if counts.falls:
        notes += (f"lines out of the order of their rank column: {counts.falls}; the order of the lines is used",)
    task = "best-in-context" if points else ""
    return assemble(**columns, task=task, order="file", source=path, format=InexFolRun.format_name, notes=notes)


#: How the scanner numbers the kinds of results.
_POINTS, _ELEMENTS = 2, 3


def _from_columns(found: Scanned, path: str, problems: Problems) -> Run | None:
    """None if a path is none, which the plain reader says."""
    topic, document = found.coded()
    columns = {"tag": found.tag, "topic": topic, "document": document}
    columns |= {"score": found.score, "line": found.line}
    if found.kind == _ELEMENTS:
        elements = _elements(found, path, problems)
        if elements is None:
            return None
        columns["path"] = elements
    else:
        places = {"start": found.start, "end": found.end}
        packed = len(found.line) >= LONG
        for name, one in places.items():
            columns[name] = Packed(one) if packed and one.dtype == np.int32 else one.astype(np.int64, copy=False)
    counts = _Counts(found.unlocated, found.falls, found.unscored)
    return _assembled(columns, counts, found.kind == _POINTS, path, problems)


def _elements(found: Scanned, path: str, problems: Problems) -> Coded | None:
    """Every path is looked at once; two ways to write one are one name."""
    trial = Problems(path, strict=False)
    paths = Paths(trial)
    names = [paths.element(word) for word in Names(found.paths)]
    if None in names:
        return None
    for what, count in trial.counts.items():
        problems.count(what, count)
    known = Coded.of([name or "" for name in names])
    return Coded(known.names, known.codes[found.path])


def _falls(topic: IntArray, rank: IntArray) -> int:
    """How often the rank column falls from one line of a topic to its next."""
    known = rank >= 0
    if not known.all():
        topic, rank = topic[known], rank[known]
    if (topic[1:] < topic[:-1]).any():
        order = np.argsort(topic, kind="stable")
        topic, rank = topic[order], rank[order]
    return int(((rank[1:] < rank[:-1]) & (topic[1:] == topic[:-1])).sum())


def _kind(fields: list[str]) -> Kind:
    if fields[6].startswith("/"):
        return "element" if len(fields) == 7 else "range of elements"
    return "entry point" if len(fields) == 7 else "passage"


def _article(kind: Kind) -> str:
    return f"{'an' if kind[0] == 'e' else 'a'} {kind}"


def _only_points(run: Run) -> bool:
    if run.start is None or run.end is None:
        return False
    start, end = unpacked(run.start), unpacked(run.end)
    return bool(np.all((start == end) | (start < 0)))


def _pointer_columns(ranking: Ranking, row: int, points: bool) -> str:
    """The last columns of a line."""
    if ranking.path is not None:
        return " ".join(path for path in ranking.path_of(row) if path)
    assert ranking.start is not None and ranking.end is not None
    start, end = int(ranking.start[row]), int(ranking.end[row])
    if start < 0:
        return "X" if points else "X X"
    return str(start) if points else f"{start} {end - start}"
