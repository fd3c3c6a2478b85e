"""Files with a question and what was retrieved for it, as people write them: lines and lists of JSON, usual names."""

from __future__ import annotations

import json

import pytest

import berrypick as bp

TEXT = {
    "guide.md": "Cut old canes in autumn. Tie new ones to the wire. Mulch in spring.",
    "faq.md": "Which soil? Raspberries like it slightly sour.",
}
TRUTH = [
    {"topic": "1", "question": "When are canes cut?", "doc": "guide.md", "start": 0, "end": 24},
    {"topic": "2", "question": "Which soil?", "doc": "faq.md", "start": 12, "end": 46},
]
FOUND = {
    "When are canes cut?": [("guide.md", 0, 50), ("faq.md", 0, 11)],
    "Which soil?": [("faq.md", 12, 46)],
}
#: Of the first list 24 of 61 characters, of the second one all.
EXPECTED = {"charP": (24 / 61 + 1) / 2, "charR": 1.0}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in TRUTH))
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps({"doc": d, "text": t}) + "\n" for d, t in TEXT.items()))
    return tmp_path


def results(spans):
    return [
        {"text": TEXT[doc][a:b], "metadata": {"source": f"/srv/docs/{doc}"}, "score": 9 - i}
        for i, (doc, a, b) in enumerate(spans)
    ]


def texts(spans):
    return [TEXT[doc][a:b] for doc, a, b in spans]


def value(files, name, content):
    (files / name).write_text(content)
    return bp.evaluate(files / "truth.jsonl", files / name, [*EXPECTED], documents=files / "texts.jsonl").mean()[
        (files / name).stem
    ]


LISTS = ["retrieved", "docs", "results", "chunks", "passages", "nodes", "retrieved_chunks"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("asked", ["query", "question", "user_input"])
def test_lines_of_a_question_and_its_results(files, name, asked):
    rows = [{asked: question, name: results(spans)} for question, spans in FOUND.items()]
    assert value(files, "run.jsonl", "".join(json.dumps(row) + "\n" for row in rows)) == pytest.approx(EXPECTED)
    assert value(files, "list.json", json.dumps(rows)) == pytest.approx(EXPECTED)
    assert value(files, "indented.json", json.dumps(rows, indent=2)) == pytest.approx(EXPECTED)


@pytest.mark.parametrize("name", ["contexts", "retrieved_contexts"])
def test_lines_of_a_question_and_texts(files, name):
    rows = [{"question": question, name: texts(spans)} for question, spans in FOUND.items()]
    assert value(files, "run.jsonl", "".join(json.dumps(row) + "\n" for row in rows)) == pytest.approx(EXPECTED)
    assert value(files, "list.json", json.dumps(rows)) == pytest.approx(EXPECTED)


@pytest.mark.parametrize("name", ["retrieved", "results", "chunks"])
def test_short_texts_are_texts_where_text_is_judged(files, name):
    rows = [{"question": question, name: texts(spans)} for question, spans in FOUND.items()]
    assert value(files, "list.json", json.dumps(rows)) == pytest.approx(EXPECTED)


def test_a_list_of_rows(files):
    rows = [{"topic": str(i), **row} for i, spans in enumerate(FOUND.values(), 1) for row in results(spans)]
    assert value(files, "list.json", json.dumps(rows, indent=1)) == pytest.approx(EXPECTED)


def test_nothing_for_the_first_question(files):
    rows = [{"query": "Which soil?", "results": []}]
    rows.append({"query": "When are canes cut?", "results": results(FOUND["When are canes cut?"])})
    expected = {"charP": 24 / 61 / 2, "charR": 0.5}
    assert value(files, "run.jsonl", "".join(json.dumps(row) + "\n" for row in rows)) == pytest.approx(expected)
    assert value(files, "list.json", json.dumps(rows)) == pytest.approx(expected)


@pytest.mark.parametrize("topic", ["1", "2"])
def test_a_broken_row_is_refused_with_its_line(files, berrypick, topic):
    rows = [
        {"topic": "1", "doc": "guide.md", "start": 0, "end": 5},
        {"topic": topic, "doc": "faq.md", "start": 9, "end": 5},
    ]
    (files / "list.json").write_text(json.dumps(rows, indent=1))
    done = berrypick("evaluate", files / "truth.jsonl", files / "list.json", "-m", "charP")
    assert done.code == 2 and "list.json:9: end 5 is before start 9" in done.err


def test_lists_of_other_kinds_are_not_taken_for_results(files, berrypick):
    for content in ("[1, 2]", '[{"a": 1}]', "[]", '[{"topic": "1"}]', "[[]]"):
        (files / "list.json").write_text(content)
        done = berrypick("evaluate", files / "truth.jsonl", files / "list.json", "-m", "charP")
        assert done.code == 2 and "Traceback" not in done.err, content
