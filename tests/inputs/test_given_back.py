"""Runs and truths are looked up by topic, give themselves back, and come back the same."""

from __future__ import annotations

import json
import warnings
from collections import namedtuple

import numpy as np
import pandas
import polars
import pytest
from many_cases import each

import berrypick as bp
from berrypick.demo import campaign

TEXT = "Cut the old canes in autumn. Water in July."
SPANS = [
    {"topic": "q1", "doc": "guide", "start": 0, "end": 17, "score": 2.0},
    {"topic": "q1", "doc": "guide", "start": 17, "end": 27, "score": 2.0},
    {"topic": "q2", "doc": "faq", "start": 0, "end": 9, "score": 1.0},
]
LINES = {
    "documents by score": ["1 Q0 a 1 2.5 mine\n", "1 Q0 b 2 2.5 mine\n", "2 Q0 c 1 1 mine\n"],
    "spans by score": [json.dumps(line) + "\n" for line in SPANS],
    "spans by rank": [json.dumps({**line, "rank": 3 - i % 2}) + "\n" for i, line in enumerate(SPANS)],
    "spans as they stand": [json.dumps({k: v for k, v in line.items() if k != "score"}) + "\n" for line in SPANS],
    "groups": [json.dumps({**line, "rank": 1}) + "\n" for line in SPANS],
    "seconds": [json.dumps({**line, "start": line["start"] + 0.25}) + "\n" for line in SPANS],
    "a topic without results": [*[json.dumps(line) + "\n" for line in SPANS], '{"topic": "q9", "results": []}\n'],
    "texts": [
        json.dumps({**line, "score": -line["start"], "text": TEXT[line["start"] : line["end"]]}) + "\n"
        for line in SPANS[:2]
    ],
}
JUDGED = {
    "documents": ["1 0 a 1\n", "1 0 b 0\n", "2 0 c 2\n"],
    "spans": [
        '{"topic": "q1", "doc": "guide", "start": 0, "end": 17, "grade": 2}\n',
        '{"topic": "q2", "answer": null}\n',
    ],
    "seconds": ['{"topic": "q1", "doc": "v", "start": 0.5, "end": 17, "grade": 1}\n'],
    "whole documents beside spans": [
        '{"topic": "q1", "doc": "guide", "start": 0, "end": 17}\n',
        '{"topic": "q1", "doc": "faq", "grade": 0}\n',
        '{"topic": "q1", "doc": "guide", "judged": true}\n',
    ],
    "quotes": ['{"topic": "q1", "doc": "guide", "quote": "old canes"}\n', '{"topic": "q2", "quote": "Water"}\n'],
    "fields": ['{"topic": "q1", "doc": "guide", "start": 0, "end": 9, "question": "when?"}\n'],
    "bytes": ['{"topic": "q1", "doc": "guide", "start": 0, "end": 9, "offsets": "bytes"}\n'],
    "annotators": [
        f'{{"topic": "q1", "doc": "guide", "start": 0, "end": {end}, "grade": 1, "annotator": "{who}"}}\n'
        for who, end in (("Ana", 9), ("Ben", 17))
    ],
}  # fmt: skip


def run_of(name, tmp_path):
    (tmp_path / "r").write_text("".join(LINES[name]))
    return bp.Run.from_file(tmp_path / "r")


def truth_of(name, tmp_path):
    (tmp_path / "t").write_text("".join(JUDGED[name]))
    return bp.Truth.from_file(tmp_path / "t")


def held(run):
    """What a run says: the order of every topic, and where scores decided."""
    return {
        topic: (ranking.names_by_rank(), None if ranking.score is None else ranking.score.tolist())
        for topic, ranking in run.items()
    } | {"by score": run.ordering.ties == "score"}


def judged(truth):
    return truth.units, truth.to_records()


# --- looked up --------------------------------------------------------------------------------------------------------


def test_a_run_is_looked_up_by_topic():
    run = bp.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}, tag="mine")
    assert list(run) == ["q1", "q2"] == run.keys() and len(run) == 2 and run.size() == 3
    assert list(run["q1"]) == [{"doc": "a", "score": 2.0}, {"doc": "b", "score": 1.0}]
    assert run["q1"][0] == {"doc": "a", "score": 2.0} and run["q1"][-1]["doc"] == "b" and len(run["q1"]) == 2
    assert repr(run["q1"]) == "Ranking(2 results: a, b)" and repr(run) == "Run('mine', 3 results of 2 topics)"
    assert dict(run).keys() == {"q1", "q2"} and "q1" in run and 3 not in run
    with pytest.raises(KeyError, match="no topic 'q3'; it has q1, q2"):
        run["q3"]
    with pytest.raises(IndexError):
        run["q1"][2]
    assert held(bp.Run.from_dict({topic: run[topic] for topic in run}))["q1"] == held(run)["q1"]


def test_a_truth_is_looked_up_by_topic():
    truth = bp.Truth.from_dict({1: {"a#0-9": 2}, "2": None})
    assert list(truth) == ["1", "2"] and len(truth) == 2 and truth[1] is truth["1"]
    assert list(truth["1"]) == [{"doc": "a", "start": 0, "end": 9, "grade": 2.0}]
    assert repr(truth["1"]) == "TopicTruth(1 judgement: a#0-9)" and truth["2"].unanswerable
    with pytest.raises(KeyError, match="no topic 'zzz'; it has 1, 2"):
        truth["zzz"]


def test_a_guessed_constructor_names_the_real_ones():
    for call in (lambda: bp.Run({"q": {"a": 1.0}}), lambda: bp.Run("mine.run"), lambda: bp.Run(tag="mine")):
        with pytest.raises(bp.UsageError, match=r"a Run is built with Run.from_dict, .* or Run.from_file"):
            call()
    with pytest.raises(bp.UsageError, match=r"a Truth is built with Truth.from_dict, "):
        bp.Truth({"q": {"a": 1}})


def test_a_truth_or_a_run_is_not_taken_for_a_list_of_files():
    truth, run = bp.Truth.from_dict({"q": {"a": 1}}), bp.Run.from_dict({"q": {"a": 1.0}})
    for call, said in (
        (lambda: bp.evaluate(truth, truth, "AP"), "a run is a file, a Run, .* not Truth"),
        (lambda: bp.evaluate(run, run, "AP"), "a truth is a file, a Truth, .* not Run"),
        (lambda: bp.evaluate(truth, [truth], "AP"), "a run is a file, a Run, .* not Truth"),
        (lambda: bp.evaluate({"q": truth}, run, "AP"), "a dictionary of document to grade is expected"),
    ):
        with pytest.raises(bp.UsageError, match=said):
            call()


# --- there and back ---------------------------------------------------------------------------------------------------


@each("name", list(LINES))
def test_runs_come_back_from_records_and_files(name, tmp_path):
    run = run_of(name, tmp_path)
    again = bp.Run.from_records(run.to_records(), tag=run.tag)
    assert held(again) == held(run) and again.tag == run.tag and again.texts.quoted == run.texts.quoted
    run.write(tmp_path / "again.jsonl", "span-run")
    assert held(bp.read_run(tmp_path / "again.jsonl")) == held(run)


@each("name", [name for name in LINES if name != "a topic without results"])
def test_runs_come_back_from_frames(name, tmp_path):
    run = run_of(name, tmp_path)
    for frame in (run.to_pandas(), run.to_polars()):
        again = bp.Run.from_frame(frame)
        assert held(again) == held(run) and again.tag == run.tag


@each("name", [name for name in LINES if name not in ("groups", "seconds")])
def test_runs_come_back_from_dictionaries(name, tmp_path):
    run = run_of(name, tmp_path)
    again = bp.Run.from_dict(run.to_dict())
    if name != "texts":  # a list, which is in ranked order by itself
        assert held(again)["by score"] == held(run)["by score"]
    assert {**held(again), "by score": 0} == {**held(run), "by score": 0}


def test_what_a_dictionary_cannot_hold_is_refused(tmp_path):
    with pytest.raises(bp.UsageError, match="several results share a rank"):
        run_of("groups", tmp_path).to_dict()
    named = {"q1": {"guide#0.25-17": 2.0, "guide#17.25-27": 2.0}, "q2": {"faq#0.25-9": 1.0}}
    assert run_of("seconds", tmp_path).to_dict() == named, "names have fractions"
    seconds = bp.Run.from_records([{**SPANS[0], "start": 0.25}, {**SPANS[1], "score": 1.0}])
    assert seconds.to_dict() == {"q1": {"guide#0.25-17": 2.0, "guide#17-27": 1.0}}
    assert run_of("documents by score", tmp_path).to_dict() == {"1": {"b": 2.5, "a": 2.5}, "2": {"c": 1.0}}


def test_names_that_look_like_spans_stay_documents(tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a#1-2 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a#1-2 1 1 x\n")
    truth, run = bp.read_truth(tmp_path / "t.qrels"), bp.read_run(tmp_path / "r.run")
    assert bp.Truth.from_dict(truth.to_dict()).units == truth.units == "documents"
    assert bp.Run.from_dict(run.to_dict()).start is None
    assert bp.score("AP", truth.to_dict(), run.to_dict()) == 1.0


def test_a_topic_without_results_has_no_row_and_that_is_said(tmp_path):
    run = run_of("a topic without results", tmp_path)
    with pytest.warns(bp.BerrypickWarning, match="1 record without a row"):
        assert list(bp.Run.from_frame(run.to_pandas())) == ["q1", "q2"]
    assert list(bp.Run.from_dict(run.to_dict())) == list(run) == ["q1", "q2", "q9"]


@each("name", list(JUDGED))
def test_truths_come_back(name, tmp_path):
    truth = truth_of(name, tmp_path)
    again = bp.Truth.from_records(truth.to_records())
    assert judged(again) == judged(truth) and again.unanswerable == truth.unanswerable
    for frame in (truth.to_pandas(), truth.to_polars()):
        assert judged(bp.Truth.from_frame(frame)) == judged(truth)
    by_topic = bp.Truth.from_dict(truth.to_dict())
    assert by_topic.units == truth.units
    for topic in truth:
        one, other = by_topic[topic], truth[topic]
        assert list(one) == list(other) and one.whole_documents == other.whole_documents
        assert [quote.text for quote in one.quotes] == [quote.text for quote in other.quotes]
    truth.write(tmp_path / "again.jsonl", "span-truth")
    assert judged(bp.read_truth(tmp_path / "again.jsonl")) == judged(truth)


def test_checksums_are_in_records(tmp_path):
    truth = bp.relocate({"q": {"guide#0-17": 1}}, {"guide": TEXT}, {"guide": TEXT}).truth
    assert truth.checksums and bp.Truth.from_records(truth.to_records()).checksums == truth.checksums
    with pytest.warns(bp.BerrypickWarning, match="1 record without a row"):
        truth.to_pandas()


def test_numbers_are_the_same_by_every_way(tmp_path):
    truth, run = truth_of("documents", tmp_path), run_of("documents by score", tmp_path)
    expected = bp.evaluate(truth, run, "AP RR EPRUM").mean()
    ways = [
        (truth.to_dict(), {"mine": run.to_dict()}),
        (truth.to_pandas(), run.to_pandas()),
        (truth.to_polars(), run.to_polars()),
        (bp.Truth.from_records(truth.to_records()), bp.Run.from_records(run.to_records(), tag="mine")),
    ]
    for judgements, results in ways:
        assert bp.evaluate(judgements, results, "AP RR EPRUM").mean() == expected


def test_several_runs_fit_into_one_frame():
    one, two = (bp.Run.from_dict({"q": {"a": 1.0, "b": score}}, tag=name) for name, score in (("x", 2.0), ("y", 0.5)))
    both = pandas.concat([one.to_pandas(), two.to_pandas()])
    assert bp.evaluate({"q": {"a": 1}}, both, "RR").mean() == {"x": {"RR": 0.5}, "y": {"RR": 1.0}}
    assert polars.DataFrame(one).columns == ["run", "topic", "doc", "score"]


# --- made by guess ----------------------------------------------------------------------------------------------------

ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Qrel = namedtuple("Qrel", "query_id doc_id relevance")


def test_constructors_take_the_names_of_others():
    run = bp.Run.from_records([ScoredDoc("1", "a", 2.0), ScoredDoc("1", "b", 1.0)], tag="mine")
    truth = bp.Truth.from_records(iter([Qrel("1", "a", 1)]))
    assert run.tag == "mine" and bp.score("RR", truth, run) == 1.0
    quoted = bp.Run.from_records([{"topic": "1", "doc": "guide", "text": "old canes"}], documents={"guide": TEXT})
    assert list(quoted["1"]) == [{"doc": "guide", "start": 8, "end": 17}]
    assert bp.Run.from_records([{"topic": "1", "results": []}]).topics == ("1",)
    for call, said in (
        (lambda: bp.Run.from_records(["a.run"]), "a run of records is a list"),
        (lambda: bp.Truth.from_records([3]), "a truth of records is a list"),
        (lambda: bp.Run.from_records([]), "there are no records"),
        (lambda: bp.Truth.from_records([]), "there are no records"),
        (lambda: bp.Truth.from_dict([1]), "judgements are a dictionary"),
        (lambda: bp.Run.from_dict("a.run"), "results are a dictionary"),
        (lambda: bp.Run.from_records([{"run": name, "topic": "1", "doc": "a"} for name in "xy"]), "hold 2 runs"),
    ):
        with pytest.raises(bp.UsageError, match=said):
            call()


# --- elements ---------------------------------------------------------------------------------------------------------


def test_elements_are_given_back_and_not_taken_for_documents():
    files = campaign.FOCUSED.files
    run = bp.read_run(files.path(campaign.ELEMENTS[0]))
    truth = bp.read_truth(files.path("assessments.xml"))
    first = run.to_records()[0]
    assert first["element"].startswith("/") and first["doc"] and len(run.to_pandas()) == run.size()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = truth.to_pandas()
    assert {"topic", "doc", "element", "grade"} <= set(frame.columns)
    assert np.isfinite(frame["grade"].dropna()).all()
    for call in (
        lambda: bp.Run.from_frame(run.to_pandas()),
        lambda: bp.Run.from_records(run.to_records()),
        lambda: bp.Truth.from_frame(frame),
        lambda: bp.Truth.from_records(truth.to_records()),
    ):
        with pytest.raises(bp.InputError, match="elements of documents can only be read from files"):
            call()
    for value in (run, truth):
        with pytest.raises(bp.UsageError, match="not elements"):
            value.to_dict()
