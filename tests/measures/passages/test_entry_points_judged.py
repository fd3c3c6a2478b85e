"""Entry points that were judged: several articles, and topics without any."""

from __future__ import annotations

import handmade
import pytest
import slow_text_twins

import berrypick as bp

# --- where lengths came from -----------------------------------------------------------------------------------------


def test_one_entry_point_two_relevant_articles():
    truth = slow_text_twins.span_truth(
        [("a", 5, 15), ("b", 5, 15)], entry_points=[("a", 5)], lengths={"a": 100, "b": 100}
    )
    run = slow_text_twins.span_run([[("a", 5, 15)], [("b", 5, 15)]])
    names = ["BEPD(L=100)", "EPRUM(user='bep(L=100)')", "AgP(score='bep')"]
    assert slow_text_twins.values(truth, run, names) == pytest.approx([1.0, 1.0, (1 + 1 / 2) / 2])


def test_a_topic_without_entry_points_in_a_truth_that_has_some_is_undefined():
    truth = slow_text_twins.several(
        slow_text_twins.span_truth([("a", 5, 15)], entry_points=[("a", 5)], lengths={"a": 100}),
        slow_text_twins.span_truth([("a", 5, 15)], topic="2", lengths={"a": 100}),
    )
    run = handmade.span_run({"1": [("a", 5, 15)], "2": [("a", 5, 15)]})
    found = bp.evaluate(truth, run, "BEPD(L=100) EPRUM(user='bep(L=100)')").per_topic()["run"]
    assert list(found.values()) == [{"1": 1.0, "2": None}] * 2
