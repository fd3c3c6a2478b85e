"""What the stages of a pipeline hold, gain and lose, and what the best order of the first stage would hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from berrypick.analysis.diagnosis.examine import ExaminedTarget
from berrypick.analysis.diagnosis.oracle import most_held
from berrypick.data.arrays import FloatArray
from berrypick.data.results import Results
from berrypick.statistics.intervals import difference_intervals, is_hit, mean_intervals
from berrypick.tables.tabular import Interval


@dataclass(frozen=True)
class StageFlow:
    """How many targets some result of a stage holds, and what the stage gained and lost against the one before."""

    stage: str
    held: Interval
    gained: Interval | None = None
    lost: Interval | None = None
    #: The mean of each measure, and what it is above or below that of the stage before, with an interval.
    means: Mapping[str, float | None] = field(default_factory=dict)
    differences: Mapping[str, Interval] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The stage as JSON has it."""
        shares = {"held": self.held, "gained": self.gained, "lost": self.lost}
        found: dict[str, Any] = {"stage": self.stage}
        for name, one in shares.items():
            found |= {} if one is None else one.fields(name)
        measures = {name: {"mean": value, **self.differences.get(name, Interval()).fields("difference")}
                    for name, value in self.means.items()}  # fmt: skip
        return found | ({"measures": measures} if measures else {})


@dataclass(frozen=True)
class OracleReranker:
    """The mean share of a topic's targets held by the first k results: of the first stage, of its best order, of the
    last stage. ``greedy`` counts the topics whose best order was not searched to the end."""

    first: Interval
    best: Interval
    last: Interval
    greedy: int = 0

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        shares = self.first.fields("first") | self.best.fields("best") | self.last.fields("last")
        return {**shares, "greedy_topics": self.greedy}


@dataclass(frozen=True)
class Pipeline:
    """The stages of a pipeline, what each holds, gains and loses, and what the best order of the first would hold."""

    stages: tuple[str, ...] = ()
    flow: tuple[StageFlow, ...] = ()
    oracle: OracleReranker | None = None

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        oracle = {} if self.oracle is None else {"oracle_reranker": self.oracle.record()}
        return {"stages": [one.record() for one in self.flow], **oracle}


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


def pipeline_of(
    stages: Sequence[str],
    targets: Sequence[ExaminedTarget],
    k: int,
    confidence: float,
    results: Results | None = None,
) -> Pipeline:
    """The stages of a pipeline; ``results`` has the values of measures, with a run for each stage in this order."""
    if len(stages) < 2:
        return Pipeline()
    flow = flow_of(stages, targets, confidence)
    if results is not None:
        flow = _with_measures(flow, results, confidence)
    return Pipeline(tuple(stages), flow, oracle_of(targets, k, confidence))


def _with_measures(flow: Sequence[StageFlow], results: Results, confidence: float) -> tuple[StageFlow, ...]:
    """The stages with the means of measures and the paired differences of successive ones."""
    means, values = results.mean(), results.per_topic()
    runs, found = results.runs, list[StageFlow]()
    for i, one in enumerate(flow):
        differences = {
            measure: _difference(values[runs[i]][measure], values[runs[i - 1]][measure], confidence)
            for measure in (results.measures if i else ())
        }
        found.append(replace(one, means=means[runs[i]], differences=differences))
    return tuple(found)


def _difference(after: Mapping[str, float | None], before: Mapping[str, float | None], confidence: float) -> Interval:
    """The mean difference over topics that both have a value for, with its interval."""
    pairs = [(value, before[topic]) for topic, value in after.items() if value is not None]
    both = np.array([(one, other) for one, other in pairs if other is not None], dtype=np.float64).reshape(-1, 2)
    if not len(both):
        return Interval()
    apart = both[:, 0] - both[:, 1]
    ends = difference_intervals(apart[:, None], hits=bool(is_hit(both).all()), confidence=confidence)
    low, high = float(ends.low[0]), float(ends.high[0])
    return Interval(float(apart.mean()), *((None, None) if np.isnan(low) else (low, high)))


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
