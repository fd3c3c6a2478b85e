"""GRP: generalised recall-precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.parameters import parameter
from berrypick.measures.gains._gains import Base, GainMeasure
from berrypick.measures.gains._groups import GroupMeasure, Groups, groups, refuse_large_gains
from berrypick.topics.ranked_gains import focused, ranked_gains
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class GRP(GroupMeasure, GainMeasure):
    """Probability that a result is relevant until a share of all relevance is found, with graded relevance.

    Formula
    -------
    r is the relevance wanted, l x sum of q over the base; the reader stops in a group of results that holds k relevance
    and i irrelevance, having met j irrelevance before, and still wants s::

        GRP@l = r/(r + j + i s/(k + 1))

    Results of equal rank (else of equal score) are one group; what was not ranked is the last one (option units).
    Without a level: the mean over l = .01, .02 .. 1.

    Meaning
    -------
    Raghavan's probability of relevance with gains in place of yes and no.

    Use
    ---
    To compare with INEX 2002-2004. It counts overlapping elements again and again: every relevant ancestor is in the
    recall base, so even a perfect list of ideal elements stays far from full recall.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets. An error when the unranked part is needed and units is missing.

    Example
    -------
    Documents worth 1, .75 and .75 in this order, at full recall 2.5: 2.5/(2.5 + .25 + .25 x .75/(.75 + 1))

    >>> import berrypick as bp
    >>> bp.score("GRP@1", {"q": {"a": 1, "b": 0.75, "c": 0.75}}, {"q": {"a": 3, "b": 2, "c": 1}}, units=3)
    0.875
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2007prum", "raghavan1989critical")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.prum("C.1", "19", "equation", "generalised recall-precision", "berrypick evaluate TRUTH RUN -m GRP@0.5"),
        cite.prum(
            "C.1",
            "",
            "definition",
            "quantisation of exhaustivity and specificity",
            "berrypick evaluate TRUTH RUN -m \"GRP(quant='generalised')@0.5\"",
        ),
        cite.prum("4.1.1", "", "definition", "near misses rewarded by gains", "berrypick evaluate TRUTH RUN -m GRP"),
    )

    base: Base = parameter("full", "ideal|full", "the full recall base, or the ideal one")

    def _groups(self, judged: JudgedTopic) -> Groups:
        ranked = ranked_gains(judged, self.quant)
        overlap_counts = self.base == "full" and ranked.base is not None
        gain = ranked.gain if overlap_counts else focused(ranked)
        worth = ranked.full if self.base == "full" else ranked.ideal
        refuse_large_gains(np.asarray(worth))
        return groups(judged, gain, math.fsum(worth))
