"""fetch_browse: a result is a group of pointers, and not all of them are considered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users.base import ReaderContext, Slider, UserModel, by_rank, combined


@dataclass(frozen=True)
class FetchBrowse(UserModel):
    """A result points to several places, and readers look at later ones with decreasing probability.

    Reach is 1 - prod over the rank's pointers (1 - consider^position x reach of the pointer), positions counted from
    0, with the reach of another user model. Pointers belong to one group when the run gives them the same rank.
    Effort: that of the other model for each pointer, times the probability that it is considered.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum",)
    slider: ClassVar[Slider | None] = (("consider",), (0.2, 0.4, 0.6, 0.8, 1))

    of: str = parameter("classical", "text", "the user model that tells what a considered pointer leads to")
    consider: float = parameter(
        0.8, "number", "probability of going on to the next pointer of a group", check=lambda v: 0 <= v <= 1,
        must="in [0, 1]",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner().name() == self.name():
            raise UsageError("fetch_browse(of=...) takes another user model than itself")

    def inner(self) -> UserModel:
        from berrypick.users import build

        return build(self.of)

    def _considered(self, ranking: Ranking) -> FloatArray:
        position = np.zeros(len(ranking), dtype=np.int64)
        seen: dict[int, int] = {}
        for row, rank in enumerate(ranking.rank.tolist()):
            position[row] = seen.get(rank, 0)
            seen[rank] = position[row] + 1
        return np.asarray(float(self.consider) ** position, dtype=np.float64)

    def _spread(self, ranking: Ranking) -> Ranking:
        """Every pointer a rank of its own."""
        rows: IntArray = np.arange(len(ranking), dtype=np.int64)
        return replace(ranking, rank=rows, ranks=len(ranking))

    def _combine(self, ranking: Ranking, single: Reach) -> Reach:
        probability = single.probability * self._considered(ranking)[single.rank]
        return combined(ranking, single.targets, single.rank, single.target, probability)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach(self._spread(ranking), targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach_alone(self._spread(ranking), targets, context))

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        return self.inner().other_units(targets, context)

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        each = self.inner().effort(self._spread(ranking), targets, context)
        return by_rank(ranking, each * self._considered(ranking))
