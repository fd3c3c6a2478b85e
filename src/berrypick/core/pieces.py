"""Documents cut at every place where some span starts or ends, so that each list holds a piece as a whole or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray, Positions

#: Spans of one list: the names of their documents, starts and ends.
Spans = tuple[Sequence[str], Positions, Positions]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of all documents in order; the last one of a document has no length."""

    names: tuple[str, ...]
    document: IntArray  # index into names
    start: FloatArray
    length: FloatArray
    ends: tuple[tuple[IntArray, IntArray], ...]  # pieces where the spans of each list start, and end

    @classmethod
    def of(cls, lists: Iterable[Spans]) -> Pieces:
        """Cut at the ends of the spans of some lists; empty spans do not count."""
        given = list(lists)
        numbers = {name: i for i, name in enumerate(dict.fromkeys(name for names, _, _ in given for name in names))}
        columns = [_columns(spans, numbers) for spans in given]
        document = np.concatenate([np.concatenate([d, d]) for d, _, _ in columns] or [np.zeros(0, dtype=np.int64)])
        place = np.concatenate([np.concatenate([a, b]) for _, a, b in columns] or [np.zeros(0)])
        order = np.lexsort((place, document))
        new = np.ones(len(order), dtype=bool)
        same = document[order][1:] == document[order][:-1]
        new[1:] = ~(same & (place[order][1:] == place[order][:-1]))
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        heads = order[new]
        length = np.zeros(len(heads))
        inner = document[heads][1:] == document[heads][:-1]
        length[:-1][inner] = np.diff(place[heads])[inner]
        bounds = np.cumsum([0, *(2 * len(d) for d, _, _ in columns)]).tolist()
        parts = [number[a:b] for a, b in pairwise(bounds)]
        ends = tuple((part[: len(part) // 2], part[len(part) // 2 :]) for part in parts)
        return cls(tuple(numbers), document[heads], place[heads], length, ends)

    def covered(self, which: int) -> BoolArray:
        """The pieces that a list holds."""
        start, end = self.ends[which]
        count = len(self.document)
        change = np.bincount(start, minlength=count) - np.bincount(end, minlength=count)
        return np.asarray(np.cumsum(change) > 0, dtype=bool)

    def within(self, documents: Iterable[str]) -> BoolArray:
        """The pieces of some documents."""
        numbers = {name: i for i, name in enumerate(self.names)}
        wanted = [numbers[name] for name in documents if name in numbers]
        return np.isin(self.document, np.array(wanted, dtype=np.int64))

    def runs(self, status: FloatArray) -> list[tuple[str, float, float, float]]:
        """Neighbouring pieces of the same status as one: document, start, end, status; nan is left out."""
        found: list[tuple[str, float, float, float]] = []
        rows = zip(self.document.tolist(), self.start.tolist(), self.length.tolist(), status.tolist(), strict=True)
        for document, start, length, value in rows:
            if value != value or length == 0:
                continue
            last = found[-1] if found else None
            if last is not None and last[0] == self.names[document] and last[2] == start and last[3] == value:
                found[-1] = (last[0], last[1], start + length, value)
            else:
                found.append((self.names[document], start, start + length, value))
        return found


def _columns(spans: Spans, numbers: dict[str, int]) -> tuple[IntArray, FloatArray, FloatArray]:
    names, start, end = spans
    kept = np.flatnonzero(np.asarray(end) > np.asarray(start))
    code = np.array([numbers[name] for name in names], dtype=np.int64)
    return code[kept], np.asarray(start, dtype=np.float64)[kept], np.asarray(end, dtype=np.float64)[kept]
