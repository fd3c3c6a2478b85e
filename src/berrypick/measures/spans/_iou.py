"""Results matched with targets as in detection: by intersection over union."""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.core.observed import once_for_each
from berrypick.core.parameters import parameter, positive_share
from berrypick.core.run import Ranking
from berrypick.core.score import Score
from berrypick.core.truth import Targets
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels.intervals import intersections
from berrypick.relevance.places import common_places

#: A threshold is reached in spite of rounding.
ALMOST = 1 - 1e-9
#: Pairs of results and targets that are looked at together.
_PAIRS = 500_000


def iou_parameter() -> Any:
    """The parameter of measures that can match by intersection over union."""
    return positive_share(None, "least intersection over union of one result and a target, instead of share")


#: Lengths of moments in seconds: longer than the first, and at most as long as the second.
LENGTHS = {"short": (0, 10), "middle": (10, 30), "long": (30, 150)}


def length_parameter() -> Any:
    """The parameter of measures that can keep targets of some lengths alone."""
    told = ", ".join(f"{name} ({low}, {high}]" for name, (low, high) in LENGTHS.items())
    return parameter(None, "|".join(LENGTHS), f"only targets of this length in seconds: {told}; results all stay")


def of_length(judged: JudgedTopic, length: str | None) -> BoolArray:
    """Which targets have a length; all of them where none is asked for."""
    _, targets = judged.spans
    if length is None:
        return np.ones(len(targets), dtype=bool)
    if judged.context.reader.line_unit not in (None, "seconds"):
        raise UsageError(f"length='{length}' counts seconds, and positions count {judged.context.reader.line_unit}")
    assert targets.start is not None and targets.end is not None
    size, (low, high) = targets.end - targets.start, LENGTHS[length]
    return np.asarray((size > low) & (size <= high), dtype=bool)


@once_for_each
def overlaps(judged: JudgedTopic) -> FloatArray:
    """results x targets: intersection over union; 0 in different documents, and for a result that repeats another."""
    ranking, targets = judged.spans
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    found = np.zeros((len(ranking), len(targets)))
    for document, indices in targets.by_document().items():
        rows = ranking.rows_by_document.get(document)
        if rows is None:
            continue
        for part in np.array_split(rows, len(rows) * len(indices) // _PAIRS + 1):  # all pairs at once take memory
            common, sizes, wanted = _in_common(ranking, part, targets, indices)
            union = sizes[:, None] + wanted[None, :] - common
            same_point = (union == 0) & (ranking.start[part][:, None] == targets.start[indices][None, :])
            ratio = np.where(union > 0, common / np.where(union > 0, union, 1.0), same_point.astype(np.float64))
            found[np.ix_(part, indices)] = ratio
    if ranking.repeated is not None:
        found[ranking.repeated] = 0.0
    return found


def _pairs_in_common(ranking: Ranking, rows: IntArray, targets: Targets, indices: IntArray) -> FloatArray:
    row, target = np.repeat(rows, len(indices)), np.tile(indices, len(rows))
    return common_places(ranking, row, targets, target).reshape(len(rows), len(indices))


def _in_common(
    ranking: Ranking, rows: IntArray, targets: Targets, indices: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of results and targets of one document: what each pair has in common, and how large they are."""
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    if ranking.boxes is not None and targets.boxes is not None:
        common = _pairs_in_common(ranking, rows, targets, indices)
        return common, ranking.boxes.areas[rows], targets.boxes.areas[indices]
    start, end, low, high = ranking.start[rows], ranking.end[rows], targets.start[indices], targets.end[indices]
    return intersections(start, end, low, high), end - start, high - low


def nothing_to_match(judged: JudgedTopic) -> Score:
    """Nothing can be matched: undefined, but a miss in programs of moment retrieval."""
    return Score(0.0 if "unhittable-is-missed" in judged.rules else None)


@once_for_each
def matched_at(judged: JudgedTopic, iou: float) -> FloatArray:
    """The rank, from 1, of the first result that matches each target; infinite if none does."""
    found = overlaps(judged)
    good = found * ALMOST > iou if "iou-above" in judged.rules else found >= iou * ALMOST
    ranks = np.append(judged.ranking_spans.rank + 1.0, np.inf)
    first = np.where(good.any(axis=0), good.argmax(axis=0) if len(good) else 0, -1)
    return np.asarray(ranks[first], dtype=np.float64)
