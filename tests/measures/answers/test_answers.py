"""Topics without an answer: how truths and runs say so, and the measures over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from answers_sample import RUN, TRUTH, mean, write

import berrypick as bp
from berrypick.data.errors import InputError, UsageError


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path / "truth.jsonl", TRUTH), write(tmp_path / "run.jsonl", RUN)


def test_truth_says_which_topics_have_no_answer(inputs: tuple[str, str]) -> None:
    truth = bp.read_truth(inputs[0])
    assert truth.units == "spans"
    assert truth.unanswerable == ("q8", "q9")
    assert [topic.no_answer for topic in truth.topics.values()] == [False, False, True, True]


def test_measures_each_over_their_topics(inputs: tuple[str, str]) -> None:
    results = bp.evaluate(*inputs, "Abstained Answered charP")
    # q8 gets a result, q9 none; q1 and q2 both get some; charP is the mean of 10/40 and 4/20
    assert mean(results) == {"Abstained": 0.5, "Answered": 1.0, "charP": pytest.approx((10 / 40 + 4 / 20) / 2)}
    assert {(r.topic, r.measure): r.value for r in results.topic_rows if r.measure != "charP"} == {
        ("q1", "Abstained"): None, ("q2", "Abstained"): None, ("q8", "Abstained"): 0.0, ("q9", "Abstained"): 1.0,
        ("q1", "Answered"): 1.0, ("q2", "Answered"): 1.0, ("q8", "Answered"): None, ("q9", "Answered"): None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("least", "abstained", "answered", "precision"),
    [
        (0.3, 0.5, 1.0, (10 / 40 + 4 / 20) / 2),  # equal scores stay
        (0.31, 0.5, 0.5, 10 / 40 / 2),
        (0.5, 0.5, 0.5, 10 / 20 / 2),
        (0.51, 1.0, 0.5, 10 / 20 / 2),
        (1.0, 1.0, 0.0, 0.0),
    ],
)
def test_least_score_cuts_every_list(
    inputs: tuple[str, str], least: float, abstained: float, answered: float, precision: float
) -> None:
    results = bp.evaluate(*inputs, "Abstained Answered charP", min_score=least)
    assert mean(results) == {"Abstained": abstained, "Answered": answered, "charP": pytest.approx(precision)}
    assert all(("min_score", f"{least}") in row.signature.fields for row in results.mean_rows)


def test_least_score_counts_what_it_dropped(inputs: tuple[str, str]) -> None:
    notes = [str(note) for note in bp.evaluate(*inputs, "Answered", min_score=0.45).notes]
    assert any("dropped 2 results and emptied 1 list" in note for note in notes), notes
    run = [{name: value for name, value in row.items() if name != "score"} for row in RUN]
    with pytest.raises(UsageError, match="has no scores, which min_score= needs"):
        bp.evaluate(inputs[0], [row for row in run if "doc" in row], "Answered", min_score=0.5)


def test_lists_cut_to_nothing_score_like_missing_ones() -> None:
    truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    for measures in ("AP nDCG@10 RR EPRUM charR", "Judged ERR GainRecall@3 Rprec"):
        cut = bp.evaluate(truth, {"q1": {"a": 3}, "q2": {"b": 1}}, measures, min_score=2.0, collection=LENGTHS)
        missing = bp.evaluate(truth, {"q1": {"a": 3}}, measures, collection=LENGTHS)
        assert [row.value for row in cut.topic_rows] == [row.value for row in missing.topic_rows]


LENGTHS = bp.Collection({"a": 10.0, "b": 20.0})


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_agree(inputs: tuple[str, str], jobs: int) -> None:
    results = bp.evaluate(*inputs, "Abstained Answered", jobs=jobs)
    assert mean(results) == {"Abstained": 0.5, "Answered": 1.0}


def test_grades_of_zero_alone_are_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "t.qrels"
    path.write_text("1 0 a 1\n2 0 a 0\n2 0 b 0\n3 0 a -1\n")
    truth = bp.read_truth(path)
    assert truth.unanswerable == ("2",)  # a grade below 0 stands for a document that was not judged
    assert bp.score("Abstained", truth, {"1": {"a": 1}, "2": {"c": 1}}) == 0.0
    assert bp.score("Abstained", truth, {"1": {"a": 1}, "2": {}}) == 1.0


def test_dictionaries_say_it_with_none() -> None:
    results = bp.evaluate({"q1": {"a#0-5": 1}, "q9": None}, {"q1": {"a#0-5": 1}, "q9": []}, "Abstained charR")
    assert mean(results) == {"Abstained": 1.0, "charR": 1.0}


def test_a_run_may_be_empty_throughout() -> None:
    truth = {"q1": {"a": 1}, "q9": None}
    assert mean(bp.evaluate(truth, {"q1": [], "q9": []}, "Abstained Answered AP RR")) == {
        "Abstained": 1.0, "Answered": 0.0, "AP": 0.0, "RR": 0.0,
    }  # fmt: skip


def test_without_such_topics_a_note_says_so() -> None:
    results = bp.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1}}, "Abstained")
    assert mean(results) == {"Abstained": None}
    assert any("undefined for every topic" in str(note) for note in results.notes)


def test_squads_field_and_tables(tmp_path: Path, berrypick: Any) -> None:
    rows = [TRUTH[0], {"topic": "q9", "is_impossible": True, "doc": "a"}]
    truth = bp.read_truth(write(tmp_path / "t.jsonl", rows))
    assert truth.unanswerable == ("q9",)
    assert truth.topics["q9"].judged_documents == ("a",)
    for name, to in {"t.csv": "span-table-truth", "t.parquet": "span-table-truth", "again.jsonl": "span-truth"}.items():
        assert berrypick("convert", tmp_path / "t.jsonl", tmp_path / name, "--to", to).code == 0
        back = bp.read_truth(tmp_path / name)
        assert back.unanswerable == ("q9",)
        assert back.topics["q9"].judged_documents == ("a",)


def test_runs_keep_empty_topics(tmp_path: Path, inputs: tuple[str, str], berrypick: Any) -> None:
    again = tmp_path / "again.jsonl"
    assert berrypick("convert", inputs[1], again, "--to", "span-run").code == 0
    run = bp.read_run(again)
    assert run.topics == ("q1", "q2", "q8", "q9")
    assert run.size("q9") == 0
    refused = berrypick("convert", inputs[1], tmp_path / "run.csv")
    assert refused.code == 2
    assert "the run has an empty list for topic q9" in refused.err


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*TRUTH, {"topic": "q1", "answer": None}], "topic q1 has no answer in one line, but other lines give one"),
        ([{"topic": "q9", "doc": "a", "answer": None}], "has a document and no answer"),
        ([{"topic": "q9", "is_impossible": True, "start": 1}], "is_impossible is true, but start is given"),
        ([{"topic": "q9", "doc": "a", "judged": False}], "judged must be true or missing, not False"),
        ([{"topic": "q9", "doc": "a", "judged": True, "start": 1, "end": 2}], "judged marks a whole document"),
        ([{"topic": "q9", "judged": True}], "doc is missing"),
    ],
)
def test_truths_that_contradict_themselves(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bp.read_truth(write(tmp_path / "t.jsonl", rows), "span-truth")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*RUN, {"topic": "q1", "results": []}], "topic q1 has no results in one line, but other lines have some"),
        ([{"topic": "q9", "results": [], "doc": "a"}], "both a result and an empty list"),
    ],
)
def test_runs_that_contradict_themselves(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bp.read_run(write(tmp_path / "r.jsonl", rows), "span-run")


def test_first_lines_are_recognised(tmp_path: Path) -> None:
    assert bp.read_run(write(tmp_path / "r.jsonl", RUN[::-1])).topics[-1] == "q9"
    assert bp.read_truth(write(tmp_path / "t.jsonl", TRUTH[::-1])).unanswerable == ("q9", "q8")


def test_another_programs_answer_is_ignored(tmp_path: Path) -> None:
    truth = bp.read_truth(write(tmp_path / "t.jsonl", [{**TRUTH[0], "answer": None}]))
    assert truth.unanswerable == ()
    assert len(truth.topics["q1"]) == 1


def test_gates_and_comparisons(inputs: tuple[str, str], tmp_path: Path, berrypick: Any) -> None:
    silent = write(tmp_path / "silent.jsonl", [{"topic": f"q{i}", "results": []} for i in (1, 2, 8, 9)])
    compared = bp.compare(inputs[0], [inputs[1], silent], "Abstained Answered")
    pairs = {(pair.measure): pair for pair in compared.pairs}
    assert pairs["Abstained"].difference == 0.5
    assert pairs["Answered"].difference == -1.0
    for least, code in {"0.5": 0, "0.6": 1}.items():
        assert berrypick("compare", *inputs, "-m", "charP", "--fail-under", f"Abstained={least}").code == code
    assert berrypick("compare", *inputs, "--fail-under", "Abstained=1", "--min-score", "0.51").code == 0


def test_a_run_that_returns_nothing_is_told():
    results = bp.evaluate({"q1": {"a": 1}, "q2": None}, {"q1": {}, "q2": []}, "AP Abstained")
    told = [note.text for note in results.notes if note.kind == "empty run"]
    assert told == ["the run returns nothing, for any topic"]
    assert not any(note.kind == "unknown documents" for note in results.notes)


def test_records_say_that_a_topic_has_no_answer_as_lines_do():
    truth = [{"topic": "q", "doc": "d", "start": 0, "end": 5}, {"topic": "none", "answer": None}]
    run = [{"topic": "q", "doc": "d", "start": 0, "end": 5, "score": 1.0}]
    assert bp.evaluate(truth, run, "Abstained Answered").mean()["run"] == {"Abstained": 1.0, "Answered": 1.0}


def test_a_topic_for_which_nothing_was_judged_is_neither_answered_nor_abstained() -> None:
    truth = [{"topic": "1", "doc": "a", "start": 0, "end": 3, "grade": 1}, {"topic": "2", "judged": False}]
    run = [{"topic": name, "doc": "a", "start": 0, "end": 3} for name in "12"]
    assert bp.evaluate(truth, run, "Abstained").per_topic()["run"]["Abstained"] == {"1": None, "2": None}
