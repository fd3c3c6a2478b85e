"""What pointers and targets of one document have in common, in text, time, lines or areas."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.meetings import Meetings, PlacedIntervals
from berrypick.targets.places import common_places, page_codes


def sizes(units: Ranking | Targets, of: IntArray) -> FloatArray:
    """The lengths or areas of some units, nan where they are not known."""
    if units.boxes is not None:
        return units.boxes.areas[of]
    if units.start is not None and units.end is not None:
        return (units.end[of] - units.start[of]).astype(np.float64)
    return np.full(len(of), np.nan) if units.size is None else units.size[of]


def ends(
    ranking: Ranking, row: IntArray, targets: Targets, target: IntArray
) -> tuple[Positions, Positions, Positions, Positions]:
    """Where the pointer and the target of each pair start and end."""
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    return ranking.start[row], ranking.end[row], targets.start[target], targets.end[target]


def meetings(ranking: Ranking, targets: Targets, among: BoolArray | None = None, by_target: bool = False) -> Meetings:
    """The pointers, or some of them, and targets whose places meet: of areas, along the side where fewer do."""
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    line, target_line = ranking.document.astype(np.int64), ranking.codes_in_order(targets.document)
    sides = [(ranking.start, ranking.end, targets.start, targets.end)]
    if ranking.boxes is not None and targets.boxes is not None:
        line, target_line = page_codes(ranking, targets.document, targets.boxes)
        one, other = ranking.boxes.box, targets.boxes.box
        sides = [(one[:, a], one[:, a + 2], other[:, a], other[:, a + 2]) for a in (1, 0)]
    line = line if among is None else np.where(among, line, -1)
    found = []
    for start, end, target_start, target_end in sides:
        both = PlacedIntervals(line, start, end), PlacedIntervals(target_line, target_start, target_end)
        found.append(Meetings(*both[::-1]) if by_target else Meetings(*both))
    return min(found, key=len)


def common_lengths(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray) -> FloatArray:
    """The length of the text that pointer and target of each pair have in common."""
    if ranking.boxes is not None:
        return common_places(ranking, row, targets, target)
    start, end, target_start, target_end = ends(ranking, row, targets, target)
    return np.asarray(np.maximum(np.minimum(end, target_end) - np.maximum(start, target_start), 0), dtype=np.float64)
