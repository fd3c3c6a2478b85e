"""nxCG: normalised cumulated gain over overlapping units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures.gains._gains import CumulatedGain
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class nxCG(CumulatedGain):
    """The gain collected after k results over the gain of the best k results.

    Formula
    -------
    ::

        nxCG@k = xCG@k / xCI@k

    with xCG as in measure xCG, and xCI the cumulated gains of the base by decreasing gain. Both curves stay flat after
    their end.

    Meaning
    -------
    1: no list of k results gains more. What overlaps earlier results adds only what is still missing.

    Use
    ---
    The focused task of INEX: non-overlapping, most focused elements or passages, judged at early ranks.

    Bounds
    ------
    0 to 1. With alpha it can be more, and where several results share a rank: the ideal list has one unit a rank.

    Undefined
    ---------
    No targets.

    Example
    -------
    An article of which .3 is relevant (60 of 200 characters) over sections worth 1 (44 of 44) and .8 (16 of 20),
    retrieved in that order: (.3 + .7 + .5)/(1 + .8)

    >>> import berrypick as bp
    >>> import numpy as np
    >>> from berrypick.data.assemble import assemble
    >>> from berrypick.data.truth import TopicTruth
    >>> paths = ("/article[1]", "/article[1]/sec[1]", "/article[1]/sec[2]")
    >>> size, relevant = np.array([200.0, 44.0, 20.0]), np.array([60.0, 44.0, 16.0])
    >>> topic = TopicTruth("q", ("doc",) * 3, np.ones(3), path=paths, size=size, rsize=relevant)
    >>> truth = bp.Truth("elements", {"q": topic}, scale="sizes")
    >>> run = assemble(tag="run", topic=["q"] * 3, document=["doc"] * 3, path=paths)
    >>> round(bp.score("nxCG@3", truth, run), 4)
    0.8333
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "4.2",
            "4",
            "equation",
            "gains of the ideal list, largest first",
            "berrypick evaluate TRUTH RUN -m \"nxCG(base='full')@3\"",
        ),
        cite.inex("5.2", "7", "equation", "normalised cumulated gain", "berrypick evaluate TRUTH RUN -m nxCG[3]"),
        cite.inex(
            "5.2",
            "8",
            "equation",
            "gain of overlapping results, at most that of the ideal element",
            "berrypick evaluate TRUTH RUN -m \"nxCG(base='ideal')@3\"",
        ),
        cite.inex(
            "5.2",
            "",
            "definition",
            "full and ideal recall base",
            "berrypick evaluate TRUTH RUN -m \"nxCG(base='full')@3\"",
        ),
        cite.inex(
            "5.3",
            "",
            "definition",
            "what was reported for the focused task",
            'berrypick evaluate TRUTH RUN -m "nxCG@5 nxCG@10 nxCG@25 nxCG@50"',
        ),
        cite.inex(
            "8.2",
            "",
            "definition",
            "focused runs against the full recall base",
            "berrypick evaluate TRUTH RUN -m \"nxCG(base='full')@10\"",
        ),
    )

    curve_axes: ClassVar[tuple[str, str]] = ("rank", "normalised cumulated gain")
    why_above_one: ClassVar[str] = (
        "with alpha, overlapping results can count again, and several results at one rank add their gains"
    )

    def compute(self, judged: JudgedTopic) -> Score:
        k = int(self.needed_cutoff())
        found = self.curves(judged)
        best = found.ideal_at(k)
        return Score(found.run_at(k) / best if best > 0 else None)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        found = self.curves(judged)
        if found.total <= 0:
            return None
        longest = max(len(found.run), len(found.ideal))
        return [(k, found.run_at(k) / found.ideal_at(k)) for k in range(1, longest + 1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        k = int(self.needed_cutoff())
        found = self.curves(judged)
        rows = [
            ["gain of the run", number(found.run_at(k), 6)],
            ["gain of the ideal list", number(found.ideal_at(k), 6)],
            ["ratio", self._value_text(judged)],
        ]
        table = Table(f"After rank {k}", ["quantity", "value"], rows)
        return self._explanation(judged, self.gain_table(judged), table)
