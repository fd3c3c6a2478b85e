"""Coverage: how much of the answer has been seen, against reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import above_zero, parameter
from berrypick.data.score import Curve, CurveColumns, Explanation, Score, Table, number
from berrypick.data.words import unit_word
from berrypick.measures._text_views import view_of
from berrypick.measures.base import Measure
from berrypick.measures.continuation._text_reading import Reading, effort_for, reading_of
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic

#: Points of the curve that all topics share, from 0 to the budget.
POINTS = 101
#: Shares of the answer whose price people ask for.
SHARES = (0.5, 0.8, 0.95)


@dataclass(frozen=True)
class Coverage(Measure):
    """The share of the answer seen, averaged over all amounts of text read up to a budget.

    Formula
    -------
    Results are read in ranked order, each from its start to its end. With seen(n) the share of the relevant
    characters among the text read with an effort of n, each character counted once::

        Coverage = (1/budget) x area under seen(n) from n = 0 to the budget

    Integrated by parts, this is the sum over the relevant characters of 1 - n/budget, with n the effort at which each
    is first seen (0 beyond the budget), divided by their number: the U-measure (Sakai and Dou 2013) with linear decay
    and L = budget, normalised by its largest value.

    Text that was read before costs effort again and shows nothing new; the curve stays flat after the end of the
    list. Effort is counted in tokens if the texts are given (option documents), else in characters; effort= decides.
    Tokens are those of the document, so it does not matter where chunks are cut.

    What is read with a result depends on the reader (option user, or user=). window and parent hand over more than the
    result: all of the widened region, from its start to its end and within the document, is read and paid for each
    time, whatever of it came with an earlier result. All other readers read what is pointed to.

    Meaning
    -------
    Near 1: the whole answer is at the very beginning. 0: none of it is read within the budget. It is also the
    mean share that is seen by readers, or fits into contexts, of all sizes up to the budget.

    Use
    ---
    Comparing chunkers and retrievers at the same cost, which measures at k chunks do not: k long chunks cost more
    than k short ones; and pipelines that add text around a chunk with those that do not. explain shows the budgets
    for 50, 80 and 95 per cent of the answer.

    Bounds
    ------
    0 to 1; 1 is never quite reached, since the answer itself has to be read.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    An answer of 100 characters is the second half of the first result, of 200; budget 400. Nothing for 100, then a rise
    over 100, then all of it for 200: (100 x 0 + 100 x 1/2 + 200 x 1)/400

    >>> import berrypick as bp
    >>> bp.score("Coverage(budget=400)", {"q": {"doc#100-200": 1}}, {"q": {"doc#0-200": 1}})
    0.625
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("tie-order"))
    references: ClassVar[tuple[str, ...]] = ("sakai2013summaries",)
    curve_axes: ClassVar[tuple[str, str]] = ("read, in {effort}", "share of the answer seen")

    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "effort", "tokenizer", "text")
    of_areas: ClassVar[bool] = True

    budget: float = above_zero(2000, "maximum amount read")
    effort: str | None = parameter(None, "tokens|chars", "unit of the budget; tokens if the texts are known")
    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")

    def _reading(self, judged: JudgedTopic) -> Reading:
        return reading_of(judged, self.effort)

    def _defined(self, judged: JudgedTopic) -> bool:
        return view_of(judged).total > 0

    def compute(self, judged: JudgedTopic) -> Score:
        if not self._defined(judged):
            return Score(None)
        reading = self._reading(judged)
        return Score(reading.area(float(self.budget)), signed=_signed(reading))

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """A reader reads some amount up to the budget, all amounts being as probable, and has seen some share."""
        return ReaderValues.of(self._reading(judged).at(float(self.budget) * sessions.draws.uniform("budget")))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """Every corner, also beyond the budget."""
        if not self._defined(judged):
            return None
        reading = self._reading(judged)
        last = np.append(np.diff(reading.effort) > 0, True)  # of corners at one place, the last
        bends = last & ~_level(reading.seen, last)
        return list(zip(reading.effort[bends].tolist(), reading.seen[bends].tolist(), strict=True))

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        if not self._defined(judged):
            return None
        places = _places(float(self.budget))
        return CurveColumns(places, self._reading(judged).at(np.array(places)))

    def missing_topic_curve(self) -> Curve | None:
        return [(x, 0.0) for x in _places(float(self.budget))]

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not self._defined(judged):
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        reading, view = self._reading(judged), view_of(judged)
        counts = "chars" if self.effort == "chars" else judged.context.reader.line_unit
        unit = f"{unit_word(counts)}s" if reading.unit == "chars" else reading.unit
        read, found = view.cumulated(reading.cost), view.cumulated(reading.found)
        names, got = view.ranking.names_by_rank()[:30], _handed_over(judged)
        rows = [
            [f"{k + 1} ({name})", *got[k : k + 1], number(read[k], 1), number(found[k])] for k, name in enumerate(names)
        ]
        head = ["rank", *(["the reader gets"] if got else []), f"{unit} read", "seen"]
        spent = [[f"{share:.0%}", _effort_text(effort_for(reading.effort, reading.seen, share))] for share in SHARES]
        return self._explanation(
            judged,
            Table("The answer seen after each rank", head, rows),
            Table(f"Budgets, in {unit}", ["of the answer", "needs"], spent, align=">>"),
            f"Area under the curve up to {self.budget:g} {unit}, divided by it: {self._value_text(judged)}",
        )


@lru_cache(maxsize=16)
def _places(budget: float) -> tuple[float, ...]:
    """Where the curves of all topics have their points."""
    return tuple(np.linspace(0.0, budget, POINTS).tolist())


def _signed(reading: Reading) -> tuple[tuple[str, str], ...]:
    effort = ("effort", reading.unit)
    return (effort, ("tokenizer", reading.tokenizer)) if reading.tokenizer else (effort,)


def _handed_over(judged: JudgedTopic) -> list[str]:
    """By rank, the regions that come with the results; nothing if they are the results themselves."""
    given, got = judged.ranking_spans, judged.read_regions
    assert given.start is not None and given.end is not None and got.start is not None and got.end is not None
    if (given.start == got.start).all() and (given.end == got.end).all():
        return []
    return replace(got, path=None).names_by_rank()


def _effort_text(effort: float | None) -> str:
    return "never" if effort is None else number(effort, 1)


def _level(seen: FloatArray, kept: BoolArray) -> BoolArray:
    """Corners between two others of the same height say nothing."""
    flat = np.zeros(len(seen), dtype=bool)
    index = np.flatnonzero(kept)
    level = seen[index]
    flat[index[1:-1]] = (level[1:-1] == level[:-2]) & (level[1:-1] == level[2:])
    return flat


# --- curves as values -------------------------------------------------------------------------------------------------


def coverage_budgets(
    curve: Sequence[tuple[float, float]], shares: Sequence[float] = SHARES
) -> dict[float, float | None]:
    """Compute the effort that a coverage curve needs for shares of the answer.

    Parameters
    ----------
    curve : list of pairs
        Points (effort, share seen).
    shares : list of float
        The shares.

    Returns
    -------
    dict
        Share to effort; None where the curve never gets there.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.measures.continuation.coverage import coverage_budgets
    >>> coverage_budgets([(0, 0), (100, 0), (200, 1)])
    {0.5: 150.0, 0.8: 180.0, 0.95: 195.0}
    """
    points = np.array(curve, dtype=np.float64).reshape(-1, 2)
    return {
        share: None if (found := effort_for(points[:, 0], points[:, 1], share)) is None else round(found, 6)
        for share in shares
    }


@dataclass(frozen=True)
class CoverageBand:
    """A mean curve over topics with the interval in which it would lie if the topics were drawn anew."""

    effort: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def coverage_band(
    curves: Sequence[Sequence[tuple[float, float]]],
    budget: float = 2000,
    *,
    points: int = POINTS,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> CoverageBand:
    """Compute the mean of coverage curves, with a bootstrap band over topics.

    Parameters
    ----------
    curves : list of curves
        For each topic its points (effort, share seen). A curve stays at its last value; one without points is a topic
        without any answer, 0 throughout.
    budget : float
        The effort up to which the band goes.
    points : int
        How many points the common grid has.
    confidence : float
        The confidence of intervals.
    resamples : int
        Draws of topics for each interval and test.
    seed : int
        The seed of what is drawn.

    Returns
    -------
    Band
        Four tuples of ``points`` numbers: effort, mean, low and high (percentiles, pointwise).

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.measures.continuation.coverage import coverage_band
    >>> band = coverage_band([[(0, 0), (100, 1)], [(0, 0), (200, 1)]], budget=200, points=3)
    >>> band.effort, band.mean
    ((0.0, 100.0, 200.0), (0.0, 0.75, 1.0))
    """
    if not curves:
        raise UsageError("a band needs the curve of at least one topic")
    if not 0 < confidence < 1 or resamples < 1 or points < 2 or budget <= 0:
        raise UsageError("confidence must be between 0 and 1; resamples, points and budget are above 0")
    grid = np.linspace(0.0, budget, points)
    values = np.array([_on(curve, grid) for curve in curves])
    values = values[np.lexsort(values.T[::-1])]  # the order of topics changes nothing
    draws = np.random.default_rng(seed).integers(0, len(values), size=(resamples, len(values)))
    weight = np.zeros((resamples, len(values)))
    for draw, row in zip(draws, weight, strict=True):
        row += np.bincount(draw, minlength=len(values))
    tail = (1 - confidence) / 2
    low, high = np.quantile(weight @ values / len(values), [tail, 1 - tail], axis=0)
    return CoverageBand(*(tuple(column.tolist()) for column in (grid, values.mean(axis=0), low, high)))


def _on(curve: Sequence[tuple[float, float]], grid: FloatArray) -> FloatArray:
    found = np.array(curve, dtype=np.float64).reshape(-1, 2)
    return np.interp(grid, found[:, 0], found[:, 1]) if len(found) else np.zeros(len(grid))
