"""The values of one measure as a table of topics and runs, and their means over resampled topics."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import InputError
from berrypick.data.results import Results
from berrypick.workers.blas_threads import one_blas_thread

#: Differences up to this size are ties: they come from rounding.
TIE = 1e-9


def columns_alike(known: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """(columns, rows) where the same rows have values; mostly all columns at once."""
    found: dict[bytes, list[int]] = {}
    for column in range(known.shape[1]):
        found.setdefault(known[:, column].tobytes(), []).append(column)
    return [(np.array(columns), np.flatnonzero(known[:, columns[0]])) for columns in found.values()]


@dataclass(frozen=True)
class TopicValues:
    """topics x runs; nan where a value is undefined or missing."""

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray
    higher_is_better: bool = True
    summed: bool = False  # added up over topics, not averaged

    @classmethod
    def of(cls, results: Results, measure: str, runs: Sequence[str], topics: Sequence[str]) -> TopicValues:
        """Some runs and topics, in this order."""
        place = {run: i for i, run in enumerate(runs)}
        line = {topic: i for i, topic in enumerate(topics)}
        values = np.full((len(topics), len(runs)), np.nan)
        seen: set[tuple[str, str]] = set()
        for row in results.topic_rows:
            if row.measure != measure or row.run not in place or row.topic not in line:
                continue
            if (row.run, row.topic) in seen:
                raise InputError(f"{measure} of topic {row.topic} of run {row.run} occurs twice in the results")
            seen.add((row.run, row.topic))
            if row.value is not None:
                values[line[row.topic], place[row.run]] = row.value
        info = results.info(measure)
        return cls(measure, tuple(topics), tuple(runs), values, info.higher_is_better, info.summed)

    @cached_property
    def defined(self) -> BoolArray:
        return ~np.isnan(self.values)

    @cached_property
    def _filled(self) -> FloatArray:
        return np.where(self.defined, self.values, 0.0)

    @cached_property
    def _counted(self) -> FloatArray:
        return self.defined.astype(np.float64)

    @one_blas_thread()
    def means(self, times: FloatArray) -> FloatArray:
        """draws x runs: the mean over the topics of each draw where the run has a value, nan where it has none.

        ``times`` holds draws x topics, how often each topic was drawn.
        """
        totals = times @ self._filled
        drawn = times @ self._counted
        totals[drawn == 0] = np.nan
        if self.summed:
            return totals
        np.divide(totals, drawn, out=totals, where=drawn > 0)
        return totals

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two runs."""
        return list(itertools.combinations(range(len(self.runs)), 2))

    def differences(self) -> FloatArray:
        """topics x pairs: the first run minus the second, ties exactly 0, nan where one of them has no value."""
        first, second = (np.array([pair[side] for pair in self.pairs], dtype=np.int64) for side in (0, 1))
        found: FloatArray = self.values[:, first] - self.values[:, second]
        found[np.abs(found) <= TIE] = 0.0
        return found
