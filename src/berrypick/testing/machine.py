"""Variants that compute the same in another way: other kernels, more processes, a reach with one larger entry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy

import numpy as np

from berrypick import kernels
from berrypick.data.observed import held_part, set_part
from berrypick.data.reach import Reach
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.measures.base import Measure, as_score
from berrypick.testing.case import Case, Values
from berrypick.testing.law import Variant
from berrypick.testing.orders import Measures, Rng
from berrypick.topics.judge import judge_topic
from berrypick.topics.topic import JudgedTopic

_SWITCH = "BERRYPICK_KERNELS"


def other_kernels(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """The kernels that are not in use."""
    if kernels._native is None:
        return None
    other = "native" if kernels.in_use() == "numpy" else "numpy"

    def compute(wanted: Sequence[RequestedMeasure]) -> Values:
        with _kernels(other):
            return case.changed().values(wanted)

    return Variant(case, f"kernels: {other}", compute=compute)


@contextmanager
def _kernels(name: str) -> Iterator[None]:
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SWITCH]
        else:
            os.environ[_SWITCH] = before


def two_processes(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """The work shared by two processes."""

    def compute(wanted: Sequence[RequestedMeasure]) -> Values:
        results = case.of(wanted).run(jobs=2)
        return {(row.measure, row.topic): row.value for row in results.topic_rows}

    return Variant(case, "two processes", compute=compute)


def raised_reach(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """One entry of reach in each topic is larger, new ones included."""
    if not reads_reach(case, measures[0]):
        return None
    seed = int(rng.integers(2**32))

    def compute(wanted: Sequence[RequestedMeasure]) -> Values:
        found = {}
        for one in wanted:
            for topic in case.truth.topics:
                judged = _judged(case, one, topic)
                found[one.text, topic] = _with_raised_reach(one.measure, judged, seed)
        return found

    return Variant(case, "one result leads to one target with a larger probability", compute=compute)


def _with_raised_reach(measure: Measure, judged: JudgedTopic, seed: int) -> float | None:
    if measure.needs_targets and not len(judged.targets):
        return None
    if not judged.answered:
        return as_score(measure.missing_topic_score(judged)).value
    set_part(judged, "reach", _raised(judged.reach, np.random.default_rng(seed)))
    return as_score(measure.compute(judged)).value


def _judged(case: Case, one: RequestedMeasure, topic: str) -> JudgedTopic:
    return copy(judge_topic(case.truth, case.run, topic, case.evaluation.contexts[one.text]))


def reads_reach(case: Case, one: RequestedMeasure) -> bool:
    """Whether the measure looks at reach in any topic, and there is an entry to raise."""
    if one.measure.of_documents:
        return False
    for topic in case.truth.topics:
        judged = _judged(case, one, topic)
        if judged.answered and len(judged.targets):
            one.measure.compute(judged)
            held: Reach | None = held_part(judged, "reach")
            if held is not None and held.probability.sum() < held.ranks * held.targets:
                return True
    return False


def _raised(reach: Reach, rng: Rng) -> Reach:
    """One entry below 1 closer to 1, or 1."""
    dense = reach.dense()
    free = np.argwhere(dense < 1)
    if not len(free):
        return reach
    k, x = free[int(rng.integers(len(free)))].tolist()
    share = 1.0 if rng.random() < 0.3 else float(rng.random())
    dense[k, x] += (1.0 - dense[k, x]) * share
    return Reach.of(dense)
