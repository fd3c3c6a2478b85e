"""Every command on files of boxes: what can be done is done, the rest is refused in one sentence."""

from __future__ import annotations

import json

import pytest

import berrypick as bp

SIZE = [100, 200]


def row(topic, page, box, **more):
    return {"topic": topic, "doc": "d", "page": page, "box": box, "page_size": SIZE, **more}


TRUTH = [row("q1", 1, [0, 0, 50, 50], grade=1), row("q2", 2, [0, 0, 20, 20], grade=2), row("q2", 3, [0, 0, 9, 9])]
RUNS = {
    "a": [row("q1", 1, [0, 0, 50, 25], score=2), row("q1", 2, [0, 0, 9, 9], score=1), row("q2", 2, [0, 0, 20, 20])],
    "b": [row("q1", 1, [0, 0, 50, 50], score=1), row("q2", 3, [0, 0, 9, 9], score=1)],
}
RUNS["a"][2]["score"] = 1


@pytest.fixture
def files(tmp_path):
    both = [{**one, "annotator": who} for one in TRUTH for who in ("Ana", "Ben") if who == "Ana" or one["page"] != 3]
    for name, rows in {"truth": TRUTH, "both": both, **RUNS}.items():
        rows = [{"grade": 1, **one} for one in rows] if name in ("truth", "both") else rows
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (tmp_path / "texts.jsonl").write_text(json.dumps({"doc": "d", "text": "Berries."}) + "\n")
    return tmp_path


@pytest.fixture
def run(files, berrypick):
    def invoke(*words, code=0):
        ends = (".jsonl", ".csv", ".svg", ".html")
        done = berrypick(*(str(files / word) if word.endswith(ends) else word for word in words))
        assert done.code == code and "Traceback" not in done.err, done
        return done.out + done.err

    return invoke


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "truth.jsonl", "a.jsonl", "b.jsonl", "--jobs", "2"],
        ["check", "truth.jsonl", "a.jsonl"],
        ["compare", "truth.jsonl", "a.jsonl", "b.jsonl", "-m", "charR IoU"],
        ["explain", "truth.jsonl", "a.jsonl", "--topic", "q1", "-m", "charR@5"],
        ["plot", "truth.jsonl", "a.jsonl", "b.jsonl", "-m", "charR", "-o", "p.svg"],
        ["simulate", "truth.jsonl", "a.jsonl", "-m", "EPRUM", "--user", "window(before=1,after=1)"],
        ["ideal", "truth.jsonl", "-m", "EPRUM"],
        ["power", "truth.jsonl", "a.jsonl", "b.jsonl", "-m", "charR"],
        ["pool", "a.jsonl", "b.jsonl", "--truth", "truth.jsonl", "-o", "x.jsonl"],
    ],
    ids=lambda words: words[0],
)
def test_commands_take_boxes(run, words):
    assert run(*words)


def test_gates_hold_for_areas(run):
    said = run("compare", "truth.jsonl", "a.jsonl", "-m", "charR", "--fail-under", "charR=0.9", code=1)
    assert f"charR is {(1250 / 2500 + 400 / 481) / 2:.4f}" in said


def test_conversion_to_a_table_and_back_keeps_every_digit(files, run):
    before = bp.evaluate(files / "truth.jsonl", files / "a.jsonl", "charR charP").mean()
    for name in ("truth", "a"):
        run("convert", f"{name}.jsonl", f"{name}.csv")
    header = (files / "a.csv").read_text().splitlines()[0].split(",")
    assert {"page", "x0", "y0", "x1", "y1", "page_width", "page_height"} <= set(header)
    assert bp.evaluate(files / "truth.csv", files / "a.csv", "charR charP").mean() == before


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["convert", "a.jsonl", "--to", "trec-run", "x.csv"], "whole ones"),
        (["convert", "truth.jsonl", "--to", "trec-qrels", "x.csv"], "cannot store"),
        (["agreement", "both.jsonl"], "agreement is computed over text"),
        (
            ["evaluate", "both.jsonl", "a.jsonl", "--annotators", "majority"],
            "only be merged as the union of their boxes",
        ),
        (
            ["relocate", "truth.jsonl", "--from", "texts.jsonl", "--to", "texts.jsonl", "-o", "x.jsonl"],
            "relocate finds spans of text",
        ),
        (["locate", "truth.jsonl", "x.jsonl", "--documents", "texts.jsonl"], "locate only finds spans of text"),
        (["evaluate", "truth.jsonl", "a.jsonl", "-m", "T2I"], "does not count areas"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_refused(run, words, what):
    assert what in run(*words, code=2)


def test_annotators_are_united(files):
    one = bp.evaluate(files / "truth.jsonl", files / "a.jsonl", "charR charP spanRR").mean()
    assert bp.evaluate(files / "both.jsonl", files / "a.jsonl", "charR charP spanRR").mean() == one
    named = bp.evaluate(files / "both.jsonl", files / "a.jsonl", "charR charP spanRR", annotators="union")
    assert named.mean() == one


def test_signatures_say_what_areas_count(files):
    pages = bp.evaluate(files / "truth.jsonl", files / "a.jsonl", "charR AP")
    signatures = {one.measure: str(one.signature) for one in pages if one.topic == "all"}
    assert "|areas:pages|" in signatures["charR"] and "areas" not in signatures["AP"]
    bare = [{name: value for name, value in one.items() if name != "page_size"} for one in (*TRUTH, *RUNS["a"])]
    units = bp.evaluate([{"grade": 1, **one} for one in bare[:3]], bare[3:], "charR")
    assert "|areas:units of the file|" in str(next(iter(units)).signature)
