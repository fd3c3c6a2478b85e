"""iMAep: interpolated average effort-precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.base import LEVELS
from berrypick.measures.gains._effort import _Interpolated, effort_precision
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class iMAep(_Interpolated):
    """Effort-precision averaged over the gain-recall levels .01, .02 .. 1.

    Formula
    -------
    ::

        iMAep = mean of epgr@l over l = .01 .. 1, with the same interpolation

    Meaning
    -------
    The area under the effort-precision/gain-recall graph.

    Use
    ---
    As MAep, when curves of topics with many and few relevant units are to weigh the same.

    Bounds
    ------
    0 to 1; more only where several results share a rank, because the ideal list has one unit a rank.

    Undefined
    ---------
    No targets.

    Example
    -------
    One of two equally relevant documents, at rank 2, and no other: 1/2 for the 50 levels up to .5, then 0

    >>> import berrypick as bp
    >>> bp.score("iMAep", {"q": {"a": 1, "b": 1}}, {"q": {"x": 2, "a": 1}})
    0.25
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.effort(
            "4.2",
            "",
            "definition",
            "mean of interpolated effort-precision at levels .01 to 1",
            "berrypick evaluate TRUTH RUN -m iMAep",
        ),
    )

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.curves(judged)
        if not len(found.ideal):
            return Score(None)
        return Score(math.fsum(effort_precision(found, level, self.interpolation) for level in LEVELS) / len(LEVELS))

    def explain(self, judged: JudgedTopic) -> Explanation:
        points = self.curve(judged) or []
        rows = [[f"{x:g}", number(y, 6)] for x, y in points[9::10]]
        rows.append(["mean of 100", self._value_text(judged)])
        return self._explanation(judged, Table("Effort-precision at gain-recall levels", ["level", "ep"], rows))
