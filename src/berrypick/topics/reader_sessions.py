"""Simulated readers of one topic: when each of them sees what, and the effort spent by then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.topics.topic import JudgedTopic
from berrypick.users.walks import Draws

#: Up to so many targets ranks are sorted by comparing rows, which is faster than sorting columns.
FEW_TARGETS = 16


@dataclass(frozen=True, eq=False)
class ReaderSessions:
    """Readers who go down the list of a judged topic, as measures see them; who walks them says what they have seen."""

    judged: JudgedTopic
    draws: Draws

    @property
    def count(self) -> int:
        return self.draws.count

    @property
    def first(self) -> FloatArray:
        """targets x readers: the rank, from 1, at which a target is seen; infinite where it never is."""
        raise NotImplementedError

    @cached_property
    def ordered(self) -> FloatArray:
        """The ranks at which the first target is seen, the second, and so on."""
        return sorted_rows(self.first)

    @property
    def spent(self) -> FloatArray:
        """targets x readers: the effort at the end of the rank at which a target is seen; infinite where it never is.

        In the unit of the evaluation's effort; consulted results and browsing both cost effort.
        """
        raise NotImplementedError

    @cached_property
    def level(self) -> IntArray:
        """The satisfaction level of each reader, among those of the topic."""
        weight = np.array([weight for weight, _, _ in self.judged.levels])
        if len(weight) == 1:
            return np.zeros(self.count, dtype=np.int64)
        bounds = np.cumsum(weight)
        found = np.searchsorted(bounds, self.draws.uniform("satisfaction") * bounds[-1], side="right")
        return np.minimum(found, len(weight) - 1)


def sorted_rows(values: FloatArray) -> FloatArray:
    """Each column sorted."""
    if len(values) > FEW_TARGETS:
        return np.sort(values, axis=0)
    found = values.copy()
    low = np.empty_like(found[0]) if len(found) else found
    for last in range(len(found) - 1, 0, -1):
        for i in range(last):
            np.minimum(found[i], found[i + 1], out=low)
            np.maximum(found[i], found[i + 1], out=found[i + 1])
            found[i] = low
    return found


def weighted_inverse(weight: FloatArray, values: FloatArray) -> FloatArray:
    """For each reader the sum of weight / value; nothing where the value is infinite."""
    found = np.zeros(values.shape[1])
    for one, row in zip(weight.tolist(), values, strict=True):
        if one:
            found += one / row
    return found
