"""Sets: the share of the sufficient answers that the first results hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.measures.answers._found import SetMeasure
from berrypick.topics.sufficient import share_complete
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Sets(SetMeasure):
    """The share of the evidence sets that the first results complete.

    Formula
    -------
    A unit is found as in spanHit (share=, iou=), a whole document by its name::

        sets:  Sets@k = complete sets / sets
        hops:  Sets@k = prod_h (found units of h / units of h)

    The sets of hops are all ways to take one unit of each. Without a cut-off, of the whole list.

    Meaning
    -------
    How many of the alternatives a reader of the first k results has.

    Use
    ---
    Where more than one sufficient answer is worth something, such as independent sources of a claim.

    Bounds
    ------
    0 to 1. It is 0 where Enough is 0, and at most Enough.

    Undefined
    ---------
    No targets; no set left, because a unit of each is ideal for nobody.

    Example
    -------
    One of two sets is complete; of two hops with two units each, one has both found and the other one of them:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("Sets@2", truth, {"q": {"a": 3, "c": 2, "b": 1}})
    0.5
    >>> truth = {"q": [{"doc": d, "hop": h} for d, h in zip("abcd", "1122")]}
    >>> bp.score("Sets@3", truth, {"q": {"a": 3, "c": 2, "b": 1}})
    0.5
    """

    references: ClassVar[tuple[str, ...]] = ("thorne2018fever",)

    def value(self, judged: JudgedTopic, ranks: FloatArray) -> float:
        return share_complete(judged.sufficient, np.isfinite(ranks))
