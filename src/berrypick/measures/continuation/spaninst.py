"""spanINST: readers who want T targets, by rank or by reading position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import parameter
from berrypick.measures.continuation._continuation import ContinuationMeasure


@dataclass(frozen=True)
class spanINST(ContinuationMeasure):
    """INST: the mean gain of what is looked at by readers who want T and go on less, the more they have found.

    Formula
    -------
    With g(i) the gain of item i and G(i) = g(1) + .. + g(i)::

        C(i)     = ((i + 2T - G(i) - 1) / (i + 2T - G(i)))^2      probability of going on after item i
        W(i)     = W(1) x C(1) x .. x C(i-1), with W(1) such that the weights add up to 1
        spanINST = sum over items i of W(i) g(i)

    Items and gains are those of spanRBP: results, or with every=N stretches of reading, each of a gain from 0 to 1. T
    is in units of g: results that show a target, or stretches full of relevant text. The list goes on with items that
    gain nothing until there are 1000, over which the weights are taken, as in cwl_eval.

    INST is the measure of whole documents of this kind, and computed by ir_measures where cwl_eval is installed.
    spanINST has the same values where each target is a whole result and grades lie between 0 and 1.

    Meaning
    -------
    The expected precision of an item drawn from those that readers look at. Who has found what was wanted stops soon;
    who has not becomes more patient the further down.

    Use
    ---
    Tasks that need a known number of targets.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    T = 1, the target in the first result: C(1) = (1/2)^2 and then (2/3)^2, (3/4)^2 and so on, so that the weights are
    as 1, 1/4, 1/9 .., which is 1.64 in all: 1/1.64

    >>> import berrypick as bp
    >>> round(bp.score("spanINST", {"q": {"a#0-40": 1}}, {"q": {"a#0-40": 3, "b#0-40": 2}}), 4)
    0.6083
    """

    references: ClassVar[tuple[str, ...]] = ("moffat2015inst", "moffat2017incorporating")

    T: float = parameter(1, "number", "the gain that the reader wants", check=lambda v: v >= 0.5, must="0.5 or more")

    def continuation(self, gains: FloatArray) -> FloatArray:
        item = np.arange(1, len(gains) + 1) + 2 * self.T - np.cumsum(gains)
        return np.asarray(((item - 1) / item) ** 2)
