"""Elements that hold each other, or have one parent, as pairs of a pointer and a target."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.trees import nested_pairs
from berrypick.targets.in_common import ends, sizes
from berrypick.users.pairs import in_judged_documents, path_numbers, same_document_pairs


def nested_elements(ranking: Ranking, targets: Targets) -> tuple[IntArray, IntArray, FloatArray, BoolArray]:
    """Pairs of a pointer and a target that are nested: (row, target, ratio, above), by row, then target.

    The smaller over the larger length (1 for the same element, nan where a length is unknown), and whether the pointer
    contains the target. Elements whose places are known are compared by these, others by their paths.
    """
    if ranking.start is None or ranking.end is None or targets.start is None or targets.end is None:
        return _nested_by_path(ranking, targets)
    row, target = same_document_pairs(ranking, targets)
    start, end, target_start, target_end = ends(ranking, row, targets, target)
    above = (start <= target_start) & (end >= target_end)
    nested = above | ((start >= target_start) & (end <= target_end))
    row, target = row[nested], target[nested]
    return row, target, size_ratio(ranking, row, targets, target), above[nested]


def _nested_by_path(ranking: Ranking, targets: Targets) -> tuple[IntArray, IntArray, FloatArray, BoolArray]:
    rows, document = in_judged_documents(ranking, targets)
    start, end, target_start, target_end = path_numbers(ranking, rows, targets)
    _, grouped = targets.grouped
    of_target = np.empty(len(targets), dtype=np.int64)
    of_target[grouped.order] = np.repeat(grouped.code, np.diff(grouped.bounds))
    i, target = nested_pairs(document, start, end, of_target, target_start, target_end)
    same = start[i] == target_start[target]
    ratio = np.where(same, 1.0, size_ratio(ranking, rows[i], targets, target))
    return rows[i], target, ratio, (start[i] <= target_start[target]) & (target_start[target] < end[i])


def sibling_elements(ranking: Ranking, targets: Targets) -> tuple[IntArray, IntArray, FloatArray]:
    """Pairs of a pointer and another element of the same parent, and the smaller over the larger length."""
    assert ranking.path is not None and targets.path is not None
    row, target = same_document_pairs(ranking, targets)
    rows, place = np.unique(row, return_inverse=True)
    paths = [*(ranking.paths[code] for code in ranking.path[rows].tolist()), *targets.path]
    own = _codes(paths)
    parent = _codes([path.rpartition("/")[0] for path in paths])
    other = len(rows) + target
    kept = (parent[place] == parent[other]) & (own[place] != own[other])
    return row[kept], target[kept], size_ratio(ranking, row[kept], targets, target[kept])


def _codes(names: list[str]) -> IntArray:
    number: dict[str, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.int64)


def size_ratio(ranking: Ranking, row: IntArray, targets: Targets, target: IntArray) -> FloatArray:
    """The smaller length of two units over the larger, 1 if both are empty; nan where one is unknown."""
    one, other = sizes(ranking, row), sizes(targets, target)
    larger = np.maximum(one, other)
    some = larger > 0
    ratio = np.minimum(one, other) / np.where(some, larger, 1.0)
    return np.where(some, ratio, np.where(larger == 0, 1.0, np.nan))


def side_by_side(paths: list[str], share: FloatArray) -> FloatArray:
    """Where elements of known size begin in the element around them, from 0 to 1; inner ones inside outer ones.

    Only sizes are known, not places: elements are put one after the other in the order of their paths.
    """
    begin = np.zeros(len(paths))
    free: dict[str, float] = {}  # by element, from where on it is free
    open_: list[str] = []
    for i in sorted(range(len(paths)), key=lambda i: paths[i].split("/")):
        while open_ and not paths[i].startswith(open_[-1] + "/"):
            open_.pop()
        around = open_[-1] if open_ else ""
        begin[i] = free.get(around, 0.0)
        free[around] = begin[i] + float(share[i])
        free[paths[i]] = begin[i]
        open_.append(paths[i])
    return np.asarray(np.mod(begin, 1.0))
