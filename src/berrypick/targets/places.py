"""Results and relevant places on pages, as the kernels of areas take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted, Targets
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


def covered_places(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray, group: IntArray) -> FloatArray:
    """How much of the target of its group, of which there may be several, each row of it is the first to cover.

    ``target`` has the target of each group; the rows are of its document and page.
    """
    assert ranking.boxes is not None and targets.boxes is not None
    wanted = targets.boxes.box[target]
    return first_seen_areas(group, ranking.boxes.box[row], np.arange(len(target)), wanted)[1]
