"""Results and relevant places on pages, as the kernels of areas take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

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


#: A stretch of reading: the row, its area, and how much of that is new and relevant.
Stretches = tuple[IntArray, FloatArray, FloatArray]


def read_in_order(ranking: Ranking, relevant: Highlighted) -> Stretches:
    """Results in reading order, each box in bands from the top, each band from left to right.

    A band ends where what is new and relevant in the box changes, not where some edge happens to lie: how the relevant
    area is cut into boxes does not matter.
    """
    row, cells = _cells_of(ranking, relevant)
    good = first_seen_places(cells, relevant)[1] > 0
    assert cells.boxes is not None
    found: list[tuple[int, float, float]] = []
    bounds = np.searchsorted(row, np.arange(len(ranking) + 1)).tolist()
    for i, (a, b) in enumerate(pairwise(bounds)):
        found += [(i, *stretch) for stretch in _read(cells.boxes.box[a:b].tolist(), good[a:b].tolist())]
    return (
        np.array([i for i, _, _ in found], dtype=np.int64),
        np.array([area for _, area, _ in found], dtype=np.float64),
        np.array([new for _, _, new in found], dtype=np.float64),
    )


def _read(cells: list[list[float]], good: list[bool]) -> Iterator[tuple[float, float]]:
    """The cells of one box, in bands, as stretches of area and of what is new and relevant in it."""
    bands: list[tuple[float, float, list[list[float]]]] = []
    for (top, bottom), held in groupby(zip(cells, good, strict=True), key=lambda one: (one[0][1], one[0][3])):
        parts: list[list[float]] = []
        for (left, _, right, _), new in held:
            if new and parts and parts[-1][1] == left:
                parts[-1][1] = right
            elif new:
                parts.append([left, right])
        if bands and bands[-1][2] == parts:
            top = bands.pop()[0]
        bands.append((top, bottom, parts))
    left, right = cells[0][0], cells[-1][2]
    for top, bottom, parts in bands:
        edges = [left, *(edge for part in parts for edge in part), right]
        for i, (a, b) in enumerate(pairwise(edges)):
            area = (b - a) * (bottom - top)
            yield area, area if i % 2 else 0.0


def _cells_of(ranking: Ranking, relevant: Highlighted) -> tuple[IntArray, Ranking]:
    """Results cut into cells, band by band, over each of which nothing changes: the row of each, and them as a list."""
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
