"""Missing: how much is missing to a sufficient answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.measures.answers._found import SetMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Missing(SetMeasure):
    """The fewest units that are missing from any evidence set after the first results; smaller is better.

    Formula
    -------
    A unit is found as in spanHit (share=, iou=), a whole document by its name::

        sets:  Missing@k = min over sets of the number of units that are not found by the first k results
        hops:  Missing@k = the number of hops of which no unit is found

    Without a cut-off, of the whole list.

    Meaning
    -------
    How far the reader of the first k results is from one sufficient answer: 0 is enough.

    Use
    ---
    Beside Enough, to see whether failures are near or far.

    Bounds
    ------
    From 0 to the number of units of a smallest set, or of hops.

    Undefined
    ---------
    No targets; no set left, because a unit of each is ideal for nobody.

    Example
    -------
    Of a, b and c, which are needed together, one is found; d and e are another set, of which one is found:

    >>> import berrypick as bp
    >>> truth = {"q": [*({"doc": d, "set": "1"} for d in "abc"), *({"doc": d, "set": "2"} for d in "de")]}
    >>> bp.score("Missing@2", truth, {"q": {"a": 3, "d": 2, "e": 1}})
    1.0
    """

    higher_is_better: ClassVar[bool] = False
    why_above_one: ClassVar[str] = "it counts units"
    unbounded: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("thorne2018fever",)

    def value(self, judged: JudgedTopic, ranks: FloatArray) -> float:
        sufficient = judged.sufficient
        lacking = [len(gone) for gone in sufficient.missing(np.isfinite(ranks))]
        return float(min(lacking) if sufficient.kind == "set" else sum(map(bool, lacking)))
