"""What the page says and reads: directions, notes, lengths from a pipe."""

from __future__ import annotations

import pytest
from handmade import truth_of
from report_pages import Page
from smaller_is_better import TRUTH, Dwell, runs

import berrypick as bp
from berrypick.demo import video


@pytest.fixture(scope="module")
def results():
    return bp.evaluate(TRUTH, runs(), [Dwell()])


def test_report(results, tmp_path):
    pytest.importorskip("vl_convert")
    bp.write_report(TRUTH, runs(), [Dwell()], html=tmp_path / "page.html")
    overview = Page(tmp_path / "page.html").overview
    (measure,) = overview["measures"]
    assert measure["increasing"] is False and measure["what"] == "Ranks before the first target."
    assert [cell[0]["letters"] for cell in overview["table"]] == [[], ["a"]]


def test_reports_have_the_note(tmp_path):
    pytest.importorskip("vl_convert")
    topics = [f"q{i}" for i in range(12)]
    truth = truth_of(**{name: {"spans": {("a", 0, 10): 1}} for name in topics})
    runs = {doc: {name: [{"doc": doc, "start": 0, "end": 10 + (doc == "b")}] for name in topics} for doc in "ab"}
    made = bp.write_report(truth, runs, "charR", html=tmp_path / "page.html")
    assert any("unjudged text alone could reverse" in str(note) for note in made.notes)


def test_a_report_reads_lengths_from_a_pipe(tmp_path, pipe):
    pytest.importorskip("vl_convert")
    folder = video.FILES.path()
    page = tmp_path / "page.html"
    made = bp.write_report(
        folder / "segments.jsonl",
        folder / "jumps.jsonl",
        "EPRUM",
        user="t2i(tolerance=15)",
        collection=pipe((folder / "videos.tsv").read_bytes(), "lengths"),
        html=page,
    )
    assert made.topics == 7
    expected = bp.evaluate(folder / "segments.jsonl", folder / "jumps.jsonl", "EPRUM", user="t2i(tolerance=15)",
                           collection=folder / "videos.tsv").mean()["jumps"]["EPRUM"]  # fmt: skip
    assert Page(page).overview["table"][0][0]["value"] == expected > 0
    assert {one["model"] for one in Page(page).overview["readers"]} >= {"t2i"}
