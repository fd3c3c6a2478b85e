"""A run: what one system returned, for all topics, as columns.

Rows are kept topic by topic in ranked order. Several rows may share one rank: a list item may point to several
regions at once (EPRUM section 3.2). How a file's lines become an order is the business of its format; equal ranks
and equal scores stay visible in the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.core.collection import unknown_length
from berrypick.core.errors import shorten
from berrypick.core.words import counted

Duplicates = Literal["error", "first", "keep"]


def span_name(document: str, start: float, end: float) -> str:
    """How a span is written where a unit needs one name: ``document#start-end``."""
    return f"{document}#{start:.12g}-{end:.12g}"


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of names as codes into its distinct names, which stand in the order of their first appearance."""

    names: list[str]
    codes: IntArray

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, names: Sequence[str]) -> Coded:
        known = {name: code for code, name in enumerate(dict.fromkeys(names))}
        return cls(list(known), np.fromiter(map(known.__getitem__, names), dtype=np.int64, count=len(names)))


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows of a ranking document by document: those of document i are order[bounds[i]:bounds[i+1]], as ranked."""

    order: IntArray
    bounds: IntArray
    code: IntArray  # of each document, rising

    def rows(self, i: int) -> IntArray:
        return self.order[self.bounds[i] : self.bounds[i + 1]]

    def first(self) -> IntArray:
        """The first row of each document."""
        return self.order[self.bounds[:-1]]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The pointers of one topic in ranked order; ``rank`` counts from 0 and may repeat."""

    documents: Sequence[str]  # the vocabulary that ``document`` indexes
    document: IntArray
    rank: IntArray
    ranks: int
    start: Positions | None = None
    end: Positions | None = None
    score: FloatArray | None = None
    line: IntArray | None = None
    repeated: BoolArray | None = None  # pointers that stand earlier in the list too
    paths: Sequence[str] = ()  # the vocabulary that ``path`` and ``path_end`` index
    path: IntArray | None = None  # element paths, or the points where passages start
    path_end: IntArray | None = None  # the points where passages end; -1 for an element
    size: FloatArray | None = None  # lengths of elements, or of whole documents, nan where unknown
    #: Document names to codes, where somebody keeps them for all topics.
    vocabulary: Callable[[], Mapping[str, int]] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.document)

    def name(self, row: int) -> str:
        document = self.documents[int(self.document[row])]
        if self.path is not None:
            first, last = self.path_of(row)
            return document + first + (f"..{last}" if last else "")
        if self.start is None or self.end is None:
            return document
        return span_name(document, self.start[row], self.end[row])

    def path_of(self, row: int) -> tuple[str, str]:
        """The element path and '', or the points where a passage starts and ends."""
        assert self.path is not None
        last = int(self.path_end[row]) if self.path_end is not None else -1
        return self.paths[int(self.path[row])], self.paths[last] if last >= 0 else ""

    def names_by_rank(self) -> list[str]:
        """What stands at each rank, several pointers joined by a plus sign."""
        names: list[list[str]] = [[] for _ in range(self.ranks)]
        for row in range(len(self)):
            names[int(self.rank[row])].append(self.name(row))
        return [" + ".join(group) for group in names]

    @property
    def unknown(self) -> BoolArray:
        """Whole documents, taken as intervals, of which nobody knows where they end."""
        if self.size is None or self.path is not None:
            return np.zeros(len(self), dtype=bool)
        return np.isnan(self.size)

    def lengths(self, why: str = "") -> FloatArray:
        """The length of every interval; refused where one is not known."""
        assert self.start is not None and self.end is not None
        unknown = self.unknown
        if unknown.any():
            raise unknown_length(self.documents[int(self.document[int(np.argmax(unknown))])], why)
        return (self.end - self.start).astype(np.float64)

    def rows(self, keep: BoolArray | IntArray) -> Ranking:
        """Some of the pointers, at the ranks where they stood."""
        return replace(
            self,
            document=self.document[keep],
            rank=self.rank[keep],
            start=None if self.start is None else self.start[keep],
            end=None if self.end is None else self.end[keep],
            score=None if self.score is None else self.score[keep],
            line=None if self.line is None else self.line[keep],
            repeated=None if self.repeated is None else self.repeated[keep],
            path=None if self.path is None else self.path[keep],
            path_end=None if self.path_end is None else self.path_end[keep],
            size=None if self.size is None else self.size[keep],
        )

    @cached_property
    def grouped(self) -> Grouped:
        """The rows document by document."""
        order = np.argsort(self.document, kind="stable")
        ordered = self.document[order]
        head = np.ones(len(order), dtype=bool)
        head[1:] = ordered[1:] != ordered[:-1]
        heads = np.flatnonzero(head)
        return Grouped(order, np.append(heads, len(order)), ordered[heads])

    @cached_property
    def rows_by_document(self) -> dict[str, IntArray]:
        """For each document pointed into, its rows in ranked order."""
        found = self.grouped
        return {self.documents[code]: found.rows(i) for i, code in enumerate(found.code.tolist())}

    def codes_of(self, names: Iterable[str]) -> dict[str, int]:
        """The codes of those documents that the vocabulary has."""
        known = self.vocabulary() if self.vocabulary is not None else {n: c for c, n in enumerate(self.documents)}
        return {name: known[name] for name in names if name in known}

    def fresh(self) -> Ranking:
        """Without the repeated pointers: they reach nothing and gain nothing, but their ranks stay."""
        return self if self.repeated is None else self.rows(~self.repeated)

    def compacted(self) -> Ranking:
        """Ranks renumbered so that none is empty."""
        used, rank = np.unique(self.rank, return_inverse=True)
        return replace(self, rank=rank.astype(np.int64), ranks=len(used))


@dataclass(frozen=True, eq=False)
class Run:
    """Everything one system returned."""

    tag: str
    topics: tuple[str, ...]
    bounds: IntArray  # rows of topic i are bounds[i]:bounds[i+1]
    documents: Sequence[str]
    document: IntArray
    rank: IntArray  # from 0 within the topic; equal = one list item with several pointers
    start: Positions | None = None
    end: Positions | None = None
    score: FloatArray | None = None
    line: IntArray | None = None
    source: str = ""
    format: str = ""
    duplicates: Duplicates = "error"
    ties: Literal["rank", "score", "none"] = "none"
    notes: tuple[str, ...] = field(default=())
    paths: Sequence[str] = ()
    path: IntArray | None = None
    path_end: IntArray | None = None
    #: The retrieval task that the file says it is for, in our words (focused, thorough, ...); empty if it says none.
    task: str = ""
    #: The texts of results without offsets, by line: to be looked up in the documents.
    quoted: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: i for i, topic in enumerate(self.topics)}

    @cached_property
    def document_codes(self) -> dict[str, int]:
        """Document name to its code in ``document``."""
        return {name: code for code, name in enumerate(self.documents)}

    def __repr__(self) -> str:
        source = f", {shorten(self.source, 80)!r}" if self.source else ""
        held = f"{counted(len(self), 'result')} of {counted(len(self.topics), 'topic')}"
        return f"Run({shorten(self.tag, 80)!r}, {held}{source})"

    def __len__(self) -> int:
        return len(self.document)

    def __contains__(self, topic: str) -> bool:
        return topic in self._positions

    @property
    def points_into_documents(self) -> bool:
        return self.start is not None or self.path is not None

    def size(self, topic: str) -> int:
        """The number of rows of a topic."""
        position = self._positions.get(topic)
        return 0 if position is None else int(self.bounds[position + 1] - self.bounds[position])

    def ranking(self, topic: str) -> Ranking:
        """The pointers of one topic; an empty ranking when the run does not answer it."""
        if topic not in self._positions:
            rows = slice(0, 0)
        else:
            position = self._positions[topic]
            rows = slice(int(self.bounds[position]), int(self.bounds[position + 1]))
        rank = self.rank[rows]
        return Ranking(
            documents=self.documents,
            document=self.document[rows],
            rank=rank,
            ranks=int(rank[-1]) + 1 if len(rank) else 0,
            start=None if self.start is None else self.start[rows],
            end=None if self.end is None else self.end[rows],
            score=None if self.score is None else self.score[rows],
            line=None if self.line is None else self.line[rows],
            paths=self.paths,
            path=None if self.path is None else self.path[rows],
            path_end=None if self.path_end is None else self.path_end[rows],
            vocabulary=lambda: self.document_codes,
        )

    def rankings(self) -> Iterator[tuple[str, Ranking]]:
        for topic in self.topics:
            yield topic, self.ranking(topic)

    @cached_property
    def grouped(self) -> bool:
        """Whether some rank holds several pointers."""
        same = self.rank[1:] == self.rank[:-1]
        same[self.bounds[1:-1] - 1] = False  # the last of a topic and the first of the next one
        return bool(same.any())

    @cached_property
    def repeats(self) -> dict[str, BoolArray]:
        """For each topic whose list points to something twice: which pointers stand earlier in the list too."""
        found: dict[str, BoolArray] = {}
        for topic, ranking in self.rankings():
            if _may_repeat(ranking):
                repeated, _ = repeated_pointers(ranking)
                if repeated.any():
                    found[topic] = repeated
        return found


def _may_repeat(ranking: Ranking) -> bool:
    """False if surely no pointer stands twice: equal pointers have equal fingerprints, and one sort compares these."""
    columns = [ranking.start, ranking.end, ranking.path, ranking.path_end]
    mixed = ranking.document.astype(np.uint64)
    for column in columns:
        if column is not None:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # 0.0 makes one zero of -0.0 and 0.0
            mixed = (mixed * _MIXING) ^ (mixed >> _SHIFT)
            mixed += bits * _SPREADING
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


#: Odd numbers without pattern, and a shift that brings high bits down: a fingerprint of several columns.
_MIXING, _SPREADING, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)


def repeated_pointers(ranking: Ranking) -> tuple[BoolArray, IntArray]:
    """Which pointers stand earlier in the list too, and for every pointer the row of its first appearance."""
    columns = [ranking.document.astype(np.float64)]
    if ranking.start is not None and ranking.end is not None:
        columns += [ranking.start.astype(np.float64), ranking.end.astype(np.float64)]
    for path in (ranking.path, ranking.path_end):
        if path is not None:
            columns.append(path.astype(np.float64))
    order = np.lexsort([np.arange(len(ranking)), *columns[::-1]])
    same = np.ones(max(len(ranking) - 1, 0), dtype=bool)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    group = np.concatenate([[0], np.cumsum(~same)]).astype(np.int64) if len(ranking) else np.zeros(0, dtype=np.int64)
    heads = np.flatnonzero(np.concatenate([[True], ~same])) if len(ranking) else np.zeros(0, dtype=np.int64)
    first = np.empty(len(ranking), dtype=np.int64)
    first[order] = order[heads[group]] if len(ranking) else order
    return first != np.arange(len(ranking)), first


def assemble(
    *,
    tag: str,
    topic: Sequence[str] | Coded,
    document: Sequence[str] | Coded,
    start: Positions | None = None,
    end: Positions | None = None,
    score: FloatArray | None = None,
    rank: FloatArray | None = None,
    line: IntArray | None = None,
    path: Sequence[str] | Coded | None = None,
    path_end: Sequence[str] | None = None,
    task: str = "",
    order: Literal["trec", "rank", "score", "file"] = "file",
    source: str = "",
    format: str = "",
    duplicates: Duplicates = "error",
    notes: tuple[str, ...] = (),
) -> Run:
    """Columns in file order to a run.

    ``order``: 'trec' by score descending, then document name descending; 'rank' by the rank column, equal ranks
    being one list item; 'score' by score descending, file order within ties; 'file' as the lines stand.
    ``path`` holds element paths, or with ``path_end`` the points of passages ('' there for an element).
    """
    topics, documents = _coded(topic), _coded(document)
    paths, path_code, path_end_code = _path_codes(path, path_end)
    by: FloatArray | None = None
    if order != "file":
        by = rank if order == "rank" else None if score is None else -score
        assert by is not None
    rows = _ordered(topics.codes, by)
    if order == "trec" and score is not None:
        rows = _ties_by_name(rows, topics.codes, score, documents)
    topic_code = _taken(topics.codes, rows)
    count = len(topic_code)
    new_topic = np.ones(count, dtype=bool)
    new_topic[1:] = topic_code[1:] != topic_code[:-1]
    item = np.arange(count, dtype=np.int64)
    if order == "rank" and rank is not None:
        ordered = _taken(rank, rows)
        new_item = new_topic.copy()
        new_item[1:] |= ordered[1:] != ordered[:-1]
        item = np.cumsum(new_item, dtype=np.int64) - 1
    bounds = np.append(np.flatnonzero(new_topic), count).astype(np.int64)
    item -= np.repeat(item[bounds[:-1]], np.diff(bounds))
    return Run(
        tag=tag,
        topics=tuple(topics.names),
        bounds=bounds,
        documents=documents.names,
        document=_taken(documents.codes, rows),
        rank=item,
        start=None if start is None else _taken(start, rows),
        end=None if end is None else _taken(end, rows),
        score=None if score is None else _taken(score, rows),
        line=None if line is None else _taken(line, rows),
        source=source,
        format=format,
        duplicates=duplicates,
        ties="rank" if order == "rank" else "score" if score is not None and order != "file" else "none",
        notes=notes,
        paths=paths,
        path=None if path_code is None else _taken(path_code, rows),
        path_end=None if path_end_code is None else _taken(path_end_code, rows),
        task=task,
    )


def _coded(names: Sequence[str] | Coded) -> Coded:
    return names if isinstance(names, Coded) else Coded.of(names)


def _taken(column: Positions, rows: IntArray | None) -> Positions:
    return column if rows is None else column[rows]


def _ordered(topic: IntArray, by: FloatArray | None) -> IntArray | None:
    """Rows topic by topic, by a column upwards, then in file order; None where they stand so already."""
    same = topic[1:] == topic[:-1]
    rising = bool((same | (topic[1:] > topic[:-1])).all())
    if rising and (by is None or bool((~same | (by[1:] >= by[:-1])).all())):
        return None
    return np.lexsort((topic,) if by is None else (by, topic))  # a stable sort


def _ties_by_name(rows: IntArray | None, topic: IntArray, score: FloatArray, documents: Coded) -> IntArray | None:
    """Where rows of a topic have equal scores, the document with the larger name first."""
    ordered, ordered_topic = _taken(score, rows), _taken(topic, rows)
    tied = (ordered[1:] == ordered[:-1]) & (ordered_topic[1:] == ordered_topic[:-1])
    if not tied.any():
        return rows
    group = np.concatenate([[0], np.cumsum(~tied)])
    places = np.flatnonzero(np.append(tied, False) | np.concatenate([[False], tied]))
    if rows is None:
        rows = np.arange(len(score))
    code = documents.codes[rows[places]]
    met = np.unique(code)  # only the names that are tied need an order
    alphabetical = np.empty(len(documents.names), dtype=np.int64)
    alphabetical[sorted(met.tolist(), key=documents.names.__getitem__)] = np.arange(len(met))
    rows[places] = rows[places][np.lexsort((-alphabetical[code], group[places]))]
    return rows


def _path_codes(
    path: Sequence[str] | Coded | None, path_end: Sequence[str] | None
) -> tuple[Sequence[str], IntArray | None, IntArray | None]:
    if path is None:
        return (), None, None
    starts = _coded(path)
    if not path_end:
        return starts.names, starts.codes, None
    known = {name: code for code, name in enumerate(starts.names)}
    codes = [known.setdefault(end, len(known)) if end else -1 for end in path_end]
    return list(known), starts.codes, np.array(codes, dtype=np.int64)
