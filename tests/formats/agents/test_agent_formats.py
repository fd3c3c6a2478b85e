"""Formats of benchmarks of agents."""

import json

import pytest

import berrypick as bp

TEXT = "file: a b.py start_line: 1 end_line: 2\nfile: c.py, start_line: 5, end_line: 5"
GOLD = [
    {"instance_id": "t1", "gold_context": [{"file": "a.py", "start_line": 3, "end_line": 6},
                                           {"file": "/testbed/b.py", "start_line": 1, "end_line": 2}]},
    {"instance_id": "t2", "gold_context": json.dumps([{"file": "./b.py", "start_line": 1, "end_line": 4}])},
    {"instance_id": "t3", "gold_context": TEXT},
]  # fmt: skip
STEPS = [
    {"instance_id": "t1", "traj_data": {"pred_steps": [
        {"spans": {"a.py": [{"start": 1, "end": 4}], "z.py": [{"start": 1, "end": 9}]}}, {"spans": {}},
        {"spans": {"a.py": [{"start": 5, "end": 5}]}}]}},
    {"instance_id": "t2", "traj_data": {"pred_steps": []}},
]  # fmt: skip


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_contextbench(tmp_path):
    gold, run = lines(tmp_path / "gold.jsonl", GOLD), lines(tmp_path / "run.jsonl", STEPS)
    truth = bp.read_truth(gold)
    assert truth.format == "contextbench" and truth.skipped == {"paths outside of the repository, left out": 1}
    assert [truth["t3"].name(row) for row in range(2)] == ["a b.py:1-2", "c.py:5"]
    found = bp.read_run(run)
    assert found.format == "contextbench-run" and found.size("t2") == 0
    assert found["t1"].rank.tolist() == [0, 0, 1] and found.skipped == {"steps that show no lines, left out": 1}
    values = next(iter(bp.evaluate(truth, found, "StepAUC charR").per_topic().values()))
    assert values["StepAUC"] == {"t1": pytest.approx((2 / 4 + 3 / 4) / 2), "t2": 0.0, "t3": 0.0}


@pytest.mark.parametrize(("row", "why"), [
    ({"instance_id": "t1", "gold_context": "nothing"}, "gold_context must be a list"),
    ({"gold_context": []}, "instance_id is missing"),
    ({"instance_id": "t1", "gold_context": [{"file": "a", "start_line": 0, "end_line": 2}]}, "start_line must be"),
])  # fmt: skip
def test_wrong_gold(tmp_path, row, why):
    with pytest.raises(bp.InputError, match=why):
        bp.read_truth(lines(tmp_path / "gold.jsonl", [row]), "contextbench")


@pytest.mark.parametrize(("row", "why"), [
    ({"instance_id": "t1", "traj_data": {"pred_steps": [3]}}, "must be a list of steps"),
    ({"instance_id": "t1", "traj_data": {"pred_steps": [{"spans": [1]}]}}, "spans of step 1 must be lists"),
    ({"instance_id": "t1", "traj_data": {"pred_steps": [{"spans": {"a": [{"start": 4}]}}]}}, "end_line is missing"),
])  # fmt: skip
def test_wrong_steps(tmp_path, row, why):
    with pytest.raises(bp.InputError, match=why):
        bp.read_run(lines(tmp_path / "run.jsonl", [row]), "contextbench-run")


def test_browsecomp(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps({"query_id": 17, "retrieved_docids": ["d3", "d9", "d3"]}, indent=1))
    (folder / "2.json").write_text(json.dumps({"query_id": "18", "retrieved_docids": []}))
    run = bp.read_run(folder)
    assert run.format == "browsecomp-run" and run.topics == ("17", "18")
    assert run["17"].names_by_rank() == ["d3", "d9"] and run.skipped == {"documents retrieved again, left out": 1}
    assert bp.score("RR", {"17": {"d9": 1}}, run) == 0.5
    (folder / "3.json").write_text(json.dumps({"query_id": "18", "retrieved_docids": ["x"]}))
    with pytest.raises(bp.InputError, match="both have query_id 18"):
        bp.read_run(folder)
    (folder / "3.json").write_text(json.dumps({"query_id": "19"}))
    with pytest.raises(bp.InputError, match=r"3.json:1: needs query_id and retrieved_docids"):
        bp.read_run(folder)
