"""What the stages of a pipeline hold, gain and lose, and what the best order of the first stage would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.analysis.diagnosis.examine import ExaminedTarget
from berrypick.analysis.diagnosis.oracle import most_held
from berrypick.data.arrays import FloatArray
from berrypick.statistics.intervals import mean_intervals
from berrypick.tables.tabular import Interval


@dataclass(frozen=True)
class StageFlow:
    """How many targets some result of a stage holds, and what the stage gained and lost against the one before."""

    stage: str
    held: Interval
    gained: Interval | None = None
    lost: Interval | None = None


@dataclass(frozen=True)
class OracleReranker:
    """The mean share of a topic's targets held by the first k results: of the first stage, of its best order, of the
    last stage. ``greedy`` counts the topics whose best order was not searched to the end."""

    first: Interval
    best: Interval
    last: Interval
    greedy: int = 0


def interval_over_topics(
    values: FloatArray, topics: Sequence[str], confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """The interval of a mean over targets, where the targets of one topic are not independent."""
    code = {topic: i for i, topic in enumerate(dict.fromkeys(topics))}
    if len(code) < 2:
        return None, None
    clusters = np.array([code[topic] for topic in topics], dtype=np.int64)
    found = mean_intervals(values[:, None], confidence=confidence, clusters=clusters)
    ends = float(found.low[0]), float(found.high[0])
    return (None, None) if np.isnan(ends).any() else ends


def flow_of(stages: Sequence[str], targets: Sequence[ExaminedTarget], confidence: float) -> tuple[StageFlow, ...]:
    """What each stage holds, gains and loses, with intervals over topics."""
    topics = [one.topic for one in targets]
    held = np.array([[bool(one.ranks) for one in target.sightings] for target in targets], dtype=bool)

    def share(which: Any) -> Interval:
        values = which.astype(np.float64)
        return Interval(float(values.mean()), *interval_over_topics(values, topics, confidence))

    found = [StageFlow(stages[0], share(held[:, 0]))]
    for i in range(1, len(stages)):
        before, after = held[:, i - 1], held[:, i]
        found.append(StageFlow(stages[i], share(after), share(after & ~before), share(before & ~after)))
    return tuple(found)


def oracle_of(targets: Sequence[ExaminedTarget], k: int, confidence: float) -> OracleReranker:
    """The share of each topic's targets that k results hold, as ranked and at best."""
    by_topic: dict[str, list[ExaminedTarget]] = {}
    for one in targets:
        by_topic.setdefault(one.topic, []).append(one)
    shares: list[tuple[float, float, float]] = []
    greedy = 0
    for found in by_topic.values():
        best, exact = most_held([one.sightings[0].ranks for one in found], k)
        greedy += not exact
        first, last = (sum(any(rank <= k for rank in one.sightings[i].ranks) for one in found) for i in (0, -1))
        shares.append((first / len(found), best / len(found), last / len(found)))
    values = np.array(shares)

    def mean(column: int) -> Interval:
        return Interval(
            float(values[:, column].mean()), *interval_over_topics(values[:, column], list(by_topic), confidence)
        )

    return OracleReranker(mean(0), mean(1), mean(2), greedy)
