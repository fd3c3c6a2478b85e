"""t2i: the reader enters, moves forward, and gives up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.collection import Collection, unknown_length
from berrypick.core.errors import UsageError
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.kernels.visits import Tolerance, Visit, walk
from berrypick.users.base import ReaderContext, Slider, UserModel, by_rank, charged, need_places


@dataclass(frozen=True)
class T2i(UserModel):
    """The reader enters where a result starts, moves forward, and gives up after so much irrelevant material.

    Reach is 1 for the targets that the visit finds, given what earlier ranks have found. Effort: how far the reader
    goes at each rank, relevant and irrelevant. With unit='tokens' tolerance counts tokens of the texts given with
    --documents, otherwise characters or seconds.
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)
    slider: ClassVar[Slider | None] = (("tolerance",), (10, 30, 100, 300, 1000, 3000))

    tolerance: float = parameter(
        300, "number", "how much irrelevant material is endured", check=lambda v: v > 0, must="above 0"
    )
    keeps_viewing: bool = parameter(True, "bool", "whether the reader goes on after something relevant has ended")
    t_init: float = parameter(
        0, "number", "extra patience at the beginning of each visit", check=lambda v: v >= 0, must="0 or more"
    )

    unit: str | None = parameter(None, "line|tokens", "what tolerance counts: tokens, or what the offsets count")

    @property
    def browses(self) -> bool:
        """The effort of a visit is the way it goes, targets included."""
        return False

    def _visits(self, ranking: Ranking, targets: Targets, context: ReaderContext, alone: bool = False) -> list[Visit]:
        if context.collection is None:
            raise UsageError("user model t2i needs to know where documents end: give their lengths with --collection")
        need_places(self, ranking, targets)
        if self.unit == "tokens":
            ranking, targets, context = _in_tokens(ranking, targets, context)
        assert ranking.start is not None and targets.start is not None and targets.end is not None
        assert context.collection is not None
        lengths: dict[str, float] = {}
        spans: dict[str, list[tuple[float, float, int]]] = {}
        for x, document in enumerate(targets.document):
            if document not in context.collection.lengths:
                raise unknown_length(document, "user model t2i", context.collection)
            spans.setdefault(document, []).append((float(targets.start[x]), float(targets.end[x]), x))
        names = [ranking.documents[code] for code in ranking.document.tolist()]
        for name in set(names):
            if name in context.collection.lengths:
                lengths[name] = float(context.collection.lengths[name])
        reader = Tolerance(self.tolerance, self.keeps_viewing, self.t_init)
        repeated = ranking.repeated.tolist() if ranking.repeated is not None else [False] * len(names)
        entries = list(zip(names, ranking.start.tolist(), repeated, strict=True))
        if alone:
            return [walk([entry], lengths, spans, reader).visits[0] for entry in entries]
        return list(walk(entries, lengths, spans, reader).visits)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._found(ranking, targets, self._visits(ranking, targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._found(ranking, targets, self._visits(ranking, targets, context, alone=True))

    def _found(self, ranking: Ranking, targets: Targets, visits: list[Visit]) -> Reach:
        pairs = sorted({(int(ranking.rank[row]), x) for row, visit in enumerate(visits) for x in visit.found})
        rank, target = [k for k, _ in pairs], [x for _, x in pairs]
        return Reach.from_entries(ranking.ranks, len(targets), rank, target, np.ones(len(pairs)))

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        visits = self._visits(ranking, targets, context)
        # a visit that goes nowhere (an unknown document, a repeated result) costs the tolerance
        went = np.array([visit.length or self.tolerance for visit in visits], dtype=np.float64)
        if (context.effort_tokens is not None) == (self.unit == "tokens"):
            return by_rank(ranking, went)
        return by_rank(ranking, self._converted(ranking, went, context))

    def _converted(self, ranking: Ranking, went: FloatArray, context: ReaderContext) -> FloatArray:
        """Distances in what tolerance counts as distances in what effort counts."""
        assert ranking.start is not None and context.tokens is not None and context.collection is not None
        if self.unit != "tokens":
            last = np.array([context.collection.lengths[ranking.documents[d]] for d in ranking.document.tolist()])
            return charged(ranking, ranking.start, np.minimum(ranking.start + went, last), context)
        cost = np.zeros(len(ranking))
        for document, rows in ranking.rows_by_document.items():
            start = context.tokens.to_tokens(document, ranking.start[rows])
            cost[rows] = context.tokens.to_chars(document, start + went[rows]) - ranking.start[rows]
        return np.maximum(cost, 1.0)


def _in_tokens(ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[Ranking, Targets, ReaderContext]:
    """The same places on lines that count tokens."""
    if context.tokens is None:
        raise UsageError("user model t2i(unit='tokens') needs the texts of the documents: give them with --documents")
    names = {*ranking.rows_by_document, *targets.document}
    lengths = Collection({name: context.tokens.length(name) for name in names}, context.tokens.source)
    return *context.tokens.convert(ranking, targets), replace(context, collection=lengths)
