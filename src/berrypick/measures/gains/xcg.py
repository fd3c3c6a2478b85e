"""xCG: cumulated gain over overlapping units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.score import Curve, Explanation, Score
from berrypick.measures.gains._gains import CumulatedGain
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class xCG(CumulatedGain):
    """The gain a reader has collected after k results, when overlapping results do not count twice.

    Formula
    -------
    ::

        xCG@k = sum_{j<=k} xG_norm[j]
        xG_norm[j] = max over ideal units y that overlap j of
                     max(0, min(xG[j], xG[y] - sum of xG of the distinct results before j that overlap y))

    A repeat gains 0. With base='full' elements gain what they are worth, overlap ignored (thorough task). With alpha
    (0 to 1) the older rule applies: an element retrieved already or under a retrieved one is worth (1-alpha) q, one
    over a retrieved one alpha x (what its children still give, by size) + (1-alpha) q.

    Meaning
    -------
    How much relevance has been retrieved, in units of fully relevant results.

    Use
    ---
    To look at a single topic; across topics use nxCG, which divides by what was possible.

    Bounds
    ------
    From 0 to the gain of the ideal list at that rank; no such bound with alpha, or where several results share a rank.

    Undefined
    ---------
    No targets.

    Example
    -------
    An article of which .3 is relevant (60 of 200 characters) over sections worth 1 (44 of 44) and .8 (16 of 20),
    retrieved in that order: the article gains .3, and each section what the article has not yet given of it, 1 - .3 and
    .8 - .3

    >>> import berrypick as bp
    >>> import numpy as np
    >>> from berrypick.data.assemble import assemble
    >>> from berrypick.data.truth import TopicTruth
    >>> paths = ("/article[1]", "/article[1]/sec[1]", "/article[1]/sec[2]")
    >>> size, relevant = np.array([200.0, 44.0, 20.0]), np.array([60.0, 44.0, 16.0])
    >>> topic = TopicTruth("q", ("doc",) * 3, np.ones(3), path=paths, size=size, rsize=relevant)
    >>> truth = bp.Truth("elements", {"q": topic}, scale="sizes")
    >>> run = assemble(tag="run", topic=["q"] * 3, document=["doc"] * 3, path=paths)
    >>> round(bp.score("xCG@3", truth, run), 4)
    1.5
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "3",
            "1",
            "equation",
            "specificity: highlighted share of an element",
            "berrypick evaluate TRUTH RUN -m \"xCG(quant='specificity')@1\"",
        ),
        cite.inex("4.2", "2", "equation", "cumulated gain", "berrypick evaluate TRUTH RUN -m \"xCG(base='full')@3\""),
        cite.inex(
            "4.2",
            "3",
            "equation",
            "gain of a result is its specificity",
            "berrypick evaluate TRUTH RUN -m \"xCG(base='full',quant='specificity')@1\"",
        ),
        cite.effort("4.2", "2", "equation", "cumulated gain", "berrypick evaluate TRUTH RUN -m \"xCG(base='full')@2\""),
        cite.prum(
            "C.3",
            "",
            "definition",
            "gains with the parameter alpha for overlap",
            'berrypick evaluate TRUTH RUN -m "xCG(alpha=1)@3"',
        ),
    )

    why_above_one: ClassVar[str] = "it adds up gains"
    unbounded: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "cumulated gain")

    def compute(self, judged: JudgedTopic) -> Score:
        k = int(self.needed_cutoff())
        found = self.curves(judged)
        return Score(found.run_at(k) if found.total > 0 else None)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        return [(k, float(gain)) for k, gain in enumerate(self.curves(judged).run, start=1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        return self._explanation(judged, self.gain_table(judged))
