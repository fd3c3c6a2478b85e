"""Several annotators: who judged stays apart when texts change, and how far they agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from label_tasks import label_studio, region, write

import berrypick as bp
from berrypick.data.errors import UsageError


def two(tmp_path: Path, *marks: tuple[Any, int, int, str]) -> str:
    tasks = [label_studio(region(a, b - a, None, label), who=who, text="x" * 60) for who, a, b, label in marks]
    for task in tasks:
        task["data"]["offset"] = 0
    return write(tmp_path / "export.json", tasks)


NAMED = """\
{"topic": "q", "doc": "d", "start": 0, "end": 10, "grade": 1, "offsets": "chars", "annotator": "ana", "kind": "x"}
{"topic": "q", "doc": "d", "start": 10, "end": 20, "grade": 0, "offsets": "chars", "annotator": "ana", "kind": "x"}
{"topic": "q", "doc": "d", "start": 0, "end": 20, "grade": 0, "offsets": "chars", "annotator": "ben", "kind": "x"}
{"topic": "r", "doc": "d", "start": 3, "end": 5, "grade": 1, "offsets": "chars", "annotator": "ben", "kind": "y"}
"""


@pytest.mark.parametrize("target", ["again.jsonl", "again.csv", "again.parquet"])
def test_lines_that_say_who_judged(tmp_path, berrypick, target):
    (tmp_path / "both.jsonl").write_text(NAMED)
    assert berrypick("convert", tmp_path / "both.jsonl", tmp_path / target).code == 0
    for path in (tmp_path / "both.jsonl", tmp_path / target):
        truth = bp.read_truth(path)
        assert list(truth.annotators) == ["ana", "ben"]
        assert truth.fields["kind"].values == {"q": "x", "r": "y"} and "annotator" not in truth.fields
        run = {"q": {"d#0-10": 1}, "r": {"d#0-10": 1}}
        assert bp.score("charP", path, run) == 0.6
        assert bp.score("charP", path, run, annotators="intersection") == 0.2
        assert "alpha" in berrypick("agreement", path).out
        assert "2 annotators" in berrypick("check", path).out
    notes = bp.evaluate(tmp_path / "both.jsonl", run, "charP").notes
    assert any("2 annotators; text is relevant if any of them marked it" in str(note) for note in notes)


def test_one_annotator_is_kept_and_named(tmp_path, berrypick):
    (tmp_path / "ana.jsonl").write_text("".join(NAMED.splitlines(keepends=True)[:2]))
    berrypick("convert", tmp_path / "ana.jsonl", tmp_path / "again.jsonl")
    assert [json.loads(line)["annotator"] for line in (tmp_path / "again.jsonl").read_text().splitlines()] == [
        "ana"
    ] * 2
    assert berrypick("agreement", tmp_path / "ana.jsonl").code == 2
    run = {"q": {"d#0-10": 1}}
    noted = bp.evaluate(tmp_path / "ana.jsonl", run, "charP", annotators="majority").notes
    assert any("has one annotator" in str(note) for note in noted)


def test_relocated_judgements_stay_apart(tmp_path, berrypick):
    (tmp_path / "both.jsonl").write_text(NAMED)
    old, new = {"d": "abcdefghijklmnopqrstuvwxyz"}, {"d": "New. abcdefghijklmnopqrstuvwxyz"}
    moved = bp.relocate(tmp_path / "both.jsonl", old, new)
    assert {who: topics["q"].start.tolist() for who, topics in moved.truth.annotators.items()} == {
        "ana": [5, 15],
        "ben": [5],
    }
    assert len(moved.cases) == 4 and moved.truth.topics["r"].start.tolist() == [8]


def test_agreement_by_hand(tmp_path, berrypick):
    # 40 characters judged by both: 10 both relevant, 25 both not, 5 different
    path = two(tmp_path, ("ann", 0, 15, "relevant"), ("ann", 15, 40, "irrelevant"), ("ben", 0, 10, "relevant"),
               ("ben", 10, 40, "irrelevant"), ("ben", 50, 60, "relevant"))  # fmt: skip
    found = bp.agreement(path)
    # observed disagreement 10 of 80 values in pairs; expected 2 x 25 x 55 / (80 x 79)
    assert found.alpha == pytest.approx(1 - (10 / 80) / (2 * 25 * 55 / (80 * 79)))
    assert (found.characters, found.alike) == (40, 35 / 40)
    told = berrypick("agreement", path)
    assert told.code == 0 and told.out.startswith(f"Krippendorff's alpha {found.alpha:.4f} over 40 characters")
    with pytest.raises(UsageError, match="has one annotator"):
        bp.agreement({"q": {"a#0-4": 1}})
