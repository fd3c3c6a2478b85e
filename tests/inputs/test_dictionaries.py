"""Truths and runs as dictionaries, and measures as objects, as other libraries have them."""

import ir_measures
import numpy as np
import pytest

import berrypick as bp

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
SCORES = {"q1": {"b": 0.5, "a": 0.5, "c": 0.1}, "q2": {"x": 1.0, "a": 0.25}}


@pytest.fixture
def written(tmp_path):
    (tmp_path / "t.qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, found in QRELS.items() for d, g in found.items())
    )
    lines = [f"{q} Q0 {d} 0 {s} sys\n" for q, found in SCORES.items() for d, s in found.items()]
    (tmp_path / "r.run").write_text("".join(lines))
    return tmp_path / "t.qrels", tmp_path / "r.run"


def test_dictionaries_give_the_numbers_of_files(written):
    asked = "AP nDCG@10 EPRUM PRUM"
    given = {"units": 10}
    expected = bp.evaluate(*written, asked, **given)
    found = bp.evaluate(QRELS, SCORES, asked, **given)
    assert found.mean()["run"] == expected.mean()["sys"]
    assert found.per_topic()["run"] == expected.per_topic()["sys"]
    assert bp.evaluate(QRELS, [SCORES, written[1]], asked, **given).mean().keys() == {"run", "sys"}


def test_numbers_of_numpy_and_topics_that_are_numbers():
    found = bp.evaluate({1: {"a": np.int64(1)}}, {1: {"a": np.float32(0.5)}}, "AP")
    assert found.mean() == {"run": {"AP": 1.0}}


def test_spans_in_dictionaries():
    truth = {"1": {"d#10-20": 1, "d#30-40": 0}}
    found = bp.evaluate(truth, {"1": {"d#10-15": 2.0, "d#0-5": 1.0}}, "charR@1 charP@2")
    assert found.mean()["run"] == {"charR@1": 0.5, "charP@2": 0.5}
    objects = bp.evaluate(truth, {"1": [{"doc": "d", "start": 10, "end": 15}]}, "charR@1")
    assert objects.mean()["run"] == {"charR@1": 0.5}


def test_the_other_functions_take_them_too(written):
    assert bp.compare(QRELS, [SCORES, written[1]], "AP", resamples=100).runs == ("run", "sys")
    assert "AP" in str(bp.explain(QRELS, SCORES, "AP", "q1"))
    assert bp.judge(QRELS, SCORES, "q1").topic == "q1"
    assert bp.judge({"0": {"a": 1}}, {"0": {"a": 1}}, 0).topic == "0"


@pytest.mark.parametrize(
    "measure", [ir_measures.nDCG @ 2, [ir_measures.nDCG @ 2], ["nDCG@2"], (ir_measures.nDCG(cutoff=2),)]
)
def test_measures_of_ir_measures(measure):
    assert bp.evaluate(QRELS, SCORES, measure).mean() == bp.evaluate(QRELS, SCORES, "nDCG@2").mean()


@pytest.mark.parametrize(
    ("truth", "run", "measures", "told"),
    [
        (QRELS, [], "AP", "no runs given"),
        (QRELS, None, "AP", "a run is a file, a Run, a dictionary by topic, .*, not NoneType"),
        (QRELS, [3], "AP", "a run is a file, a Run, a dictionary by topic, .*, not int"),
        (3, SCORES, "AP", "a truth is a file, a Truth, a dictionary by topic, .*, not int"),
        ({"q": 1}, SCORES, "AP", "topic q: a dictionary of document to grade is expected, or a list, not int"),
        ({"q": {"d": "1"}}, SCORES, "AP", "the grade of d is '1', which is not a number"),
        ({}, SCORES, "AP", "judges nothing"),
        (QRELS, {"q": {"d": float("nan")}}, "AP", "the score of d is nan, which is not a number"),
        (QRELS, {}, "AP", "no topic has any result"),
        (QRELS, SCORES, [3], "3 is not a measure"),
        (QRELS, SCORES, 3, "3 is not a measure"),
    ],
)
def test_what_is_neither_is_told(truth, run, measures, told):
    with pytest.raises(bp.UsageError, match=told):
        bp.evaluate(truth, run, measures)


def test_a_frame_is_no_file():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(bp.UsageError, match="expected a file name or path, not DataFrame"):
        bp.read_run(pandas.DataFrame({"topic": ["1"], "doc": ["a"]}))
