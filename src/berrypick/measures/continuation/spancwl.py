"""spanCWL: readers with given probabilities of going on, by rank or by reading position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.measures.continuation._continuation import ContinuationMeasure


@dataclass(frozen=True)
class spanCWL(ContinuationMeasure):
    """The mean gain of what is looked at by readers whose probabilities of going on after each item are given.

    Formula
    -------
    With g(i) the gain of item i, and C(i) the probability of going on after it::

        W(i)    = W(1) x C(1) x .. x C(i-1), with W(1) such that the weights add up to 1
        spanCWL = sum over items i of W(i) g(i)

    go_on='0.9 0.5 0.2' has C(1), C(2), C(3); the last one holds for all later items too, and is below 1. Items and
    gains are those of spanRBP: results, or with every=N stretches of reading.

    Meaning
    -------
    The expected precision of an item drawn from those that readers look at.

    Use
    ---
    Readers seen in a log: the share of those at each rank who look at the next. '0.8' is spanRBP(p=0.8), and '1 1 0'
    the mean gain of the first three. A rule of one's own, such as one that depends on the gains, is a subclass of
    berrypick.measures.ContinuationMeasure with a method continuation(gains).

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    All readers look at two results, half of them at a third, and nobody at a fourth: 2.5 looks, of which one in the
    second and a half in the third are at a target: (1 + .5)/2.5

    >>> import berrypick as bp
    >>> truth, run = {"q": {"a#0-40": 1, "b#0-40": 1}}, {"q": {"c#0-40": 3, "a#0-40": 2, "b#0-40": 1}}
    >>> round(bp.score("spanCWL(go_on='1 0.5 0')", truth, run), 6)
    0.6
    """

    references: ClassVar[tuple[str, ...]] = ("moffat2017incorporating", "azzopardi2019cwl")

    go_on: str = parameter("0.8", "text", "probabilities of continuing after the first item, the second, and so on")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._probabilities()

    def _probabilities(self) -> FloatArray:
        try:
            found = np.array([float(one) for one in self.go_on.split()])
        except ValueError:
            found = np.zeros(0)
        if not len(found) or not ((found >= 0) & (found <= 1)).all() or found[-1] == 1:
            raise UsageError(
                f"{self.name()}: go_on={self.go_on!r:.60} must be probabilities with spaces between them, as in "
                "'0.9 0.5 0.2', the last one below 1"
            )
        return found

    def least_items(self) -> int:
        return len(self._probabilities())

    def beyond(self) -> float:
        return 1.0 / (1.0 - float(self._probabilities()[-1]))

    def continuation(self, gains: FloatArray) -> FloatArray:
        given = self._probabilities()
        return given[np.minimum(np.arange(len(gains)), len(given) - 1)]
