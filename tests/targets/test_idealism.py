"""Which units are ideal, and for how many readers: graded idealism on elements, quantisations, ideal sets by hand.

EPRUM (Piwowarski and Dupret 2006) section 3.1, PRUM (2007) section 4.2.2, and by hand.
"""

from __future__ import annotations

import pytest
import slow_text_twins as twins

import berrypick as bp


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


def test_a_topic_with_nothing_ideal_has_no_value():
    results = bp.evaluate({"q": {"a": 1}, "p": {"a": 2}}, {"q": {"a": 1}, "p": {"a": 1}}, "PRUM", idealism="1=0,2=1")
    assert results.per_topic()["run"]["PRUM"] == {"q": None, "p": 1.0}


def test_too_small_elements_are_ideal_for_nobody_under_a_map():
    """A ? element can be ideal by its specificity alone; with a map it is no target, for PRUM too."""
    a, b = ("a", "/article[1]"), ("b", "/article[1]")
    topic = twins.graded_truth({a: (3, 3), b: (3, 3)}).topics["1"]
    made = type(topic)("1", ("a", "b"), topic.grade, path=topic.path, exhaustivity=topic.grade * [2, 0],
                       size=topic.grade * 10, rsize=topic.grade * 10)  # fmt: skip
    truth = bp.Truth("elements", {"1": made}, scale="sizes")
    run = twins.element_run([[b], [a]])
    assert twins.values(truth, run, ["PRUM", "EPRUM"]) == pytest.approx([1, 1])
    values = twins.values(truth, run, ["PRUM", "EPRUM"], idealism={2: 1.0, 1: 0.5})
    assert values == pytest.approx([0.5, 0.5])


# --- quantisation ------------------------------------------------------------------------------------------------


def test_quant_chooses_the_base_of_reader_measures():
    """Two documents: e (E3S3) and f (E2S2, .5): generalised wants both, strict only e."""
    e, f = ("e", "/a[1]"), ("f", "/a[1]")
    truth, run = twins.graded_truth({e: (3, 3), f: (2, 2)}), twins.element_run([[e]])
    names = ["EPRUM", "PRUM(r=1)", "ExpectedRatio"]
    assert twins.values(truth, run, names) == pytest.approx([0.5, 1, 0.5])
    strict = ["EPRUM(quant='strict')", "PRUM(quant='strict',r=1)", "ExpectedRatio(quant='strict')"]
    assert twins.values(truth, run, strict) == pytest.approx([1, 1, 1])


def test_quant_on_documents_means_the_highest_grade():
    truth, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 1}}
    results = bp.evaluate(truth, run, ["EPRUM", "EPRUM(quant='strict')", "ExpectedRatio(quant='strict')"])
    assert list(results.mean()["run"].values()) == pytest.approx([0.5, 1, 1])


# --- ideal sets by hand -------------------------------------------------------------------------------------------

PARENT, LEFT, RIGHT = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/c[1]")
FIGURE_7 = twins.graded_truth({PARENT: (3, 3), LEFT: (3, 3), RIGHT: (3, 3)}, {PARENT: 20.0, LEFT: 10.0, RIGHT: 10.0})


@pytest.mark.parametrize(
    ("named", "message"),
    [([[PARENT], [LEFT]], "must not overlap"), ([[("d", "/a[1]/p[9]")]], "has no gain")],
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
