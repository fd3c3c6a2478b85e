"""Gains and how ideal elements are: what nobody finds ideal, quantisations, bases, elements left out.

EPRUM (Piwowarski and Dupret 2006) section 3.1, PRUM (2007) section 4.2.2, and by hand.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import slow_text_twins as twins

import berrypick as bp
from berrypick.data.truth import EntryPoint, Highlighted, TopicTruth


def test_what_nobody_finds_ideal_is_no_target_for_any_measure(files, berrypick):
    """Documents of grades 1 and 2, '1=0,2=1', the list (grade 1, grade 2): one target, at rank 2."""
    paths = files(truth_qrels="q 0 a 1\nq 0 b 2\n", list_run="q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    measures = "EPRUM PRUM epnav@1 ExpectedRatio@1 xCG@2 AP"
    done = berrypick("evaluate", *paths.values(), "-m", measures, "--idealism", "1=0,2=1", "-o", "json", "--units", 9)
    rows = json.loads(done.out)
    assert [row["value"] for row in rows] == pytest.approx([0.5, 0.5, 0.5, 0.0, 2.0, 0.5])
    assert all("|idealism:1=0,2=1|" in row["signature"] for row in rows)
    assert "1 judged unit of a grade that is ideal for no user" in done.err


A, B, C = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/b[1]/c[1]")


#: strict: c alone (E3S3). generalised: a and b .75, c 1. With b graded E3S1 (.75) and c E2S3 (.75) b wins the tie.
GRADED = twins.graded_truth({A: (1, 1), B: (3, 3), C: (3, 3)}, {A: 60.0, B: 40.0, C: 10.0})


def test_the_quantisation_is_always_in_the_signature():
    names = ["EPRUM", "PRUM", "epnav", "ExpectedRatio", "nxCG@2", "MAep", "GRP", "PRecall", "GRPng"]
    run = twins.element_run([[B], [C], [A]])
    results = bp.evaluate(GRADED, run, names, units=100)
    assert {row.measure: row.signature.get("quant") for row in results.mean_rows} == dict.fromkeys(names, "generalised")
    strict = bp.evaluate(GRADED, run, ["EPRUM(quant='strict')", "nxCG(quant='strict')@2"])
    assert [row.signature["quant"] for row in strict.mean_rows] == ["strict", "strict"]


PARENT, LEFT, RIGHT = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/c[1]")


FIGURE_7 = twins.graded_truth({PARENT: (3, 3), LEFT: (3, 3), RIGHT: (3, 3)}, {PARENT: 20.0, LEFT: 10.0, RIGHT: 10.0})


def test_prum_4_2_2_with_its_own_ideal_set():
    """The paper takes {b, c}: the pointer a gains 1 of 2, half of the ideal; b and c are reached from it, .5 each."""
    run, by_hand = twins.element_run([[PARENT]]), twins.element_run([[LEFT], [RIGHT]])
    assert twins.value(FIGURE_7, run, "nxCG@2") == 1.0
    assert twins.value(FIGURE_7, run, "nxCG@2", ideal_elements=by_hand) == 0.5
    ratio = twins.value(FIGURE_7, run, "ExpectedRatio", user="hierarchy", ideal_elements=by_hand)
    assert ratio == pytest.approx(0.5)
    eprum = twins.value(FIGURE_7, run, "EPRUM", user="hierarchy", ideal_elements=by_hand)
    assert eprum == pytest.approx((0.75 + 2 * 0.25) / 2)


def test_grades_that_are_not_there_matter_to_readers_alone():
    """--idealism maps exhaustivity; where only sizes were judged, gain measures are computed all the same."""
    topic = TopicTruth("1", ("a",), np.ones(1), path=("/article[1]",), size=np.full(1, 9.0), rsize=np.full(1, 9.0))
    truth = bp.Truth("elements", {"1": topic}, scale="sizes")
    run = twins.element_run([[("a", "/article[1]")]])
    assert twins.value(truth, run, "nxCG@1", idealism={1: 1.0}) == 1.0
    with pytest.raises(bp.UsageError, match="maps the exhaustivity of elements, which this truth does not have"):
        twins.value(truth, run, "EPRUM", idealism={1: 1.0})


def test_a_topic_is_empty_by_the_base_of_the_measure():
    """Topic 2 has no entry point: nothing for a reader who seeks one, but text and gains as before."""
    point = EntryPoint("d", offset=3.0)
    topics = {
        "1": TopicTruth("1", ("d",), np.ones(1), np.array([0]), np.array([9]), entry_points=(point,)),
        "2": TopicTruth("2", ("e",), np.ones(1), np.array([0]), np.array([9])),
    }
    truth = bp.Truth("spans", topics, lengths={"d": 20.0, "e": 20.0})
    run = {"1": {"d#0-9": 1}, "2": {"e#0-9": 1}}
    results = bp.evaluate(truth, run, ["EPRUM", "charR", "nxCG@1"], user="bep")
    assert results.per_topic()["run"]["EPRUM"]["2"] is None
    assert results.per_topic()["run"]["charR"]["2"] == results.per_topic()["run"]["nxCG@1"]["2"] == 1.0


def test_ignored_elements_do_not_hide_highlighted_text():
    """Of an element whose name is ignored the text stays relevant."""
    topic = TopicTruth("1", ("a",), np.ones(1), path=("/link[1]",), size=np.full(1, 9.0), rsize=np.full(1, 9.0),
                          highlighted=Highlighted(("a",), np.array([0]), np.array([9])))  # fmt: skip
    truth, run = bp.Truth("elements", {"1": topic}, scale="sizes"), {"1": {"a#0-9": 1}}
    results = bp.evaluate(truth, run, ["charR", "nxCG@1"], ignore_elements="link")
    assert results.per_topic()["run"] == {"charR": {"1": 1.0}, "nxCG@1": {"1": None}}
