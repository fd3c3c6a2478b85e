"""coverage: as much of a target is seen as is covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.core import paths
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
    whole_documents,
)


@dataclass(frozen=True)
class Coverage(UserModel):
    """The reader sees a target with the probability that is the share of it that the result covers.

    The regions of one rank are taken together. Effort: the length of what is pointed to, and of the
    rest of each target for those who see it.
    """

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        if elements(ranking, targets) and (ranking.start is None or targets.start is None):
            return _by_paths(ranking, targets)
        need_places(self, ranking, targets)
        rank, target, share = [], [], []
        for ranks, indices, part in covered(ranking, targets):
            i, j = np.nonzero(part)
            rank.append(ranks[i])
            target.append(indices[j])
            share.append(np.minimum(part[i, j], 1.0))
        if not rank:
            return Reach.nothing(ranking.ranks, len(targets))
        return Reach.from_entries(
            ranking.ranks, len(targets), np.concatenate(rank), np.concatenate(target), np.concatenate(share)
        )


def _by_paths(ranking: Ranking, targets: Targets) -> Reach:
    """Elements known by their paths alone: of those at one rank the outermost count, and their shares add up."""
    assert ranking.path is not None
    rank, target, share = [], [], []
    for rows, indices, ratio, above in nested_elements(ranking, targets):
        part = np.nan_to_num(np.where(above, 1.0, ratio))
        places = [ranking.paths[code] for code in ranking.path[rows].tolist()]
        for k in np.unique(ranking.rank[rows]).tolist():
            here = np.flatnonzero(ranking.rank[rows] == k).tolist()
            kept = [i for i in here if not any(places[j] in paths.ancestors(places[i]) for j in here)]
            together = np.minimum(part[kept].sum(axis=0), 1.0)
            found = np.flatnonzero(together)
            rank.append(np.full(len(found), k))
            target.append(indices[found])
            share.append(together[found])
    if not rank:
        return Reach.nothing(ranking.ranks, len(targets))
    return Reach.from_entries(
        ranking.ranks, len(targets), np.concatenate(rank), np.concatenate(target), np.concatenate(share)
    )
