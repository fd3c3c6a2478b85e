"""T2I: what is found while patience lasts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import NamedError, UsageError
from berrypick.data.parameters import above_zero
from berrypick.data.score import Curve, Score, Table, number
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._visits import VisitMeasure
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic
from berrypick.users.tolerance.people import PeopleWalk

#: Units of tolerance in the default budget.
USUAL_UNITS = 20
#: More units of tolerance than this in a budget are a slip of the pen.
MOST_UNITS = 1_000_000


@dataclass(frozen=True)
class T2I(VisitMeasure):
    """Targets found per unit of wasted effort, averaged over growing budgets of waste.

    Formula
    -------
    With tolerance tau and budget T::

        T2I = mean over t = 1 .. floor(T/tau) of (targets found before the t-th unit is wasted) / t

    If fewer units are ever wasted, everything found counts. T2I(at=t), or T2I@t, is the quotient for one t, the t-th
    wasted unit (not a rank), and the curve shows it for every t. T is 20 tau by default. A result is an entry point:
    the reader moves forward from it, and wastes one unit when tau of irrelevant material has passed, or the document
    ends, with nothing new.

    tau and T count what offsets count, seconds or characters; with unit='tokens' or 'sentences' those of the texts, and
    then white space between them costs nothing.

    With redundancy=rho text seen before has a tolerance of its own: without anything new, a unit of text spends 1/rho
    inside a target already seen, else 1/tau, and a unit is wasted when the sum since the last new relevant moment
    reaches 1. rho = tau unless given; 'inf' passes such text for nothing.

    With spread=s people differ (section 4 of the paper): tau is log-normal with median ``tolerance`` and sigma s, one
    for all visits of a person, and T2I is the mean over people. A budget that was given is the same for all of them,
    max(1, floor(T/tau)) units; 20 tau are each person's own. The user model t2i(spread=s) draws anew for each visit.
    With tolerance='10=.3,25=.7' groups of people have a tolerance each, and T2I is the mean by their shares.

    Meaning
    -------
    How much a person finds who is willing to sit through T of irrelevant material, tau at a time.

    Use
    ---
    Video and long text, where a result is a place to start, and where starting a little early does no harm.

    Bounds
    ------
    From 0; above 1 when more targets are found than units wasted.

    Undefined
    ---------
    No targets. Document lengths must be known (option collection), for tokens the texts (option documents).

    Example
    -------
    Two targets, 5 and 20 seconds into a video of 100, and a result that starts at 0. A viewer with a tolerance of 15
    finds both before the first unit is wasted, so with a budget of two units (2/1 + 2/2)/2

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#20-30": 1}}, {"q": {"video#0-5": 1}}
    >>> bp.score("T2I(tolerance=15,budget=30)", truth, run, collection=bp.Collection({"video": 100}))
    1.5

    If tolerances differ with sigma .5, half of the people have one unit in this budget, and some miss a target:

    >>> different = "T2I(tolerance=15,budget=30,spread=0.5)"
    >>> round(bp.score(different, truth, run, collection=bp.Collection({"video": 100})), 4)
    1.5485
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "5",
            "2",
            "equation",
            "mean of targets found per unit of waste, over growing budgets",
            'berrypick evaluate TRUTH RUN -m "T2I(tolerance=15,budget=60)"',
        ),
        cite.tolerance(
            "5", "", "definition", "the same at one budget", 'berrypick evaluate TRUTH RUN -m "T2I(tolerance=15)@3"'
        ),
        cite.tolerance(
            "6",
            "",
            "definition",
            "measures of people whose tolerances differ",
            "berrypick evaluate TRUTH RUN -m \"T2I(tolerance='10=.3,25=.7')\"",
        ),
    )

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"  # at=t may be typed after @ as well
    cutoff_is: ClassVar[str] = "a count of wasted units, not a rank"
    default_of_videos: ClassVar[bool] = True  # of viewers who go on to the end
    why_above_one: ClassVar[str] = "more targets are found than units of effort wasted"
    curve_axes: ClassVar[tuple[str, str]] = ("units of tolerance", "targets found per unit")

    budget: float | None = above_zero(None, "total irrelevant material read; 20 tolerances by default")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is not None and self.budget is not None:
            raise UsageError("T2I takes one of at= and budget=, not both")
        if self.at is not None and self.at > MOST_UNITS:
            raise UsageError(f"T2I: at={self.at} is more than {MOST_UNITS} units of tolerance")
        for tolerance in (one for one, _ in self.population or ((self.tolerance, 1.0),) if one is not None):
            self._units(float(tolerance))

    @classmethod
    def from_parameters(cls, values: dict[str, Any], text: str, **fields: Any) -> T2I:
        """``T2I(at=3)`` and ``T2I@3`` are the same."""
        if "at" in values:
            if fields.get("at") is not None:
                raise UsageError(f"{text}: T2I takes one of at= and @, not both")
            fields = {**fields, "at": values["at"]}
            values = {name: value for name, value in values.items() if name != "at"}
        return super().from_parameters(values, text, **fields)

    def _units(self, tolerance: float) -> int:
        """How many units of tolerance there are in the budget."""
        if self.at is not None:
            return int(self.at)
        if self.budget is None:
            return USUAL_UNITS
        units = math.floor(self.budget / tolerance + 1e-9)
        if units < 1 and self.spread:
            return 1
        if units < 1:
            raise NamedError(f"T2I: the budget {self.budget:g} is smaller than the tolerance {tolerance:g}")
        if units > MOST_UNITS:
            raise NamedError(f"T2I: the budget {self.budget:g} is more than {MOST_UNITS} times the tolerance")
        return units

    def amount(self, judged: JudgedTopic) -> float:
        """A budget of its own number of units for each person; 20 tolerances are as many for all."""
        return 0.0 if self.budget is None else float(self.budget)

    def precisions(self, judged: JudgedTopic) -> list[float]:
        """Found before the t-th unit, over t; the mean over people, where these differ."""
        if self.population:
            groups = self.of_groups()
            units = max(one._units(one.patience(judged)) for _, one in groups)
            walks = [(share, one.walk(judged)) for share, one in groups]
            found = [(share, _found_before(one.found_before_unit, one.found, units)) for share, one in walks]
            return [math.fsum(share * float(own[t]) for share, own in found) / (t + 1) for t in range(units)]
        if not self.spread:
            steps, units = self.walk(judged), self._units(self.patience(judged))
            return (_found_before(steps.found_before_unit, steps.found, units) / np.arange(1, units + 1)).tolist()
        people_walks, units = self.people_walks(judged), self._units(self.patience(judged))
        people = self.people(judged)
        total = np.zeros(units)
        for one in people_walks:
            total += people.share(one.low, one.high) * _found_before(one.found_before_unit, one.found, units)
        return (total / np.arange(1, units + 1)).tolist()

    def over_people(self, judged: JudgedTopic) -> list[float]:
        """What people of each range of tolerances add to the value."""
        walks, people, found = self.people_walks(judged), self.people(judged), []
        for one in walks:
            value = partial(_mean_over_units, one)
            if self.budget is not None:
                found.append(people.mean(one.low, one.high, value, float(self.budget), "down"))
                continue
            units = self._units(self.patience(judged))
            last = float(_found_before(one.found_before_unit, one.found, units)[-1] / units)
            own = float(value(np.full(1, float(units)))[0]) if self.at is None else last
            found.append(float(people.share(one.low, one.high)) * own)
        return found

    def single(self, judged: JudgedTopic) -> float | None:
        if self.spread:
            return math.fsum(self.over_people(judged))
        values = self.precisions(judged)
        return values[-1] if self.at is not None else math.fsum(values) / len(values)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """Targets found before each unit is wasted, by every viewer."""
        units = np.full(1, self._units(self.patience(judged)), dtype=np.float64)
        if self.differ and self.budget is not None:
            units = np.maximum(1.0, np.floor(self.budget / self.tolerances(judged, sessions)))
        first = units if self.at is not None else np.ones(1)  # the units that count are from first to units
        found, spent, value = np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros(1)
        for new, wasted in self.viewings(judged, sessions):
            found = found + new
            value = value + wasted * (spent + 1 >= first) * (spent < units) * found / (spent + 1)
            spent = np.minimum(spent + wasted, units)
        value = value + found * (_harmonic(units) - _harmonic(np.maximum(spent, first - 1)))
        value = value if self.at is not None else value / units
        return ReaderValues.of(np.broadcast_to(value, (sessions.count,)))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.scored(judged, 0.0)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        return [(t, value) for t, value in enumerate(self.precisions(judged), start=1)]

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        if self.population:
            return [self.groups_table(lambda one: one.single(judged))]
        values = self.precisions(judged)
        if self.spread:
            return [self.people_table(judged, self.over_people(judged))]
        rows = [[str(t), number(value * t), number(value, 6)] for t, value in enumerate(values, start=1)]
        if self.at is None:
            rows.append(["mean", "", number(math.fsum(values) / len(values), 6)])
        return [Table("Found before the t-th unit is wasted", ["t", "found", "found / t"], rows)]


def _found_before(before: Sequence[int] | IntArray, found: int, units: int) -> IntArray:
    """Targets found before each of some units is wasted; all of them before units that never are."""
    some = np.asarray(before[:units], dtype=np.int64)
    return np.concatenate([some, np.full(units - len(some), found, dtype=np.int64)])


def _mean_over_units(walk: PeopleWalk, units: FloatArray) -> FloatArray:
    """The mean over t = 1 .. n of what is found before the t-th unit, over t, for several n."""
    before = walk.found_before_unit
    sums = np.concatenate([[0.0], np.cumsum(before / np.arange(1, len(before) + 1))])
    wasted = np.minimum(np.floor(units), len(before)).astype(np.int64)
    left = np.where(units > len(before), _harmonic(units) - _harmonic(wasted), 0.0)
    return np.asarray((sums[wasted] + walk.found * left) / units)


def _harmonic(n: FloatArray | IntArray) -> FloatArray:
    """1 + 1/2 + .. + 1/n."""
    from scipy.special import digamma

    return np.asarray(digamma(np.asarray(n, dtype=np.float64) + 1.0) + np.euler_gamma)
