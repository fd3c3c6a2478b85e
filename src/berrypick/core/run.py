"""A run: what one system returned, for all topics, as columns.

Rows are kept topic by topic in ranked order. Several rows may share one rank: a list item may point to several
regions at once (EPRUM section 3.2). How a file's lines become an order is the business of its format; equal ranks
and equal scores stay visible in the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray, Positions

Duplicates = Literal["error", "first", "keep"]


def span_name(document: str, start: float, end: float) -> str:
    """How a span is written where a unit needs one name: ``document#start-end``."""
    return f"{document}#{start:.12g}-{end:.12g}"


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
    size: FloatArray | None = None  # lengths of elements, nan where unknown

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
    def rows_by_document(self) -> dict[str, IntArray]:
        """For each document pointed into, its rows in ranked order."""
        order = np.argsort(self.document, kind="stable")
        codes, heads = np.unique(self.document[order], return_index=True)
        bounds = [*heads.tolist(), len(order)]
        return {self.documents[code]: order[bounds[i] : bounds[i + 1]] for i, code in enumerate(codes.tolist())}

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

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: i for i, topic in enumerate(self.topics)}

    @cached_property
    def document_codes(self) -> dict[str, int]:
        """Document name to its code in ``document``."""
        return {name: code for code, name in enumerate(self.documents)}

    def __len__(self) -> int:
        return len(self.document)

    def __contains__(self, topic: str) -> bool:
        return topic in self._positions

    @property
    def points_into_documents(self) -> bool:
        return self.start is not None or self.path is not None

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
        )

    def rankings(self) -> Iterator[tuple[str, Ranking]]:
        for topic in self.topics:
            yield topic, self.ranking(topic)


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
    topic: Sequence[str],
    document: Sequence[str],
    start: Positions | None = None,
    end: Positions | None = None,
    score: FloatArray | None = None,
    rank: FloatArray | None = None,
    line: IntArray | None = None,
    path: Sequence[str] | None = None,
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
    topics, topic_code = _codes(topic)
    documents, document_code = _codes(document)
    paths, path_code, path_end_code = _path_codes(path, path_end)
    file_order = np.arange(len(topic_code))
    if order == "trec":
        assert score is not None
        alphabetical = np.empty(len(documents), dtype=np.int64)
        alphabetical[np.array(sorted(range(len(documents)), key=documents.__getitem__), dtype=np.int64)] = np.arange(
            len(documents)
        )
        keys: tuple[object, ...] = (file_order, -alphabetical[document_code], -score, topic_code)
    elif order == "rank":
        assert rank is not None
        keys = (file_order, rank, topic_code)
    elif order == "score":
        assert score is not None
        keys = (file_order, -score, topic_code)
    else:
        keys = (file_order, topic_code)
    rows = np.lexsort(keys)  # type: ignore[arg-type]
    topic_code = topic_code[rows]
    new_topic = np.concatenate([[True], topic_code[1:] != topic_code[:-1]]) if len(rows) else np.zeros(0, dtype=bool)
    if order == "rank" and rank is not None:
        ordered = rank[rows]
        new_item = new_topic | np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(rows) else new_topic
    else:
        new_item = np.ones(len(rows), dtype=bool)
    item = np.cumsum(new_item) - 1
    bounds = np.append(np.flatnonzero(new_topic), len(rows)).astype(np.int64)
    first_item = item[bounds[:-1]] if len(rows) else np.zeros(0, dtype=np.int64)
    position = (item - np.repeat(first_item, np.diff(bounds))).astype(np.int64)
    return Run(
        tag=tag,
        topics=tuple(topics),
        bounds=bounds,
        documents=documents,
        document=document_code[rows],
        rank=position,
        start=None if start is None else start[rows],
        end=None if end is None else end[rows],
        score=None if score is None else score[rows],
        line=None if line is None else line[rows],
        source=source,
        format=format,
        duplicates=duplicates,
        ties="rank" if order == "rank" else "score" if score is not None and order != "file" else "none",
        notes=notes,
        paths=paths,
        path=None if path_code is None else path_code[rows],
        path_end=None if path_end_code is None else path_end_code[rows],
        task=task,
    )


def _path_codes(
    path: Sequence[str] | None, path_end: Sequence[str] | None
) -> tuple[Sequence[str], IntArray | None, IntArray | None]:
    if path is None:
        return (), None, None
    ends = list(path_end) if path_end is not None else []
    paths, codes = _codes([*path, *(end for end in ends if end)])
    start_codes, rest = codes[: len(path)], codes[len(path) :]
    if not ends:
        return paths, start_codes, None
    end_codes = np.full(len(path), -1, dtype=np.int64)
    end_codes[[i for i, end in enumerate(ends) if end]] = rest
    return paths, start_codes, end_codes


def _codes(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Distinct names in order of appearance, and the code of each."""
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.int64, count=len(names))
    return list(known), codes
