"""spanRBP: rank-biased precision for targets, by rank or by reading position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import parameter
from berrypick.measures.continuation._continuation import ContinuationMeasure


@dataclass(frozen=True)
class spanRBP(ContinuationMeasure):
    """Rank-biased precision: the mean gain of what is looked at by readers who go on with probability p each time.

    Formula
    -------
    With g(i) the gain of item i::

        spanRBP = (1 - p) x sum over items i from 1 of p^(i-1) g(i)

    Items are the results, and g(i) = min(1, sum over targets x of P(x ideal) x the share of x that rank i shows for the
    first time). With every=N the list is read from its start to its end in stretches of N, each of them an item, and
    g(i) is the share of the stretch that is in targets and was not read before, where only some readers find a target
    ideal times P(x ideal). N counts tokens if the texts are given (option documents), else what positions count; option
    effort decides.

    RBP is the measure of whole documents of this kind, and computed by ir_measures where cwl_eval is installed.
    spanRBP has the same values where each target is a whole result and every grade above 0 counts 1.

    Meaning
    -------
    The expected precision of an item drawn from those that readers look at. p = 0.8: five items are looked at on
    average, p = 0.5: two.

    Use
    ---
    The top of lists, with readers of stated patience. every= makes lists of long and short results comparable.

    Bounds
    ------
    0 to 1; 1 is never reached by a list that ends.

    Undefined
    ---------
    No targets.

    Example
    -------
    The first result shows a half of one target, the third all of another: (1 - .5) x (.5 + .25). In stretches of 100
    characters the second one gains .2 and the fifth .4: (1 - .5) x (.1 + .025)

    >>> import berrypick as bp
    >>> truth, run = {"q": {"a#180-220": 1, "b#0-40": 1}}, {"q": {"a#0-200": 3, "c#0-200": 2, "b#0-100": 1}}
    >>> bp.score("spanRBP(p=0.5)", truth, run)
    0.375
    >>> round(bp.score("spanRBP(p=0.5, every=100)", truth, run), 6)
    0.0625
    """

    references: ClassVar[tuple[str, ...]] = ("moffat2008rank", "moffat2017incorporating")

    p: float = parameter(
        0.8, "number", "probability of continuing to the next item", check=lambda v: 0 <= v < 1, must="in [0, 1)"
    )

    def least_items(self) -> int:
        return 0

    def beyond(self) -> float:
        return 1.0 / (1.0 - self.p)

    def continuation(self, gains: FloatArray) -> FloatArray:
        return np.full(len(gains), float(self.p))
