"""Results and relevant places on pages, as the kernels of areas take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.boxes import Boxes
from berrypick.core.run import Ranking
from berrypick.core.truth import Highlighted, Targets
from berrypick.kernels.areas import common_areas, first_seen_areas


def page_codes(ranking: Ranking, names: Sequence[str], boxes: Boxes) -> tuple[IntArray, IntArray]:
    """A number for each page of the documents: of the rows of a list, and of other places; -1 where the list has no
    such document."""
    assert ranking.boxes is not None
    many = int(max(ranking.boxes.page.max(initial=0), boxes.page.max(initial=0))) + 1
    code = ranking.codes_in_order(names)
    return ranking.document * many + ranking.boxes.page, np.where(code < 0, -1, code * many + boxes.page)


def first_seen_places(ranking: Ranking, relevant: Highlighted) -> tuple[FloatArray, FloatArray]:
    """For each result in turn: the area not seen in an earlier one, and how much of that is relevant."""
    assert ranking.boxes is not None
    wanted = relevant.boxes if relevant.boxes is not None else Boxes.of([])
    page, relevant_page = page_codes(ranking, relevant.document, wanted)
    return first_seen_areas(page, ranking.boxes.box, relevant_page, wanted.box)


def united_area(ranking: Ranking, group: IntArray | None = None) -> float:
    """The area of all results together, counted once, or once in each of some groups."""
    assert ranking.boxes is not None
    page = page_codes(ranking, (), Boxes.of([]))[0]
    if group is not None:
        page = np.unique(np.column_stack([page, group]), axis=0, return_inverse=True)[1].reshape(-1)
    none = Boxes.of([])
    return float(first_seen_areas(page, ranking.boxes.box, none.page, none.box)[0].sum())


def common_places(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray) -> FloatArray:
    """The area that pointer and target of each pair of one document have in common."""
    assert ranking.boxes is not None and targets.boxes is not None
    one, other = ranking.boxes[row], targets.boxes[target]
    return np.where(one.page == other.page, common_areas(one.box, other.box), 0.0)


def covered_place(ranking: Ranking, rows: IntArray, targets: Targets, x: int) -> FloatArray:
    """How much of a target each of some rows of its document is the first to cover."""
    assert ranking.boxes is not None and targets.boxes is not None
    one, target = ranking.boxes[rows], targets.boxes[np.array([x])]
    return first_seen_areas(one.page, one.box, target.page, target.box)[1]


def reading_cells(ranking: Ranking, relevant: Highlighted) -> tuple[IntArray, Ranking]:
    """Results cut into cells in reading order, band by band from the top, each from left to right, so that what is new
    or relevant is the same all over a cell: the row that each cell is of, and the cells as a list."""
    assert ranking.boxes is not None
    wanted = relevant.boxes if relevant.boxes is not None else Boxes.of([])
    page, relevant_page = page_codes(ranking, relevant.document, wanted)
    shown: dict[int, FloatArray] = {
        code: np.vstack([ranking.boxes.box[page == code], wanted.box[relevant_page == code]])
        for code in np.unique(page[np.isin(page, relevant_page)]).tolist()
    }
    rows: list[int] = []
    cells: list[list[float]] = []
    for row, code in enumerate(page.tolist()):
        box = ranking.boxes.box[row].tolist()
        found = _cells(box, shown[code]) if code in shown else [box]
        rows += [row] * len(found)
        cells += found
    row_of = np.array(rows, dtype=np.int64)
    cut = ranking.rows(row_of)
    assert cut.boxes is not None
    return row_of, replace(cut, boxes=replace(cut.boxes, box=np.array(cells, dtype=np.float64).reshape(-1, 4)))


def _cells(box: list[float], others: FloatArray) -> list[list[float]]:
    """A box cut at the edges of other boxes, in reading order."""
    left, top, right, bottom = box
    found = []
    heights = [top, *_between(others[:, [1, 3]], top, bottom), bottom]
    for low, high in pairwise(heights):
        here = others[(others[:, 1] < high) & (others[:, 3] > low)][:, [0, 2]]
        widths = [left, *_between(here, left, right), right]
        found += [[a, low, b, high] for a, b in pairwise(widths)]
    return found


def _between(edges: FloatArray, low: float, high: float) -> list[float]:
    inside: list[float] = np.unique(edges[(edges > low) & (edges < high)]).tolist()
    return inside
