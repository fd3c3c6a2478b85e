"""Reach matrices, and what has been seen of targets, for topic 1 of small truths and runs."""

from __future__ import annotations

import handmade
import numpy as np

import berrypick as bp
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Targets, Truth
from berrypick.targets import targets
from berrypick.users import ReaderContext, build


def ranking_of(run: Run, topic: str = "1") -> Ranking:
    return run.ranking(topic)


def targets_of(truth: Truth, topic: str = "1") -> Targets:
    return targets.targets_of(truth.topics[topic], truth.grades(), None)


def reach(model: str, truth: Truth, run: Run, **world) -> np.ndarray:
    """The probability of each rank to lead to each target."""
    return build(model).reach(ranking_of(run), targets_of(truth), ReaderContext(**world)).dense()


def spans_reach(model: str, wanted: list[tuple], results: list[tuple], **world) -> np.ndarray:
    return reach(model, handmade.span_truth({"1": wanted}), handmade.span_run({"1": results}), **world)


def seen(user: str, wanted: list[tuple], results: list[tuple], **options) -> np.ndarray:
    """What has been seen of each target after each rank."""
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    judged = bp.judge(truth, run, "1", user=user, **options)
    return np.array([judged.reach.expected_seen(k) for k in range(1, judged.reach.ranks + 1)])
