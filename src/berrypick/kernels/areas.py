"""Boxes on pages: their areas, what they have in common, and what of each is new when they come in turn.

A page is cut at every upper and lower edge into bands, a band at every left and right edge in it into cells, so that
each box holds a cell as a whole or not: areas are exact, and boxes that overlap are counted once. A box is x0, y0, x1,
y1, with y downwards; one without area holds nothing.
"""

from __future__ import annotations

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native


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
    return _plainly_first_seen(page, box, relevant_page, relevant_box)


def union_area(page: IntArray, box: FloatArray) -> float:
    """The area of all boxes together, what several of them hold counted once."""
    return float(first_seen_areas(page, box, page[:0], box[:0])[0].sum())


def _plainly_first_seen(
    page: IntArray, box: FloatArray, relevant_page: IntArray, relevant_box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    fresh, good = np.zeros(len(page)), np.zeros(len(page))
    some, wanted = _have_area(box), _have_area(relevant_box)
    for code in np.unique(page[some]).tolist():
        rows = np.flatnonzero(some & (page == code))
        own = np.flatnonzero(wanted & (relevant_page == code))
        _one_page(rows, box[rows], relevant_box[own], fresh, good)
    return fresh, good


def _have_area(box: FloatArray) -> BoolArray:
    """Which boxes have an area."""
    return np.asarray((box[:, 0] < box[:, 2]) & (box[:, 1] < box[:, 3]), dtype=bool)


def _one_page(rows: IntArray, box: FloatArray, relevant: FloatArray, fresh: FloatArray, good: FloatArray) -> None:
    """Band by band: the first box of each cell, and whether it is relevant."""
    everything = np.vstack([box, relevant])
    bands = np.unique(everything[:, [1, 3]])
    for top, bottom in zip(bands[:-1].tolist(), bands[1:].tolist(), strict=True):
        here = np.flatnonzero((everything[:, 1] <= top) & (bottom <= everything[:, 3]))
        edges = np.unique(everything[here][:, [0, 2]])
        owner = np.full(max(len(edges) - 1, 0), len(box))
        held = np.zeros(len(owner), dtype=bool)
        for i in here[::-1].tolist():  # the first comes last, and stays
            cells = slice(*np.searchsorted(edges, everything[i, [0, 2]]).tolist())
            if i < len(box):
                owner[cells] = i
            else:
                held[cells] = True
        area = np.diff(edges) * (bottom - top)
        for of, cell, is_relevant in zip(owner.tolist(), area.tolist(), held.tolist(), strict=True):
            if of < len(box):
                fresh[rows[of]] += cell
                good[rows[of]] += cell if is_relevant else 0.0
