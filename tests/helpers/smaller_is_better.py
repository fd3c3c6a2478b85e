"""A measure of which less is better, and two runs, one of which is better by it."""

from __future__ import annotations

from handmade import document_run

import berrypick as bp

TOPICS = [f"q{i}" for i in range(12)]
TRUTH = {topic: {"a": 1} for topic in TOPICS}
RUNS = {
    "slow": {topic: {"b": 3.0, "c": 2.0, "a": 1.0} for topic in TOPICS},
    "quick": {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in TOPICS},
}


class Dwell(bp.Measure):
    """Ranks before the first target."""

    higher_is_better = False

    def compute(self, topic):
        wanted = set(topic.targets.names())
        return float(next((i for i, name in enumerate(topic.ranking.names_by_rank()) if name in wanted), 99))


def runs():
    return [document_run({topic: list(found) for topic, found in lists.items()}, tag) for tag, lists in RUNS.items()]
