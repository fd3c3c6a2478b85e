"""What the tolerance-to-irrelevance measures share: the reader, the walk along the list, its explanation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar, TypeVar

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import NeedsError, UsageError, option
from berrypick.data.laws import without
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import one_or_more, parameter, zero_or_more
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.data.truth import Targets
from berrypick.kernels.intervals import merge
from berrypick.measures.base import Measure
from berrypick.measures.reader_values import ReaderValues
from berrypick.targets.gains import Quantisation, quant_parameter
from berrypick.topics.context import JudgingContext
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic
from berrypick.users.tolerance.parameters import (
    Shares,
    redundancy_parameter,
    rho,
    shares_of,
    tolerance_parameter,
    unit_parameter,
)
from berrypick.users.tolerance.people import ERROR, STEPS, People, PeopleWalk, walks_of_people
from berrypick.users.tolerance.viewers import tolerances, view
from berrypick.users.tolerance.visits import (
    COUNTED,
    ListVisits,
    Tolerance,
    ends_of,
    entries_of,
    sentences_of,
    spans_by_document,
    usual_tolerance,
    walk,
)

#: The largest spread: one standard deviation is then a factor of 20,000.
MOST_SPREAD = 10
#: In explanations of people: how many groups are shown, and the smallest share of people that is.
SHOWN_PEOPLE, LEAST_SHARE = 20, 1e-6

V = TypeVar("V", bound="VisitMeasure")


@dataclass(frozen=True)
class VisitMeasure(Measure):
    """Parameters of the reader."""

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    depends_on: ClassVar[tuple[str, ...] | None] = ("targets", "lengths", "tokenizer")
    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)

    tolerance: float | str | None = tolerance_parameter()
    keeps_viewing: bool = parameter(True, "bool", "whether the reader continues after something relevant has ended")
    t_init: float = zero_or_more(0, "extra patience at the beginning of each visit")

    quant: Quantisation | None = quant_parameter()

    unit: str | None = unit_parameter("tolerance and budget")

    spread: float = parameter(
        0,
        "number",
        "sigma of the tolerances of different people, log-normal around the tolerance; the value is their mean",
        check=lambda v: 0 <= v <= MOST_SPREAD,
        must=f"from 0 to {MOST_SPREAD}",
    )

    redundancy: float | str | None = redundancy_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.population and self.spread:
            raise UsageError(f"{self.name()} takes one of spread= and a tolerance with shares of people, not both")

    def dependencies(self) -> frozenset[str]:
        return super().dependencies() - (set() if self.unit == "tokens" else {"tokenizer"})

    @property
    def population(self) -> Shares:
        """Tolerances with the share of people who have each; none where all have the same, or the spread says it."""
        return shares_of(self.tolerance, self.name())

    def of_groups(self: V) -> list[tuple[float, V]]:
        """The measure of each group of people, with their share."""
        return [(share, replace(self, tolerance=tolerance)) for tolerance, share in self.population]

    def patience(self, judged: JudgedTopic) -> float:
        """The tolerance, as given or as goes with what positions count; of several that of the largest group."""
        if self.population:
            return max(self.population, key=lambda one: one[1])[0]
        if self.tolerance is not None:
            return float(self.tolerance)
        unit = self.unit if self.unit in COUNTED else judged.context.reader.line_unit
        return usual_tolerance(unit, f"{self.name()}(tolerance=300)")

    def reader(self, judged: JudgedTopic) -> Tolerance:
        return Tolerance(self.patience(judged), self.keeps_viewing, self.t_init, rho(self.redundancy))

    def places(self, judged: JudgedTopic) -> Places:
        return _as_given(judged) if self.unit not in COUNTED else _counted(judged, self.unit)

    def single(self, judged: JudgedTopic) -> float | None:
        """The value of one person, or of people whose tolerances are spread around one; None where undefined."""
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        if not self.population:
            return self.scored(judged, self.single(judged))
        return self.scored(judged, self.mean_over_groups(lambda one: one.single(judged)))

    def mean_over_groups(self: V, value: Callable[[V], float | None]) -> float | None:
        """The mean over groups of people by their shares; None where a value is undefined."""
        values = [(share, value(one)) for share, one in self.of_groups()]
        return None if any(v is None for _, v in values) else math.fsum(share * (v or 0.0) for share, v in values)

    def walk(self, judged: JudgedTopic) -> ListVisits:
        return walk_of(self.places(judged), self.reader(judged))

    def people(self, judged: JudgedTopic) -> People:
        """The tolerances of different people."""
        return People(self.patience(judged), float(self.spread))

    def people_walks(self, judged: JudgedTopic) -> tuple[PeopleWalk, ...]:
        """What people of all tolerances do, where these differ."""
        if not judged.answered:
            return (PeopleWalk(0.0, math.inf, np.zeros(0, dtype=np.int64), 0),)
        return _people_walks(self.places(judged), replace(self.reader(judged), tolerance=0.0))

    def amount(self, judged: JudgedTopic) -> float:
        """The amount of material whose units of tolerance the value depends on; 0 where it does on none."""
        return 0.0

    def scored(self, judged: JudgedTopic, value: float | None) -> Score:
        """A value; a tolerance that was not given and what tokens are belong into its signature."""
        usual = () if self.tolerance is not None else (("tolerance", f"{self.patience(judged):g}"),)
        tokens = judged.tokens if self.unit == "tokens" else None  # sentences are named by the unit
        signed = usual if tokens is None else (*usual, ("tokenizer", tokens.name))
        if self.spread and not self.people(judged).is_exact(self.amount(judged)):
            signed = (*signed, ("quadrature", f"n>{STEPS},error<={ERROR:g}"))
        return Score(value, signed=signed)

    def drawn_fields(self, context: JudgingContext) -> tuple[tuple[str, str], ...]:
        """Viewers differ in tolerance: each person's own where the measure says so, else one for each visit."""
        spread = float(getattr(context.user, "spread", 0.0))
        return (("viewers", f"spread={spread:.12g}"),) if spread and not self.differ else ()

    @property
    def differ(self) -> bool:
        """Whether each person has a tolerance of their own."""
        return bool(self.spread or self.population)

    def tolerances(self, judged: JudgedTopic, sessions: ReaderSessions) -> FloatArray:
        """The tolerance of each viewer; of one, where all of them have the same."""
        if self.population:
            values, shares = (np.array(one) for one in zip(*self.population, strict=True))
            place = np.searchsorted(np.cumsum(shares), sessions.draws.uniform("tolerance"), side="right")
            return np.asarray(values[np.minimum(place, len(values) - 1)])
        if not self.spread:
            return np.full(1, self.patience(judged))
        return tolerances(self.patience(judged), float(self.spread), sessions.draws.normal("tolerance"))

    def viewings(self, judged: JudgedTopic, sessions: ReaderSessions) -> Iterator[tuple[IntArray, BoolArray]]:
        """Result by result: how many targets viewers find there, and whether they waste a unit of tolerance.

        Each viewer has a tolerance where the measure has a spread; else tolerances differ from visit to visit as the
        evaluation's user model t2i says, if it is one; otherwise all viewers do the same, and one stands for all.
        """
        places, reader, each = self.places(judged), self.reader(judged), self.tolerances(judged, sessions)
        spread = 0.0 if self.differ else float(getattr(judged.context.user, "spread", 0.0))
        ranking, lengths = places.ranking, places.lengths
        count = sessions.count if spread else len(each)
        spans = spans_by_document(places.targets)
        unseen = {name: np.ones((len(own), count), dtype=bool) for name, own in spans.items()}
        for row, (name, entry, repeated) in enumerate(entries_of(ranking)):
            tolerance = each
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
        whose = " of a person with the median tolerance" if self.spread else ""
        whose = f" of people with the tolerance {number(self.patience(judged))}" if self.population else whose
        title = f"Visits in turn{whose}"
        return self._explanation(judged, Table(title, head, rows, align="<<>>>>"), *self.summary(judged))

    def groups_table(self: V, value: Callable[[V], float | None]) -> Table:
        """What each group of people gets."""
        rows = [
            [number(float(one.tolerance or 0)), number(share), "-" if (own := value(one)) is None else number(own, 6)]
            for share, one in self.of_groups()
        ]
        mean = self.mean_over_groups(value)
        rows.append(["mean", "", "-" if mean is None else number(mean, 6)])
        return Table("People by tolerance", ["tolerance", "share of people", "value"], rows)

    def people_table(self, judged: JudgedTopic, parts: Sequence[float | None]) -> Table:
        """What people of different tolerances find and waste, and what they add to the value."""
        people = self.people(judged)
        rows = []
        for walk_, part in zip(self.people_walks(judged), parts, strict=True):
            share = float(people.share(walk_.low, walk_.high))
            if share < LEAST_SHARE:
                continue
            own = "-" if part is None else number(part / share, 6)
            limit = "" if math.isinf(walk_.high) else number(walk_.high)
            rows.append(
                [number(walk_.low), limit, number(share), str(walk_.found), str(len(walk_.found_before_unit)), own]
            )
        shown = sorted(sorted(rows, key=lambda row: -float(row[2]))[:SHOWN_PEOPLE], key=lambda row: float(row[0]))
        cut = f" (the {SHOWN_PEOPLE} largest of {len(rows)} groups)" if len(rows) > SHOWN_PEOPLE else ""
        total = math.fsum(part for part in parts if part is not None)
        shown.append(["mean", "", "", "", "", number(total, 6)])
        head = ["tolerance above", "up to", "share of people", "finds", "wastes", "value"]
        return Table(f"People by tolerance{cut}", head, shown)


@dataclass(frozen=True, eq=False)
class Places:
    """Where visits begin, where the targets lie, and where documents end: on lines that count one thing or another."""

    ranking: Ranking
    targets: Targets
    lengths: Mapping[str, float]
    total: float  # of all documents


@once_for_each
def _as_given(judged: JudgedTopic) -> Places:
    """In what the offsets count."""
    known = judged.collection
    return Places(*judged.spans, known.lengths, known.total)


@once_for_each
def _counted(judged: JudgedTopic, unit: str) -> Places:
    """In tokens or sentences."""
    tokens = judged.tokens if unit == "tokens" else sentences_of(judged.context.reader)
    if tokens is None:
        raise NeedsError(f"counts {unit} and needs the texts of the documents: give them with {option('documents')}")
    ranking, targets = tokens.convert(*judged.spans)
    return Places(ranking, targets, {name: tokens.length(name) for name in ranking.rows_by_document}, tokens.total)


@lru_cache(maxsize=4)
def _people_walks(places: Places, reader: Tolerance) -> tuple[PeopleWalk, ...]:
    entries = entries_of(places.ranking)
    lengths = ends_of(entries, places.lengths)
    return tuple(walks_of_people(entries, lengths, spans_by_document(places.targets), reader))


@lru_cache(maxsize=4)
def walk_of(places: Places, reader: Tolerance) -> ListVisits:
    entries = entries_of(places.ranking)
    return walk(entries, ends_of(entries, places.lengths), spans_by_document(places.targets), reader)


@dataclass(frozen=True)
class VisitQuantities:
    """The quantities of table 1 of the paper."""

    wanted: float  # S
    relevant: int  # R
    units: int  # I, units of irrelevant material in the whole collection
    spent: int  # j
    missing: int  # r, targets not retrieved
    still: float  # s, targets still wanted after the list

    @property
    def length(self) -> float:
        """ESL: units spent on the list, and on a random search through the rest for what is still wanted."""
        return self.spent + self.still * max(0, self.units - self.spent) / (self.missing + 1)

    def lengths(self, units: FloatArray) -> FloatArray:
        """The same for several numbers of units."""
        return np.asarray(self.spent + self.still * np.maximum(0.0, units - self.spent) / (self.missing + 1))


@dataclass(frozen=True)
class _Searching(VisitMeasure):
    """Measures of the search length for a number of targets."""

    #: A result whose target was on the way before wastes time.
    laws: ClassVar[tuple[str, ...]] = without("tie-order", "relevant-added")

    #: Whether there is a value where no material is irrelevant.
    defined_without_units: ClassVar[bool] = True

    wanted: int | None = one_or_more(None, "S, number of targets that the reader wants; all by default")

    def wants(self, judged: JudgedTopic) -> float:
        """S: how many targets are wanted."""
        return len(judged.targets) if self.wanted is None else self.wanted

    def search(self, judged: JudgedTopic, wanted: float | None = None) -> VisitQuantities | None:
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

    def amount(self, judged: JudgedTopic) -> float:
        """D - D_R."""
        return irrelevant_material(self.places(judged))

    def over_people(self, judged: JudgedTopic, wanted: float | None = None) -> list[float]:
        """What people of each range of tolerances add to the value; nothing where it is undefined."""
        median = self.search(judged, wanted)
        if median is None or (median.units == 0 and not self.defined_without_units):
            return []
        people, amount, found = self.people(judged), self.amount(judged), []
        for one in self.people_walks(judged):
            spent = int((one.found_before_unit < median.wanted).sum())
            still, missing = max(0, median.wanted - one.found), median.relevant - one.found
            value = partial(self._of_units, replace(median, spent=spent, missing=missing, still=still))
            if amount > 0:
                found.append(people.mean(one.low, one.high, value, amount, "up"))
            else:
                found.append(float(people.share(one.low, one.high) * value(np.zeros(1))[0]))
        return found

    def _of_units(self, search: VisitQuantities, units: FloatArray) -> FloatArray:
        return self.of_search(search, units, search.lengths(units))

    def value(self, judged: JudgedTopic, wanted: float | None = None) -> float | None:
        """The value of one search, or the mean over people; None where it is undefined."""
        if self.spread:
            parts = self.over_people(judged, wanted)
            return math.fsum(parts) if parts else None
        if self.population:
            return self.mean_over_groups(lambda one: one.value(judged, wanted))
        found = self.search(judged, wanted)
        if found is None or (found.units == 0 and not self.defined_without_units):
            return None
        return float(self._of_search(found))

    def single(self, judged: JudgedTopic) -> float | None:
        return self.value(judged)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The value of each viewer's own search."""
        search = self.search(judged)
        assert search is not None, "undefined values are not simulated"
        units = np.full(1, float(search.units))
        if self.differ:
            units = np.ceil(self.amount(judged) / self.tolerances(judged, sessions))
        found, spent = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for new, wasted in self.viewings(judged, sessions):
            found = found + new
            spent = spent + (wasted & (found < search.wanted))
        still = np.maximum(0, search.wanted - found)
        length = spent + still * np.maximum(0, units - spent) / (search.relevant - found + 1)
        return ReaderValues.of(np.broadcast_to(self.of_search(search, units, length), (sessions.count,)))

    def of_search(self, search: VisitQuantities, units: FloatArray, length: FloatArray) -> FloatArray:
        """The value of searches of some lengths, with so many irrelevant units in the collection."""
        raise NotImplementedError

    def _of_search(self, search: VisitQuantities) -> float:
        return float(self.of_search(search, np.full(1, float(search.units)), np.full(1, search.length))[0])

    def search_tables(self, judged: JudgedTopic) -> list[Table]:
        """The search; with a spread that of the median tolerance, and what others get."""
        if self.population:
            return [self.groups_table(lambda one: one.value(judged))]
        table = self.search_table(judged)
        if not self.spread:
            return [table]
        table = Table(f"{table.title} of a person with the median tolerance", table.header, table.rows)
        return [table, self.people_table(judged, self.over_people(judged))]

    def search_table(self, judged: JudgedTopic) -> Table:
        found = self.search(judged)
        assert found is not None
        rows = [
            ["S, targets wanted", number(found.wanted)],
            ["R, targets there are", str(found.relevant)],
            ["I, units of irrelevant material in the collection", str(found.units)],
            ["j, units spent on the list", str(found.spent)],
            ["r, targets not retrieved", str(found.missing)],
            ["s, targets still wanted after the list", number(found.still)],
            ["ESL = j + s max(0, I - j)/(r + 1)", number(found.length, 6)],
        ]
        return Table("Expected search length", ["quantity", "value"], rows)


def irrelevant_units(places: Places, tolerance: float) -> int:
    """I = ceil((D - D_R)/tolerance): the collection without the union of the targets, in units."""
    return max(0, math.ceil(irrelevant_material(places) / tolerance - 1e-9))


@lru_cache(maxsize=4)
def irrelevant_material(places: Places) -> float:
    """D - D_R: the collection without the union of the targets."""
    targets = places.targets
    assert targets.start is not None and targets.end is not None
    relevant = 0.0
    for indices in targets.by_document().values():
        start, end = merge(targets.start[indices], targets.end[indices])
        relevant += float((end - start).sum())
    return max(0.0, float(places.total - relevant))
