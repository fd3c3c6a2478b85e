"""t2i: the reader enters, moves forward, and gives up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.declared import parameter
from berrypick.core.errors import UsageError
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.kernels.visits import Tolerance, Visit, walk
from berrypick.users._base import UserModel, World, by_rank, need_places, unknown_length


@dataclass(frozen=True)
class T2i(UserModel):
    """The reader enters where a result starts, moves forward, and gives up after so much irrelevant material.

    Reach is 1 for the targets that the visit finds, given what earlier ranks have found. Effort: how far the reader
    goes at each rank, relevant and irrelevant.
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)

    tolerance: float = parameter(
        300, "number", "how much irrelevant material is endured", check=lambda v: v > 0, must="above 0"
    )
    keeps_viewing: bool = parameter(True, "bool", "whether the reader goes on after something relevant has ended")
    t_init: float = parameter(
        0, "number", "extra patience at the beginning of each visit", check=lambda v: v >= 0, must="0 or more"
    )

    def _visits(self, ranking: Ranking, targets: Targets, world: World, alone: bool = False) -> list[Visit]:
        if world.collection is None:
            raise UsageError("user model t2i needs to know where documents end: give their lengths with --collection")
        need_places(self, ranking, targets)
        assert ranking.start is not None and targets.start is not None and targets.end is not None
        lengths: dict[str, float] = {}
        spans: dict[str, list[tuple[float, float, int]]] = {}
        for x, document in enumerate(targets.document):
            if document not in world.collection.lengths:
                raise unknown_length(document, "user model t2i", world.collection)
            spans.setdefault(document, []).append((float(targets.start[x]), float(targets.end[x]), x))
        names = [ranking.documents[code] for code in ranking.document.tolist()]
        for name in set(names):
            if name in world.collection.lengths:
                lengths[name] = float(world.collection.lengths[name])
        reader = Tolerance(self.tolerance, self.keeps_viewing, self.t_init)
        repeated = ranking.repeated.tolist() if ranking.repeated is not None else [False] * len(names)
        entries = list(zip(names, ranking.start.tolist(), repeated, strict=True))
        if alone:
            return [walk([entry], lengths, spans, reader).visits[0] for entry in entries]
        return list(walk(entries, lengths, spans, reader).visits)

    def reach(self, ranking: Ranking, targets: Targets, world: World) -> Reach:
        return self._found(ranking, targets, self._visits(ranking, targets, world))

    def reach_alone(self, ranking: Ranking, targets: Targets, world: World) -> Reach:
        return self._found(ranking, targets, self._visits(ranking, targets, world, alone=True))

    def _found(self, ranking: Ranking, targets: Targets, visits: list[Visit]) -> Reach:
        pairs = sorted({(int(ranking.rank[row]), x) for row, visit in enumerate(visits) for x in visit.found})
        rank, target = [k for k, _ in pairs], [x for _, x in pairs]
        return Reach.from_entries(ranking.ranks, len(targets), rank, target, np.ones(len(pairs)))

    def effort(self, ranking: Ranking, targets: Targets, world: World) -> FloatArray:
        visits = self._visits(ranking, targets, world)
        # a visit that goes nowhere (an unknown document, a repeated result) costs the tolerance
        went = np.array([visit.length or self.tolerance for visit in visits], dtype=np.float64)
        return by_rank(ranking, went)
