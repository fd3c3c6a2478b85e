"""t2i: the reader enters, moves forward, and gives up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.collection import Collection, unknown_length
from berrypick.data.errors import UsageError, option
from berrypick.data.observed import copied
from berrypick.data.parameters import above_zero, parameter, zero_or_more
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users import walks
from berrypick.users.base import ReaderContext, Slider, UserModel, by_rank, need_places, reading_cost
from berrypick.users.pairs import combined
from berrypick.users.tolerance.viewers import tolerances, view
from berrypick.users.tolerance.visits import (
    USUAL_TOLERANCE,
    Entries,
    ListVisit,
    Spans,
    SpreadVisit,
    Tolerance,
    ends_of,
    entries_of,
    spans_by_document,
    spread_visit,
    usual_tolerance,
    visit,
    walk,
)
from berrypick.users.walks import Readers, Visits


@dataclass(frozen=True)
class T2I(UserModel):
    """The reader enters where a result starts, moves forward, and gives up after so much irrelevant material.

    Reach is 1 for the targets that the visit finds, given what earlier ranks have found. Effort: how far the reader
    goes at each rank, relevant and irrelevant. With unit='tokens' tolerance counts tokens of the texts given as
    documents, otherwise characters or seconds. By default it is 15 seconds, 300 characters or 60 tokens; where it
    is not known what positions count, it must be given.

    With spread=s tolerances differ between people (section 4 of the paper): log-normal with median ``tolerance`` and
    sigma s, drawn anew for each visit. Reach is then the probability that the tolerance exceeds every stretch of
    irrelevant material passed before the target; what earlier ranks have found is not taken out.
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)
    learnt_from: ClassVar[str] = "readings"
    slider: ClassVar[Slider | None] = (("tolerance",), (10, 30, 100, 300, 1000, 3000))

    tolerance: float | None = above_zero(
        None, "irrelevant material read before the reader gives up; 15 seconds, 300 characters or 60 tokens by default"
    )
    keeps_viewing: bool = parameter(True, "bool", "whether the reader goes on after something relevant has ended")
    t_init: float = zero_or_more(0, "extra patience at the beginning of each visit")

    unit: str | None = parameter(None, "line|tokens", "unit of tolerance: tokens, or that of the offsets")
    spread: float = zero_or_more(0, "sigma of the tolerances of different people")

    def resolved(self, context: ReaderContext) -> T2I:
        unit = "tokens" if self.unit == "tokens" else context.line_unit
        usual = USUAL_TOLERANCE.get(unit or "")
        return self if self.tolerance is not None or usual is None else replace(self, tolerance=usual)

    def _reader(self, context: ReaderContext) -> Tolerance:
        tolerance = self.resolved(context).tolerance
        if tolerance is None:
            tolerance = usual_tolerance(context.line_unit, "t2i(tolerance=300)")
        return Tolerance(tolerance, self.keeps_viewing, self.t_init)

    @property
    def browses(self) -> bool:
        """The effort of a visit is the way it goes, targets included."""
        return False

    def _visits(
        self, ranking: Ranking, targets: Targets, context: ReaderContext, alone: bool = False
    ) -> list[ListVisit]:
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self._reader(context)
        if alone:
            return [
                ListVisit((), 1) if repeated else visit(start, lengths.get(name), spans.get(name, ()), reader)
                for name, start, repeated in entries
            ]
        return list(walk(entries, lengths, spans, reader).visits)

    def _spread_visits(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> list[SpreadVisit]:
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self._reader(context)
        return [
            SpreadVisit((), 0.0)
            if repeated
            else spread_visit(start, lengths.get(name), spans.get(name, ()), reader, self.spread)
            for name, start, repeated in entries
        ]

    def _places(
        self, ranking: Ranking, targets: Targets, context: ReaderContext
    ) -> tuple[Entries, dict[str, float], Spans]:
        """Entry points, where documents end, and where the targets lie."""
        if context.collection is None:
            raise UsageError(f"user model t2i needs the lengths of documents: give them with {option('collection')}")
        need_places(self, ranking, targets)
        if self.unit == "tokens":
            ranking, targets, context = _in_tokens(ranking, targets, context)
        assert context.collection is not None
        for document in targets.by_document():
            if document not in context.collection.lengths:
                raise unknown_length(document, "user model t2i", context.collection)
        entries = entries_of(ranking)
        return entries, ends_of(entries, context.collection.lengths), spans_by_document(targets)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if self.spread:
            return self._probably_found(ranking, targets, self._spread_visits(ranking, targets, context))
        return self._found(ranking, targets, self._visits(ranking, targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if self.spread:
            return self.reach(ranking, targets, context)
        return self._found(ranking, targets, self._visits(ranking, targets, context, alone=True))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A viewer plays from the entry point, and gives up after one tolerance of irrelevant or repeated material.

        With a spread each viewer's tolerance is drawn for each visit.
        """
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self._reader(context)
        converted = (context.effort_tokens is not None) != (self.unit == "tokens")
        for row, (name, entry, repeated) in enumerate(entries):
            here = [] if repeated else spans.get(name, [])
            if not here and not readers.lengths:
                continue
            x = np.array([target for _, _, target in here], dtype=np.int64)
            tolerance = np.full(readers.count, float(reader.tolerance))
            if self.spread:
                tolerance = tolerances(reader.tolerance, self.spread, readers.draws.normal(ranking.name(row)))
            end = None if repeated else lengths.get(name)
            went = view(entry, end, [(a, b) for a, b, _ in here], readers.unseen(x), tolerance, reader, readers.lengths)
            length = np.where(went.length > 0, went.length, tolerance) if readers.lengths else None
            if length is not None and converted:
                visited = ranking.rows(np.full(len(length), row, dtype=np.int64))
                length = self._converted(visited, length, context)
            yield walks.Visit(int(ranking.rank[row]), x, went.found, length)

    def _probably_found(self, ranking: Ranking, targets: Targets, visits: list[SpreadVisit]) -> Reach:
        entries = [(row, x, p) for row, visit in enumerate(visits) for x, p in visit.found if p > 0]
        row, target = (np.array([entry[i] for entry in entries], dtype=np.int64) for i in (0, 1))
        return combined(ranking, len(targets), row, target, np.array([p for _, _, p in entries], dtype=np.float64))

    def _found(self, ranking: Ranking, targets: Targets, visits: list[ListVisit]) -> Reach:
        pairs = sorted({(int(ranking.rank[row]), x) for row, visit in enumerate(visits) for x in visit.found})
        rank, target = [k for k, _ in pairs], [x for _, x in pairs]
        return Reach.from_entries(ranking.ranks, len(targets), rank, target, np.ones(len(pairs)))

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        visits: Sequence[ListVisit | SpreadVisit] = (
            self._spread_visits(ranking, targets, context) if self.spread else self._visits(ranking, targets, context)
        )
        # a visit that goes nowhere (an unknown document, a repeated result) costs the tolerance
        tolerance = self._reader(context).tolerance
        went = np.array([visit.length or tolerance for visit in visits], dtype=np.float64)
        if (context.effort_tokens is not None) == (self.unit == "tokens"):
            return by_rank(ranking, went)
        return by_rank(ranking, self._converted(ranking, went, context))

    def _converted(self, ranking: Ranking, went: FloatArray, context: ReaderContext) -> FloatArray:
        """Distances in what tolerance counts as distances in what effort counts."""
        assert ranking.start is not None and context.tokens is not None and context.collection is not None
        if self.unit != "tokens":
            last = np.array([context.collection.lengths[ranking.documents[d]] for d in ranking.document.tolist()])
            return reading_cost(ranking, ranking.start, np.minimum(ranking.start + went, last), context)
        cost = np.zeros(len(ranking))
        for document, rows in ranking.rows_by_document.items():
            start = context.tokens.to_tokens(document, ranking.start[rows])
            cost[rows] = context.tokens.to_chars(document, start + went[rows]) - ranking.start[rows]
        return np.maximum(cost, 1.0)


def _in_tokens(ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[Ranking, Targets, ReaderContext]:
    """The same places on lines that count tokens."""
    if context.tokens is None:
        raise UsageError(
            f"user model t2i(unit='tokens') needs the texts of the documents: give them with {option('documents')}"
        )
    names = {*ranking.rows_by_document, *targets.document}
    lengths = Collection({name: context.tokens.length(name) for name in names}, context.tokens.source)
    return *context.tokens.convert(ranking, targets), copied(context, collection=lengths)
