"""TBG: time-biased gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.laws import without
from berrypick.data.parameters import above_zero, parameter, zero_or_more
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures.base import SHOWN, Measure
from berrypick.measures.continuation._newly_seen import costs_of, newly_seen
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic

#: Half of the readers are still there after so much; 20 characters or 4 tokens are taken as read in a second.
HALF_LIFE = {"seconds": 224.0, "chars": 4480.0, "tokens": 896.0}

#: Shares of all gain for which explanations show how many readers collect them.
SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class TBG(Measure):
    """Time-biased gain: what is seen is worth less the more has been read before it.

    Formula
    -------
    With t(k) the time spent before result k, and new(k, x) the share of target x that result k shows for the first
    time::

        TBG  = sum over results k and targets x of gain(x) x new(k, x) x (1/2)^(t(k)/h)
        t(k) = sum over results j before k of summary + document x [first result of its document] + rate x length(j)

    Half of the readers are still there after a time of h. All that a result shows counts at the time at which it
    begins. Text that was read before costs time again and shows nothing new. TBG@k is that of the first k results. An
    entry point is seen as a whole by the first result that holds it.

    Lengths are counted in tokens if the texts are given (option documents), else in what positions count; option effort
    decides. One unit takes a time of rate, 1 by default, so that time is counted in these units. By default h is 224
    seconds as in its paper, or 4480 characters or 896 tokens, which is the same at 20 characters or 4 tokens a second.
    With rate= it is 224, as times are then in seconds. The paper's calibration is TBG(h=224, summary=4.4, document=7.8,
    rate=0.018) with words; its probabilities of opening a result and of recognising what is relevant are 1 here.

    normalised=True divides by the value of the targets themselves as results, each of which shows itself alone, by
    decreasing gain(x) / (1 - (1/2)^(cost(x)/h)), with cost(x) the time for x alone: their best order if document is 0.

    What is read with a result depends on the reader (option user, or user=): window and parent hand over more than the
    result. All other readers read what is pointed to.

    Meaning
    -------
    The gain that readers collect before they stop, on average, if after a time t a share of (1/2)^(t/h) goes on.

    Use
    ---
    Lists of results of different length, when time matters: a long result delays all that follow it. Not for
    comparing sizes of chunks as such: within a result nothing is late, so that one long result with everything in it
    has the largest value. Coverage counts what is read within results too. explain shows how many readers
    collect how much.

    Bounds
    ------
    From 0 to the sum of the gains of the targets. With normalised=True 1 is the list of the targets; a result that
    shows several targets at once can be better than that.

    Undefined
    ---------
    No targets.

    Example
    -------
    Half of the target is in the first result, of 100 characters; a quarter in the third, after 300, which are three
    half-lives: 1/2 + 1/4 x 1/8

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-40": 1}}
    >>> run = {"q": {"a#20-120": 3, "b#0-200": 2, "a#0-10": 1}}
    >>> bp.score("TBG(h=100)", truth, run)
    0.53125
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "effort", "tokenizer")
    references: ClassVar[tuple[str, ...]] = ("smucker2012time",)
    why_above_one: ClassVar[str] = (
        "it adds up gains; normalised, a result that shows several targets at once exceeds the ideal"
    )
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "time-biased gain")

    h: float | None = above_zero(None, "half-life; 224 seconds, 4480 characters or 896 tokens by default")
    summary: float = zero_or_more(0, "time to read the summary of each result")
    document: float = zero_or_more(0, "time to open each document")
    rate: float | None = zero_or_more(None, "time to read one unit of text (1 by default)")
    normalised: bool = parameter(False, "bool", "divide by the value of the list of the targets")
    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")

    def half_life(self, judged: JudgedTopic) -> float:
        """As given, or as goes with what is counted."""
        if self.h is not None:
            return float(self.h)
        unit = "seconds" if self.rate is not None else costs_of(judged).unit
        if unit == "lines":
            raise UsageError("h has no default where positions count lines: give it, as in TBG(h=100)")
        if unit is None:
            raise UsageError(
                "h has no default here, because it is not known whether positions count characters or seconds; "
                f"give it, as in TBG(h=4480), or say {option('effort', 'chars')}"
            )
        return HALF_LIFE[unit]

    def _begins(self, lengths: FloatArray, documents: IntArray | Sequence[str]) -> FloatArray:
        """The time at which each result begins."""
        opens = np.zeros(len(lengths))
        opens[np.unique(documents, return_index=True)[1]] = 1.0
        cost = self.summary + self.document * opens + self._per_unit * lengths
        return np.cumsum(cost) - cost

    @property
    def _per_unit(self) -> float:
        return 1.0 if self.rate is None else float(self.rate)

    def _kept(self, judged: JudgedTopic) -> BoolArray:
        rank = judged.read_regions.rank
        return np.ones(len(rank), dtype=bool) if self.at is None else np.asarray(rank < self.at)

    def _gains(self, judged: JudgedTopic) -> tuple[FloatArray, FloatArray]:
        """By result: the gain that it shows, and the time at which it begins."""
        regions, new = judged.read_regions, newly_seen(judged)
        weight = judged.targets.gain[new.target] * new.share
        gain = np.bincount(new.row, weights=weight, minlength=len(regions)).astype(np.float64)
        return gain, self._begins(costs_of(judged).results, regions.document)

    def _ideal(self, judged: JudgedTopic) -> float:
        """The value of the targets as results, in the order that is the best one if opening documents is free."""
        h, gain, lengths = self.half_life(judged), judged.targets.gain, costs_of(judged).targets
        cost = self.summary + self.document + self._per_unit * lengths
        lost = -np.expm1(-cost * np.log(2) / h)
        worth = np.divide(gain, lost, out=np.full(len(gain), np.inf), where=lost > 0)
        order = np.lexsort((np.arange(len(gain)), -gain, -worth))
        begins = self._begins(lengths[order], [judged.targets.document[x] for x in order.tolist()])
        kept = slice(None if self.at is None else int(self.at))
        return float((gain[order] * np.exp2(-begins / h))[kept].sum())

    def _by_row(self, judged: JudgedTopic) -> FloatArray:
        gain, begins = self._gains(judged)
        found = gain * np.exp2(-begins / self.half_life(judged))
        return found / self._ideal(judged) if self.normalised else found

    def compute(self, judged: JudgedTopic) -> Score:
        if not judged.targets.gain.any():
            return Score(None)
        value = float(self._by_row(judged)[self._kept(judged)].sum())
        usual = () if self.h is not None else (("h", f"{self.half_life(judged):g}"),)
        return Score(value, signed=(*usual, *costs_of(judged).signed))

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """A reader stops at some time, half of them after each half-life, and has the gain of what began before."""
        kept = self._kept(judged)
        gain, begins = (values[kept] for values in self._gains(judged))
        if self.normalised:
            gain = gain / self._ideal(judged)
        stops = -self.half_life(judged) * np.log2(1.0 - sessions.draws.uniform("time"))
        collected = np.concatenate([[0.0], np.cumsum(gain)])
        return ReaderValues.of(collected[np.searchsorted(begins, stops, side="right")])

    def curve(self, judged: JudgedTopic) -> Curve | None:
        if not judged.targets.gain.any():
            return None
        regions = judged.read_regions
        by_rank = np.bincount(regions.rank, weights=self._by_row(judged), minlength=regions.ranks)
        return [(k, float(y)) for k, y in enumerate(np.cumsum(by_rank), start=1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not judged.targets.gain.any():
            return self._explanation(judged, "Undefined: there are no targets.")
        regions, h = judged.read_regions, self.half_life(judged)
        gain, begins = self._gains(judged)
        length = costs_of(judged).results
        shown = np.flatnonzero(self._kept(judged))[:SHOWN].tolist()
        rows = [
            [
                f"{int(regions.rank[row]) + 1} ({judged.ranking_spans.name(row)})",
                number(float(length[row]), 1),
                number(float(begins[row]), 1),
                number(float(gain[row])),
                number(float(2 ** (-begins[row] / h))),
                number(float(gain[row] * 2 ** (-begins[row] / h)), 6),
            ]
            for row in shown
        ]
        head = ["rank", "length", "begins at", "new gain", "still there", "counts"]
        ideal = [f"Divided by that of the targets as results: {number(self._ideal(judged), 6)}"] * self.normalised
        table = Table(f"What each result adds; half-life {h:g}", head, rows, align="<>>>>>")
        return self._explanation(judged, table, self._readers(judged), *ideal, f"{self} = {self._value_text(judged)}")

    def _readers(self, judged: JudgedTopic) -> Table:
        """How the gain is distributed: those who are there when a result begins collect what it shows."""
        gain, begins = (values[self._kept(judged)] for values in self._gains(judged))
        collected, total = np.cumsum(gain), float(judged.targets.gain.sum())
        rows = []
        for share in SHARES:
            enough = np.flatnonzero(collected >= share * total * (1 - 1e-9))
            there = 2 ** (-float(begins[enough[0]]) / self.half_life(judged)) if len(enough) else 0.0
            rows.append([f"{share:.0%}", number(share * total), number(there)])
        head = ["of all gain", "gain", "share of readers"]
        return Table("Readers who collect at least this much", head, rows, align=">>>")
