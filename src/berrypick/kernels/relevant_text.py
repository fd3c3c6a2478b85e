"""Retrieved text against relevant text, in ranked order: what is new, and how much of that is relevant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Positions
from berrypick.data.run import Ranking
from berrypick.kernels import native
from berrypick.kernels.index_ranges import expanded
from berrypick.kernels.intervals import common_type, contiguous, intersections, merge, union_length


class Measured:
    """How much relevant text lies before a position, for one document: a piecewise linear function."""

    def __init__(self, start: Positions, end: Positions) -> None:
        self.start, self.end = merge(start, end)
        self.before = np.concatenate([[0], np.cumsum(self.end - self.start)])

    @classmethod
    def of_disjoint(cls, start: Positions, end: Positions) -> Measured:
        """From intervals that are disjoint and in order."""
        measured = cls.__new__(cls)
        measured.start, measured.end = start, end
        measured.before = np.concatenate([[0], np.cumsum(end - start)])
        return measured

    @property
    def total(self) -> float:
        return float(self.before[-1])

    def up_to(self, position: Positions) -> FloatArray:
        """Relevant text before each position."""
        i = np.searchsorted(self.start, position, side="right")
        if not len(self.start):
            return np.zeros(len(position))
        last = np.maximum(i - 1, 0)
        inside = np.minimum(np.maximum(position - self.start[last], 0), self.end[last] - self.start[last])
        return np.where(i > 0, self.before[last] + inside, 0).astype(np.float64)

    def within(self, start: Positions, end: Positions) -> FloatArray:
        """Relevant text in each region, in seconds too never more than the region holds."""
        return np.asarray(np.minimum(self.up_to(end) - self.up_to(start), end - start), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class MeasuredText:
    """The relevant text of several documents: disjoint intervals in order, those of document i from part[i] on."""

    start: Positions
    end: Positions
    part: IntArray
    total: FloatArray  # of each document

    @classmethod
    def merged(cls, code: IntArray, count: int, start: Positions, end: Positions) -> MeasuredText:
        """The union of intervals, document by document; ``code`` says in which document, 0 to ``count`` - 1, each lies.

        Whole numbers are merged all at once, the documents put one behind the other.
        """
        low, high = (start.min().item(), end.max().item()) if len(start) else (0, 0)
        span = max(high - low, 0) + 2  # apart, so that nothing touches
        if start.dtype.kind != "i" or end.dtype.kind != "i" or (end < start).any() or span * count >= 1 << 62:
            return cls.one_by_one([Measured(start[code == i], end[code == i]) for i in range(count)], start, end)
        shift = code * span - low
        merged_start, merged_end = merge(start + shift, end + shift)
        owner = merged_start // span
        shift = owner * span - low
        merged_start, merged_end = merged_start - shift, merged_end - shift
        part = np.searchsorted(owner, np.arange(count + 1))
        before = np.concatenate([[0], np.cumsum(merged_end - merged_start)])
        return cls(merged_start, merged_end, part, np.diff(before[part]).astype(np.float64))

    @classmethod
    def one_by_one(cls, found: list[Measured], start: Positions, end: Positions) -> MeasuredText:
        return cls(
            np.concatenate([measured.start for measured in found] or [start[:0]]),
            np.concatenate([measured.end for measured in found] or [end[:0]]),
            np.cumsum([0, *(len(measured.start) for measured in found)], dtype=np.int64),
            np.array([measured.total for measured in found], dtype=np.float64),
        )

    def measured(self) -> list[Measured]:
        """One for each document."""
        bounds = self.part.tolist()
        return [Measured.of_disjoint(self.start[a:b], self.end[a:b]) for a, b in pairwise(bounds)]

    def of_documents(self, documents: IntArray) -> MeasuredText:
        """The text of some of the documents, in their order."""
        _, rows = expanded(self.part[documents], self.part[documents + 1])
        part = np.concatenate([[0], np.cumsum(np.diff(self.part)[documents])]).astype(np.int64)
        return MeasuredText(self.start[rows], self.end[rows], part, self.total[documents])


def numbered_documents(document: IntArray) -> tuple[IntArray, IntArray]:
    """Documents numbered in the order in which they are first met: the number of each row, the code of each number."""
    compiled = native()
    if compiled is not None:
        number, code = compiled.numbered_documents(np.ascontiguousarray(document, dtype=np.int64))
        return number, code
    code, first, local = np.unique(document, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(code), dtype=np.int64)
    number[order] = np.arange(len(code))
    return number[local], code[order]


def once(document: IntArray, start: Positions, end: Positions) -> float:
    """The length of all regions together, text that several of them hold counted once.

    Whole numbers are merged all at once, the documents put one behind the other.
    """
    if not len(document):
        return 0.0
    compiled = native()
    if compiled is not None and start.dtype == end.dtype == np.int64:
        found: float = compiled.covered(*contiguous(np.int64, document, start, end))
        if found >= 0:
            return found
    low = start.min().item()
    span = max(end.max().item() - low, 0) + 2  # apart, so that nothing touches
    if start.dtype.kind != "i" or end.dtype.kind != "i" or span * (int(document.max()) + 1) >= 1 << 62:
        return float(first_seen(document, start, end, {})[0].sum())
    kept = end > start
    shift = document[kept] * span - low
    return union_length(start[kept] + shift, end[kept] + shift)


def first_seen(
    document: IntArray, start: Positions, end: Positions, relevant: Mapping[int, Measured]
) -> tuple[FloatArray, FloatArray]:
    """For each region in turn: the length not seen in an earlier region, and how much of that is relevant."""
    known = sorted(relevant)
    text = MeasuredText.one_by_one([relevant[code] for code in known], start, end)
    return first_seen_of(document, start, end, np.array(known, dtype=np.int64), text)


def first_seen_of(
    document: IntArray, start: Positions, end: Positions, known: IntArray, text: MeasuredText
) -> tuple[FloatArray, FloatArray]:
    """The same, with the relevant text of the documents ``known``, whose codes rise."""
    compiled = native()
    if compiled is not None:
        columns = (start, end, text.start, text.end)
        starts, ends, relevant_starts, relevant_ends = contiguous(common_type(*columns), *columns)
        codes = np.ascontiguousarray(document, dtype=np.int64)
        new, good = np.empty(len(codes)), np.empty(len(codes))
        if compiled.first_seen(codes, starts, ends, known, text.part, relevant_starts, relevant_ends, new, good):
            return new, good
    return _plainly_first_seen(document, start, end, dict(zip(known.tolist(), text.measured(), strict=True)))


class ReadLists(NamedTuple):
    """What is read in the lists of topics, row by row."""

    new: FloatArray  # the length that no earlier row of the list holds
    good: FloatArray  # how much of that is relevant
    number: IntArray  # of the document, in the order in which its list has them
    place: IntArray  # which relevant text the document has; -1: none


def read_lists(
    bounds: IntArray,
    document: IntArray,
    start: IntArray,
    end: IntArray,
    parts: tuple[IntArray, IntArray],
    code: IntArray,
    text: MeasuredText,
) -> ReadLists:
    """The lists of topics, rows bounds[i]:bounds[i+1] of topic i, against relevant text: that of topic i are the parts
    parts[0][i]:parts[1][i], in documents with a ``code``, different ones or -1. Positions are whole, sums fit."""
    rows, compiled = len(document), native()
    if compiled is not None:
        found = ReadLists(*np.empty((2, rows)), *np.empty((2, rows), dtype=np.int64))
        columns = contiguous(np.int64, bounds, document, start, end, *parts, code, text.part, text.start, text.end)
        compiled.read_lists(*columns, *found)
        return found
    topic, (owner, part) = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), expanded(*parts)
    many = max(int(document.max(initial=0)), int(code.max(initial=0))) + 1
    owner, part = owner[code[part] >= 0], part[code[part] >= 0]
    order = np.argsort(owner * many + code[part])
    known, part, key = (owner * many + code[part])[order], part[order], topic * many + document
    number, first = numbered_documents(key)
    number -= np.searchsorted(first // many, topic)
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    place = np.where(known[at] == key, part[at], -1) if len(known) else np.full(rows, -1)
    return ReadLists(*first_seen_of(key, start, end, known, text.of_documents(part)), number, place)


def _plainly_first_seen(
    document: IntArray, start: Positions, end: Positions, relevant: Mapping[int, Measured]
) -> tuple[FloatArray, FloatArray]:
    new = np.maximum(end - start, 0).astype(np.float64)
    good = np.zeros(len(document))
    if not len(document):
        return new, good
    overlapping = _overlapping(document, start, end)
    kept = np.flatnonzero(np.isin(document, [*relevant, *overlapping]))  # all of every other region is new, none good
    order = kept[np.argsort(document[kept], kind="stable")]
    codes, heads = np.unique(document[order], return_index=True)
    for code, rows in zip(codes.tolist(), np.split(order, heads[1:]) if len(codes) else [], strict=True):
        measured = relevant.get(code)
        if code in overlapping:
            _one_document(rows, start, end, measured, new, good)
        elif measured is not None:
            good[rows] = np.maximum(measured.within(start[rows], end[rows]), 0.0)
    return new, good


def _overlapping(document: IntArray, start: Positions, end: Positions) -> set[int]:
    """Documents with regions that overlap: by start, then two neighbours do, if any two do."""
    order = np.lexsort((end, start, document))
    ordered = document[order]
    met = (ordered[1:] == ordered[:-1]) & (start[order[1:]] < end[order[:-1]])
    return set(ordered[1:][met].tolist())


def _one_document(
    rows: IntArray, start: Positions, end: Positions, measured: Measured | None, new: FloatArray, good: FloatArray
) -> None:
    """Regions that overlap: what is left of each after the earlier ones, kept as sorted disjoint intervals."""
    seen_start: list[float] = []
    seen_end: list[float] = []
    for row in rows.tolist():
        pieces = unseen_parts(start[row].item(), end[row].item(), seen_start, seen_end)
        new[row] = sum(b - a for a, b in pieces)
        if measured is not None and pieces:
            good[row] = measured.within(np.array([a for a, _ in pieces]), np.array([b for _, b in pieces])).sum()


def unseen_parts(start: float, end: float, seen_start: list[float], seen_end: list[float]) -> list[tuple[float, float]]:
    """The parts of [start, end) that are not seen yet; they are added to what is seen."""
    if end <= start:
        return []
    low = bisect_left(seen_end, start)  # the first seen interval that does not end before start
    high = low
    pieces: list[tuple[float, float]] = []
    position = start
    while high < len(seen_start) and seen_start[high] <= end:
        if seen_start[high] > position:
            pieces.append((position, seen_start[high]))
        position = max(position, seen_end[high])
        high += 1
    if position < end:
        pieces.append((position, end))
    joined_start = min(start, seen_start[low]) if low < high else start
    joined_end = max(end, seen_end[high - 1]) if low < high else end
    seen_start[low:high] = [joined_start]
    seen_end[low:high] = [joined_end]
    return pieces


def newly_covered(
    ranking: Ranking, rows: IntArray, start: Positions, end: Positions
) -> Iterator[tuple[int, FloatArray]]:
    """Each row of one document, and the length that it is the first to cover of each target; 1 of an entry point."""
    assert ranking.start is not None and ranking.end is not None
    seen: tuple[list[float], list[float]] = ([], [])
    for row in rows.tolist():
        pieces = unseen_parts(ranking.start[row].item(), ranking.end[row].item(), *seen)
        if pieces:
            low, high = np.array([a for a, _ in pieces]), np.array([b for _, b in pieces])
            points = ((low[:, None] <= start) & (start < high[:, None]) & (start == end)).sum(axis=0)
            yield row, intersections(low, high, start, end).sum(axis=0) + points
