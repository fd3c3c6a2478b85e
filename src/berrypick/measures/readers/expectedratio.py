"""ExpectedRatio: the expected share of the targets that have been seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.laws import with_laws
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures._reach_tables import item_tables, reach_table, seen_by_rank
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._targets import TargetMeasure
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class ExpectedRatio(TargetMeasure):
    """The expected share of the targets that a reader has seen after k ranks.

    Formula
    -------
    ::

        ExpectedRatio@k = sum_x P(x ideal) seen[k, x] / sum_x P(x ideal)

    Without a cut-off, after the whole list. It depends on the probability of each target for itself (the marginals)
    only: whatever readers see together, the value is the same, where EPRUM has an interval (together='low', 'high').

    Meaning
    -------
    Recall for readers who move: every target counts with the probability that it has been seen by then, and in
    proportion to the readers for whom it is ideal.

    Use
    ---
    When the order inside the first k does not matter, or to see the effect of a user model at a glance. Its paper
    calls it ERR, which means expected reciprocal rank elsewhere.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    After c and d, 1 - .6 x .4 of the readers have seen a and 1 - .6 x .6 have seen b: (.76 + .64)/2

    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    >>> truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "d": 2, "a": 1}}
    >>> round(bp.score("ExpectedRatio@2", truth, run, navigation=clicks), 4)
    0.7
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...]] = ("user", "targets", "idealism")
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("piwowarski2004expected",)
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "expected share of the targets")

    def compute(self, judged: JudgedTopic) -> Score:
        weight = judged.targets.idealism
        if not weight.any():
            return Score(None)
        rank = judged.reach.ranks if self.at is None else int(self.at)
        return Score(float(judged.reach.expected_seen(rank) @ weight / weight.sum()))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(0.0 if judged.targets.idealism.any() else None)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The share of the targets that each reader has seen."""
        weight = judged.targets.idealism / judged.targets.idealism.sum()
        return ReaderValues.of(weight @ (sessions.first <= (np.finfo(float).max if self.at is None else self.at)))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        weight = judged.targets.idealism
        if not weight.any():
            return None
        values = seen_by_rank(judged.reach, weight / weight.sum())
        return [(k, float(value)) for k, value in enumerate(values, start=1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        weight = judged.targets.idealism
        if not weight.any():
            return self._explanation(judged, "Undefined: no target is ideal for any reader.")
        rank = judged.reach.ranks if self.at is None else int(self.at)
        seen = judged.reach.expected_seen(rank)
        rows = [
            [name, number(float(p)), number(float(w))]
            for name, p, w in zip(judged.targets.names(), seen, weight, strict=True)
        ]
        rows.append(["ratio", number(float(seen @ weight / weight.sum()), 6), number(float(weight.sum()))])
        reached = reach_table(judged.reach, judged.items.names_by_rank(), judged.targets.names())
        after = Table(f"After rank {rank}", ["target", "P(seen)", "P(ideal)"], rows)
        return self._explanation(judged, *item_tables(judged), reached, after)
