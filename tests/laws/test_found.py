"""Defects that laws have found, each as a case of its own."""

import numpy as np
import pytest
import worlds

import berrypick as bp
from berrypick import formats
from berrypick.core.truth import TopicTruth, Truth

RECORDS = [{"topic": "q", "doc": "clip", "start": 44.25, "end": 49.5}]


def test_names_of_spans_in_fractions_of_seconds_are_spans():
    """They were whole documents called clip#44.25-49.5: 0 for 1, without a word."""
    named = {"q": {"clip#44.25-49.5": 1}}
    assert bp.score("charR", RECORDS, named) == bp.score("charR", RECORDS, [{**RECORDS[0], "score": 1}]) == 1.0
    assert bp.score("charR", named, [{**RECORDS[0], "score": 1}]) == 1.0
    assert bp.score("charR", {"q": {"clip#44-49.5": 1}}, {"q": {"clip#44-49.50": 1}}) == 1.0


def test_names_that_only_look_like_spans_are_documents():
    for name in ("a#1-", "a#-2", "a#1.-2", "a#.5-2", "a#1e3-2000", "a#1-2-3.x"):
        assert bp.score("RR", {"q": {name: 1}}, {"q": {name: 1}}) == 1.0


def test_a_format_without_grades_does_not_take_a_truth_that_has_them(tmp_path):
    """Grade 3 came back as 1."""
    topic = TopicTruth("1", ("d",), np.array([3.0]), np.array([0]), np.array([9]), aspects=(("a",),))
    with pytest.raises(bp.UsageError, match="genomics-gold cannot hold this: it has grades other than 1"):
        formats.write(Truth("spans", {"1": topic}), tmp_path / "gold", "genomics-gold")


def test_a_format_of_ranks_does_not_take_several_results_at_one(tmp_path):
    """They came back at ranks of their own."""
    run = worlds.span_run({"1": [("d", 0, 9, 1), ("d", 20, 29, 1)]})
    assert run.grouped
    with pytest.raises(bp.UsageError, match="genomics-run cannot hold this: some ranks hold several results"):
        formats.write(run, tmp_path / "run", "genomics-run")


def test_grp_refuses_grades_above_1_whatever_the_run_returns():
    """It had a value where the run missed the document of grade 3, and an error where it found it."""
    truth = {"q": {"a": 3, "b": 1}}
    for found in ({"b": 1}, {"a": 1}, {"c": 1}):
        with pytest.raises(bp.UsageError, match="GRP needs gains from 0 to 1"):
            bp.score("GRP", truth, {"q": found}, units=10)
