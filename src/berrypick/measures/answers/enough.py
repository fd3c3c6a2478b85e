"""Enough: whether the first results hold a sufficient answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.score import Score
from berrypick.measures.answers._readers import ReaderSetMeasure
from berrypick.topics.enough_readers import EnoughByRank
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Enough(ReaderSetMeasure):
    """1 if the first results hold all of some evidence set, or something of every hop, else 0.

    Formula
    -------
    A unit is found as in spanHit (share=, iou=), a whole document by its name::

        sets:  Enough@k = 1 if all units of some set are found by the first k results, else 0
        hops:  Enough@k = 1 if some unit of every hop is found by the first k results, else 0

    Without a cut-off, of the whole list. A truth without sets and hops needs all of its targets. With a user model
    other than the default one it is the chance that a reader has seen enough after k ranks::

        disjoint sets:  1 - prod_S (1 - prod_{x in S} seen[k, x])
        disjoint hops:  prod_h (1 - prod_{x in h} (1 - seen[k, x]))

    Sets or hops that share units are split by what is seen of these, exactly up to 20 of them; above that readers are
    drawn, and a note says with what error.

    Meaning
    -------
    In how many topics the first k results are enough to answer, whichever of the alternatives they hold. It lies
    between spanHit (anything) and spanAll (everything).

    Use
    ---
    Evidence with alternatives (FEVER, SciFact) and questions of several hops (HotpotQA): fields ``set`` and ``hop`` of
    the truth.

    Bounds
    ------
    0 or 1; with readers 0 to 1.

    Undefined
    ---------
    No targets; no set left, because a unit of each is ideal for nobody.

    Example
    -------
    a and b together are enough, and so is c alone:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> run = {"q": {"a": 4, "x": 3, "c": 2}}
    >>> bp.score("Enough@2", truth, run), bp.score("Enough@3", truth, run)
    (0.0, 1.0)

    One result that leads to each of them with 0.5: 1 - (1 - .25)(1 - .5)

    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("x", "a"): 0.5, ("x", "b"): 0.5, ("x", "c"): 0.5})
    >>> bp.score("Enough@1", truth, {"q": {"x": 1}}, navigation=clicks)
    0.625
    """

    references: ClassVar[tuple[str, ...]] = ("thorne2018fever", "yang2018hotpotqa")

    def of_readers(self, by_rank: EnoughByRank) -> float:
        return by_rank.after(np.inf if self.at is None else self.at)

    def of_ranks(self, when: FloatArray) -> FloatArray:
        return np.asarray(when <= (np.finfo(float).max if self.at is None else self.at), dtype=np.float64)

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        """A claim without evidence counts as found in FEVER's program, unless it has no answer."""
        found = "no-evidence-is-found" in judged.rules and not judged.truth.unanswerable
        return Score(1.0 if found else None)
