"""Topics that nothing but a question names: their places in the file, and runs that are matched by the question."""

import json
import re

import pandas
import pytest
from many_cases import each

import berrypick as bp
from berrypick.inputs.titles import titles_of

ASKED = ["When are canes cut?", "What is no berry?", "Why?"]
#: Two rows of one question, so that places count questions and not rows.
ROWS = [
    {"question": ASKED[0], "doc": "guide", "start": 0, "end": 10},
    {"question": ASKED[1], "doc": "guide", "start": 20, "end": 30},
    {"question": f"  {ASKED[0]} ", "doc": "faq", "start": 0, "end": 10},
    {"question": ASKED[2], "doc": "faq", "start": 50, "end": 60},
]
#: charR@5 by hand: 10 of 20 characters; 5 of 10; none.
RESULTS = [
    {"question": ASKED[0], "doc": "faq", "start": 0, "end": 20, "score": 1.0},
    {"question": ASKED[1], "doc": "guide", "start": 15, "end": 25, "score": 1.0},
]
VALUES = {"1": 0.5, "2": 0.5, "3": 0.0}


def carried(rows, carrier, folder, name, key="question"):
    rows = [{key if old == "question" else old: value for old, value in row.items()} for row in rows]
    if carrier == "records":
        return rows
    if carrier == "frame":
        return pandas.DataFrame(rows)
    path = folder / f"{name}.{carrier}"
    if carrier == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif carrier == "csv":
        pandas.DataFrame(rows).to_csv(path, index=False)
    else:
        pandas.DataFrame(rows).to_parquet(path)
    return path


@each(["carrier", "key"], [(carrier, key) for carrier in ("jsonl", "csv", "parquet", "frame", "records")
       for key in ("question", "query", "user_input", "input", "userInput")])  # fmt: skip
def test_the_place_of_a_question_is_its_topic(tmp_path, carrier, key):
    truth = carried(ROWS, carrier, tmp_path, "truth", key)
    results = bp.evaluate(truth, carried(RESULTS, carrier, tmp_path, "run", key), "charR@5")
    assert results.per_topic()["run"]["charR@5"] == VALUES
    assert any("2 topics matched by the question ('When are canes cut?' is 1)" in note.text for note in results.notes)
    make = {"frame": bp.truth_from_frame, "records": bp.Truth.from_records}.get(carrier, bp.read_truth)
    assert {topic: title.strip() for topic, title in titles_of(make(truth)).items()} == dict(
        zip("123", ASKED, strict=True)
    )


def test_runs_by_name_are_not_touched():
    run = {"1": [("faq", 0, 20)], "2": [("guide", 15, 25)]}
    results = bp.evaluate(ROWS, run, "charR@5")
    assert results.per_topic()["run"]["charR@5"] == VALUES
    assert not any("matched" in note.text for note in results.notes)


def test_names_under_query_stay_names():
    """A column ``query`` may hold names as well."""
    truth = [{"query": "q7", "doc": "a", "grade": 1}, {"query": "2", "doc": "b", "grade": 1}]
    results = bp.evaluate(truth, {"2": {"b": 1.0}, "q7": {"x": 2.0, "a": 1.0}}, "RR")
    assert results.per_topic()["run"]["RR"] == {"q7": 0.5, "2": 1.0}


def test_a_truth_with_names_takes_questions_as_well():
    truth = [{"topic": "a", "question": ASKED[0], "doc": "d", "grade": 1}]
    assert bp.score("RR", truth, {ASKED[0]: {"d": 1.0}}) == 1.0


REFUSED = [
    # two topics with one title
    ([{"topic": "a", "question": "Why not?", "doc": "d"}, {"topic": "b", "question": "Why  not?", "doc": "e"}],
     {"Why not?": {"d": 1.0}}, "'Why not?': is the question of 2 topics, a, b"),
    # a title that is the name of another topic
    ([{"topic": "a", "question": "b", "doc": "d"}, {"topic": "b", "question": "two words", "doc": "e"}],
     {"b": {"d": 1.0}}, "'b': is the name of a topic, and the question of topic a"),
    # a topic by name and by title
    ([{"topic": "a", "question": "Why not?", "doc": "d"}], {"Why not?": {"d": 1.0}, "a": {"d": 1.0}},
     "two topics are topic a of the truth"),
]  # fmt: skip


@each(["truth", "run", "said"], REFUSED)
def test_what_could_be_two_topics_is_refused(truth, run, said):
    with pytest.raises(bp.InputError, match=re.escape(said)):
        bp.evaluate(truth, run, "RR")


def test_some_lines_name_their_topic(tmp_path):
    path = tmp_path / "truth.jsonl"
    path.write_text('{"question": "Why not?", "doc": "a"}\n{"topic": "1", "doc": "b"}\n')
    with pytest.raises(bp.InputError, match=r"truth.jsonl:2: has a topic, but other lines only have questions"):
        bp.read_truth(path)
