"""What the tolerance-to-irrelevance measures share: the reader, the walk along the list, its explanation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.errors import NeedsError, option
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.laws import without
from berrypick.core.parameters import above_zero, one_or_more, parameter, zero_or_more
from berrypick.core.run import Ranking
from berrypick.core.score import Score
from berrypick.core.truth import Targets
from berrypick.judging.context import JudgingContext
from berrypick.judging.reader_sessions import ReaderSessions
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels.intervals import merge
from berrypick.kernels.viewers import tolerances, view
from berrypick.kernels.visits import (
    ListVisits,
    Tolerance,
    ends_of,
    entries_of,
    spans_by_document,
    usual_tolerance,
    walk,
)
from berrypick.measures.base import Measure
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._targets import quant_parameter
from berrypick.relevance.gains import Quantisation


@dataclass(frozen=True)
class VisitMeasure(Measure):
    """Parameters of the reader."""

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    depends_on: ClassVar[tuple[str, ...]] = ("targets", "lengths")
    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)

    tolerance: float | None = above_zero(
        None, "irrelevant material read before the reader gives up; 15 seconds, 300 characters or 60 tokens by default"
    )
    keeps_viewing: bool = parameter(True, "bool", "whether the reader goes on after something relevant has ended")
    t_init: float = zero_or_more(0, "extra patience at the beginning of each visit")

    quant: Quantisation | None = quant_parameter()

    unit: str | None = parameter(None, "line|tokens", "unit of tolerance and budget: tokens, or that of the offsets")

    def patience(self, judged: JudgedTopic) -> float:
        """The tolerance, as given or as goes with what positions count."""
        if self.tolerance is not None:
            return self.tolerance
        unit = "tokens" if self.unit == "tokens" else judged.context.reader.line_unit
        return usual_tolerance(unit, f"{self.name()}(tolerance=300)")

    def reader(self, judged: JudgedTopic) -> Tolerance:
        return Tolerance(self.patience(judged), self.keeps_viewing, self.t_init)

    def places(self, judged: JudgedTopic) -> Places:
        return _in_tokens(judged) if self.unit == "tokens" else _as_given(judged)

    def walk(self, judged: JudgedTopic) -> ListVisits:
        return walk_of(self.places(judged), self.reader(judged))

    def scored(self, judged: JudgedTopic, value: float | None) -> Score:
        """A value; a tolerance that was not given and what tokens are belong into its signature."""
        usual = () if self.tolerance is not None else (("tolerance", f"{self.patience(judged):g}"),)
        tokens = judged.tokens if self.unit == "tokens" else None
        return Score(value, signed=usual if tokens is None else (*usual, ("tokenizer", tokens.name)))

    def drawn_fields(self, context: JudgingContext) -> tuple[tuple[str, str], ...]:
        """Viewers differ in tolerance."""
        spread = float(getattr(context.user, "spread", 0.0))
        return (("viewers", f"spread={spread:.12g}"),) if spread else ()

    def viewings(self, judged: JudgedTopic, sessions: ReaderSessions) -> Iterator[tuple[IntArray, BoolArray]]:
        """Result by result: how many targets viewers find there, and whether they waste a unit of tolerance.

        Tolerances differ between viewers as the evaluation's user model t2i says, if it is one; otherwise all viewers
        do the same, and one stands for all.
        """
        places, reader = self.places(judged), self.reader(judged)
        spread = float(getattr(judged.context.user, "spread", 0.0))
        ranking, lengths = places.ranking, places.lengths
        count = sessions.count if spread else 1
        spans = spans_by_document(places.targets)
        unseen = {name: np.ones((len(own), count), dtype=bool) for name, own in spans.items()}
        for row, (name, entry, repeated) in enumerate(entries_of(ranking)):
            tolerance = np.full(count, float(reader.tolerance))
            if spread:
                normal = sessions.draws.normal(judged.ranking_spans.name(row))
                tolerance = tolerances(reader.tolerance, spread, normal)
            own = [] if repeated else [(start, end) for start, end, _ in spans.get(name, [])]
            end = None if repeated or name not in lengths else float(lengths[name])
            went = view(
                entry, end, own, unseen[name] if own else np.zeros((0, count), dtype=bool), tolerance, reader, False
            )
            if own:
                unseen[name] &= ~went.found
            yield went.found.sum(axis=0), went.wasted

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        """How the value follows from the walk."""
        return []

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps = self.walk(judged)
        ranking, targets = judged.spans
        rows = []
        spent = found = 0
        for row, one in enumerate(steps.visits[:60]):
            spent += one.wasted
            found += len(one.found)
            rows.append(
                [
                    f"{int(ranking.rank[row]) + 1} ({ranking.name(row)})",
                    ", ".join(targets.name(x) for x in one.found) or "-",
                    number(one.length),
                    str(one.wasted),
                    str(found),
                    str(spent),
                ]
            )
        head = ["rank", "finds", "goes through", "wastes", "found so far", "units spent"]
        return self._explanation(judged, Table("Visits in turn", head, rows, align="<<>>>>"), *self.summary(judged))


@dataclass(frozen=True, eq=False)
class Places:
    """Where visits begin, where the targets lie, and where documents end: on lines that count one thing or another."""

    ranking: Ranking
    targets: Targets
    lengths: Mapping[str, float]
    total: float  # of all documents


@lru_cache(maxsize=4)
def _as_given(judged: JudgedTopic) -> Places:
    """In what the offsets count."""
    known = judged.collection
    return Places(*judged.spans, known.lengths, known.total)


@lru_cache(maxsize=4)
def _in_tokens(judged: JudgedTopic) -> Places:
    tokens = judged.tokens
    if tokens is None:
        raise NeedsError(f"counts tokens and needs the texts of the documents: give them with {option('documents')}")
    ranking, targets = tokens.convert(*judged.spans)
    return Places(ranking, targets, {name: tokens.length(name) for name in ranking.rows_by_document}, tokens.total)


@lru_cache(maxsize=4)
def walk_of(places: Places, reader: Tolerance) -> ListVisits:
    entries = entries_of(places.ranking)
    return walk(entries, ends_of(entries, places.lengths), spans_by_document(places.targets), reader)


@dataclass(frozen=True)
class VisitQuantities:
    """The quantities of table 1 of the paper."""

    wanted: int  # S
    relevant: int  # R
    units: int  # I, units of irrelevant material in the whole collection
    spent: int  # j
    missing: int  # r, targets not retrieved
    still: int  # s, targets still wanted after the list

    @property
    def length(self) -> float:
        """ESL: units spent on the list, and on a random search through the rest for what is still wanted."""
        return self.spent + self.still * max(0, self.units - self.spent) / (self.missing + 1)


@dataclass(frozen=True)
class _Searching(VisitMeasure):
    """Measures of the search length for a number of targets."""

    #: A result whose target was on the way before wastes time.
    laws: ClassVar[tuple[str, ...]] = without("tie-order", "relevant-added")

    wanted: int | None = one_or_more(None, "S, how many targets the reader wants; all of them by default")

    def wants(self, judged: JudgedTopic) -> int:
        """S: how many targets are wanted."""
        return len(judged.targets) if self.wanted is None else self.wanted

    def search(self, judged: JudgedTopic, wanted: int | None = None) -> VisitQuantities | None:
        """None where more targets are wanted than there are."""
        relevant = len(judged.targets)
        target_count = self.wants(judged) if wanted is None else wanted
        if target_count > relevant:
            return None
        units = irrelevant_units(self.places(judged), self.patience(judged))
        if not judged.answered:
            return VisitQuantities(target_count, relevant, units, 0, relevant, target_count)
        steps = self.walk(judged)
        still = max(0, target_count - steps.found)
        return VisitQuantities(
            target_count, relevant, units, steps.units_before(target_count), relevant - steps.found, still
        )

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The value of each viewer's own search."""
        search = self.search(judged)
        assert search is not None, "undefined values are not simulated"
        found, spent = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for new, wasted in self.viewings(judged, sessions):
            found = found + new
            spent = spent + (wasted & (found < search.wanted))
        still = np.maximum(0, search.wanted - found)
        length = spent + still * np.maximum(0, search.units - spent) / (search.relevant - found + 1)
        return ReaderValues.of(np.broadcast_to(self.of_search(search, length), (sessions.count,)))

    def of_search(self, search: VisitQuantities, length: FloatArray) -> FloatArray:
        """The value of searches of some lengths."""
        raise NotImplementedError

    def search_table(self, judged: JudgedTopic) -> Table:
        found = self.search(judged)
        assert found is not None
        rows = [
            ["S, targets wanted", str(found.wanted)],
            ["R, targets there are", str(found.relevant)],
            ["I, units of irrelevant material in the collection", str(found.units)],
            ["j, units spent on the list", str(found.spent)],
            ["r, targets not retrieved", str(found.missing)],
            ["s, targets still wanted after the list", str(found.still)],
            ["ESL = j + s max(0, I - j)/(r + 1)", number(found.length, 6)],
        ]
        return Table("Expected search length", ["quantity", "value"], rows)


def irrelevant_units(places: Places, tolerance: float) -> int:
    """I = ceil((D - D_R)/tolerance): the collection without the union of the targets, in units."""
    targets = places.targets
    assert targets.start is not None and targets.end is not None
    relevant = 0.0
    for indices in targets.by_document().values():
        start, end = merge(targets.start[indices], targets.end[indices])
        relevant += float((end - start).sum())
    return max(0, math.ceil((places.total - relevant) / tolerance - 1e-9))
