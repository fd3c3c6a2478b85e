"""What the models share whose readers get from a result to places of the same document that are not too far away."""

from __future__ import annotations

from dataclasses import dataclass

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users.base import ReaderContext, UserModel, whole_documents
from berrypick.users.pairs import combined, same_document
from berrypick.users.walks import Readers, Visits, certain, outward


@dataclass(frozen=True)
class GapModel(UserModel):
    """A reader who looks around a result up to some distance, drawn for each result, and sees all that is nearer."""

    def gaps(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[IntArray, IntArray, FloatArray]:
        """Pairs of a pointer and a target, and the probability of getting there."""
        raise NotImplementedError

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        return combined(ranking, len(targets), *self.gaps(ranking, targets, context))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        ranking = ranking.fresh()
        if whole_documents(ranking, targets):
            return certain(self.reach(ranking, targets, context), readers)
        return outward(ranking, *self.gaps(ranking, targets, context), readers)
