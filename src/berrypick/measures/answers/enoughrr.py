"""EnoughRR: how early the list holds a sufficient answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.laws import with_laws
from berrypick.measures.answers._readers import ReaderSetMeasure
from berrypick.topics.enough_readers import EnoughByRank


@dataclass(frozen=True)
class EnoughRR(ReaderSetMeasure):
    """The inverse of the first rank by which the results are enough; 0 if they never are.

    Formula
    -------
    ::

        EnoughRR = 1 / the least k with Enough@k = 1, else 0

    With a user model other than the default one it is its mean over readers, with P_k = P(enough after k) and a list of
    N ranks::

        EnoughRR = sum_{k<N} P_k/(k(k+1)) + P_N/N

    Meaning
    -------
    How far down a reader has to go for one sufficient answer.

    Use
    ---
    To compare rankings of evidence where k is not fixed. EPRUM(need='set') divides by what the best list needs.

    Bounds
    ------
    0 to 1. A topic whose smallest set has m units reaches 1/m at most where each result holds one.

    Undefined
    ---------
    No targets; no set left, because a unit of each is ideal for nobody.

    Example
    -------
    Two hops; the second one is complete at rank 3:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "hop": "who"}, {"doc": "b", "hop": "who"}, {"doc": "c", "hop": "where"}]}
    >>> round(bp.score("EnoughRR", truth, {"q": {"b": 3, "a": 2, "c": 1}}), 4)
    0.3333
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    references: ClassVar[tuple[str, ...]] = ("thorne2018fever", "kantor2000confusion")

    def of_readers(self, by_rank: EnoughByRank) -> float:
        return by_rank.mean_inverse()

    def of_ranks(self, when: FloatArray) -> FloatArray:
        return np.asarray(1.0 / when, dtype=np.float64)
