"""A run: what one system returned, for all topics, as columns.

Rows are kept topic by topic in ranked order. Several rows may share one rank: a list item may point to several
regions at once (EPRUM section 3.2). How a file's lines become an order is the business of its format; equal ranks
and equal scores stay visible in the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Narrow, Positions
from berrypick.data.collection import unknown_length
from berrypick.data.columns import Coded, LateCodes, LineRange, NameColumn, Names, Packed, narrow
from berrypick.data.errors import shorten
from berrypick.data.exchange import Exchanged, Kind
from berrypick.data.origin import Composed, Origin
from berrypick.data.pointers import Records
from berrypick.data.run_parts import Duplicates as Duplicates
from berrypick.data.run_parts import Missing as Missing
from berrypick.data.run_parts import Order as Order
from berrypick.data.run_parts import Ordering, ResultTexts, TopicFacts
from berrypick.data.words import counted

if TYPE_CHECKING:
    from berrypick.data.boxes import Boxes


def first_of(count: int, what: str, name: Callable[[int], str], most: int = 3) -> str:
    """Say how many there are and name the first of them, for a short repr."""
    names = ", ".join(shorten(name(i), 40) for i in range(min(count, most)))
    return f"{counted(count, what)}{': ' if names else ''}{names}{', ..' if count > most else ''}"


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
class Ranking(Records):
    """The pointers of one topic in ranked order; ``rank`` counts from 0 and may repeat."""

    documents: Sequence[str]  # the vocabulary that ``document`` indexes
    document: IntArray
    rank: IntArray
    ranks: int
    start: Positions | None = None
    end: Positions | None = None
    score: FloatArray | None = None
    line: IntArray | None = None
    repeated: BoolArray | None = None  # pointers that occur earlier in the list too
    paths: Sequence[str] = ()  # the vocabulary that ``path`` and ``path_end`` index
    path: IntArray | None = None  # element paths, or the points where passages start
    path_end: IntArray | None = None  # the points where passages end; -1 for an element
    size: FloatArray | None = None  # lengths of elements, or of whole documents, nan where unknown
    boxes: Boxes | None = None  # where results are places on pages; start and end are then their extent in pages
    unit: str = ""  # what start and end count where fields say so: lines or seconds
    #: What rows say of their steps, by name: costs (tokens, seconds, lines), used, doc_lines, tool, session.
    details: Mapping[str, Any] = field(default_factory=dict)
    #: The code of each of some documents, -1 for one that the run does not have; of a run, for all topics.
    vocabulary: Callable[[Sequence[str]], IntArray] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without the run behind the vocabulary, which may be much larger than one topic of it."""
        return {**self.__dict__, "vocabulary": None}

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"Ranking({first_of(len(self), 'result', self.name)})"

    def record(self, row: int) -> dict[str, Any]:
        """Return one result as a dictionary."""
        found: dict[str, Any] = {"doc": self.documents[int(self.document[row])]}
        if self.path is not None:
            first, last = self.path_of(row)
            found |= {"element": first, **({"element_end": last} if last else {})}
        found |= self.place(row)
        return found | ({} if self.score is None else {"score": float(self.score[row])})

    @property
    def of_documents(self) -> bool:
        """Whether it points to whole documents."""
        return self.start is None and self.path is None

    def name(self, row: int) -> str:
        document = self.documents[int(self.document[row])]
        if self.path is not None:
            first, last = self.path_of(row)
            return document + first + (f"..{last}" if last else "")
        return self.placed_name(document, row)

    def path_of(self, row: int) -> tuple[str, str]:
        """The element path and '', or the points where a passage starts and ends."""
        assert self.path is not None
        last = int(self.path_end[row]) if self.path_end is not None else -1
        return self.paths[int(self.path[row])], self.paths[last] if last >= 0 else ""

    def names_by_rank(self) -> list[str]:
        """The name at each rank, several pointers joined by a plus sign."""
        names: list[list[str]] = [[] for _ in range(self.ranks)]
        for row in range(len(self)):
            names[int(self.rank[row])].append(self.name(row))
        return [" + ".join(group) for group in names]

    @property
    def unknown(self) -> BoolArray:
        """Whole documents, taken as intervals, whose length is unknown."""
        if self.size is None or self.path is not None:
            return np.zeros(len(self), dtype=bool)
        return np.isnan(self.size)

    def lengths(self, why: str = "") -> FloatArray:
        """The length of every interval; refused where one is not known."""
        assert self.start is not None and self.end is not None
        unknown = self.unknown
        if unknown.any():
            raise unknown_length(self.documents[int(self.document[int(np.argmax(unknown))])], why)
        if self.boxes is not None:
            return self.boxes.areas
        return (self.end - self.start).astype(np.float64)

    @cached_property
    def one_per_rank(self) -> bool:
        """Whether every rank holds one pointer."""
        return len(self) == self.ranks and bool((self.rank[1:] > self.rank[:-1]).all())

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
            boxes=None if self.boxes is None else self.boxes[keep],
            details={name: column[keep] for name, column in self.details.items()},
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
        wanted = list(names)
        codes = self.codes_in_order(wanted).tolist()
        return {name: code for name, code in zip(wanted, codes, strict=True) if code >= 0}

    def codes_in_order(self, names: Sequence[str]) -> IntArray:
        """The code of each of these documents, -1 for one that the vocabulary does not have."""
        if self.vocabulary is not None:
            return self.vocabulary(names)
        known = {name: code for code, name in enumerate(self.documents)}
        return np.array([known.get(name, -1) for name in names], dtype=np.int64)

    def fresh(self) -> Ranking:
        """Without the repeated pointers: they reach nothing and gain nothing, but their ranks stay."""
        return self if self.repeated is None else self.rows(~self.repeated)

    def compacted(self) -> Ranking:
        """Ranks renumbered so that none is empty."""
        used, rank = np.unique(self.rank, return_inverse=True)
        return replace(self, rank=rank.astype(np.int64), ranks=len(used))


@dataclass(frozen=True, eq=False)
class Run(Composed, Exchanged):
    """All results of one system, per topic in ranked order, as columns.

    Create one with ``from_dict``, ``from_records``, ``from_frame`` or ``from_file``. ``run[topic]`` is the ranking of a
    topic, ``list(run)`` has the topics, ``len(run)`` counts them, ``run.size()`` counts the results.

    Attributes
    ----------
    tag
        The name of the system.
    topics
        The topics, in order.
    bounds
        Rows of topic i are bounds[i]:bounds[i+1].
    names
        The document of each row: distinct names and a code for each row, which ``documents`` and ``document`` are.
    item
        The rank of each row, from 0 within the topic, where several rows may share one; None: each has its own.
    start
        Where each result begins in its document; None for whole documents. This column and the three below may be
        packed: they have ``[rows]`` and ``values()``.
    end
        Where each result ends.
    score
        The score of each row, where there are any.
    line
        The line of each row in the file.
    paths
        The element paths that ``path`` and ``path_end`` count in.
    path
        The element of each row, or the point where a passage starts.
    path_end
        The point where a passage ends; -1 for an element.
    boxes
        The page and box of each row, where results are places on pages.
    unit
        What start and end count, where fields of the input say so: ``lines`` (half open, from 0) or ``seconds``.
    details
        What rows say of their steps, by name: costs (tokens, seconds, lines), used, doc_lines, all nan where a row
        does not say, and the names of tool and session.
    texts
        What results say beside their places: ``quoted`` texts, ``of_text``, ``strings``, ``row_ids``, ``page_fields``,
        ``other_names``, ``unplaced``.
    origin
        The file and its parser: ``source``, ``format``, ``notes``, ``skipped``, ``unread``, ``foreign``.
    ordering
        The rules of their order: ``order``, ``duplicates``, ``ties``, ``task``, ``disordered``, ``given``.
    of_topics
        What the run says of topics: ``asked``, ``missing``, ``costs``, ``extra``, ``traces``.
    stage
        The stage of a pipeline that returned the results, where rows name it.
    earlier
        The stages before it, the first one first.

    Examples
    --------
    >>> import berrypick as bp
    >>> run = bp.Run.from_dict({"q1": {"guide#0-40": 2.0, "faq#5-9": 1.0}}, tag="mine")
    >>> run
    Run('mine', 2 results of 1 topic)
    >>> list(run), list(run["q1"])[1]
    (['q1'], {'doc': 'faq', 'start': 5, 'end': 9, 'score': 1.0})
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("topic", "doc", "element", "element_end", "text"), "text"),
        **dict.fromkeys(("rank",), "count"),
        "score": "number",
    }
    _parts: ClassVar[Mapping[str, type]] = {
        "texts": ResultTexts, "origin": Origin, "ordering": Ordering, "of_topics": TopicFacts,
    }  # fmt: skip

    tag: str
    topics: tuple[str, ...]
    bounds: IntArray
    names: Coded | LateCodes
    item: Narrow | None = None
    start: Positions | Packed | None = None
    end: Positions | Packed | None = None
    score: FloatArray | Packed | None = None
    line: Narrow | LineRange | None = None
    paths: Sequence[str] = ()
    path: IntArray | None = None
    path_end: IntArray | None = None
    boxes: Boxes | None = None
    unit: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    texts: ResultTexts = field(default_factory=ResultTexts)
    origin: Origin = field(default_factory=Origin)
    ordering: Ordering = field(default_factory=Ordering)
    of_topics: TopicFacts = field(default_factory=TopicFacts)
    stage: str = ""
    earlier: tuple[Run, ...] = ()

    @property
    def stages(self) -> tuple[Run, ...]:
        """The stages of the pipeline, the first one first; this one is the last."""
        return (*self.earlier, self)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: i for i, topic in enumerate(self.topics)}

    @property
    def documents(self) -> Sequence[str]:
        """The names that ``document`` counts in."""
        return self.names.names

    @property
    def document(self) -> Narrow:
        """The document of each row."""
        return self.names.codes

    @cached_property
    def rank(self) -> Narrow:
        """The rank of each row, from 0 within the topic; equal ranks are one list item with several pointers."""
        return from_zero(self.bounds) if self.item is None else self.item

    @property
    def uncoded(self) -> NameColumn | None:
        """The names of the documents of all rows, where they have no codes yet."""
        return self.names.uncoded if isinstance(self.names, LateCodes) else None

    def has_any_document(self, names: list[str]) -> bool:
        """Return whether the run has any of these documents."""
        if (uncoded := self.uncoded) is not None:
            return bool(uncoded.column.has_any(names))
        return bool((self.codes_in_order(names) >= 0).any())

    def has_more_documents(self, most: int) -> bool:
        """Return whether the run has more documents than so many."""
        if self.size() <= most:
            return False
        if (uncoded := self.uncoded) is not None and uncoded.column.has_more(most):
            return True
        return len(self.documents) > most

    def codes_in_order(self, names: Sequence[str]) -> IntArray:
        """Return the code of each of these documents, -1 for one that the run does not have."""
        if isinstance(self.documents, Names):
            return self.documents.codes(names)
        known = self._document_codes
        return np.fromiter((known.get(name, -1) for name in names), dtype=np.int64, count=len(names))

    @cached_property
    def _document_codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.documents)}

    def __repr__(self) -> str:
        source = f", {shorten(self.source, 80)!r}" if self.source else ""
        held = f"{counted(self.size(), 'result')} of {counted(len(self.topics), 'topic')}"
        return f"Run({shorten(self.tag, 80)!r}, {held}{source})"

    def __len__(self) -> int:
        return len(self.topics)

    def __contains__(self, topic: object) -> bool:
        return topic in self._positions

    def __iter__(self) -> Iterator[str]:
        """Go through the topics; ``run[topic]`` is the ranking of one."""
        return iter(self.topics)

    def _topic(self, topic: str) -> Ranking:
        return self.ranking(topic)

    @classmethod
    def from_file(cls, path: str | PathLike[str], format: str | None = None) -> Run:
        """Read a run from a file; see :func:`read_run`."""
        from berrypick.formats import read_run

        return read_run(path, format)

    @classmethod
    def from_dict(cls, results: Mapping[str, Any], **how: Any) -> Run:
        """Build a run from ``{topic: {document: score}}`` or ``{topic: [results]}``; ``how`` as in
        :func:`run_from_objects`."""
        from berrypick.inputs.objects import run_from_objects

        return run_from_objects(results, **how)

    @classmethod
    def from_frame(cls, frame: Any, **how: Any) -> Run:
        """Build a run from a data frame; ``how`` as in :func:`run_from_frame`."""
        from berrypick.inputs.frames import run_from_frame

        return run_from_frame(frame, **how)

    @classmethod
    def from_records(
        cls, records: Iterable[Any], *, tag: str = "", documents: Any = None, quotes: str | None = None
    ) -> Run:
        """Build a run from records (named tuples, dictionaries) with topic, doc, start, end, rank, score or text."""
        from berrypick.inputs.given_back import run_of_records

        return run_of_records(records, tag, documents, quotes)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each result; a topic without any has an empty list of ``results``."""
        from berrypick.inputs.given_back import run_records

        return run_records(self)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{topic: {document: score}}``, spans as ``document#start-end``; where scores do not say the order,
        ``{topic: [{"doc": .., "start": ..}, ..]}``. What a dictionary cannot hold is an error."""
        from berrypick.inputs.given_back import run_dict

        return run_dict(self)

    def _columns(self) -> dict[str, list[Any]]:
        """The records, with the name of the run, so that several fit into one frame."""
        columns = super()._columns()
        rows = len(next(iter(columns.values()), ()))
        return {"run": [self.tag] * rows, **columns} if self.tag else columns

    @property
    def beside(self) -> frozenset[str]:
        """What results are beside documents, spans and elements, which few formats hold."""
        pages = {"places on pages"} if self.boxes is not None else set()
        stages = {"stages"} if self.earlier else set()
        return frozenset(pages | stages | ({self.unit} if self.unit else set()) | {*self.of_topics.extra})

    @property
    def points_into_documents(self) -> bool:
        """Whether results are parts of documents."""
        return self.start is not None or self.path is not None

    def size(self, topic: str | None = None) -> int:
        """Return the number of results, of a topic or of all."""
        if topic is None:
            return int(self.bounds[-1])
        position = self._positions.get(topic)
        return 0 if position is None else int(self.bounds[position + 1] - self.bounds[position])

    def missing_as(self, topic: str) -> Literal["", "empty", "absent"]:
        """Return what a topic counts as that the run does not mention; '' for one that it mentions."""
        return "" if topic in self else self.of_topics.missing

    def ranking(self, topic: str) -> Ranking:
        """Return the pointers of one topic; an empty ranking when the run does not answer it."""
        if topic not in self._positions:
            rows = slice(0, 0)
        else:
            position = self._positions[topic]
            rows = slice(int(self.bounds[position]), int(self.bounds[position + 1]))
        count = rows.stop - rows.start
        rank = np.arange(count) if self.item is None else self.item[rows].astype(np.int64)
        return Ranking(
            documents=self.documents,
            document=self.document[rows].astype(np.int64),
            rank=rank,
            ranks=int(rank[-1]) + 1 if len(rank) else 0,
            start=None if self.start is None else self.start[rows],
            end=None if self.end is None else self.end[rows],
            score=None if self.score is None else self.score[rows],
            line=None if self.line is None else self.line[rows].astype(np.int64),
            paths=self.paths,
            path=None if self.path is None else self.path[rows],
            path_end=None if self.path_end is None else self.path_end[rows],
            boxes=None if self.boxes is None else self.boxes[rows],
            unit=self.unit,
            details={name: column[rows] for name, column in self.details.items()},
            vocabulary=self.codes_in_order,
        )

    def rankings(self) -> Iterator[tuple[str, Ranking]]:
        """Iterate over the topics with their rankings."""
        for topic in self.topics:
            yield topic, self.ranking(topic)

    @property
    def inner_bounds(self) -> IntArray:
        """Rows where a topic begins that is not the first one; topics without results begin nowhere of their own."""
        return self.bounds[(self.bounds > 0) & (self.bounds < self.size())]

    @cached_property
    def grouped(self) -> bool:
        """Whether some rank holds several pointers."""
        if self.item is None:
            return False
        same = self.rank[1:] == self.rank[:-1]
        same[self.inner_bounds - 1] = False  # the last of a topic and the first of the next one
        return bool(same.any())

    def with_empty(self, topics: Iterable[str]) -> Run:
        """Return the same run with topics for which the run returns nothing on purpose."""
        more = [topic for topic in dict.fromkeys(topics) if topic not in self]
        bounds = np.append(self.bounds, np.full(len(more), self.size(), dtype=np.int64))
        return self.changed(topics=(*self.topics, *more), bounds=bounds) if more else self

    def reordered(self, rows: IntArray) -> Run:
        """Return the rows of each topic in another order; several places of one result stay together."""
        return self._chosen(rows, self.bounds)

    def regrouped(self, names: Sequence[str]) -> Run:
        """Return the results under other topics, given for each row; those of a topic keep their order."""
        topics = list(dict.fromkeys(names))
        code = {name: i for i, name in enumerate(topics)}
        codes = np.array([code[name] for name in names], dtype=np.int64)
        bounds = np.append(0, np.cumsum(np.bincount(codes, minlength=len(topics)))).astype(np.int64)
        return self._chosen(np.argsort(codes, kind="stable"), bounds).changed(topics=tuple(topics))

    def keep(self, kept: BoolArray) -> Run:
        """Return some of the results, ranks renumbered so that none is empty; every topic stays."""
        return self._chosen(np.flatnonzero(kept), np.append(0, np.cumsum(kept))[self.bounds].astype(np.int64))

    def split(self, times: IntArray) -> Run:
        """Return each result repeated for its parts, which are one list item."""
        bounds = np.append(0, np.cumsum(times))[self.bounds].astype(np.int64)
        return self._chosen(np.repeat(np.arange(self.size()), times), bounds)

    def _chosen(self, kept: IntArray, bounds: IntArray) -> Run:
        """Rows in another order, those of a topic between two bounds."""
        rank, topic = self.rank[kept], np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        new = np.ones(len(rank), dtype=bool)
        new[1:] = (rank[1:] != rank[:-1]) | (topic[1:] != topic[:-1])
        item = np.cumsum(new) - 1
        item -= item[bounds[:-1][topic]] if len(item) else 0
        old = kept.tolist() if self.texts.quoted or self.texts.page_fields or self.texts.row_ids else []
        return self.changed(
            bounds=bounds,
            names=Coded(self.documents, self.document[kept]),
            item=narrow(item),
            start=None if self.start is None else self.start[kept],
            end=None if self.end is None else self.end[kept],
            score=None if self.score is None else self.score[kept],
            line=None if self.line is None else self.line[kept],
            given=None if self.ordering.given is None else self.ordering.given[kept],
            quoted={new: self.texts.quoted[row] for new, row in enumerate(old) if row in self.texts.quoted},
            page_fields={
                new: self.texts.page_fields[row] for new, row in enumerate(old) if row in self.texts.page_fields
            },
            row_ids=[self.texts.row_ids[row] for row in old] if self.texts.row_ids else (),
            path=None if self.path is None else self.path[kept],
            path_end=None if self.path_end is None else self.path_end[kept],
            boxes=None if self.boxes is None else self.boxes[kept],
            details={name: column[kept] for name, column in self.details.items()},
        )


def repeated_pointers(ranking: Ranking) -> tuple[BoolArray, IntArray]:
    """Which pointers occur earlier in the list too, and for every pointer the row of its first appearance."""
    columns = [ranking.document.astype(np.float64)]
    if ranking.start is not None and ranking.end is not None:
        columns += [ranking.start.astype(np.float64), ranking.end.astype(np.float64)]
    if ranking.boxes is not None:
        columns += ranking.boxes.columns()
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


def from_zero(bounds: IntArray) -> Narrow:
    """0, 1, 2 .. within every topic."""
    sizes = np.diff(bounds)
    item = np.empty(int(bounds[-1]), dtype=np.int32)
    if len(item) < 32 * len(sizes):  # many short topics
        np.subtract(np.arange(len(item), dtype=np.int32), np.repeat(bounds[:-1].astype(np.int32), sizes), out=item)
        return item
    counted_up = np.arange(int(sizes.max(initial=0)), dtype=np.int32)
    for a, b in pairwise(bounds.tolist()):
        item[a:b] = counted_up[: b - a]
    return item
