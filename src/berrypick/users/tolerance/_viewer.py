"""What readers share who enter, move forward, and give up: t2i and forage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.collection import Collection, unknown_length
from berrypick.data.errors import UsageError, option
from berrypick.data.observed import copied
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.documents.token_offsets import TokenOffsets
from berrypick.users import walks
from berrypick.users.base import ReaderContext, UserModel, by_rank, need_places, reading_cost
from berrypick.users.pairs import combined
from berrypick.users.tolerance.distributions import Tolerances
from berrypick.users.tolerance.viewers import view
from berrypick.users.tolerance.visits import (
    COUNTED,
    Entries,
    ListVisit,
    Spans,
    SpreadVisit,
    Tolerance,
    ends_of,
    entries_of,
    sentences_of,
    spans_by_document,
    spread_visit,
    visit,
    walk,
)
from berrypick.users.walks import Readers, Visits

#: What a visit costs at least.
LEAST_EFFORT = 1e-9


@dataclass(frozen=True)
class Viewer(UserModel):
    """A reader of a certain tolerance, or one whose tolerance is drawn for each visit."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("lengths", "tokenizer")
    if TYPE_CHECKING:  # a parameter of each model, which shows it in an order of its own
        unit: str | None = None

    def tolerance_of(self, context: ReaderContext) -> Tolerance:
        """Return what the reader endures."""
        raise NotImplementedError

    def distribution(self, context: ReaderContext) -> Tolerances | None:
        """Return how tolerances are distributed; None where all visits have the same."""
        return None

    @property
    def browses(self) -> bool:
        """The effort of a visit is the way it goes, targets included."""
        return False

    def _visits(
        self, ranking: Ranking, targets: Targets, context: ReaderContext, alone: bool = False
    ) -> list[ListVisit]:
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self.tolerance_of(context)
        if alone:
            return [
                ListVisit((), 1) if repeated else visit(start, lengths.get(name), spans.get(name, ()), reader)
                for name, start, repeated in entries
            ]
        return list(walk(entries, lengths, spans, reader).visits)

    def _spread_visits(
        self, ranking: Ranking, targets: Targets, context: ReaderContext, law: Tolerances
    ) -> list[SpreadVisit]:
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self.tolerance_of(context)
        return [
            SpreadVisit((), 0.0)
            if repeated
            else spread_visit(start, lengths.get(name), spans.get(name, ()), reader, law)
            for name, start, repeated in entries
        ]

    def _places(
        self, ranking: Ranking, targets: Targets, context: ReaderContext
    ) -> tuple[Entries, dict[str, float], Spans]:
        """Entry points, where documents end, and where the targets lie."""
        if context.collection is None:
            raise UsageError(
                f"user model {self.name()} needs the lengths of documents: give them with {option('collection')}"
            )
        need_places(self, ranking, targets)
        if (counted := self._offsets(context)) is not None:
            ranking, targets, context = _counted(ranking, targets, context, counted)
        assert context.collection is not None
        for document in targets.by_document():
            if document not in context.collection.lengths:
                raise unknown_length(document, f"user model {self.name()}", context.collection)
        entries = entries_of(ranking)
        return entries, ends_of(entries, context.collection.lengths), spans_by_document(targets)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if (law := self.distribution(context)) is not None:
            return self._probably_found(ranking, targets, self._spread_visits(ranking, targets, context, law))
        return self._found(ranking, targets, self._visits(ranking, targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if self.distribution(context) is not None:
            return self.reach(ranking, targets, context)
        return self._found(ranking, targets, self._visits(ranking, targets, context, alone=True))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A viewer plays from the entry point, and gives up after one tolerance of irrelevant or repeated material.

        Where tolerances differ, each viewer's is drawn for each visit.
        """
        entries, lengths, spans = self._places(ranking, targets, context)
        reader = self.tolerance_of(context)
        law, converted = self.distribution(context), not self._counts_effort(context)
        for row, (name, entry, repeated) in enumerate(entries):
            here = [] if repeated else spans.get(name, [])
            if not here and not readers.lengths:
                continue
            x = np.array([target for _, _, target in here], dtype=np.int64)
            tolerance = np.full(readers.count, float(reader.tolerance))
            if law is not None:
                tolerance = law.drawn(readers.draws, ranking.name(row))
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
        law = self.distribution(context)
        visits: Sequence[ListVisit | SpreadVisit] = (
            self._visits(ranking, targets, context)
            if law is None
            else self._spread_visits(ranking, targets, context, law)
        )
        # a visit that goes nowhere (an unknown document, a repeated result) costs the tolerance
        tolerance = max(self.tolerance_of(context).tolerance, LEAST_EFFORT)
        went = np.array([visit.length or tolerance for visit in visits], dtype=np.float64)
        return by_rank(ranking, went if self._counts_effort(context) else self._converted(ranking, went, context))

    def _counts_effort(self, context: ReaderContext) -> bool:
        """Whether tolerance and effort count the same."""
        return self.unit != "sentences" and (context.effort_tokens is not None) == (self.unit == "tokens")

    def _converted(self, ranking: Ranking, went: FloatArray, context: ReaderContext) -> FloatArray:
        """Distances in what tolerance counts as distances in what effort counts."""
        assert ranking.start is not None and context.collection is not None
        counted = self._offsets(context)
        if counted is None:
            last = np.array([context.collection.lengths[ranking.documents[d]] for d in ranking.document.tolist()])
            return reading_cost(ranking, ranking.start, np.minimum(ranking.start + went, last), context)
        end = np.zeros(len(ranking))
        for document, rows in ranking.rows_by_document.items():
            start = counted.to_tokens(document, ranking.start[rows])
            end[rows] = counted.to_chars(document, start + went[rows])
        return np.maximum(reading_cost(ranking, ranking.start, end, context), 1.0)

    def _offsets(self, context: ReaderContext) -> TokenOffsets | None:
        """The documents in what tolerance counts; None where it counts what offsets do."""
        if self.unit not in COUNTED:
            return None
        found = context.tokens if self.unit == "tokens" else sentences_of(context)
        if found is None:
            raise UsageError(
                f"user model {self.name()}(unit='{self.unit}') needs the texts of the documents: "
                f"give them with {option('documents')}"
            )
        return found


def _counted(
    ranking: Ranking, targets: Targets, context: ReaderContext, counted: TokenOffsets
) -> tuple[Ranking, Targets, ReaderContext]:
    """The same places on lines that count tokens or sentences."""
    names = {*ranking.rows_by_document, *targets.document}
    lengths = Collection({name: counted.length(name) for name in names}, counted.source)
    return *counted.convert(ranking, targets), copied(context, collection=lengths)
