"""EPRUM of many topics at once, where every result surely leads to a target or never does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.observed import record, unrecorded
from berrypick.data.score import Curve, CurveColumns, Score
from berrypick.kernels.poisson_binomial import upper_tails
from berrypick.measures.base import LEVELS, recall_value
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.readers._list_items import several_at_once_note
from berrypick.topics.context import JudgingContext

if TYPE_CHECKING:
    from berrypick.measures.readers.eprum import EPRUM


@dataclass(frozen=True, eq=False)
class SureEvents:
    """The ranks, topic by topic, at which anything is reached: events, and how many targets have been seen by then."""

    spans: SpanBlock
    topic: IntArray
    rank: IntArray  # from 1
    seen: IntArray
    at_once: BoolArray  # topics in which one result leads to several targets

    @classmethod
    def of(cls, spans: SpanBlock, reached: BoolArray) -> SureEvents:
        """Those of the pairs that are reached."""
        row, target = (column[reached] for column in spans.pairs)
        head = np.ones(len(row), dtype=bool)
        np.not_equal(row[1:], row[:-1], out=head[1:])
        event, rows = np.cumsum(head) - 1, row[head]
        _, first = np.unique(target, return_index=True)  # where each target is seen for the first time
        new = np.bincount(event[first], minlength=len(rows))
        seen, topic = np.cumsum(new), spans.topic[rows]
        begins = np.searchsorted(topic, np.arange(len(spans.topics)))
        seen -= np.append(0, seen)[begins][topic] if len(topic) else 0
        at_once = np.bincount(spans.topic[row[~head]], minlength=len(spans.topics)) > 0
        return cls(spans, topic, spans.rank[rows] + 1, seen, at_once)

    @cached_property
    def inverse(self) -> FloatArray:
        """topics x numbers of targets: E[A_r / ML_r] for r = 0, 1 .., as one topic after the other would have it."""
        k = self.rank.astype(np.float64)
        weight = 1.0 / k
        goes_on = np.flatnonzero(self.topic[1:] == self.topic[:-1])  # the topic has another event
        weight[goes_on] = (k[goes_on + 1] - k[goes_on]) / (k[goes_on] * k[goes_on + 1])
        size = int(self.spans.targets.max(initial=0)) + 1
        mass = np.bincount(self.topic * size + self.seen, weights=weight, minlength=len(self.spans.topics) * size)
        return upper_tails(mass.astype(np.float64).reshape(-1, size))

    @cached_property
    def precision(self) -> FloatArray:
        """topics x numbers of targets: what a list of the targets needs for r = 1, 2 .., times the above."""
        return self.inverse[:, 1:] * np.arange(1.0, self.inverse.shape[1])

    def seen_after(self, rank: int) -> IntArray:
        """How many targets of each topic have been seen after a rank."""
        found = np.zeros(len(self.spans.topics), dtype=np.int64)
        kept = self.rank <= rank
        np.maximum.at(found, self.topic[kept], self.seen[kept])
        return found


def sure_events(measure: EPRUM, spans: SpanBlock, context: JudgingContext) -> SureEvents | None:
    """Find the events where reach is certain and the ideal list is that of the targets; None elsewhere."""
    usual = (measure.ideal, measure.norm, measure.tails) == ("targets", "product", "exact")
    if not usual or measure.need == "set" or not spans.few_pairs:
        return None
    reached = unrecorded(context, "user").surely_reaches(*spans.pair_ends())
    return None if reached is None else SureEvents.of(spans, reached)


def sure_scores(measure: EPRUM, events: SureEvents) -> dict[str, Score]:
    """Score the topics with one satisfaction level."""
    spans = events.spans
    record("targets", *(("user", "idealism") if spans.targets.any() else ()))
    seen = None if measure.rank is None else events.seen_after(measure.rank).tolist()
    precision = events.precision.tolist()
    states = zip(spans.targets.tolist(), spans.partly_ideal.tolist(), events.at_once.tolist(), strict=True)
    found = {}
    for i, (topic, (targets, partly, at_once)) in enumerate(zip(spans.topics, states, strict=True)):
        if partly:
            continue  # several satisfaction levels
        notes = (several_at_once_note("ideal='certified'"),) if at_once else ()
        if not targets or (measure.r is not None and measure.r > targets):
            value = None
        elif seen is not None and measure.rank is not None:
            value = seen[i] / measure.rank
        else:
            wanted = measure.recall_values(targets)
            value = math.fsum(precision[i][r - 1] for r in wanted) / len(wanted)
        found[topic] = Score(value, notes)
    return found


def sure_curves(
    events: SureEvents, found: Mapping[str, Score], missing: Curve | None
) -> dict[str, tuple[Curve | None, Curve | None]]:
    """Precision at the recall values of each topic that has a value, and at the levels that all topics share.

    ``missing`` is the curve of a topic without results.
    """
    spans, curves = events.spans, {}
    states = zip(spans.topics, spans.targets.tolist(), spans.answered.tolist(), events.precision, strict=True)
    for topic, targets, answered, precision in states:
        if topic not in found:
            continue
        value = found[topic].value
        own: Curve | None = None
        shared: Curve | None = None
        if targets and answered:
            own = _curve(precision, _recalls(targets), targets)
            shared = None if value is None else _curve(precision, LEVELS, targets)
        elif targets and value is not None:
            own = shared = missing
        curves[topic] = own, shared
    return curves


def _curve(precision: FloatArray, levels: tuple[float, ...], targets: int) -> Curve:
    return CurveColumns(levels, precision[places(levels, targets)])


@lru_cache(maxsize=64)
def _recalls(targets: int) -> tuple[float, ...]:
    """The recall after each target."""
    return tuple(r / targets for r in range(1, targets + 1))


@lru_cache(maxsize=64)
def places(levels: tuple[float, ...], targets: int) -> IntArray:
    """Where a curve over recall values has the value for each level."""
    return np.array([recall_value(level, targets) - 1 for level in levels], dtype=np.int64)
