"""Places on pages in the order of reading: from top to bottom, and from left to right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted
from berrypick.targets.places import page_codes

#: A stretch of reading: the row, its area, and how much of that is new and relevant.
Stretches = tuple[IntArray, FloatArray, FloatArray]


def read_in_order(ranking: Ranking, relevant: Highlighted) -> Stretches:
    """Results in reading order, each box in bands from the top, each band from left to right.

    A band ends where what is new and relevant in the box changes, not where some edge happens to lie: how the relevant
    area is cut into boxes does not matter.
    """
    assert ranking.boxes is not None
    wanted = relevant.boxes if relevant.boxes is not None else Boxes.of([])
    page, relevant_page = page_codes(ranking, relevant.document, wanted)
    found: list[tuple[int, float, float]] = []
    box = ranking.boxes.box
    own = {code: np.flatnonzero(page == code) for code in np.unique(page).tolist()}
    good = {code: wanted.box[relevant_page == code] for code in own}
    for row, code in enumerate(page.tolist()):
        before = box[own[code][: np.searchsorted(own[code], row)]]
        stretches = _read(box[row].tolist(), _meeting(good[code], box[row]), _meeting(before, box[row]))
        found += [(row, *stretch) for stretch in stretches]
    return (
        np.array([i for i, _, _ in found], dtype=np.int64),
        np.array([area for _, area, _ in found], dtype=np.float64),
        np.array([new for _, _, new in found], dtype=np.float64),
    )


def _meeting(boxes: FloatArray, box: FloatArray) -> FloatArray:
    """Those of some boxes that have an area in common with a box, cut at its edges."""
    meets = (boxes[:, 0] < box[2]) & (boxes[:, 2] > box[0]) & (boxes[:, 1] < box[3]) & (boxes[:, 3] > box[1])
    near = boxes[meets & (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])]
    return np.hstack([np.maximum(near[:, :2], box[:2]), np.minimum(near[:, 2:], box[2:])])


def _read(box: list[float], relevant: FloatArray, before: FloatArray) -> Iterator[tuple[float, float]]:
    """One box, in bands, as stretches of area and of what is relevant and in no box before it."""
    left, top, right, bottom = box
    if not len(relevant) or not (left < right and top < bottom):
        yield (right - left) * (bottom - top), 0.0
        return
    every = np.vstack([relevant, before])
    across, down = np.unique([left, right, *every[:, [0, 2]].flat]), np.unique([top, bottom, *every[:, [1, 3]].flat])
    new = _held(relevant, across, down) & ~_held(before, across, down)
    changes = np.flatnonzero((new[1:] != new[:-1]).any(axis=1)) + 1
    for low, high in pairwise([0, *changes.tolist(), len(new)]):
        turns = np.flatnonzero(np.diff(np.concatenate([[False], new[low], [False]]).astype(np.int8)))
        edges = [left, *across[turns].tolist(), right]
        height = float(down[high]) - float(down[low])
        for i, (a, b) in enumerate(pairwise(edges)):
            area = (b - a) * height
            yield area, area if i % 2 else 0.0


def _held(boxes: FloatArray, across: FloatArray, down: FloatArray) -> BoolArray:
    """Bands x columns: the cells of a grid that some boxes hold, by sums over the corners of each."""
    corners = np.zeros((len(down), len(across)), dtype=np.int64)
    left, right = np.searchsorted(across, boxes[:, 0]), np.searchsorted(across, boxes[:, 2])
    top, bottom = np.searchsorted(down, boxes[:, 1]), np.searchsorted(down, boxes[:, 3])
    for y, x, sign in ((top, left, 1), (top, right, -1), (bottom, left, -1), (bottom, right, 1)):
        np.add.at(corners, (y, x), sign)
    return np.asarray(corners.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0, dtype=bool)
