"""What the page says and reads: directions, notes, lengths from a pipe."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pages import Page
from worlds import document_run

import berrypick as bp
from berrypick.core.truth import TopicTruth, Truth
from berrypick.demo import video

TOPICS = [f"q{i}" for i in range(12)]


TRUTH = {topic: {"a": 1} for topic in TOPICS}


RUNS = {
    "slow": {topic: {"b": 3.0, "c": 2.0, "a": 1.0} for topic in TOPICS},
    "quick": {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in TOPICS},
}


class Dwell(bp.Measure):
    """Ranks before the first target."""

    higher_is_better = False

    def compute(self, topic):
        wanted = set(topic.targets.names())
        return float(next((i for i, name in enumerate(topic.ranking.names_by_rank()) if name in wanted), 99))


@pytest.fixture(scope="module")
def results():
    return bp.evaluate(TRUTH, runs(), [Dwell()])


def runs():
    return [document_run({topic: list(found) for topic, found in lists.items()}, tag) for tag, lists in RUNS.items()]


def test_report(results, tmp_path):
    pytest.importorskip("vl_convert")
    bp.write_report(TRUTH, runs(), [Dwell()], html=tmp_path / "page.html")
    overview = Page(tmp_path / "page.html").overview
    (measure,) = overview["measures"]
    assert measure["increasing"] is False and measure["what"] == "Ranks before the first target."
    assert [cell[0]["letters"] for cell in overview["table"]] == [[], ["a"]]


def truth_of(**topics: dict[str, Any]) -> Truth:
    """Topics with spans {(document, start, end): grade} and documents judged as a whole."""
    found = {}
    for name, topic in topics.items():
        spans = list(topic.get("spans", {}).items())
        found[name] = TopicTruth(
            name,
            tuple(document for (document, _, _), _ in spans),
            np.array([grade for _, grade in spans], dtype=np.float64),
            np.array([start for (_, start, _), _ in spans], dtype=np.int64),
            np.array([end for (_, _, end), _ in spans], dtype=np.int64),
            judged_documents=tuple(topic.get("whole", ())),
        )
    return Truth("spans", found)


def test_reports_have_the_note(tmp_path):
    pytest.importorskip("vl_convert")
    topics = [f"q{i}" for i in range(12)]
    truth = truth_of(**{name: {"spans": {("a", 0, 10): 1}} for name in topics})
    runs = {doc: {name: [{"doc": doc, "start": 0, "end": 10 + (doc == "b")}] for name in topics} for doc in "ab"}
    made = bp.write_report(truth, runs, "charR", html=tmp_path / "page.html")
    assert any("unjudged text alone could turn round" in str(note) for note in made.notes)


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
