"""distance: the nearer a target, the likelier the reader gets there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.parameters import parameter, zero_or_more
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users._gaps import GapModel
from berrypick.users.base import ReaderContext, Slider, need_places
from berrypick.users.pairs import ends, same_document_pairs


@dataclass(frozen=True)
class Distance(GapModel):
    """The reader gets from a result to a target with a probability that falls with the gap between them.

    1/(1 + exp(theta d)) within the same document, d the number of characters (seconds) between the two, 0 if they
    touch or overlap; 1 for a result that contains the target (the formula alone gives 1/2). law='inverse' is
    1/(1 + theta d) instead (PRUM section 2.2). Effort: the length of what is pointed to, and of
    the part of each target outside of it for those who get there.
    """

    learnt_from: ClassVar[str] = "readings"
    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "piwowarski2007prum")
    slider: ClassVar[Slider | None] = (("theta",), (0.0001, 0.001, 0.01, 0.1, 1))

    theta: float = zero_or_more(0.01, "how quickly the probability falls with distance")
    law: str = parameter("logistic", "logistic|inverse", "1/(1 + exp(theta d)), or 1/(1 + theta d)")

    def gaps(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[IntArray, IntArray, FloatArray]:
        need_places(self, ranking, targets)
        row, target = same_document_pairs(ranking, targets)
        start, end, target_start, target_end = ends(ranking, row, targets, target)
        gap = np.maximum(np.maximum(start, target_start) - np.minimum(end, target_end), 0)
        if self.law == "inverse":
            probability = 1.0 / (1.0 + self.theta * gap)
        else:
            falling = np.exp(-self.theta * gap)
            probability = falling / (1.0 + falling)  # 1/(1 + exp(theta d)) without overflow
        held = (start <= target_start) & (end >= target_end) & ((target_start < target_end) | (target_start < end))
        probability[held] = 1.0
        return row, target, probability
