"""KiltRprec: R-precision of the best evidence set, as KILT's program computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.measures.benchmarks._named_sets import NamedMeasure


@dataclass(frozen=True)
class KiltRprec(NamedMeasure):
    """R-precision of the alternative set that fares best, as KILT computes it.

    Formula
    -------
    With |S| units in a set, results counted once::

        KiltRprec = max_S |S and the first |S| results| / |S|

    Meaning
    -------
    How much of one answer's evidence stands at the top. A set of one page, first in the list, gives 1 however large the
    other sets are.

    Use
    ---
    To compare with published R-precision of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    Of a and b, one is among the first two; c is not first:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltRprec", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    references: ClassVar[tuple[str, ...]] = ("petroni2021kilt",)

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        once = list(dict.fromkeys(results))
        return max(len(one.intersection(once[: len(one)])) / len(one) for one in sets)
