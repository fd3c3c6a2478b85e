"""Values of runs for readers of a range, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np

from berrypick.analysis.assumptions.reader_range import ReaderRange
from berrypick.data.arrays import FloatArray
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scoring import RunScorer
from berrypick.workers.progress import StepCounter, gc_paused
from berrypick.workers.workers import ordered_map

#: A place on each axis of a range.
Place = tuple[float, ...]


class RangeValues:
    """The values of every topic under every measure, for a run and a place of the range."""

    def __init__(self, evaluation: Evaluation, over: ReaderRange, measures: Sequence[RequestedMeasure]) -> None:
        self.over, self.measures = over, measures
        self.runs = tuple(evaluation.runs)
        self.topics = tuple(sorted(evaluation.truth.topics))  # draws go by their names
        # what topics are about is prepared once, by the reader in the middle
        self._base = evaluation.scored_by(measures).read_by(over.model(over.middle()))
        self._kept: dict[tuple[str, tuple[Any, ...]], FloatArray] = {}

    def prepare(
        self, places: Iterable[Place], jobs: int, executor: Executor | None, step: Callable[[int, int], None] | None
    ) -> None:
        """Compute the values at many places, in several processes where they are wanted."""
        tasks = list(dict.fromkeys((run, self._values(place)) for place in places for run in self.runs))
        counter = StepCounter(step, len(tasks))
        found = ordered_map(partial(_task, self), tasks, jobs=jobs, executor=executor, step=counter)
        self._kept.update(zip(tasks, found, strict=True))

    def at(self, run: str, place: Place) -> FloatArray:
        """measures x topics; nan where a value is undefined, or the topic is not asked for."""
        key = (run, self._values(place))
        if key not in self._kept:
            self._kept[key] = self.compute(*key)
        return self._kept[key]

    def difference(self, measure: int, a: str, b: str, place: Place) -> FloatArray:
        """By topic, how much better ``a`` is than ``b``."""
        found = self.at(a, place)[measure] - self.at(b, place)[measure]
        return found if self.measures[measure].measure.higher_is_better else -found

    def _values(self, place: Place) -> tuple[Any, ...]:
        return tuple(axis.value(one) for axis, one in zip(self.over.axes, place, strict=True))

    @gc_paused()
    def compute(self, run: str, values: tuple[Any, ...]) -> FloatArray:
        evaluation = self._base.read_by(self.over.model(values))
        scorer = RunScorer(evaluation, evaluation.runs[run], curves=False, all_notes=False)
        scorer.score_topics(scorer.topics, _ignore)
        place = {topic: i for i, topic in enumerate(self.topics)}
        found = np.full((len(self.measures), len(self.topics)), np.nan)
        for row, one in enumerate(self.measures):
            for topic in scorer.topics:
                value = scorer.scores.found[one.text].numbers[topic]
                if value is not None:
                    found[row, place[topic]] = value
        return found


def _task(values: RangeValues, task: tuple[str, tuple[Any, ...]], step: Callable[[int], None]) -> FloatArray:
    found = values.compute(*task)
    step(1)
    return found


def _ignore(count: int) -> None:
    """Nobody is told of each topic."""
