"""KiltR: recall of evidence sets as KILT's program computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.laws import without
from berrypick.measures.benchmarks._named_sets import NamedMeasure
from berrypick.measures.benchmarks._points import ranked_points


@dataclass(frozen=True)
class KiltR(NamedMeasure):
    """Of the alternative sets, the share that is complete in the first k points of the list, as KILT computes it.

    Formula
    -------
    Each set is one point of the list, where the last of its pages stands; a page outside all sets is one point::

        KiltR@k = complete sets among the first k points / sets

    Meaning
    -------
    Pages of one set share a point, so that k points can be more than k results: Sets@k counts results.

    Use
    ---
    To compare with published recall@k of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    a and b together are one point, at the rank of b; three results are two points:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltR@2", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    #: A set is a point where it is completed: what stands behind rank k moves points before it.
    laws: ClassVar[tuple[str, ...]] = without("junk-after-cut")
    cutoff_required: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("petroni2021kilt",)

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        return sum(ranked_points(results, sets)[: int(self.needed_cutoff())]) / len(sets)
