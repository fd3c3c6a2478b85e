"""Chunks of text swept against boxes on pages."""

from __future__ import annotations

import json

import pytest

import berrypick as bp
from berrypick.analysis.sweep.chunkers import elements

#: A layout: a heading, two cells of one line, a paragraph, each with its box on a page of 100 x 100.
LAYOUT = [
    ("Results", 1, [0, 0, 100, 10]),
    ("Revenue grew", 1, [0, 20, 50, 40]),
    ("by nine per cent", 1, [50, 20, 100, 40]),
    ("Costs fell in autumn", 2, [0, 0, 100, 50]),
]
WORDS = [{"doc": "a", "page": p, "text": text, "box": box, "page_size": [100, 100]} for text, p, box in LAYOUT]
TRUTH = [
    {"topic": "q1", "doc": "a", "page": 1, "box": [0, 20, 50, 40], "page_size": [100, 100], "grade": 1},
    {"topic": "q2", "doc": "a", "page": 2, "box": [0, 0, 50, 50], "page_size": [100, 100], "grade": 1},
]
QUERIES = {"q1": "revenue", "q2": "costs"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_elements_of_a_layout_are_chunks(jobs):
    found = bp.sweep(
        words=WORDS, truth=bp.Truth.from_records(TRUTH), chunkers=elements, measures="charR@1 charP@1 IoU@1",
        queries=QUERIES, grid={"many": [1, 2]}, jobs=jobs,
    )  # fmt: skip
    rows = {(row["many"], row["measure"]): row["value"] for row in found.rows}
    # one element: q1 exactly, q2 in twice its area; two: q1 with the heading, q2 with the other cell, each 0.1 pages
    assert rows[1, "charR@1"] == rows[2, "charR@1"] == 1
    assert rows[1, "charP@1"] == pytest.approx((1 + 0.5) / 2)
    assert rows[2, "charP@1"] == pytest.approx((0.1 / (0.1 + 0.1) + 0.25 / (0.5 + 0.1)) / 2)
    assert found.chunks == (4, 2)
    assert "areas:pages" in found.rows[0]["signature"]


def test_command_and_kept_runs(tmp_path, berrypick):
    words, truth, queries, kept = (tmp_path / name for name in ("words.jsonl", "truth.jsonl", "q.tsv", "kept"))
    words.write_text("".join(json.dumps(one) + "\n" for one in WORDS))
    truth.write_text("".join(json.dumps(one) + "\n" for one in TRUTH))
    queries.write_text("".join(f"{topic}\t{text}\n" for topic, text in QUERIES.items()))
    given = ["--words", words, "--queries", queries, "--chunker", "elements", "--grid", "many=1,2"]
    first = berrypick("sweep", truth, *given, "-m", "charP@1", "--keep", kept, "-o", "csv")
    again = berrypick("sweep", truth, "--runs", kept, "-m", "charP@1", "-o", "csv")
    values = [[line.split(",")[-5] for line in out.out.splitlines()[1:]] for out in (first, again)]
    assert values[0] == values[1] and len(values[0]) == 2
    assert '"box"' in next(kept.iterdir()).read_text()


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"documents": {"a": "x"}}, "chunkers cut texts: give words="),
        ({"documents": {"a": "x"}, "words": WORDS}, "remove documents="),
        ({"words": WORDS, "truth": {"q1": {"a#0-5": 1}, "q2": {"a#0-5": 1}}}, "judges no places on pages"),
        (
            {"words": [{"doc": "b", **{k: v for k, v in WORDS[0].items() if k != "doc"}}]},
            "document a is not in the documents given",
        ),
        ({"words": WORDS, "runs": "folder"}, "words"),
    ],
)
def test_what_does_not_fit_is_refused(given, what):
    with pytest.raises(bp.BerrypickError, match=what):
        bp.sweep(**{"truth": bp.Truth.from_records(TRUTH), "measures": "charR", "queries": QUERIES, **given})


def test_elements_need_words():
    with pytest.raises(bp.BerrypickError, match="give words"):
        bp.sweep({"a": "x"}, {"q": {"a#0-1": 1}}, elements, measures="charR", queries={"q": "x"})
    with pytest.raises(bp.BerrypickError, match="at least 1"):
        elements(bp.read_words(WORDS)["a"].placed_text(), many=0)
