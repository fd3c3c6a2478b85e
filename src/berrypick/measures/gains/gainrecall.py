"""GainRecall: the share of all gain collected after k ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import parameter
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures._reach_tables import item_tables, reach_table, seen_by_rank
from berrypick.measures.gains._gains import Base, GainMeasure, curves, gain_table
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class GainRecall(GainMeasure):
    """The gain a reader has collected after k ranks over all the gain there is.

    Formula
    -------
    ::

        GainRecall@k = xCG@k / total gain of the base                     readers who do not move
        GainRecall@k = sum_x g[x] seen[k, x] / sum_x g[x]                 readers who do

    The first is gr of the INEX 2006 measures (equation 6), with xCG as in measure xCG; the second its expectation over
    the targets for a user model other than classical (equation 8 of effort-precision with navigation). Without a
    cut-off, after the whole list.

    Meaning
    -------
    Recall where units are worth different amounts: the x axis of effort-precision graphs.

    Use
    ---
    Beside epgr and epnav, to see how much of the gain a list gives at all. base='ideal' for the focused task.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets, or nothing that is worth anything.

    Example
    -------
    Documents worth 3, 6 and 2, retrieved in this order: 3 of 11 after the first.

    >>> import berrypick as bp
    >>> round(bp.score("GainRecall@1", {"q": {"a": 3, "b": 6, "c": 2}}, {"q": {"a": 3, "b": 2, "c": 1}}), 5)
    0.27273
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    aliases: ClassVar[tuple[str, ...]] = ("gr", "GR")
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "ignore_elements")
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex", "kazai2007effort")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "4.2",
            "6",
            "equation",
            "gain-recall: share of the total gain at a rank",
            "berrypick evaluate TRUTH RUN -m GR@3",
        ),
        cite.effort("4.2", "7", "equation", "gain-recall at a rank", "berrypick evaluate TRUTH RUN -m GainRecall@3"),
        cite.effort(
            "6",
            "8",
            "equation",
            "expected gain of readers who navigate, as a share of the total",
            "berrypick evaluate TRUTH RUN -m GainRecall@3 --user distance",
        ),
    )
    walks: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "share of the gain")

    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")
    base: Base = parameter("full", "ideal|full", "the full recall base (thorough), or the ideal one (focused)")

    def reads_targets(self, user: str) -> bool:
        """Readers who may see other targets than those pointed to."""
        return user != "classical"

    def _shares(self, judged: JudgedTopic) -> FloatArray | None:
        """The share of the gain after each rank; None where there is none."""
        if self._moves(judged):
            gain = judged.targets.gain
            return seen_by_rank(judged.reach, gain) / gain.sum()
        found = curves(judged, self.quant, self.base)
        return found.run / found.total if found.total > 0 else None

    def compute(self, judged: JudgedTopic) -> Score:
        shares = self._shares(judged)
        if shares is None:
            return Score(None)
        rank = len(shares) if self.at is None else min(int(self.at), len(shares))
        return Score(float(shares[rank - 1]) if rank else 0.0)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The share of the gain that each reader has collected; readers who do not move have all the same."""
        if not self._moves(judged):
            return ReaderValues.of(np.full(sessions.count, self.compute(judged).value))
        gain = judged.targets.gain / judged.targets.gain.sum()
        return ReaderValues.of(gain @ (sessions.first <= (np.finfo(float).max if self.at is None else self.at)))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        shares = self._shares(judged)
        return None if shares is None else [(k, float(share)) for k, share in enumerate(shares, start=1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        if self._moves(judged):
            names, targets = judged.items.names_by_rank(), judged.targets.names()
            parts: list[str | Table] = [*item_tables(judged), reach_table(judged.reach, names, targets)]
            total = float(judged.targets.gain.sum())
        else:
            parts = [gain_table(judged, self.quant, self.base, None)]
            total = curves(judged, self.quant, self.base).total
        value = self.compute(judged).value
        parts.append(
            "Undefined: nothing has a gain."
            if value is None
            else f"Of {number(total)} in all: {self} = {number(value, 6)}"
        )
        return Explanation(f"{self} for topic {judged.topic}", parts)

    def _moves(self, judged: JudgedTopic) -> bool:
        return self.reads_targets(judged.context.user.name())
