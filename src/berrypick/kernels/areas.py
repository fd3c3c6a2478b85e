"""Boxes on pages: their areas, what they have in common, and what of each is new when they come in turn.

A page is cut at every upper and lower edge into bands, a band at every left and right edge in it into cells, so that
each box holds a cell as a whole or not: areas are exact, and boxes that overlap are counted once. A box is x0, y0, x1,
y1, with y downwards; one without area holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.index_ranges import runs

#: Pieces of boxes, each within one band, that the plain form looks at together.
_TOGETHER = 200_000


def common_areas(box: FloatArray, other: FloatArray) -> FloatArray:
    """The area that two boxes of one page have in common, row by row."""
    side = np.minimum(box[:, 2:], other[:, 2:]) - np.maximum(box[:, :2], other[:, :2])
    return np.asarray(np.maximum(side[:, 0], 0) * np.maximum(side[:, 1], 0), dtype=np.float64)


def first_seen_areas(
    page: IntArray, box: FloatArray, relevant_page: IntArray, relevant_box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """For each box in turn: the area not seen in an earlier one of its page, and how much of that is relevant."""
    compiled = native()
    if compiled is not None:
        fresh, good = np.empty(len(page)), np.empty(len(page))
        compiled.first_seen_areas(
            np.ascontiguousarray(page, dtype=np.int64),
            np.ascontiguousarray(box, dtype=np.float64),
            np.ascontiguousarray(relevant_page, dtype=np.int64),
            np.ascontiguousarray(relevant_box, dtype=np.float64),
            fresh,
            good,
        )
        return fresh, good
    return plainly_first_seen(page, box, relevant_page, relevant_box)


def union_area(page: IntArray, box: FloatArray) -> float:
    """The area of all boxes together, what several of them hold counted once."""
    return float(first_seen_areas(page, box, page[:0], box[:0])[0].sum())


def plainly_first_seen(
    page: IntArray, box: FloatArray, relevant_page: IntArray, relevant_box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same without compiled kernels, many bands at once, those of several pages among them.

    Cells are added one by one, band by band from the top, as the compiled form adds them: the same digits.
    """
    fresh, good = np.zeros(len(page)), np.zeros(len(page))
    rows = np.flatnonzero(_have_area(box))
    own = np.flatnonzero(_have_area(relevant_box) & np.isin(relevant_page, page[rows]))
    held = _Bands(
        np.concatenate([page[rows], relevant_page[own]]), np.vstack([box[rows], relevant_box[own]]), len(rows)
    )
    for owner, area, relevant in held.cells():
        np.add.at(fresh, rows[owner], area)
        np.add.at(good, rows[owner[relevant]], area[relevant])
    return fresh, good


def _have_area(box: FloatArray) -> BoolArray:
    """Which boxes have an area."""
    return np.asarray((box[:, 0] < box[:, 2]) & (box[:, 1] < box[:, 3]), dtype=bool)


class _Bands:
    """Boxes cut into the bands of their pages; the first ``many`` come in turn, the others are relevant."""

    def __init__(self, page: IntArray, box: FloatArray, many: int) -> None:
        self.many, count = many, len(page)
        both, edge = np.tile(page, 2), np.concatenate([box[:, 1], box[:, 3]])
        order = np.lexsort((edge, both))
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(both[order]) != 0) | (np.diff(edge[order]) != 0)
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        self.top, self.bottom, self.edges = number[:count], number[count:], edge[order[new]]
        self.across, place = np.unique(box[:, [0, 2]], return_inverse=True)
        self.left, self.right = place.reshape(-1, 2).T
        change = np.zeros(len(self.edges) + 1, dtype=np.int64)
        np.add.at(change, self.top, 1)
        np.add.at(change, self.bottom, -1)
        self.boxes = np.cumsum(change)[:-1]  # how many each band holds

    def cells(self) -> Iterator[tuple[IntArray, FloatArray, BoolArray]]:
        """The cells of the boxes in turn: the first box that holds each, its area, and whether it is relevant."""
        by_top, done = np.argsort(self.top, kind="stable"), 0
        present = by_top[:0]
        for first, last in runs(self.boxes, _TOGETHER):
            until = int(np.searchsorted(self.top[by_top], last))
            present = np.concatenate([present[self.bottom[present] > first], by_top[done:until]])
            done = until
            yield self._of_bands(present, first, last)

    def _of_bands(self, present: IntArray, first: int, last: int) -> tuple[IntArray, FloatArray, BoolArray]:
        """The cells of some bands, from the boxes that are present in them."""
        above = np.maximum(self.top[present], first)
        tall = np.minimum(self.bottom[present], last) - above
        which = np.repeat(present, tall)
        band = np.arange(len(which)) + np.repeat(above - first - (np.cumsum(tall) - tall), tall)
        across = np.unique(np.concatenate([self.left[present], self.right[present]]))
        left, right = (np.repeat(np.searchsorted(across, of[present]), tall) for of in (self.left, self.right))
        line = band * len(across)
        edges, start, end = _numbered(line + left, line + right, (last - first) * len(across))
        in_turn = which < self.many
        owner = _first_holders(start[in_turn], end[in_turn], which[in_turn], len(edges), self.many)
        change = np.zeros(len(edges), dtype=np.int64)
        np.add.at(change, start[~in_turn], 1)
        np.add.at(change, end[~in_turn], -1)
        held = np.flatnonzero(owner < self.many)  # never the last edge of a band, which opens no cell
        at, x = first + edges[held] // len(across), self.across[across[edges % len(across)]]
        area = (x[held + 1] - x[held]) * (self.edges[at + 1] - self.edges[at])
        return owner[held], area, np.cumsum(change)[held] > 0


def _numbered(left: IntArray, right: IntArray, limit: int) -> tuple[IntArray, IntArray, IntArray]:
    """The different numbers below a limit among left and right ones, in order, and the places of both among them."""
    if limit > 16 * len(left):  # few of them occur
        edges = np.sort(np.concatenate([left, right]))  # np.unique hashes, which takes several times as long
        edges = edges[np.append(True, edges[1:] != edges[:-1])]
        return edges, np.searchsorted(edges, left), np.searchsorted(edges, right)
    occurs = np.zeros(limit, dtype=bool)
    occurs[left] = occurs[right] = True
    place = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), place[left], place[right]


def _first_holders(start: IntArray, end: IntArray, which: IntArray, cells: int, nobody: int) -> IntArray:
    """The least number of the intervals that hold each cell.

    An interval is two that overlap, each as long as a power of two; from the longest ones on, what holds such a
    stretch holds both of its halves.
    """
    owner = np.full(cells, nobody, dtype=np.int64)
    level = np.frexp((end - start).astype(np.float64))[1] - 1
    for power in range(int(level.max(initial=0)), -1, -1):
        of = level == power
        np.minimum.at(owner, start[of], which[of])
        np.minimum.at(owner, end[of] - (1 << power), which[of])
        if power:
            half = 1 << (power - 1)
            owner[half:] = np.minimum(owner[half:], owner[:-half].copy())
    return owner
