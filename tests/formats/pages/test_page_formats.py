"""Formats of visual document retrieval, and what their programs compute."""

from __future__ import annotations

import json

import pytest

import berrypick as bp

SIZE = [100, 200]


def write(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def mmdocir(*boxes, pages=(3,)):
    mapping = [{"page": 3, "page_size": SIZE, "bbox": list(box)} for box in boxes]
    return {"doc_name": "a.pdf", "questions": [{"Q": "Which?", "page_id": list(pages), "layout_mapping": mapping}]}


def test_mmdocir(tmp_path):
    truth = bp.read_truth(write(tmp_path / "t.jsonl", mmdocir((0, 0, 50, 50), (60, 0, 80, 50), pages=(3, 5))))
    assert truth.format == "mmdocir"
    assert truth["a.pdf-0"].record(0) == {
        "doc": "a.pdf", "page": 4, "box": [0, 0, 50, 50], "page_size": SIZE, "grade": 1
    }  # fmt: skip
    assert truth["a.pdf-0"].record(2) == {"doc": "a.pdf", "page": 6, "grade": 1}, "no box lies on it"
    assert truth.skipped == {"pages without a box, relevant as a whole": 1}


def test_overlapping_gold_passes_one_only_under_its_protocol(tmp_path):
    """Two gold boxes of 2,500 share 1,250: pairs add up to 2 x 2,500 + 2 x 1,250 of 5,000."""
    truth = write(tmp_path / "t.jsonl", mmdocir((0, 0, 50, 50), (25, 0, 75, 50)))
    run = [{"topic": "a.pdf-0", "doc": "a.pdf", "page": 4, "box": box} for box in ([0, 0, 50, 50], [25, 0, 75, 50])]
    assert bp.score("charR", truth, run) == 1
    results = bp.evaluate(truth, run, protocol="mmdocir", measures="charR")
    assert results.mean()["run"]["charR"] == pytest.approx(1.5)
    assert "counts several times" in str(results)


def test_bbox_docvqa(tmp_path):
    """The best box of each gold box: IoU 1/2 and nothing; a third box is free."""
    row = {"query": "Which?", "doc_name": "a", "evidence_page": [2, 5], "bbox": [[[0, 0, 10, 10]], [[0, 0, 4, 4]]]}
    truth = write(tmp_path / "t.jsonl", row)
    assert bp.read_truth(truth).format == "bbox-docvqa"
    run = [{"topic": "1", "doc": "a", "page": 2, "box": box} for box in ([0, 0, 5, 10], [20, 20, 90, 90])]
    assert bp.evaluate(truth, run, None, protocol="bbox-docvqa").mean()["run"] == {"BestIoU": 0.25}


def test_page_qrels(tmp_path):
    lines = ["1 0 a.pdf page=3 1 box=0,0,50,50 size=100x200", "1 0 a.pdf page=9 0"]
    truth = bp.read_truth(write(tmp_path / "t.txt", *lines))
    assert truth.format == "page-qrels"
    assert truth["1"].record(0)["box"] == [0, 0, 50, 50]
    assert len(truth["1"]) == 2
    for wrong in ("1 0 a.pdf page=3 1 box=0,0,x,50", "1 0 a.pdf page=3 1 colour=red", "1 0 a.pdf page=3"):
        with pytest.raises(bp.InputError) as error:
            bp.read_truth(write(tmp_path / "t.txt", lines[0], wrong))
        assert error.value.line == 2


@pytest.mark.parametrize(
    "row",
    [
        {"doc_name": "a", "questions": "x", "layout_mapping": 1},
        {"doc_name": "a", "questions": [{"layout_mapping": [3]}]},
        {"doc_name": "a", "questions": [{"layout_mapping": [], "page_id": "3"}]},
        {"query": "x", "doc_name": "a", "evidence_page": [1], "bbox": []},
        {"query": "x", "doc_name": "a", "evidence_page": [1], "bbox": [3]},
    ],
)
def test_broken_lines_are_refused(row, tmp_path):
    with pytest.raises(bp.InputError):
        bp.read_truth(write(tmp_path / "t.jsonl", row))


def test_real_questions(data):
    """The gold of MMDocIR against itself: 1 by areas, above 1 for some questions by its own program."""
    path = data / "pages" / "mmdocir.half.jsonl"
    truth = bp.read_truth(path)
    rows = ({"topic": topic, **row} for topic in truth for row in truth[topic])
    run = bp.Run.from_records({name: value for name, value in row.items() if name != "grade"} for row in rows)
    results = bp.evaluate(truth, run, "areaR charP IoU BestIoU spanAll")
    assert results.mean()["run"] == pytest.approx(dict.fromkeys(results.measures, 1.0))
    paired = bp.evaluate(truth, run, "charR", protocol="mmdocir").per_topic()
    values = [value for by_topic in paired.values() for one in by_topic.values() for value in one.values()]
    assert sum(value is not None and value > 1 + 1e-9 for value in values) == 5
