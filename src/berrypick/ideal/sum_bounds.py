"""The least effort for a gain, from what each candidate leads to in all: E[ce] only.

Let M(c) be the largest sum of expected gains of candidates whose efforts sum to c, the last one in part. It is concave.
However a list goes on, the gain seen minus the sum of what its candidates lead to is a supermartingale; stopped where
the gain is reached, it says that M(E[ce]) is at least the gain that was still needed. With efforts of 1 and row sums of
at most 1 no list reaches r targets in fewer than r ranks on average, so the list of the targets is a best one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.ideal.tangents import ROUNDING


@dataclass(frozen=True)
class LeastEffort:
    """Of some candidates: their efforts and expected gains, summed up from those that give most for their effort."""

    effort: FloatArray
    gain: FloatArray
    least: float  # effort of any of them

    @classmethod
    def of(cls, worth: FloatArray, effort: FloatArray) -> LeastEffort:
        order = np.argsort(-worth / effort, kind="stable")
        efforts, gains = (np.append(0.0, np.cumsum(one[order])) for one in (effort, worth))
        return cls(efforts, gains, float(effort.min(initial=np.inf)))

    def on_average(self, need: FloatArray) -> FloatArray:
        """No list has such an expected gain for less."""
        return np.interp(need, self.gain, self.effort) * (1 - ROUNDING)

    def __call__(self, need: FloatArray) -> FloatArray:
        """The same for readers who need at least one candidate."""
        return np.maximum(self.least, self.on_average(need))

    def expected(self, below: FloatArray, missing: FloatArray) -> FloatArray:
        """For shares of readers who still need something, and what they need on average times that share: the mean over
        all readers. Effort is convex in what is needed, so it is least where all of them need the same."""
        need = np.divide(missing, below, out=np.zeros_like(below), where=below > 0)
        return np.where(below > 0, below * self(need), 0.0)
