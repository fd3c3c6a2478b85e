"""Where positions count seconds, nothing is said of text and characters; where it is not known, of neither."""

from __future__ import annotations

import pytest

import berrypick as bp

#: Segments of a video, in minutes and seconds, and a run that repeats a part.
QRELS = "q Q0 v 1.00 2.00 1\nq Q0 v 5.00 6.00 0\n"
RUN = "q Q0 v 1.10 1.50 1.10 1 9\nq Q0 v 1.30 2.30 1.30 2 8\n"
LINES = '{"topic": "q", "doc": "v", "start": 60, "end": 120}\n'
RESULTS = (
    '{"topic": "q", "doc": "v", "start": 70, "end": 110, "rank": 1}\n'
    '{"topic": "q", "doc": "v", "start": 90, "end": 150, "rank": 2}\n'
)
MEASURES = [
    "charP@2", "charR", "charF", "IoU@2", "Overlap", "charJudged", "Coverage(budget=100)", "charR(counted='each')",
    "charR(counted='pairs')", "Passage2AP", "TBG(h=10)", "spanRBP", "spanHit@1", "spanAP",
]  # fmt: skip


@pytest.fixture
def video(tmp_path):
    for name, text in (("t.qrels", QRELS), ("r.run", RUN), ("t.jsonl", LINES), ("r.jsonl", RESULTS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def said(truth, run, measure, **options):
    """All that is said in notes, explanations and axes: of a measure that does its work, and of one that cannot."""
    results = bp.evaluate(truth, run, measure, curves=True, **options)
    axes = [" ".join(info.curve_axes) for info in map(results.info, results.measures)]
    return " ".join(
        [*map(str, results.notes), *axes, str(bp.explain(truth, run, measure=measure, topic="q", **options))]
    )


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_words(video, measure):
    seconds = said(video / "t.qrels", video / "r.run", measure)
    unknown = said(video / "t.jsonl", video / "r.jsonl", measure)
    for words in (seconds, unknown):
        assert " text" not in words.replace("counted", "") and "character" not in words and "chars" not in words, words
    assert "second" not in unknown


def test_time_material_and_text(video):
    def overlap(truth, run, **options):
        notes = bp.evaluate(truth, run, "charP", **options).notes
        return next(note.text for note in notes if note.kind == "overlap")

    assert overlap(video / "t.qrels", video / "r.run") == "20% of the retrieved time repeats earlier results (Overlap)"
    inputs = video / "t.jsonl", video / "r.jsonl"
    assert overlap(*inputs) == "20% of the retrieved material repeats earlier results (Overlap)"
    assert overlap(*inputs, effort="seconds") == "20% of the retrieved time repeats earlier results (Overlap)"
    assert overlap(*inputs, documents={"v": "x" * 200}) == "20% of the retrieved text repeats earlier results (Overlap)"


def test_signatures_of_seconds(video):
    """Effort that is read off positions in seconds is not signed as characters."""
    row = bp.evaluate(video / "t.qrels", video / "r.run", "Coverage(budget=100)").mean_rows[0]
    assert "chars" not in str(row.signature)


def test_agreement_names_what_it_counts(tmp_path):
    pytest.importorskip("krippendorff")
    for declared, unit in (("", "units"), (', "offsets": "chars"', "characters")):
        lines = [
            f'{{"topic": "q", "doc": "d", "start": {start}, "end": {start + 10}, "annotator": "{who}"{declared}}}\n'
            for start, who in ((0, "a"), (5, "b"))
        ]
        (tmp_path / "t.jsonl").write_text("".join(lines))
        assert f"over 5 {unit}," in str(bp.agreement(tmp_path / "t.jsonl"))
