"""Passages of many topics at a time."""

import pytest

import berrypick as bp
from berrypick.evaluation import scoring


def test_plain_topics_are_not_judged_alone(monkeypatch):
    """test_together compares both ways; this shows that there are two."""
    truth = {f"q{i}": [{"doc": "d", "start": 10 * i, "end": 10 * i + 10}] for i in range(4)}
    run = {topic: [{"doc": "d", "start": 5, "end": 25}, {"doc": "e", "start": 0, "end": 5}] for topic in truth}
    monkeypatch.setattr(scoring.RunScorer, "_score", None)
    values = {row.measure: row.value for row in bp.evaluate(truth, run, "iP@0.5 AiP gP@2 gR AgP").mean_rows}
    assert values["iP@0.5"] == pytest.approx((5 + 10 + 5 + 0) / 20 / 4)  # at rank 1
    assert values["AiP"] == pytest.approx((51 / 4 + 101 / 2 + 51 / 4 + 0) / 101 / 4)
    some, all_ = (17 / 16 * p * r / (p / 16 + r) for p, r in ((1 / 4, 1 / 2), (1 / 2, 1)))  # F of the first article
    assert values["AgP"] == pytest.approx((some + all_ + some + 0) / 4)
    assert (values["gP@2"], values["gR"]) == (pytest.approx((some + all_ + some + 0) / 2 / 4), 1.0)
