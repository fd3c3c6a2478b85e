"""Pointers and targets of one document, as lists of pairs, and the reach that follows from pairs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.trees import numbered
from berrypick.targets.in_common import common_lengths, ends, meetings, sizes
from berrypick.targets.places import common_places, covered_places

#: Rows of a ranking, and as many targets.
Pairs = tuple[IntArray, IntArray]
#: So many rows x targets are looked at without putting them in order first.
FEW_PAIRS = 4096


def in_judged_documents(ranking: Ranking, targets: Targets) -> Pairs:
    """The rows that point into documents with targets, and the number of the document among these."""
    names, _ = targets.grouped
    code = ranking.codes_in_order(names)
    number = np.flatnonzero(code >= 0)
    number = number[np.argsort(code[number])]
    code = code[number]
    if not len(code):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    place = np.searchsorted(code, ranking.document)
    place[place == len(code)] = 0
    rows = np.flatnonzero(code[place] == ranking.document)
    return rows, number[place[rows]]


def same_document_pairs(ranking: Ranking, targets: Targets) -> Pairs:
    """Every pointer with every target of its document, by row, then target."""
    rows, document = in_judged_documents(ranking, targets)
    _, grouped = targets.grouped
    count = np.diff(grouped.bounds)[document]
    first = np.cumsum(count) - count
    place = np.arange(int(count.sum())) + np.repeat(grouped.bounds[document] - first, count)
    return np.repeat(rows, count), grouped.order[place]


def combined(ranking: Ranking, targets: int, row: IntArray, target: IntArray, probability: FloatArray) -> Reach:
    """Reach of pointers to reach of ranks: a rank leads to a target unless none of its pointers does."""
    kept = probability != 0
    if not kept.all():
        row, target, probability = row[kept], target[kept], probability[kept]
    rank = ranking.rank[row]
    key = rank * max(targets, 1) + target
    distinct, group = np.unique(key, return_inverse=True)
    if len(distinct) == len(key):
        return Reach.from_entries(ranking.ranks, targets, rank, target, probability)
    seen = np.zeros(len(distinct))
    for turn in _turns(group, row):
        seen[group[turn]] += (1.0 - seen[group[turn]]) * probability[turn]
    return Reach.from_entries(ranking.ranks, targets, distinct // max(targets, 1), distinct % max(targets, 1), seen)


def _turns(group: IntArray, by: Positions) -> list[IntArray]:
    """The first entries of all groups, then the second ones, and so on, in the order of a column."""
    order = np.lexsort((by, group))
    ordered = group[order]
    head = np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
    place = np.arange(len(order))
    turn = place - np.maximum.accumulate(np.where(head, place, 0))
    return [order[turn == i] for i in range(int(turn.max(initial=-1)) + 1)]


def same_document(ranking: Ranking, targets: Targets) -> Reach:
    """Where whole documents are judged: a pointer reaches the target that it is."""
    row, target = same_document_pairs(ranking, targets)
    return combined(ranking, len(targets), row, target, np.ones(len(row)))


# --- elements -------------------------------------------------------------------------------------------------------


def path_numbers(ranking: Ranking, rows: IntArray, targets: Targets) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Start and end numbers of some pointed elements and of the targets, as :mod:`berrypick.kernels.trees` counts."""
    assert ranking.path is not None and targets.path is not None
    start, end = numbered([*(ranking.paths[code] for code in ranking.path[rows].tolist()), *targets.path])
    return start[: len(rows)], end[: len(rows)], start[len(rows) :], end[len(rows) :]


def same_element(ranking: Ranking, targets: Targets) -> Reach:
    """Where elements are judged: a pointer reaches the element that it is."""
    row, target = same_document_pairs(ranking, targets)
    rows, place = np.unique(row, return_inverse=True)
    start, _, target_start, _ = path_numbers(ranking, rows, targets)
    same = start[place] == target_start[target]
    return combined(ranking, len(targets), row[same], target[same], np.ones(int(same.sum())))


# --- spans ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def covered(ranking: Ranking, targets: Targets) -> tuple[IntArray, IntArray, FloatArray]:
    """(rank, target, share): how much of each target the regions of each rank cover together, where they cover any.

    Sorted by rank, then target. An entry point, which has no length, is covered or not.
    """
    row, target = _touching_pairs(ranking, targets)
    key = ranking.rank[row] * max(len(targets), 1) + target
    group = np.arange(len(key))
    if not (key[1:] > key[:-1]).all():  # as it is where a rank holds one region
        key, group = np.unique(key, return_inverse=True)
    rank, of = key // max(len(targets), 1), key % max(len(targets), 1)
    length = sizes(targets, of)
    if len(key) == len(row):
        common = np.empty(len(key))
        common[group] = common_lengths(ranking, row, targets, target)
    else:
        common = _together(ranking, row, targets, of, group)
    return rank, of, np.where(length == 0, 1.0, common / np.where(length == 0, 1.0, length))


def _touching_pairs(ranking: Ranking, targets: Targets) -> Pairs:
    """The pairs that have anything in common, by row, then target; of others, only a block is held at once."""
    if ranking.boxes is None and len(ranking) * len(targets) <= FEW_PAIRS:
        row, target = np.nonzero(ranking.document[:, None] == ranking.codes_in_order(targets.document))
        touching = _touching(ranking, row, targets, target)
        return row[touching], target[touching]
    found = [np.zeros((2, 0), dtype=np.int64)]
    for row, target in meetings(ranking, targets).blocks():
        touching = _touching(ranking, row, targets, target)
        found.append(np.stack([row[touching], target[touching]]))
    row, target = np.hstack(found)
    return row, target


def _touching(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray) -> BoolArray:
    """Which pairs have anything in common; an entry point may lie in a result."""
    if ranking.boxes is not None:
        return common_places(ranking, row, targets, target) > 0
    start, end, target_start, target_end = ends(ranking, row, targets, target)
    touching = (start < end) & (start < target_end) & (end > target_start)
    point = target_start == target_end
    touching[point] = ((start <= target_start) & (target_start < end))[point]
    return np.asarray(touching, dtype=bool)


def _together(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray, group: IntArray) -> FloatArray:
    """How much of the target of each group the regions of its rows cover together; touching regions are one."""
    if ranking.boxes is not None:
        order = np.lexsort((row, group))
        new = covered_places(ranking, row[order], targets, target, group[order])
        return np.bincount(group[order], new, len(target)).astype(np.float64)
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    start, end = ranking.start[row], ranking.end[row]
    low, high = targets.start[target], targets.end[target]
    total = np.zeros(len(target))
    from_ = low.astype(np.result_type(start, low))  # the region that is being put together
    to = from_.copy()
    for turn in _turns(group, start):
        of = group[turn]
        apart = start[turn] > to[of]
        done = of[apart]
        total[done] += np.maximum(np.minimum(to[done], high[done]) - np.maximum(from_[done], low[done]), 0)
        from_[done] = start[turn][apart]
        to[of] = np.maximum(to[of], end[turn])
    return total + np.maximum(np.minimum(to, high) - np.maximum(from_, low), 0)


def covering_reach(ranking: Ranking, targets: Targets, share: float) -> Reach:
    """1 where the regions of a rank together cover at least a share of the target."""
    rank, target, part = covered(ranking, targets)
    enough = (part >= share * (1 - 1e-9)) & (part > 0)
    rank, target = rank[enough], target[enough]
    return Reach.from_entries(ranking.ranks, len(targets), rank, target, np.ones(len(rank)))


def covers(start: Positions, end: Positions, low: Positions, high: Positions, share: float) -> BoolArray:
    """Which regions, of so many pairs, cover at least a share of the target from low to high: what
    :func:`covering_reach` finds where every rank has one region."""
    common = np.asarray(np.maximum(np.minimum(end, high) - np.maximum(start, low), 0), dtype=np.float64)
    length = np.asarray(high - low, dtype=np.float64)
    part = common / np.where(length == 0, 1.0, length)
    return np.where(length == 0, (start <= low) & (low < end), (part >= share * (1 - 1e-9)) & (part > 0))
