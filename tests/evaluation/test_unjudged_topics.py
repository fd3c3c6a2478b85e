"""Topics for which nothing was judged: their values are undefined, and they are not topics without an answer."""

import json

import pytest

import berrypick as bp

SPANS = [{"topic": "1", "doc": "a", "start": 1, "end": 2, "grade": 1}, {"topic": "2", "judged": False}]
WHOLE = [{"topic": "1", "doc": "a", "grade": 1}, {"topic": "2", "judged": False}]


@pytest.mark.parametrize("rows", [SPANS, WHOLE], ids=["spans", "documents"])
def test_it_is_kept_by_every_carrier(rows, tmp_path):
    truth = bp.Truth.from_records(rows)
    assert list(truth.topics) == ["1", "2"] and len(truth["2"]) == 0
    assert truth.unanswerable == ()
    assert truth.to_records() == rows
    assert list(bp.Truth.from_frame(truth.to_pandas()).topics) == ["1", "2"]
    for name in ("t.jsonl", "t.csv", "t.parquet"):
        bp.write(truth, tmp_path / name)
        assert bp.read_truth(tmp_path / name).to_records() == rows
    with pytest.raises(bp.UsageError, match=r"nothing was judged for topic 2|parts of documents"):
        bp.write(truth, tmp_path / "t.qrels", "trec-qrels")


def test_its_values_are_undefined():
    run = [{"topic": name, "doc": "a", "start": 0, "end": 3} for name in "12"]
    results = bp.evaluate(SPANS, run, "charR charP")
    assert results.per_topic()["run"]["charR"] == {"1": 1.0, "2": None}
    documents = [{"topic": name, "doc": "a"} for name in "12"]
    results = bp.evaluate(WHOLE, documents, "R@5 Success@5 AP")
    assert results.per_topic()["run"]["R@5"] == {"1": 1.0, "2": None}
    assert results.mean()["run"] == {"R@5": 1.0, "Success@5": 1.0, "AP": 1.0}
    assert any("nothing relevant" in note.text for note in results.notes)


def test_a_document_that_is_not_judged_says_nothing(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"topic": "1", "doc": "a", "judged": False}) + "\n")
    with pytest.raises(bp.InputError, match="judged must be true or missing"):
        bp.read_truth(path, "span-truth")
