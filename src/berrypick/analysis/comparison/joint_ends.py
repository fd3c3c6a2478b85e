"""The least and the largest difference of two runs on each topic, over everything that is assumed.

That is every labelling of unjudged text and every joint distribution of what readers see, as far as they apply to a
measure. Where both apply, the joint distributions count under each labelling: the two ends added up would not do, since
a labelling can change how much depends on the joint distribution.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from berrypick.analysis.dependence import PairKey, TopicEnds, dependence_bounds
from berrypick.analysis.unjudged import UnjudgedBounds, unjudged_bounds
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Proved
from berrypick.statistics.topic_values import TIE


class PairEnds(NamedTuple):
    """Of two runs: bounds of the mean difference over joint distributions, and by topic the least and the largest."""

    together: tuple[float, float] | None
    low: dict[str, float]
    high: dict[str, float]

    @property
    def extremes(self) -> tuple[float, float] | None:
        """The means of the least and of the largest; None without any topic."""
        return (_mean(self.low), _mean(self.high)) if self.low else None


@dataclass(frozen=True)
class JointEnds:
    """What the differences of an evaluation are over labellings and joint distributions."""

    evaluation: Evaluation
    proved: Proved
    unjudged: Mapping[str, UnjudgedBounds]

    def of(self, pairs: Mapping[PairKey, Mapping[str, float]]) -> list[PairEnds]:
        """The ends of pairs of runs with the differences observed on each topic."""
        found = dependence_bounds(self.evaluation, self.proved, pairs)
        return [self._ends(key, differences, found.get(key)) for key, differences in pairs.items()]

    def _ends(self, key: PairKey, differences: Mapping[str, float], dependence: TopicEnds | None) -> PairEnds:
        measure, *runs = key
        low, high, together = dict(differences), dict(differences), None
        if dependence is not None:  # rounding may put an end on the wrong side of the value
            low |= {topic: min(low[topic], ends[0]) for topic, ends in dependence.items() if topic in low}
            high |= {topic: max(high[topic], ends[1]) for topic, ends in dependence.items() if topic in high}
            together = (_mean(low), _mean(high)) if low else None
        if measure in self.unjudged:
            of = self.unjudged if dependence is None else self._labelled
            if measure not in of:
                return PairEnds(together, {}, {})  # not known
            labelled = of[measure].ends(*runs)
            low, high = low | labelled[0], high | labelled[1]
        return PairEnds(together, _without_ties(low), _without_ties(high))

    @cached_property
    def _labelled(self) -> dict[str, UnjudgedBounds]:
        return unjudged_bounds(self.evaluation, dependence=True)


def _mean(values: Mapping[str, float]) -> float:
    return math.fsum(values.values()) / len(values)


def _without_ties(values: Mapping[str, float]) -> dict[str, float]:
    """In the order of names, which draws go by."""
    return {topic: 0.0 if abs(value) <= TIE else value for topic, value in sorted(values.items())}
