"""The worst topics: by the direction of the measure, with questions and expected passages."""

import json

import pytest

import berrypick as bp
from berrypick.pytest import assert_retrieval

TRUTH = [
    {"topic": "a", "doc": "d", "start": 0, "end": 9, "grade": 1, "question": "First?"},
    {"topic": "b", "doc": "d", "start": 10, "end": 19, "grade": 1, "question": "Second?"},
    {"topic": "c", "doc": "d", "start": 20, "end": 29, "grade": 1, "question": "Third?"},
    {"topic": "z", "doc": "d", "start": 20, "end": 29, "grade": 0, "question": "Nothing?"},
]
RUN = {topic: [{"doc": "d", "start": 10, "end": end}] for topic, end in {"a": 15, "b": 15, "c": 25, "z": 30}.items()}
TEXTS = {"d": "abcdefgh.\nijklmnop.\nqrstuvwx.\n"}


def test_by_the_direction_of_the_measure_and_ties_in_the_order_of_the_truth():
    results = bp.evaluate(TRUTH, {"one": RUN, "two": {"a": [{"doc": "d", "start": 0, "end": 9}]}}, "charR Overlap")
    assert results.worst() == ["a", "b", "c"]  # 0, 5/9, 5/9; the topic without an answer has no value
    assert results.worst(2, run="two") == ["b", "c"]
    lower = bp.evaluate(TRUTH, RUN, "Missing@1")
    assert lower.worst(1) == ["a"]
    assert results.worst(1, measure="Overlap") == ["a"]


def test_the_command_shows_questions_and_expected_passages(put, berrypick):
    truth = put("truth.jsonl", "".join(json.dumps(row) + "\n" for row in TRUTH))
    rows = [{"topic": topic, **one} for topic, found in RUN.items() for one in found]
    run = put("run.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    texts = put("texts.jsonl", json.dumps({"doc": "d", "text": TEXTS["d"]}) + "\n")
    shown = berrypick("evaluate", truth, run, "-m", "charR", "--documents", texts, "--worst", "1", "-o", "table")
    assert shown.code == 0
    assert shown.out.splitlines()[-1].split() == ["a", "0.0000", "First?", "d#0-9", "abcdefgh."]
    alone = berrypick("evaluate", truth, run, "-m", "charR", "--documents", texts, "--worst", "1")  # into a pipe
    assert alone.out.splitlines() == [
        "run\ttopic\tmeasure\tvalue\tworst\tquestion\texpected",
        "run\ta\tcharR\t0.0000\t1\tFirst?\td#0-9: abcdefgh.",
        "run\tall\tcharR\t0.3704\t\t\t",
    ]
    markdown = berrypick("evaluate", truth, run, "-m", "charR", "--worst", "1", "-o", "markdown").out
    assert markdown.splitlines()[-1] == "| a | 0.0000 | First? | d#0-9 |  |"


def test_json_has_the_worst_topics_in_their_rows(put, berrypick):
    truth = put("truth.jsonl", "".join(json.dumps(row) + "\n" for row in TRUTH))
    run = put("run.jsonl", "".join(json.dumps({"topic": t, **one}) + "\n" for t, found in RUN.items() for one in found))
    words = ("evaluate", truth, run, "-m", "charR Overlap", "--worst", "2", "-o", "json")
    rows = json.loads(berrypick(*words).out)
    named = [(row["topic"], row["measure"], row.get("worst")) for row in rows]
    assert named == [("a", "charR", 1), ("a", "Overlap", 1), ("b", "charR", 2), ("b", "Overlap", 2),
                     ("all", "charR", None), ("all", "Overlap", None)]  # fmt: skip
    place = {"target": {"doc": "d", "start": 10, "end": 19}, "text": None, "ranks": [1]}
    assert (rows[2]["question"], rows[2]["expected"]) == ("Second?", [place])
    every = json.loads(berrypick(*words, "-q").out)
    assert [row["topic"] for row in every if row["measure"] == "charR"] == ["a", "b", "c", "z", "all"]
    assert [row.get("worst") for row in every if row["measure"] == "charR"] == [1, 2, None, None, None]


def test_explain_shows_the_question_and_what_was_expected_where():
    shown = str(bp.explain(TRUTH, RUN, "charR", "a", documents=TEXTS)).split("\n\n")
    assert shown[1] == "Question: First?"
    assert shown[2].splitlines()[-1].split() == ["d#0-9", "-", "abcdefgh."]
    assert shown[3].endswith("1 after the nearest relevant text")
    found = str(bp.explain(TRUTH, RUN, "charR", "b", documents=TEXTS)).split("\n\n")
    assert found[2].splitlines()[-1].split() == ["d#10-19", "1", "ijklmnop."]


def test_explain_counts_the_passages_beyond_the_first_ten():
    truth = {"q": [{"doc": "d", "start": 10 * i, "end": 10 * i + 5} for i in range(13)]}
    run = {"q": [{"doc": "d", "start": 0, "end": 112}, {"doc": "e", "start": 0, "end": 5}]}
    [table] = [part for part in bp.explain(truth, run, "charR", "q").parts if getattr(part, "title", "")[:4] == "What"][
        :1
    ]
    assert [row[1] for row in table.rows] == ["1"] * 10 + ["-"]
    assert table.rows[-1][0] == "and 3 more, 2 of them in results"  # 100-105 and 110-115, not 120-125
    assert "nothing relevant in its document" in str(bp.explain(truth, run, "charR", "q"))


def test_results_in_a_row_that_bring_nothing_have_it_said_once():
    truth = {"q": [{"doc": "d", "start": 50, "end": 60}]}
    wrong = [{"doc": name, "start": 0, "end": 5} for name in "abc"]
    run = {"q": [*wrong, {"doc": "d", "start": 50, "end": 60}, {"doc": "e", "start": 0, "end": 5}]}
    parts = bp.explain(truth, run, "charR", "q").parts
    [because] = [[row[-1] for row in one.rows] for one in parts if getattr(one, "header", [""])[-1] == "because"]
    assert because == ["nothing relevant in the documents of ranks 1 to 3", "", "", "",
                       "nothing relevant in its document"]  # fmt: skip


def test_a_question_names_its_topic_up_to_white_space():
    by_name = str(bp.explain(TRUTH, RUN, "charR", "b"))
    assert str(bp.explain(TRUTH, RUN, "charR", "  Second? ")) == by_name
    asked = [{**row, "question": "When is  it\tripe?" if row["topic"] in "bc" else row["question"]} for row in TRUTH]
    with pytest.raises(bp.UsageError, match=r"2 topics of the truth have the question 'When is it ripe\?': .* b, c"):
        bp.explain(asked, RUN, "charR", "When is it ripe?")
    assert str(bp.explain(asked, RUN, "charR", "c")).startswith("charR for topic c")  # its name is enough
    with pytest.raises(bp.UsageError, match=r"topic Fourth\? is not in the truth"):
        bp.explain(TRUTH, RUN, "charR", "Fourth?")


def test_a_failure_of_pytest_shows_questions_and_expected_passages():
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(TRUTH, RUN, "charR >= 0.9", documents=TEXTS)
    lines = str(failed.value).partition("the worst of 3 topics\n")[2].splitlines()
    assert [line.strip() for line in lines[:4]] == [
        "a  0.0000  First?",
        "expected d#0-9: abcdefgh.",
        "b  0.5556  Second?",
        "expected d#10-19: ijklmnop.",
    ]
