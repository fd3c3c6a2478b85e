"""ExpectedRatio: the expected share of the targets that have been seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import parameter
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures._reach_tables import MOST_ROWS, item_tables, reach_table, seen_by_rank
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._leaving import last_ranks, leaving, parse_stop, useful
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

    Without a cut-off, after the whole list. With stop='leaves(cost=c)' readers leave the list by themselves::

        ExpectedRatio(stop=..) = sum_k P(leave after k) ExpectedRatio@k

    After k ranks, f of which led to something new, a reader expects the next rank to do so with
    p = (a + f)/(a + b + k). Consulting it costs c, something new is worth d^f, and the reader looks ahead to the end of
    the list: V(N, f) = 0, V(k, f) = max(0, p (d^f + V(k+1, f+1)) + (1 - p) V(k+1, f) - c), leaving at the first V = 0.
    In leaves(cost=.1,a=1,b=1,discount=1) all but the cost are the defaults. Two assumptions keep this a sum: ranks are
    useful independently of one another, and what was seen after rank k does not depend on leaving there. simulate shows
    what they cost.

    Without stop= it depends on the probability of each target for itself (the marginals)
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

    Of 20 results the eighth is relevant. A reader whom a rank costs .3 leaves after the fourth, if none was of use:

    >>> run = {"q": {f"d{k}": 20 - k for k in range(20)}}
    >>> [bp.score(f"ExpectedRatio(stop='leaves(cost={c})')", {"q": {"d7": 1}}, run) for c in (.1, .3)]
    [1.0, 0.0]
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "idealism")
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("piwowarski2004expected",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.effort("5.2", "", "example", "seen with .3, then .93", "bp.expected_ratio([[0.3], [0.9]])"),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "expected share of the targets")

    stop: str | None = parameter(
        None, "text", "when readers leave the list, as in leaves(cost=.1); by default at the end, or at rank @k"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stop is not None:
            if self.at is not None:
                raise UsageError("ExpectedRatio takes one of stop= and @rank, not both")
            parse_stop(self.stop)

    def kept_laws(self) -> tuple[str, ...]:
        """Who finds something stays longer, and who finds all of it early may leave before the rest."""
        broken = ("relevant-added", "reach-raised") if self.stop is not None else ()
        return without(*broken, laws=super().kept_laws())

    def _leaving(self, judged: JudgedTopic) -> FloatArray:
        """P(leave after k) for k = 0 .. the length of the list."""
        assert self.stop is not None
        return leaving(parse_stop(self.stop), useful(judged.reach))

    def compute(self, judged: JudgedTopic) -> Score:
        weight = judged.targets.idealism
        if not weight.any():
            return Score(None)
        if self.stop is not None:
            values = seen_by_rank(judged.reach, weight / weight.sum())
            return Score(float(self._leaving(judged)[1:] @ values))
        rank = judged.reach.ranks if self.at is None else int(self.at)
        return Score(float(judged.reach.expected_seen(rank) @ weight / weight.sum()))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(0.0 if judged.targets.idealism.any() else None)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The share of the targets that each reader has seen."""
        weight = judged.targets.idealism / judged.targets.idealism.sum()
        if self.stop is not None:
            first = sessions.first
            new = np.zeros((judged.reach.ranks, sessions.count), dtype=bool)
            target, reader = np.nonzero(np.isfinite(first))
            new[first[target, reader].astype(np.int64) - 1, reader] = True
            return ReaderValues.of(weight @ (first <= last_ranks(parse_stop(self.stop), new)))
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
        if self.stop is not None:
            return self._explanation(judged, *item_tables(judged), *self._leaving_tables(judged, weight))
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

    def _leaving_tables(self, judged: JudgedTopic, weight: FloatArray) -> list[str | Table]:
        """Where readers leave, and what they have seen by then."""
        values = [0.0, *seen_by_rank(judged.reach, weight / weight.sum()).tolist()]
        shares, chance = self._leaving(judged).tolist(), [None, *useful(judged.reach).tolist()]
        rows = [
            [str(k), "" if new is None else number(new), number(share), number(value)]
            for k, (new, share, value) in enumerate(zip(chance, shares, values, strict=True))
            if share > 0 or new
        ][:MOST_ROWS]
        head = ["rank k", "P(something new)", "P(leave after k)", "share seen"]
        reached = reach_table(judged.reach, judged.items.names_by_rank(), judged.targets.names())
        return [reached, Table("Leaving the list", head, rows), f"{self} = {self._value_text(judged)}"]
