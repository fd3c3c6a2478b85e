"""Power under the names that people type."""

import math

import pytest

import berrypick as bp


def test_metrics_is_another_name_of_the_measures():
    truth = {str(i): {"a": 1} for i in range(4)}
    runs = {"x": {str(i): {"a": 1.0} for i in range(4)}, "y": {str(i): {"b": 2.0, "a": 1.0} for i in range(4)}}
    found = bp.power(truth, runs, metrics="P@1", resamples=100)
    assert found.to_json() == bp.power(truth, runs, "P@1", resamples=100).to_json()


def test_two_topics_are_enough():
    """Differences 0 and .5: mean .25, deviation .5 / sqrt(2). A paired t-test finds .25 with a power of .781 on 17
    topics, and of .807 on 18."""
    truth = {"p": {"a": 1}, "q": {"a": 1}}
    runs = {"x": {"p": {"a": 1.0}, "q": {"a": 1.0}}, "y": {"p": {"a": 1.0}, "q": {"b": 2.0, "a": 1.0}}}
    found = bp.power(truth, runs, "RR", detect=0.25, resamples=100)[0]
    assert (found.topics, found.pairs[0].difference, found.needed) == (2, 0.25, 18)
    assert found.deviation == pytest.approx(0.5 / math.sqrt(2))
    with pytest.raises(bp.UsageError, match="power needs 2 topics or more, not 1"):
        bp.power({"p": {"a": 1}}, {name: {"p": run["p"]} for name, run in runs.items()}, "RR")
