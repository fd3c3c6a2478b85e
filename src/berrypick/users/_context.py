"""What the models share whose readers see what a result points to, or a region around it, and do not move on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from berrypick.core.arrays import FloatArray
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users.base import ReaderContext, UserModel, by_rank, need_places, pointer_lengths, whole_documents
from berrypick.users.pairs import covering_reach, same_document
from berrypick.users.walks import Readers, Visits, certain


class ContextModel(UserModel):
    """A reader who gets ``regions`` instead of results, and sees a span if they cover at least a ``share`` of it."""

    certain: ClassVar[bool] = True

    if TYPE_CHECKING:
        share: float  # a parameter of every such model, each at its own place

    @property
    def browses(self) -> bool:
        return False

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        need_places(self, ranking, targets)
        return covering_reach(self.regions(ranking, context), targets, self.share)

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        if ranking.start is not None:
            ranking = self.regions(ranking, context)
        return by_rank(ranking, pointer_lengths(ranking, context))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """Every reader reads all of the region that comes with a result."""
        return certain(self.reach(ranking.fresh(), targets, context), readers)
