"""coverage: as much of a target is seen as is covered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from berrypick.core import paths
from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users.base import (
    ReaderContext,
    UserModel,
    covered,
    elements,
    need_places,
    nested_elements,
    same_document,
    shared,
    whole_documents,
)


@dataclass(frozen=True)
class Coverage(UserModel):
    """The reader sees a target with a probability equal to the share of it that the result covers.

    The regions of one rank are taken together. Ranks are independent, so two that show the same half count as two
    halves; with memory=True a rank counts for what it newly covers, over what was not covered before, and what has
    been seen after k ranks is what these cover together. Effort: the length of what is pointed to, and of the
    rest of each target for those who see it.
    """

    memory: bool = parameter(False, "bool", "whether what earlier ranks have covered counts once")

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        by_paths = elements(ranking, targets) and (ranking.start is None or targets.start is None)
        if not by_paths:
            need_places(self, ranking, targets)
        if self.memory:
            return _newly_covered(ranking, targets, by_paths)
        return _entries(ranking, targets, _by_paths(ranking, targets) if by_paths else covered(ranking, targets))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return replace(self, memory=False).reach(ranking, targets, context)


Shares = Iterable[tuple[IntArray, IntArray, FloatArray]]


def _entries(ranking: Ranking, targets: Targets, shares: Shares) -> Reach:
    """Reach from blocks of (ranks, targets, shares)."""
    rank, target, share = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for ranks, indices, part in shares:
        i, j = np.nonzero(part)
        rank.append(ranks[i])
        target.append(indices[j])
        share.append(np.minimum(part[i, j], 1.0))
    return Reach.from_entries(
        ranking.ranks, len(targets), np.concatenate(rank), np.concatenate(target), np.concatenate(share)
    )


def _by_paths(ranking: Ranking, targets: Targets) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Elements known by their paths alone: of those at one rank the outermost count, and their shares add up."""
    assert ranking.path is not None
    for rows, indices, ratio, above in nested_elements(ranking, targets):
        part = np.nan_to_num(np.where(above, 1.0, ratio))
        places = [ranking.paths[code] for code in ranking.path[rows].tolist()]
        ranks = np.unique(ranking.rank[rows])
        together = np.zeros((len(ranks), len(indices)))
        for i, k in enumerate(ranks.tolist()):
            here = np.flatnonzero(ranking.rank[rows] == k).tolist()
            kept = {places[j]: j for j in here}
            outermost = [j for path, j in kept.items() if not any(up in kept for up in paths.ancestors(path))]
            together[i] = np.minimum(part[outermost].sum(axis=0), 1.0)
        yield ranks, indices, together


def _newly_covered(ranking: Ranking, targets: Targets, by_paths: bool) -> Reach:
    """What each rank covers of what no earlier rank has: all ranks up to it taken together, less those before."""

    def blocks() -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        for rows, indices in shared(ranking, targets):
            ranks = np.unique(ranking.rank[rows])
            after = np.zeros((len(ranks), len(indices)))
            for i, k in enumerate(ranks.tolist()):
                first = ranking.rows(rows[ranking.rank[rows] <= k])
                together = replace(first, rank=np.zeros(len(first), dtype=np.int64), ranks=1)
                for _, found, part in _by_paths(together, targets) if by_paths else covered(together, targets):
                    after[i, np.searchsorted(indices, found)] = np.minimum(part[0], 1.0)
            after = np.maximum.accumulate(after, axis=0)
            before = np.vstack([np.zeros((1, len(indices))), after[:-1]])
            new = np.divide(after - before, 1.0 - before, out=np.zeros_like(after), where=before < 1.0)
            yield ranks, indices, new

    return _entries(ranking, targets, blocks())
