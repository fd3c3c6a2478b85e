"""Which units are ideal, and for how many readers: graded idealism on elements, quantisations, ideal sets by hand.

EPRUM (Piwowarski and Dupret 2006) section 3.1, PRUM (2007) section 4.2.2, and by hand.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import twins_text as twins

import berrypick as bp
from berrypick.core.truth import EntryPoint, Highlighted, TopicTruth


def test_elements_without_exhaustivity_cannot_be_mapped():
    truth = twins.graded_truth({("d", "/a[1]"): (3, 3)})
    topic = truth.topics["1"]
    missing = bp.Truth("elements", {"1": type(topic)("1", ("d",), topic.grade, path=topic.path, size=topic.grade * 10,
                                                     rsize=topic.grade * 10)}, scale="sizes")  # fmt: skip
    run = twins.element_run([[("d", "/a[1]")]])
    with pytest.raises(bp.UsageError, match="idealism='gain'"):
        bp.evaluate(missing, run, "EPRUM", idealism="1=1")
    assert bp.evaluate(missing, run, "EPRUM", idealism="gain").mean()["run"]["EPRUM"] == 1.0


def test_idealism_by_gain_is_for_elements():
    with pytest.raises(bp.UsageError, match="is for elements"):
        bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "EPRUM", idealism="gain")


def test_what_nobody_finds_ideal_is_no_target_for_any_measure(files, berrypick):
    """Documents of grades 1 and 2, '1=0,2=1', the list (grade 1, grade 2): one target, at rank 2."""
    paths = files(truth_qrels="q 0 a 1\nq 0 b 2\n", list_run="q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    measures = "EPRUM PRUM epnav@1 ExpectedRatio@1 xCG@2 AP"
    done = berrypick("evaluate", *paths.values(), "-m", measures, "--idealism", "1=0,2=1", "-o", "json", "--units", 9)
    rows = json.loads(done.out)
    assert [row["value"] for row in rows] == pytest.approx([0.5, 0.5, 0.5, 0.0, 2.0, 0.5])
    assert all("|idealism:1=0,2=1|" in row["signature"] for row in rows)
    assert "1 judged unit of a grade that is ideal for no user" in done.err


def test_a_topic_with_nothing_ideal_has_no_value():
    results = bp.evaluate({"q": {"a": 1}, "p": {"a": 2}}, {"q": {"a": 1}, "p": {"a": 1}}, "PRUM", idealism="1=0,2=1")
    assert results.per_topic()["run"]["PRUM"] == {"q": None, "p": 1.0}


def test_too_small_elements_are_ideal_for_nobody_under_a_map():
    """A ? element can be ideal by its specificity alone; with a map it is no target, for PRUM and epnav too."""
    a, b = ("a", "/article[1]"), ("b", "/article[1]")
    topic = twins.graded_truth({a: (3, 3), b: (3, 3)}).topics["1"]
    made = type(topic)("1", ("a", "b"), topic.grade, path=topic.path, exhaustivity=topic.grade * [2, 0],
                       size=topic.grade * 10, rsize=topic.grade * 10)  # fmt: skip
    truth = bp.Truth("elements", {"1": made}, scale="sizes")
    run = twins.element_run([[b], [a]])
    assert twins.values(truth, run, ["PRUM", "epnav", "EPRUM"]) == pytest.approx([1, 1, 1])
    values = twins.values(truth, run, ["PRUM", "epnav", "EPRUM"], idealism={2: 1.0, 1: 0.5})
    assert values == pytest.approx([0.5, 0.5, 0.5])


# --- quantisation ------------------------------------------------------------------------------------------------

A, B, C = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/b[1]/c[1]")
#: strict: c alone (E3S3). generalised: a and b .75, c 1. With b graded E3S1 (.75) and c E2S3 (.75) b wins the tie.
GRADED = twins.graded_truth({A: (1, 1), B: (3, 3), C: (3, 3)}, {A: 60.0, B: 40.0, C: 10.0})


def test_quant_chooses_the_base_of_reader_measures():
    """Two documents: e (E3S3) and f (E2S2, .5): generalised wants both, strict only e."""
    e, f = ("e", "/a[1]"), ("f", "/a[1]")
    truth, run = twins.graded_truth({e: (3, 3), f: (2, 2)}), twins.element_run([[e]])
    names = ["EPRUM", "PRUM(r=1)", "ExpectedRatio", "epnav@1"]
    assert twins.values(truth, run, names) == pytest.approx([0.5, 1, 0.5, 0])
    strict = ["EPRUM(quant='strict')", "PRUM(quant='strict',r=1)", "ExpectedRatio(quant='strict')",
              "epnav(quant='strict')@1"]  # fmt: skip
    assert twins.values(truth, run, strict) == pytest.approx([1, 1, 1, 1])


def test_quant_on_documents_means_the_highest_grade():
    truth, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 1}}
    results = bp.evaluate(truth, run, ["EPRUM", "EPRUM(quant='strict')", "ExpectedRatio(quant='strict')"])
    assert list(results.mean()["run"].values()) == pytest.approx([0.5, 1, 1])


def test_the_quantisation_is_always_in_the_signature():
    names = ["EPRUM", "PRUM", "epnav", "ExpectedRatio", "nxCG@2", "MAep", "GRP", "PRecall", "GRPng"]
    run = twins.element_run([[B], [C], [A]])
    results = bp.evaluate(GRADED, run, names, units=100)
    assert {row.measure: row.signature.get("quant") for row in results.mean_rows} == dict.fromkeys(names, "generalised")
    strict = bp.evaluate(GRADED, run, ["EPRUM(quant='strict')", "nxCG(quant='strict')@2"])
    assert [row.signature["quant"] for row in strict.mean_rows] == ["strict", "strict"]


# --- ideal sets by hand -------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("named", "message"),
    [([[PARENT], [LEFT]], "do not overlap"), ([[("d", "/a[1]/p[9]")]], "has no gain")],
)
def test_ideal_sets_that_cannot_be(named, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(FIGURE_7, twins.element_run([[PARENT]]), "EPRUM", ideal_elements=twins.element_run(named))


def test_topics_without_an_ideal_set_are_counted():
    truth = twins.several(FIGURE_7, twins.graded_truth({PARENT: (3, 3)}, {PARENT: 20.0}, topic="2"))
    results = bp.evaluate(truth, twins.element_run([[PARENT]]), "EPRUM", ideal_elements=twins.element_run([[LEFT]]))
    assert any("names none for 1 topic" in str(note) for note in results.notes)
    spans = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "EPRUM", ideal_elements=twins.element_run([[LEFT]]))
    assert any("ideal_elements= has no effect" in str(note) for note in spans.notes)


# --- what readers want, and what gains and text are ---------------------------------------------------------------


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


def test_quant_chooses_what_is_relevant_to_readers_of_a_line():
    """Two sections of 20 characters, both highlighted, one of exhaustivity 2: strict wants that alone."""
    tree = twins.grow("d", twins.Shape([-1, 0, 0], ["a", "s", "s"], [0, 0, 0], [60, 20, 20], [0, 0, 0]))
    collection = twins.collection_of([tree])
    first, second = "/article[1]/s[1]", "/article[1]/s[2]"
    topic = TopicTruth("1", ("d", "d"), np.ones(2), path=(first, second), exhaustivity=np.array([2.0, 1.0]),
                       specificity=np.ones(2), size=np.full(2, 20.0), rsize=np.full(2, 20.0))  # fmt: skip
    truth, run = bp.Truth("elements", {"1": topic}, scale="2005"), twins.element_run([[("d", first)]])
    names = ["T2I({}tolerance=10)", "ESL({}tolerance=10)", "ESLRF({}tolerance=10)", "PT2I({}tolerance=10)",
             "SegP({})", "SegR({})"]  # fmt: skip
    plain = [name.format("") for name in names]
    chosen = [name.format("quant='strict',").replace(",)", ")") for name in names]
    found = bp.evaluate(truth, run, plain + chosen, collection=collection)
    values, strict = found.mean()["run"], [found.mean()["run"][name] for name in chosen]
    only = bp.Truth("elements", {"1": replace(topic, grade=np.array([1.0, 0.0]))}, scale="2005")
    alone = bp.evaluate(only, run, plain, collection=collection).mean()["run"]
    assert strict == [alone[name] for name in plain] and strict != [values[name] for name in plain]
    assert values["SegR()"] == 0.5 and strict[-1] == 1.0
    assert {row.measure: row.signature["quant"] for row in found.mean_rows} == (
        dict.fromkeys(plain, "generalised") | dict.fromkeys(chosen, "strict")
    )
