"""QVHighlights: moments and highlights, truth and predictions."""

import json

import pytest

import berrypick as bp
from berrypick import formats


def test_qvhighlights_truth_and_predictions(files, berrypick, tmp_path):
    moments = [
        {
            "qid": 1,
            "query": "q",
            "duration": 150,
            "vid": "v",
            "relevant_windows": [[10, 20], [80, 90]],
            "saliency_scores": [],
        },
        {"qid": 2, "query": "q", "duration": 140.5, "vid": "w", "relevant_windows": [[0, 10]]},
    ]
    predicted = [
        {"qid": 1, "query": "q", "vid": "v", "pred_relevant_windows": [[100.0, 120.0, 0.2], [10.0, 18.0, 0.9]]},
        {"qid": 2, "query": "q", "vid": "w", "pred_relevant_windows": [[0.0, 5.0, 0.9]], "pred_saliency_scores": [1.0]},
    ]
    written = files(**{f"{name}_jsonl": "".join(json.dumps(row) + "\n" for row in rows)
                       for name, rows in (("truth", moments), ("run", predicted))})  # fmt: skip
    truth, run = bp.read_truth(written["truth_jsonl"]), bp.read_run(written["run_jsonl"])
    assert (truth.format, run.format) == ("qvhighlights", "qvhighlights-run")
    assert truth.lengths == {"v": 150, "w": 140.5}
    assert run.ranking("1").start.tolist() == [10, 100]  # by score
    found = bp.evaluate(truth, run, "spanHit(iou=.7)@1 spanHit(iou=.5)@1 T2I").mean()
    assert next(iter(found.values()))["spanHit(iou=.7)@1"] == 0.5
    assert next(iter(found.values()))["spanHit(iou=.5)@1"] == 1.0
    for name in written.values():
        assert berrypick("convert", name, tmp_path / f"{name.stem}.out.jsonl").code == 0
    again = bp.evaluate(tmp_path / "truth.out.jsonl", tmp_path / "run.out.jsonl", "spanHit(iou=.7)@1").mean()
    assert next(iter(again.values()))["spanHit(iou=.7)@1"] == 0.5
    bad = files(bad_jsonl='{"qid": 1, "vid": "v", "relevant_windows": [[1, "x"]]}\n')["bad_jsonl"]
    with pytest.raises(bp.InputError, match="something else than numbers"):
        bp.read_truth(bad)


def test_unknown_json_is_answered_with_this_format(files):
    path = files(odd_json='{"id": 1, "vid": "v", "windows": [[1, 2]], "duration": 3}')["odd_json"]
    with pytest.raises(bp.InputError, match="the nearest formats are") as error:
        formats.read_any(path, "truth")
    assert str(error.value).splitlines()[3].split(":")[0].strip() == "qvhighlights"


def test_a_name_that_stands_twice_is_refused(files):
    line = '{"qid": 1, "query": "x", "vid": "v", "duration": 150, "relevant_windows": [[0, 4]]}\n'
    path = files(twice_jsonl=line + line.replace('"vid"', '"vid": "w", "vid"'))["twice_jsonl"]
    with pytest.raises(bp.InputError, match=r":2: .*vid"):
        bp.read_truth(path)
