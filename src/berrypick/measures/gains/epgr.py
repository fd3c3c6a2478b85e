"""epgr: effort-precision at a gain-recall level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data import papers as cite
from berrypick.data.score import Explanation, Score, number
from berrypick.measures.gains._effort import _Interpolated, effort_precision, reached, reached_table
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class epgr(_Interpolated):
    """Ratio of the ranks an ideal list needs to reach a share of the gain to the ranks this list needs.

    Formula
    -------
    The position at which a list has the gain l x total, of the ideal list over that of the run (equation 5; equation 6
    of the 2007 paper). With i the first rank of the run whose cumulated gain reaches it::

        epgr@l = (first whole ideal rank that reaches l x total) / i       interpolation='step'
        epgr@l = i_ideal(l x total) / i_run(l x total)                     interpolation='linear'
        epgr@l = i_ideal(xCG[i]) / i                                       interpolation='natural'

    i_ideal(g) and i_run(g) are positions on curves drawn in straight lines through (0, 0). 0 if the list never
    reaches the gain. The ideal list gets 1 in all three.

    Meaning
    -------
    Effort counted in ranks: 0.5 means twice as many ranks as needed for that share of the relevance.

    Use
    ---
    The effort-precision/gain-recall graph of the thorough task; epnav is its form for readers who navigate.

    Bounds
    ------
    0 to 1; more only where several results share a rank, because the ideal list has one unit a rank.

    Undefined
    ---------
    No targets.

    Example
    -------
    One of two equally relevant documents, at rank 4, reaches level .5, for which the ideal list needs one rank: 1/4

    >>> import berrypick as bp
    >>> bp.score("epgr@0.5", {"q": {"a": 1, "b": 1}}, {"q": {"x": 4, "y": 3, "z": 2, "a": 1}})
    0.25
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "4.2",
            "5",
            "equation",
            "effort-precision: ideal rank over rank of the run at a gain",
            "berrypick evaluate TRUTH RUN -m epgr@0.5",
        ),
        cite.inex(
            "4.2",
            "",
            "figure",
            "figure 1: both curves, read at a gain and at a rank",
            "berrypick evaluate TRUTH RUN -m \"epgr(interpolation='linear')@0.5\"",
        ),
        cite.inex(
            "4.2", "", "definition", "the curve ep/gr at 100 levels", "berrypick evaluate TRUTH RUN -m ep/gr@0.5"
        ),
        cite.effort(
            "4.1",
            "1",
            "equation",
            "effort-precision in ranks",
            "berrypick evaluate TRUTH RUN -m \"epgr(interpolation='step')@0.5\"",
        ),
        cite.effort(
            "4.1",
            "",
            "example",
            "gains 3, 6 and 2, whose ideal order is 6, 3, 2",
            'bp.score("epgr@0.5", {"q": {"a": 3, "b": 6, "c": 2}}, {"q": {"a": 3, "b": 2, "c": 1}})',
        ),
        cite.effort(
            "4.2",
            "4",
            "equation",
            "least rank at which a gain is reached",
            "berrypick evaluate TRUTH RUN -m \"epgr(interpolation='step')@0.3\"",
        ),
        cite.effort(
            "4.2",
            "",
            "figure",
            "figure 3: effort-precision read off two curves",
            "berrypick evaluate TRUTH RUN -m \"epgr(interpolation='linear')@0.3\"",
        ),
    )

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    cutoff_required: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        at = float(self.needed_cutoff())
        found = self.curves(judged)
        return Score(effort_precision(found, at, self.interpolation) if len(found.ideal) else None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        found, level = self.curves(judged), float(self.needed_cutoff())
        wanted = f"The gain wanted is {number(level * found.total)} of {number(found.total)}"
        result = f"epgr@{level:g} = {self._value_text(judged)}"
        both = reached(found, level, self.interpolation) if len(found.ideal) else None
        if both is None:
            return self._explanation(judged, f"{wanted}, but the list never reaches it: {result}")
        limit = "" if both.position else ", the ratio of the first gains, since both positions are 0"
        return self._explanation(judged, reached_table(found, both), f"{wanted}: {result}{limit}")
