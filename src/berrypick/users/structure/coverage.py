"""coverage: as much of a target is seen as is covered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.targets.in_common import ends
from berrypick.users.base import ReaderContext, UserModel, elements, need_places, shared, whole_documents
from berrypick.users.pairs import covered, same_document, same_document_pairs
from berrypick.users.structure._nested import nested_elements, side_by_side
from berrypick.users.walks import Readers, Visit, Visits, certain, rows_of, within


@dataclass(frozen=True)
class Coverage(UserModel):
    """The reader sees a target with a probability equal to the share of it that the result covers.

    The regions of one rank are taken together. Ranks are independent, so two that show the same half count as two
    halves; with memory=True a rank counts for what it newly covers, over what was not covered before, and what has
    been seen after k ranks is what these cover together. Effort: the length of what is pointed to, and of the
    rest of each target for those who see it.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ()
    reads_areas: ClassVar[bool] = True

    memory: bool = parameter(False, "bool", "whether text covered by earlier ranks counts once")

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        by_paths = self._by_paths(ranking, targets)
        if self.memory:
            return _newly_covered(ranking, targets, by_paths)
        return _entries(ranking, targets, _by_paths(ranking, targets) if by_paths else covered(ranking, targets))

    def _by_paths(self, ranking: Ranking, targets: Targets) -> bool:
        """Whether elements are known by their paths and sizes alone; else places are needed."""
        if elements(ranking, targets) and (ranking.start is None or targets.start is None):
            return True
        need_places(self, ranking, targets)
        return False

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return replace(self, memory=False).reach(ranking, targets, context)

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """Each reader needs one place of each target, the same all along the list, and sees it where it is covered.

        That is the reader with memory; without, the exact numbers take two ranks that show the same half for two
        halves, which is what a comparison with simulated readers shows.
        """
        ranking = ranking.fresh()
        if whole_documents(ranking, targets):
            return certain(self.reach(ranking, targets, context), readers)
        if ranking.boxes is not None:
            raise UsageError("user model coverage is not simulated on pages: use classical, window or distance")
        parts = _parts_by_path if self._by_paths(ranking, targets) else _parts_by_place
        return _needed(ranking, targets, parts(ranking, targets), readers)


#: (row, target, start, share): which part of a target each pointer covers, start and share from 0 to 1.
Parts = tuple[IntArray, IntArray, FloatArray, FloatArray]


def _needed(ranking: Ranking, targets: Targets, parts: Parts, readers: Readers) -> Visits:
    for row, (target, low, share) in rows_of(*parts):
        place = np.stack([readers.uniform(f"place {targets.name(x)}") for x in target.tolist()])
        yield Visit(int(ranking.rank[row]), target, within(place, low, share))


def _parts_by_place(ranking: Ranking, targets: Targets) -> Parts:
    row, target = same_document_pairs(ranking, targets)
    start, end, low, high = ends(ranking, row, targets, target)
    first, last = np.maximum(start, low), np.minimum(end, high)
    point = (low == high) & (start <= low) & (low < end)
    length = np.where(high > low, high - low, 1)
    share = np.where(point, 1.0, (last - first) / length)
    kept = share > 0
    return row[kept], target[kept], ((first - low) / length)[kept], share[kept]


def _parts_by_path(ranking: Ranking, targets: Targets) -> Parts:
    """Where only sizes are known, elements lie in the target one after the other."""
    row, target, ratio, above = nested_elements(ranking, targets)
    assert ranking.path is not None
    share, low = np.nan_to_num(np.where(above, 1.0, ratio)), np.zeros(len(row))
    for x in np.unique(target[~above]).tolist():
        pairs = np.flatnonzero((target == x) & ~above)
        low[pairs] = side_by_side([ranking.paths[int(ranking.path[row[i]])] for i in pairs.tolist()], share[pairs])
    return row, target, low, share


#: (rank, target, share), each pair of rank and target once.
Shares = tuple[IntArray, IntArray, FloatArray]


def _entries(ranking: Ranking, targets: Targets, shares: Shares) -> Reach:
    rank, target, share = shares
    return Reach.from_entries(ranking.ranks, len(targets), rank, target, np.minimum(share, 1.0))


def _by_paths(ranking: Ranking, targets: Targets) -> Shares:
    """Elements known by their paths alone: of those at one rank the outermost count, and their shares add up."""
    row, target, ratio, above = nested_elements(ranking, targets)
    part = np.nan_to_num(np.where(above, 1.0, ratio))
    counts = _outermost(ranking, row)[row]
    row, target, part = row[counts], target[counts], part[counts]
    key, group = np.unique(ranking.rank[row] * max(len(targets), 1) + target, return_inverse=True)
    share = np.bincount(group, weights=part, minlength=len(key)).astype(np.float64)
    return key // max(len(targets), 1), key % max(len(targets), 1), share


def _outermost(ranking: Ranking, rows: IntArray) -> BoolArray:
    """Which of some rows point to elements that lie in no other element of their rank, each element once."""
    assert ranking.path is not None
    groups: dict[tuple[int, int], dict[str, int]] = {}
    for row in np.unique(rows).tolist():
        here = groups.setdefault((int(ranking.rank[row]), int(ranking.document[row])), {})
        here.setdefault(ranking.paths[int(ranking.path[row])], row)
    found = np.zeros(len(ranking), dtype=bool)
    for here in groups.values():
        found[[row for path, row in here.items() if not any(up in here for up in paths.ancestors(path))]] = True
    return found


def _newly_covered(ranking: Ranking, targets: Targets, by_paths: bool) -> Reach:
    """What each rank covers of what no earlier rank has: all ranks up to it taken together, less those before."""
    found: list[Shares] = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))]
    for rows, indices in shared(ranking, targets):
        ranks = np.unique(ranking.rank[rows])
        after = np.zeros((len(ranks), len(indices)))
        for i, k in enumerate(ranks.tolist()):
            first = ranking.rows(rows[ranking.rank[rows] <= k])
            together = replace(first, rank=np.zeros(len(first), dtype=np.int64), ranks=1)
            _, target, part = _by_paths(together, targets) if by_paths else covered(together, targets)
            after[i, np.searchsorted(indices, target)] = np.minimum(part, 1.0)
        after = np.maximum.accumulate(after, axis=0)
        before = np.vstack([np.zeros((1, len(indices))), after[:-1]])
        new = np.divide(after - before, 1.0 - before, out=np.zeros_like(after), where=before < 1.0)
        row, column = np.nonzero(new)
        found.append((ranks[row], indices[column], new[row, column]))
    rank, target, share = (np.concatenate(part) for part in zip(*found, strict=True))
    return _entries(ranking, targets, (rank, target, share))
