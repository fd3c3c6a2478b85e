"""What the results of a list hold of each target: text, lines, seconds, areas or whole documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.analysis.diagnosis.classes import ROUNDING, Sighting
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.areas import first_seen_areas


@dataclass(frozen=True, eq=False)
class Holdings:
    """A ranked list beside the targets of its topic.

    Attributes
    ----------
    ranking
        The results; several rows of one rank are one result.
    targets
        What is wanted.
    share
        The minimum share of a target that a result must cover to hold it.
    """

    ranking: Ranking
    targets: Targets
    share: float

    @cached_property
    def _rows(self) -> Mapping[str, IntArray]:
        return self.ranking.rows_by_document

    @cached_property
    def _spans(self) -> Mapping[str, Sequence[tuple[int, float, float]]] | None:
        """Rank, start and end of the results in each document with targets; None where results are no plain spans.

        There are few of them in most lists, and numbers of Python then take a fraction of the time of short arrays.
        """
        ranking, targets = self.ranking, self.targets
        places = ranking.start, ranking.end, targets.start, targets.end
        if ranking.boxes is not None or targets.boxes is not None or ranking.ranks != len(ranking):
            return None
        if ranking.vocabulary is None or any(column is None for column in places):
            return None
        names = list(dict.fromkeys(targets.document))
        known = dict(zip(ranking.vocabulary(names).tolist(), names, strict=True))
        found: dict[str, list[tuple[int, float, float]]] = {}
        columns = ranking.document, ranking.rank, ranking.start, ranking.end
        for code, *row in zip(*(column.tolist() for column in columns if column is not None), strict=True):
            if code in known:
                found.setdefault(known[code], []).append(tuple(row))
        return found

    def _overlaps(self, x: int) -> list[tuple[int, float, float]] | None:
        """Rank, first and last common position of the spans that overlap a target; None where its document has none."""
        assert self._spans is not None and self.targets.start is not None and self.targets.end is not None
        rows = self._spans.get(self.targets.document[x])
        if rows is None:
            return None
        begin, stop = self.targets.start[x].item(), self.targets.end[x].item()
        if stop <= begin:  # a point is in a result or not
            return [(rank, 0.0, 1.0) for rank, start, end in rows if start <= begin < end]
        common = ((rank, max(start, begin), min(end, stop)) for rank, start, end in rows)
        return [(rank, low, high) for rank, low, high in common if high > low]

    def _is_held(self, x: int, covered: float) -> bool:
        """Whether so much of a target is enough."""
        assert self.targets.start is not None and self.targets.end is not None
        length = float(self.targets.end[x]) - float(self.targets.start[x])
        return (covered / length if length > 0 else 1.0) >= self.share * (1 - ROUNDING)

    def sighting(self, x: int) -> Sighting:
        """What the list shows of a target."""
        if self._spans is not None:
            spans = self._overlaps(x)
            if spans is None:
                return Sighting()
            held = tuple(rank + 1 for rank, low, high in spans if self._is_held(x, float(high) - float(low)))
            return Sighting(held, True, bool(spans))
        rows = self._rows.get(self.targets.document[x])
        if rows is None:
            return Sighting()
        rows = rows[self._overlapping(x, rows)]
        ranks = self.ranking.rank[rows]
        holding = [rank + 1 for rank in np.unique(ranks).tolist() if self._holds(x, rows[ranks == rank])]
        return Sighting(tuple(holding), True, bool(len(rows)))

    def together(self, x: int, k: int) -> bool:
        """Whether the first k results hold a target together."""
        if self._spans is not None:
            ends = [(float(low), float(high)) for rank, low, high in self._overlaps(x) or () if rank < k]
            if len(ends) > 1:
                low, high = np.array(ends, dtype=np.float64).T
                return self._is_held(x, _union(low, high))
            return bool(ends) and self._is_held(x, ends[0][1] - ends[0][0])
        rows = self._rows.get(self.targets.document[x])
        if rows is None:
            return False
        rows = rows[self.ranking.rank[rows] < k]
        return self._holds(x, rows[self._overlapping(x, rows)])

    def largest_share(self, x: int) -> float:
        """The largest share of a target in one result; -1 where none overlaps it."""
        rows = self._rows.get(self.targets.document[x])
        rows = None if rows is None else rows[self._overlapping(x, rows)]
        if rows is None or not len(rows):
            return -1.0
        ranks = self.ranking.rank[rows]
        return max(self._covered(x, rows[ranks == rank]) for rank in np.unique(ranks))

    def _overlapping(self, x: int, rows: IntArray) -> IntArray:
        """Which rows of its document overlap a target, by index."""
        targets, ranking = self.targets, self.ranking
        if targets.boxes is not None and ranking.boxes is not None:
            low, high = _common(ranking.boxes[rows], targets.boxes[[x]])
            return np.flatnonzero((high > low).all(axis=1) & (ranking.boxes.page[rows] == targets.boxes.page[x]))
        if targets.start is None or targets.end is None or ranking.start is None or ranking.end is None:
            return np.arange(len(rows))  # whole documents
        start, end = targets.start[x], targets.end[x]
        if end <= start:  # a point is in a result or not
            return np.flatnonzero((ranking.start[rows] <= start) & (start < ranking.end[rows]))
        return np.flatnonzero(np.minimum(ranking.end[rows], end) > np.maximum(ranking.start[rows], start))

    def _holds(self, x: int, rows: IntArray) -> bool:
        return bool(len(rows)) and self._covered(x, rows) >= self.share * (1 - ROUNDING)

    def _covered(self, x: int, rows: IntArray) -> float:
        """The share of a target that rows which overlap it cover together."""
        targets, ranking = self.targets, self.ranking
        if targets.boxes is not None and ranking.boxes is not None:
            one = np.zeros(len(rows), dtype=np.int64)
            seen = first_seen_areas(one, ranking.boxes.box[rows], one[:1], targets.boxes.box[[x]])[1]
            return float(seen.sum() / targets.boxes.areas[x])
        if targets.start is None or targets.end is None or ranking.start is None or ranking.end is None:
            return 1.0
        start, end = float(targets.start[x]), float(targets.end[x])
        if end <= start:
            return 1.0
        low, high = np.maximum(ranking.start[rows], start), np.minimum(ranking.end[rows], end)
        return _union(low.astype(np.float64), high.astype(np.float64)) / (end - start)


def _union(low: FloatArray, high: FloatArray) -> float:
    """The length of several intervals, counted once."""
    order = np.argsort(low, kind="stable")
    low, high = low[order], high[order]
    before = np.maximum.accumulate(np.concatenate([[-np.inf], high[:-1]]))
    return float(np.maximum(high - np.maximum(low, before), 0.0).sum())


def _common(one: Boxes, other: Boxes) -> tuple[FloatArray, FloatArray]:
    """The upper left and the lower right corners of what boxes have in common."""
    return np.maximum(one.box[:, :2], other.box[:, :2]), np.minimum(one.box[:, 2:], other.box[:, 2:])
