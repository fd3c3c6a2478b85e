"""MAep: average effort-precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.score import Explanation, Score
from berrypick.measures.gains._effort import _EffortPrecision, rises_table
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class MAep(_EffortPrecision):
    """Effort-precision averaged over the ranks at which the gain rises.

    Formula
    -------
    ::

        ep at rank i = i_ideal(xCG[i]) / i
        MAep = sum of ep over the ranks i where xCG rises / max(n, number of such ranks)

    i_ideal(g) is the position at which the ideal curve, drawn in straight lines through (0, 0), reaches g; n is the
    number of units in the base. Dividing by n alone could exceed 1. The curve is that of epgr.

    Meaning
    -------
    Average precision for graded, overlapping units: how few ranks the ideal list needs for what this list gave.

    Use
    ---
    The thorough task of INEX: all relevant elements ranked by relevance, overlap ignored. base='ideal' for the focused
    one.

    Bounds
    ------
    0 to 1; more only where several results share a rank, because the ideal list has one unit a rank.

    Undefined
    ---------
    No targets.

    Example
    -------
    One relevant document of two found, at rank 2: 1/2, over n = 2

    >>> import berrypick as bp
    >>> bp.score("MAep", {"q": {"a": 1, "b": 1}}, {"q": {"x": 2, "a": 1}})
    0.25
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "4.2",
            "",
            "definition",
            "mean of effort-precision at ranks where the gain rises, 0 for what is not retrieved",
            "berrypick evaluate TRUTH RUN -m MAep",
        ),
        cite.inex(
            "4.3", "", "definition", "what was reported for the thorough task", "berrypick evaluate TRUTH RUN -m MAep"
        ),
        cite.effort("4.2", "", "definition", "the same without navigation", "berrypick evaluate TRUTH RUN -m MAep"),
    )

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.curves(judged)
        if not len(found.ideal):
            return Score(None)
        ranks = np.flatnonzero(found.rises)
        values = found.ideal_position(found.run[ranks]) / (ranks + 1)
        return Score(math.fsum(values) / max(len(found.ideal), len(ranks)))

    def explain(self, judged: JudgedTopic) -> Explanation:
        found = self.curves(judged)
        divisor = f"max({len(found.ideal)} units in the base, {int(found.rises.sum())} ranks)"
        return self._explanation(judged, rises_table(found), f"Divided by {divisor}: MAep = {self._value_text(judged)}")
