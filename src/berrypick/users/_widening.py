"""What the models share whose readers get more than a result points to."""

from __future__ import annotations

from berrypick.core.arrays import FloatArray
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users._base import (
    UserModel,
    World,
    by_rank,
    covering_reach,
    need_places,
    pointer_lengths,
    same_document,
    whole_documents,
)


class _Widening(UserModel):
    """A reader who gets ``regions`` instead of results, and sees a span if they cover at least a ``share`` of it."""

    share: float  # a parameter of every such model

    def reach(self, ranking: Ranking, targets: Targets, world: World) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        need_places(self, ranking, targets)
        return covering_reach(self.regions(ranking, world), targets, self.share)

    def effort(self, ranking: Ranking, targets: Targets, world: World) -> FloatArray:
        if ranking.start is not None:
            ranking = self.regions(ranking, world)
        return by_rank(ranking, pointer_lengths(ranking, world))
