"""KiltP: precision of evidence sets as KILT's program computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.laws import without
from berrypick.measures.benchmarks._named_sets import NamedMeasure
from berrypick.measures.benchmarks._points import ranked_points


@dataclass(frozen=True)
class KiltP(NamedMeasure):
    """Of the first k points of the list, the share that is a complete set, as KILT computes it.

    Formula
    -------
    With points as in KiltR::

        KiltP@k = complete sets among the first k points / k

    Meaning
    -------
    How many of the first points are sufficient answers. A page of a set that stays incomplete counts as wrong.

    Use
    ---
    To compare with published precision@k of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    The first point is x, the second the set of a and b:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltP@2", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    #: A set is a point where it is completed: what stands behind rank k moves points before it.
    laws: ClassVar[tuple[str, ...]] = without("junk-after-cut")
    cutoff_required: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("petroni2021kilt",)

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        k = int(self.needed_cutoff())
        return sum(ranked_points(results, sets)[:k]) / k
