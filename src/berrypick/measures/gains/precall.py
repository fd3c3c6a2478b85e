"""PRecall: probability of relevance at a recall level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.measures.gains._groups import GroupMeasure, Groups, groups, tied
from berrypick.topics.ranked_gains import ranked_gains
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class PRecall(GroupMeasure):
    """Probability that a result is relevant until a share of the relevant units is found (Raghavan).

    Formula
    -------
    As GRP with gains of 0 and 1: r relevant units are wanted, the last group holds k relevant and i other results, j
    others were met before it, and s relevant ones are still wanted::

        PRecall@l = r/(r + j + i s/(k + 1))

    r = l x number of relevant units, without rounding. Of spans, a result that meets targets is one relevant result and
    takes all of them; a later one that meets only taken targets is not relevant. Results of equal rank (else of equal
    score) are one group; what was not ranked is the last one (option units). Without a level: the mean over l = .01,
    .02 .. 1.

    Meaning
    -------
    Precision-recall that treats ties and the unranked rest of the collection soundly.

    Use
    ---
    Runs with many ties, or when readers go on beyond the list.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets. An error when the unranked part is needed and units is missing.

    Example
    -------
    A relevant result, then a tie of one relevant and one other, for two relevant ones: 2/(2 + 0 + 1 x 1/(1 + 1))

    >>> import berrypick as bp
    >>> bp.score("PRecall@1", {"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "b": 1, "x": 1}}, units=3)
    0.8
    """

    references: ClassVar[tuple[str, ...]] = ("raghavan1989critical",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.prum(
            "3.1",
            "",
            "definition",
            "probability of relevance of Raghavan, Bollmann and Jung",
            "berrypick evaluate TRUTH RUN -m PRecall@0.5",
        ),
    )

    def _groups(self, judged: JudgedTopic) -> Groups:
        ranked = ranked_gains(judged, None)
        if ranked.base is not None:
            gain = (ranked.gain > 0).astype(np.float64)
        else:
            gain = _newly_met(ranked.gain, ranked.overlaps, _order(judged))
        return groups(judged, gain, float(len(ranked.full)))


def _order(judged: JudgedTopic) -> IntArray:
    """Results in the order of their groups; those of one group in that of the text, whatever that of the file."""
    group, ranking = tied(judged), judged.ranking
    if ranking.start is None or ranking.end is None:
        return np.argsort(group, kind="stable")
    return np.lexsort((ranking.end, ranking.start, group))


def _newly_met(gain: FloatArray, overlaps: tuple[tuple[int, ...], ...], order: IntArray) -> FloatArray:
    """Spans and documents: a result is relevant if it meets a target that no earlier one met; it takes all it meets."""
    taken: set[int] = set()
    found = np.zeros(len(gain))
    for row in order[gain[order] > 0].tolist():
        found[row] = float(not taken.issuperset(overlaps[row]))
        taken.update(overlaps[row])
    return found
