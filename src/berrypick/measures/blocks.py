"""Topics whose results and judgements are plain spans, as columns of all of them: many topics cost few calls.

Positions are whole numbers, every rank holds one result, and nothing is retrieved twice for a topic. Lengths and their
sums are then exact in whatever order they are added, so that values are those of topics judged one by one. Any other
topic is left to whoever judges it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.data.columns import Coded, as_kept
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.kernels.index_ranges import expanded, runs
from berrypick.kernels.relevant_text import MeasuredText, ReadLists, numbered_documents, read_lists
from berrypick.topics.repeats import repeats_of

#: Rows of the topics of a block: what they need stays in the caches of a processor.
ROWS = 1 << 17
#: The furthest position, and the most rows of a topic: sums of so many lengths are whole numbers that a float holds.
FURTHEST, MOST_ROWS = 1 << 32, 1 << 20
#: More pairs of results and targets are left to whoever looks at them topic by topic.
MOST_PAIRS = 1 << 20
#: A topic with more targets is judged alone.
MOST_TARGETS = 256


@dataclass(frozen=True, eq=False)
class WantedSpans:
    """The targets of all topics of a truth that have plain spans: those of topic i are bounds[i]:bounds[i+1]."""

    position: dict[str, int]
    bounds: IntArray
    names: Sequence[str]
    document: IntArray  # codes into the names
    start: Positions
    end: Positions
    grade: FloatArray
    grades_are_shares: bool  # of readers: all grades of the truth lie in [0, 1]

    @cached_property
    def topic(self) -> IntArray:
        """The topic of each target."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @cached_property
    def places(self) -> tuple[IntArray, IntArray]:
        """Each document of each topic that has targets, as topic x names + code, topic by topic as they are met; and
        that of each target."""
        place, found = numbered_documents(self.topic * max(len(self.names), 1) + self.document)
        return found, place

    @cached_property
    def place_bounds(self) -> IntArray:
        """Where the places of each topic begin."""
        return np.searchsorted(self.places[0], np.arange(len(self.bounds)) * max(len(self.names), 1))

    @cached_property
    def by_place(self) -> tuple[IntArray, IntArray]:
        """Targets place by place, in truth order: those of place i are order[bounds[i]:bounds[i+1]]."""
        found, place = self.places
        bounds = np.append(0, np.cumsum(np.bincount(place, minlength=len(found))))
        return np.argsort(place, kind="stable"), bounds

    @cached_property
    def text(self) -> MeasuredText:
        """Relevant text, place by place, each character once."""
        found, place = self.places
        return MeasuredText.merged(place, len(found), self.start, self.end)

    @cached_property
    def total(self) -> FloatArray:
        """The length of the relevant text of each topic."""
        topic = self.places[0] // max(len(self.names), 1)
        return np.bincount(topic, weights=self.text.total, minlength=len(self.bounds) - 1).astype(np.float64)

    @cached_property
    def held(self) -> IntArray:
        """How many documents of each topic hold relevant text."""
        before = np.append(0, np.cumsum(self.text.total > 0))
        return np.diff(before[self.place_bounds])


_wanted: WeakKeyDictionary[Truth, WantedSpans] = WeakKeyDictionary()


def wanted_spans(truth: Truth) -> WantedSpans:
    """The targets of a truth, for all its runs."""
    found = _wanted.get(truth)
    if found is None:
        shares = all(0 <= grade <= 1 for grade in truth.grades())
        found = _wanted[truth] = _wanted_spans([topic for topic in truth.topics.values() if _is_plain(topic)], shares)
    return found


def _is_plain(topic: TopicTruth) -> bool:
    if topic.start is None or topic.end is None or topic.boxes is not None or topic.path is not None:
        return False
    return topic.start.dtype == topic.end.dtype == np.int64 and not topic.passages


def _wanted_spans(topics: Sequence[TopicTruth], shares: bool) -> WantedSpans:
    none = np.zeros(0, dtype=np.int64)
    start, end = (np.concatenate([none, *(getattr(topic, name) for topic in topics)]) for name in ("start", "end"))
    grade = np.concatenate([np.zeros(0), *(topic.grade for topic in topics)])
    owner = np.repeat(np.arange(len(topics)), [len(topic) for topic in topics])
    documents = Coded.joined([topic.document for topic in topics])
    odd = (start < 0) | (end < start) | (end > FURTHEST)
    relevant = grade > 0
    count = np.bincount(owner[relevant], minlength=len(topics))
    left = (np.bincount(owner[odd], minlength=len(topics)) > 0) | (count > MOST_TARGETS)
    kept = relevant & ~left[owner] if len(owner) else relevant
    position = {topic.topic: i for i, topic in enumerate(topics) if not left[i]}
    number = np.cumsum(~left) - 1  # without those that are left
    bounds = np.append(0, np.cumsum(np.bincount(number[owner[kept]], minlength=len(position))))
    position = {name: int(number[i]) for name, i in position.items()}
    rows = slice(None) if kept.all() else np.flatnonzero(kept)
    columns = (documents.codes[rows].astype(np.int64, copy=False), start[rows], end[rows], grade[rows])
    return WantedSpans(position, bounds, documents.names, *columns, shares)


@dataclass(frozen=True, eq=False)
class SpanBlock:
    """Some topics of a run with their targets; rows of topic i are bounds[i]:bounds[i+1]."""

    topics: Sequence[str]
    wanted: WantedSpans
    number: IntArray  # of each topic among those of the truth; it rises
    bounds: IntArray
    document: IntArray  # codes of the run
    given_rank: IntArray | None  # None where every rank has one result
    start: Positions
    end: Positions
    places: IntArray  # the code that each document of the truth with targets has in the run; -1 for one that it has not

    @cached_property
    def topic(self) -> IntArray:
        """The topic of each row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.bounds))

    @cached_property
    def rank(self) -> IntArray:
        """The rank of each row in its topic, from 0."""
        if self.given_rank is not None:
            return self.given_rank
        return np.arange(len(self.start)) - np.repeat(self.bounds[:-1], np.diff(self.bounds))

    @cached_property
    def answered(self) -> BoolArray:
        """Which topics have results."""
        return np.diff(self.bounds) > 0

    @cached_property
    def target_bounds(self) -> list[tuple[int, int]]:
        """Where the targets of each topic lie among those of the truth."""
        ends = self.wanted.bounds
        return list(zip(ends[self.number].tolist(), ends[self.number + 1].tolist(), strict=True))

    @cached_property
    def targets(self) -> IntArray:
        """How many targets each topic has."""
        return np.diff(self.wanted.bounds)[self.number]

    @cached_property
    def total(self) -> FloatArray:
        """The length of the relevant text of each topic."""
        return self.wanted.total[self.number]

    @cached_property
    def read(self) -> ReadLists:
        """What is read in each row: ``place`` counts the documents of the truth with targets, topic by topic."""
        bounds, text = self.wanted.place_bounds, self.wanted.text
        low, high = (int(bounds[i]) for i in (self.number[0], self.number[-1] + 1)) if len(self.number) else (0, 0)
        pieces = slice(int(text.part[low]), int(text.part[high]))
        part = text.part[low : high + 1] - text.part[low]
        own = MeasuredText(text.start[pieces], text.end[pieces], part, text.total[low:high])
        parts = bounds[self.number] - low, bounds[self.number + 1] - low
        found = read_lists(self.bounds, self.document, self.start, self.end, parts, self.places[low:high], own)
        found.place[found.place >= 0] += low
        return found

    @cached_property
    def _judged_rows(self) -> tuple[IntArray, IntArray]:
        """Rows in documents with targets, and the places of these in the truth."""
        row = np.flatnonzero(self.read.place >= 0)
        return row, self.read.place[row]

    @cached_property
    def few_pairs(self) -> bool:
        """Whether all pairs of a row and a target of its document fit into some memory."""
        _, bounds = self.wanted.by_place
        return int(np.diff(bounds)[self._judged_rows[1]].sum()) <= MOST_PAIRS

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Every row with every target of its topic and document, by row, then target; where there are few."""
        row, of = self._judged_rows
        order, bounds = self.wanted.by_place
        which, place = expanded(bounds[of], bounds[of + 1])
        return row[which], order[place]

    @cached_property
    def partly_ideal(self) -> BoolArray:
        """Which topics have targets that are ideal for a share of the readers only."""
        wanted, found = self.wanted, np.zeros(len(self.topics), dtype=bool)
        if wanted.grades_are_shares:
            some = np.append(0, np.cumsum(wanted.grade != 1.0))[wanted.bounds]
            found = np.diff(some)[self.number] > 0
        return found

    def pair_ends(self) -> tuple[Positions, Positions, Positions, Positions]:
        """Where the row and the target of each pair start and end."""
        row, target = self.pairs
        return self.start[row], self.end[row], self.wanted.start[target], self.wanted.end[target]

    def sums(self, values: FloatArray | IntArray, at: float | int | None = None) -> FloatArray:
        """The sum of whole values of rows in each topic, up to a rank."""
        found = np.zeros(len(self.topics))
        if at is not None:
            values = np.where(self.rank < at, values, 0)
        found[self.answered] = np.add.reduceat(values, self.bounds[:-1][self.answered]) if len(values) else 0.0
        return found

    def repeated_shares(self, at: float | int | None = None) -> list[float | None]:
        """The share of the text of the first ranks of each topic that earlier results hold; None where there is no
        text."""
        lengths = self.sums(self.end - self.start, at).tolist()
        unions = self.sums(self.read.new, at).tolist()
        return [1.0 - once / all_ if all_ > 0 else None for once, all_ in zip(unions, lengths, strict=True)]


class RunBlocks:
    """A run whose plain topics are scored in blocks."""

    def __init__(self, truth: Truth, run: Run) -> None:
        self.run, self.wanted = run, wanted_spans(truth)
        names = self.wanted.names
        self.places = run.codes_in_order(names)[self.wanted.places[0] % max(len(names), 1)]
        self.repeats = repeats_of(run)
        self.rank = run.item
        self.rows = {topic: i for i, topic in enumerate(run.topics)}

    def blocks(self, topics: Sequence[str]) -> Iterator[Sequence[str]]:
        """Go through the topics, as many in a block as have so many rows in all."""
        rows = np.array([self.run.size(topic) + 1 for topic in topics])
        return (topics[first:last] for first, last in runs(rows, ROWS))

    def of(self, topics: Sequence[str]) -> SpanBlock | None:
        """Those of some topics, which are in the order of the truth, that are plain; None if there is none."""
        run, position = self.run, self.wanted.position
        plain = [topic for topic in topics if topic in position and topic not in self.repeats]
        at = np.array([self.rows.get(topic, -1) for topic in plain], dtype=np.int64)
        begin, end = (np.where(at >= 0, run.bounds[at + i], 0) if len(at) else at for i in (0, 1))
        rows = _joined(begin, end)
        columns = as_kept(run.start), as_kept(run.end)
        start, stop = (column[rows].astype(np.int64, copy=False) for column in columns if column is not None)
        if not plain or len(start) > MOST_ROWS:
            return None
        if len(start) and (int(start.min()) < 0 or int(stop.max()) > FURTHEST or (stop < start).any()):
            return None
        return SpanBlock(
            plain,
            self.wanted,
            np.array([position[topic] for topic in plain], dtype=np.int64),
            np.append(0, np.cumsum(end - begin)),
            run.document[rows].astype(np.int64),
            None if self.rank is None else self.rank[rows].astype(np.int64),
            start,
            stop,
            self.places,
        )


def _joined(begin: IntArray, end: IntArray) -> slice | IntArray:
    """Rows from .. to, of one topic after the other: a slice where they follow each other."""
    some = end > begin
    begin, end = begin[some], end[some]
    if not len(begin):
        return slice(0, 0)
    if (begin[1:] == end[:-1]).all():
        return slice(int(begin[0]), int(end[-1]))
    return expanded(begin, end)[1]
