"""Metrics for ragas and DeepEval, a scorer for MLflow, an assertion for promptfoo.

ragas and DeepEval are stood in for by classes with the shape of theirs: the packages bring dozens of others, and
DeepEval a plugin for pytest.
"""

import asyncio
import importlib.util
import inspect
import math
import sys
import types
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from client_responses import DOCUMENTS, EXPECTED, PLACES, TEXTS, TRUTH

import berrypick as bp

FOUND = [TEXTS[name][start:end] for name, start, end in PLACES]
RELEVANT = [TEXTS[name][start:end] for name, start, end in TRUTH["q"]]
RECALL = EXPECTED["charR@5"]


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives, in a thread of its own: a browser's loop may run in that of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def stand_in(monkeypatch, adapter: str, **modules: dict[str, Any]) -> Any:
    """An adapter of ours, over modules that stand in for a library."""
    for name, held in modules.items():
        made = types.ModuleType(name.replace("__", "."))
        vars(made).update(held)
        monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    spec = importlib.util.find_spec(adapter)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class SingleTurnMetric:
    """As ``ragas.metrics.base.SingleTurnMetric``."""

    _required_columns: Any
    name: str = ""


@pytest.fixture
def ragas(monkeypatch):
    kinds = types.SimpleNamespace(SINGLE_TURN="single_turn")
    base = {"SingleTurnMetric": SingleTurnMetric, "MetricType": kinds}
    return stand_in(monkeypatch, "berrypick.ragas", ragas={}, ragas__metrics={}, ragas__metrics__base=base)


def test_a_metric_of_ragas(ragas):
    metric = ragas.RetrievalMetric("charR@5", documents=TEXTS)
    assert metric.name == "berrypick charR@5"
    assert metric._required_columns == {"single_turn": {"retrieved_contexts", "reference_contexts"}}
    sample = types.SimpleNamespace(retrieved_contexts=FOUND, reference_contexts=RELEVANT)
    assert awaited(metric._single_turn_ascore(sample, [])) == pytest.approx(RECALL)
    nothing = types.SimpleNamespace(retrieved_contexts=FOUND, reference_contexts=None)
    assert math.isnan(awaited(metric._single_turn_ascore(nothing)))
    with pytest.raises(bp.UsageError, match="RetrievalMetric takes one measure"):
        ragas.RetrievalMetric("charR charP", documents=TEXTS)
    with pytest.raises(bp.BerrypickError, match="unknown measure"):
        ragas.RetrievalMetric("charX", documents=TEXTS)


def test_a_metric_of_deepeval(monkeypatch):
    base = {"BaseMetric": type("BaseMetric", (), {})}
    deepeval = stand_in(monkeypatch, "berrypick.deepeval", deepeval={}, deepeval__metrics=base)
    metric = deepeval.RetrievalMetric("charR@5", threshold=0.7, documents=TEXTS)
    case = types.SimpleNamespace(retrieval_context=FOUND, context=RELEVANT)
    assert metric.measure(case) == metric.score == pytest.approx(RECALL)
    assert metric.is_successful() and metric.reason == "charR@5 is 0.7105; it must be at least 0.7"
    assert metric.__name__ == "berrypick charR@5"
    strict = deepeval.RetrievalMetric("charR@5", threshold=0.8, documents=TEXTS)
    assert awaited(strict.a_measure(case)) == pytest.approx(RECALL) and not strict.is_successful()
    assert strict.measure(types.SimpleNamespace(retrieval_context=FOUND, context=None)) is None
    assert not strict.is_successful() and "undefined" in strict.reason
    names = inspect.signature(type(strict).__init__).parameters  # assert_test copies a metric for each case
    copied = type(strict)(**{name: held for name, held in vars(strict).items() if name in names})
    assert copied.measure(case) == pytest.approx(RECALL) and copied.threshold == 0.8
    assert copied.evaluator is strict.evaluator


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scorer_of_mlflow():
    pytest.importorskip("mlflow", reason="mlflow-skinny is not installed: pip install --group integrations")
    from platform_traces import MLFLOW

    from berrypick.mlflow import RetrievalScorer

    scorer = RetrievalScorer("charR@5 charP@2", relevant="gold", documents=TEXTS)
    expected = {name: EXPECTED[name] for name in ("charR@5", "charP@2")}
    for given in ({"trace": MLFLOW}, {"outputs": {"documents": DOCUMENTS}}, {"outputs": FOUND}):
        feedback = scorer(expectations={"gold": RELEVANT}, **given)
        assert {one.name: one.value for one in feedback} == pytest.approx(expected)
        assert {one.source.source_id for one in feedback} == {"berrypick"}
    with pytest.raises(bp.UsageError, match=r"the expectations have no 'gold': .* there is other"):
        scorer(expectations={"other": []}, outputs=FOUND)
    with pytest.raises(bp.UsageError, match="the outputs have no documents"):
        scorer(expectations={"gold": RELEVANT}, outputs="In autumn.")


def test_an_assertion_of_promptfoo():
    """As promptfoo calls the file: with the output, and a context that has vars, config and the provider's response."""
    path = Path(__file__).parents[2] / "docs" / "examples" / "ci" / "berrypick_assert.py"
    spec = importlib.util.spec_from_file_location("berrypick_assert", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    variables = {"query": "When?", "relevant": RELEVANT}
    provider = {"output": "In autumn.", "metadata": {"context": FOUND}}
    config = {"conditions": ["charR@5 >= 0.7", "charP@2 >= 0.1"], "documents": TEXTS}
    given = {"vars": variables, "config": config, "providerResponse": provider}
    done = module.get_assert("In autumn.", given)
    assert done["pass"] is True and done["reason"] == "charR@5 is 0.7105, charP@2 is 0.3269"
    assert done["namedScores"] == pytest.approx({name: EXPECTED[name] for name in ("charR@5", "charP@2")})
    strict = {**given, "config": {**config, "conditions": "charR@5 >= 0.8"}}
    assert module.get_assert("x", strict)["pass"] is False
    assert module.get_assert("x", strict)["reason"] == "this test: charR@5 is 0.7105, must be >= 0.8"
    variable = {"vars": {**variables, "context": FOUND}, "config": config}
    assert module.get_assert("x", variable)["pass"] is True
    for wrong, match in (({**given, "config": {}}, "no conditions"), ({**given, "vars": {}}, "no variable says"),
                         ({"vars": variables, "config": config}, "nothing was retrieved")):  # fmt: skip
        with pytest.raises(bp.UsageError, match=match):
            module.get_assert("x", wrong)
