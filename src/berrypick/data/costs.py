"""What answering a topic cost: latency in seconds, cost, tokens. Shown beside measures, and part of none of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.data.words import counted

if TYPE_CHECKING:
    from berrypick.data.run import Run

#: Costs that a topic of a run can have.
TOPIC_COSTS = ("latency", "cost", "tokens")
#: Details that only steps of an agent have: costs beside them are costs of the step.
OF_STEPS = ("session", "tool", "used", "doc_lines", "seconds", "lines")
#: The columns of a table for one cost.
STATISTICS = ("mean", "median", "p95")

#: By topic, then by name.
TopicCosts = Mapping[str, Mapping[str, float]]


def topic_costs(run: Run, topics: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the costs of some topics: those that the run states, else the sum over the steps of a session."""
    found = {topic: dict(run.of_topics.costs[topic]) for topic in topics if topic in run.of_topics.costs}
    if not any(name in run.details for name in OF_STEPS):
        return found
    for topic in topics:
        if topic not in run:
            continue
        for name, column in run.ranking(topic).details.items():
            ours = "latency" if name == "seconds" else name
            if ours in TOPIC_COSTS and not np.isnan(column).all():
                found.setdefault(topic, {}).setdefault(ours, float(np.nansum(column)))
    return found


def summary(costs: TopicCosts, topics: Collection[str] | None = None) -> dict[str, dict[str, float]]:
    """Return mean, median, p95 (linear interpolation) and the number of topics, for each cost that any topic has.

    >>> summary({"a": {"latency": 1.0}, "b": {"latency": 3.0}, "c": {}})
    {'latency': {'mean': 2.0, 'median': 2.0, 'p95': 2.9, 'n': 2}}
    """
    held = [one for topic, one in costs.items() if topics is None or topic in topics]
    columns = {name: [one[name] for one in held if name in one] for name in TOPIC_COSTS}
    return {name: _statistics(values) for name, values in columns.items() if values}


def _statistics(values: Sequence[float]) -> dict[str, float]:
    median, p95 = np.percentile(np.array(values, dtype=np.float64), [50, 95])
    return {"mean": math.fsum(values) / len(values), "median": float(median), "p95": float(p95), "n": len(values)}


def cost_columns(known: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The columns of a table (cost, statistic) for the costs that any run has."""
    names = {name for one in known for name in one}
    return [(name, statistic) for name in TOPIC_COSTS if name in names for statistic in STATISTICS]


def cost_cells(costs: Mapping[str, Mapping[str, float]], columns: Iterable[tuple[str, str]]) -> list[str]:
    """The cells of a run in such columns; empty where a cost has no such statistic."""
    known = [(costs.get(name), statistic) for name, statistic in columns]
    return ["-" if one is None else f"{one[part]:.4g}" if part in one else "" for one, part in known]


def lacking(costs: TopicCosts, topics: Collection[str]) -> list[str]:
    """Say for each cost how many topics have none; nothing where all have it, or none has."""
    missing = {name: len(topics) - one["n"] for name, one in summary(costs, topics).items()}
    return [
        f"{counted(int(count), 'topic')} of {len(topics)} without {name}, skipped in the mean of {name}"
        for name, count in missing.items()
        if count
    ]
