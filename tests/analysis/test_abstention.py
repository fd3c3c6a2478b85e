"""The least score to answer at: what is abstained for what is answered, as a table, a plot and a sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answers_sample import RUN, TRUTH, mean, write

import berrypick as bp
from berrypick.data.errors import UsageError


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path / "truth.jsonl", TRUTH), write(tmp_path / "run.jsonl", RUN)


def test_trade_off_of_the_least_score(inputs: tuple[str, str], tmp_path: Path, berrypick: Any) -> None:
    found = bp.abstention(*inputs)
    values = [(point.min_score, point.abstained, point.answered) for point in found.points]
    # the best scores are 0.9 and 0.3 with an answer, 0.5 and none without one
    assert values[:3] == [(0.3, 0.5, 1.0), (0.5, 0.5, 0.5), (0.9, 1.0, 0.5)]
    assert values[3][0] > 0.9 and values[3][1:] == (1.0, 0.0)
    for least, abstained, answered in values:
        assert mean(bp.evaluate(*inputs, "Abstained Answered", min_score=least)) == {
            "Abstained": abstained, "Answered": answered,
        }  # fmt: skip
    done = berrypick("abstention", *inputs, "-o", "json")
    assert [(row["min_score"], row["Abstained"], row["Answered"]) for row in json.loads(done.out)] == values
    with pytest.raises(UsageError, match="has no topic without an answer"):
        bp.abstention({"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_a_plot_refuses_options_it_does_not_have() -> None:
    pytest.importorskip("altair")
    found = bp.abstention({"q": {"a": 1}, "p": None}, {"q": {"a": 1.0}})
    with pytest.raises(UsageError, match="has no option 'widht'; did you mean width"):
        found.plot(widht="8cm")


def test_trade_off_is_drawn(inputs: tuple[str, str], tmp_path: Path, berrypick: Any) -> None:
    pytest.importorskip("vl_convert")
    done = berrypick("abstention", *inputs, "--plot", tmp_path / "trade.svg")
    assert done.code == 0, done.err
    drawn = (tmp_path / "trade.svg").read_text(encoding="utf-8")
    assert "Answered, of topics with an answer" in drawn and "Abstained, of topics without one" in drawn


def test_a_sweep_trades_abstained_for_answered(tmp_path):
    """The runs that a sweep keeps have a curve; a least score cuts all of them."""
    documents = {"care": "Cut the old canes in autumn. Pick raspberries when they are dry. They fruit in July."}
    truth = [{"topic": "cut", "doc": "care", "start": 0, "end": 28}, {"topic": "ill", "answer": None}]
    queries = {"cut": "When are old canes cut?", "ill": "Are they ill in July?"}
    given = {"queries": queries, "grid": {"size": [30, 90]}, "measures": "Abstained Answered"}
    found = bp.sweep(documents, truth, **given, keep=tmp_path / "kept")
    curve = bp.abstention(truth, sorted((tmp_path / "kept").iterdir()))
    assert len(found.names) == 2 and len(curve.points) == 6
    for point in curve.points:
        cut = bp.sweep(documents, truth, **given, min_score=point.min_score)
        assert cut.results.mean()[point.run] == {"Abstained": point.abstained, "Answered": point.answered}


def test_a_misspelt_option_names_the_function_that_was_called():
    with pytest.raises(bp.UsageError, match=r"^abstention\(\) has no option 'usr'; did you mean user"):
        bp.abstention({"1": {"a": 1}}, {"1": {"a": 1.0}}, usr="hierarchy")
