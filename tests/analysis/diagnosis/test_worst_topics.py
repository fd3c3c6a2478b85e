"""The worst topics: by the direction of the measure, with questions and expected passages."""

import json

import berrypick as bp

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
    refused = berrypick("evaluate", truth, run, "-m", "charR", "--worst", "1", "-o", "json")
    assert (refused.code, refused.out) == (2, "")
