"""How far the difference between two runs depends on the assumption that readers see targets independently.

The ends of a topic are the least and the largest difference over all joint distributions of what readers see: from the
bounds of each run, and tighter where the measure knows that both runs hold the same results.
"""

from __future__ import annotations

from collections.abc import Iterable

from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Proved
from berrypick.statistics.topic_values import TIE
from berrypick.topics.judge import judge_topic
from berrypick.topics.topic import JudgedTopic

#: Measure, run and the run that it is compared with.
PairKey = tuple[str, str, str]
#: By topic, the least and the largest difference.
TopicEnds = dict[str, tuple[float, float]]


def dependence_bounds(evaluation: Evaluation, proved: Proved, pairs: Iterable[PairKey]) -> dict[PairKey, TopicEnds]:
    """Bound the differences of pairs on each topic, for the measures that have bounds."""
    bounded = {one.text: one for one in proved.measures}
    found = {key: proved.differences(bounded[key[0]], *key[1:]) for key in pairs if key[0] in bounded}
    wanted = {one.text: one.measure for one in evaluation.measures}
    for topic in evaluation.truth.topics:
        judged: dict[tuple[int, str], JudgedTopic] = {}
        for key, ends in found.items():
            low, high = ends.get(topic, (0.0, 0.0))
            if high - low <= TIE:
                continue
            context = evaluation.contexts[key[0]]
            for run in key[1:]:
                if (id(context), run) not in judged:
                    judged[id(context), run] = judge_topic(evaluation.truth, evaluation.runs[run], topic, context)
            tight = wanted[key[0]].pair_bounds(*(judged[id(context), run] for run in key[1:]))
            if tight is not None:
                ends[topic] = max(low, tight[0]), min(high, tight[1])
    return found
