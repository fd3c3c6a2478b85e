"""PRecall: probability of relevance at a recall level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.judging.ranked_gains import ranked_gains
from berrypick.judging.topic import JudgedTopic
from berrypick.measures._groups import GroupMeasure, Groups, groups


@dataclass(frozen=True)
class PRecall(GroupMeasure):
    """Probability that a result is relevant until a share of the relevant units is found (Raghavan).

    Formula
    -------
    As GRP with gains of 0 and 1: r relevant units are wanted, the last group holds k relevant and i other results, j
    others were met before it, and s relevant ones are still wanted::

        PRecall@l = r/(r + j + i s/(k + 1))

    r = l x number of relevant units, without rounding. Results of equal rank (else of equal score) are one group; what
    was not ranked is the last one (option units). Without a level: the mean over l = .01, .02 .. 1.

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

    def _groups(self, judged: JudgedTopic) -> Groups:
        ranked = ranked_gains(judged, None)
        if ranked.base is not None:
            gain = (ranked.gain > 0).astype(np.float64)
        else:
            gain = _first_matches(ranked.gain, ranked.overlaps)
        return groups(judged, gain, float(len(ranked.full)))


def _first_matches(
    gain: np.typing.NDArray[np.float64], overlaps: tuple[tuple[int, ...], ...]
) -> np.typing.NDArray[np.float64]:
    """Spans and documents: a result is relevant if it meets a target that no earlier result met."""
    taken: set[int] = set()
    found = np.zeros(len(gain))
    for row in np.flatnonzero(gain > 0).tolist():
        free = [i for i in overlaps[row] if i not in taken]
        if free:
            taken.add(free[0])
            found[row] = 1.0
    return found
