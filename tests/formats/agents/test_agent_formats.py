"""Formats of benchmarks of agents."""

import json

import pytest

import berrypick as bp

TEXT = "file: a b.py start_line: 1 end_line: 2\nfile: c.py, start_line: 5, end_line: 5"
GOLD = [
    {"instance_id": "t1", "gold_context": [{"file": "a.py", "start_line": 3, "end_line": 6},
                                           {"file": "/usr/lib/b.py", "start_line": 1, "end_line": 2}]},
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
    assert truth.format == "contextbench" and truth.skipped == {"paths outside the repository, skipped": 1}
    assert [truth["t3"].name(row) for row in range(2)] == ["a b.py:1-2", "c.py:5"]
    found = bp.read_run(run)
    assert found.format == "contextbench-run" and found.size("t2") == 0
    assert found["t1"].rank.tolist() == [0, 0, 1] and found.skipped == {"steps without file lines, skipped": 1}
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
    assert run["17"].names_by_rank() == ["d3", "d9"] and run.skipped == {"documents retrieved again, skipped": 1}
    assert bp.score("RR", {"17": {"d9": 1}}, run) == 0.5
    (folder / "3.json").write_text(json.dumps({"query_id": "18", "retrieved_docids": ["x"]}))
    with pytest.raises(bp.InputError, match="both have query_id 18"):
        bp.read_run(folder)
    (folder / "3.json").write_text(json.dumps({"query_id": "19"}))
    with pytest.raises(bp.InputError, match=r"3.json:1: needs query_id and retrieved_docids"):
        bp.read_run(folder)


BLOCKS = """context0:
file: /workspace/django__django/django/db/models.py
start_line: 3
end_line: 5
def save(self):
    context1:
    return 1
context1:
file: "pkg/context1.py"
start_line: 7
end_line: 7
x = 1
context9:
y = 2

context2:
file: /etc/passwd
start_line: 1
end_line: 1
root
"""
PUBLISHED = [
    {"instance_id": "SWE-Bench__python__1", "original_inst_id": "django__django-1", "repo": "django/django",
     "base_commit": "abc", "patch": "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n",
     "gold_context": json.dumps([{"file": "/testbed/a.py", "start_line": 1, "end_line": 4, "content": "x"},
                                 {"file": "/django/b.py", "start_line": 2, "end_line": 2}])},
    {"instance_id": "t2", "original_inst_id": "t2", "repo": "o/n", "patch": "", "gold_context": BLOCKS},
    {"instance_id": "t3", "original_inst_id": "t3", "repo": "o/n", "patch": "", "gold_context": "[]"},
]  # fmt: skip


def test_contextbench_as_it_is_published(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = str(tmp_path / "gold.parquet")
    pandas.DataFrame(PUBLISHED).to_parquet(path)
    for gold in (path, lines(tmp_path / "gold.jsonl", PUBLISHED)):
        truth = bp.read_truth(gold)
        names = {topic: [held.name(row) for row in range(len(held))] for topic, held in truth.topics.items()}
        assert truth.format == "contextbench" and names == {
            "SWE-Bench__python__1": ["a.py:1-4", "b.py:2"],
            "t2": ["django/db/models.py:3-5", "pkg/context1.py:7"],
        }
        assert truth.skipped == {"paths outside the repository, skipped": 1,
                                 "instances without gold context, skipped": 1}  # fmt: skip
    spans = {"/workspace/django/a.py": [{"start": 3, "end": 4}]}
    steps = [{"instance_id": "django__django-1", "traj_data": {"pred_steps": [{"spans": spans}]}}]
    results = bp.evaluate(path, lines(tmp_path / "run.jsonl", steps), "charR")
    assert next(iter(results.per_topic().values()))["charR"]["SWE-Bench__python__1"] == 2 / 5


@pytest.mark.parametrize("block", ["context0:\nfile: a.py\nstart_line: 3\n", "context0:\n",
                                   "context0:\nfile: a.py\nstart_line: x\nend_line: 4"])  # fmt: skip
def test_blocks_without_a_place_are_refused(tmp_path, block):
    with pytest.raises(bp.InputError, match="gold_context must be a list of file, start_line and end_line"):
        bp.read_truth(lines(tmp_path / "gold.jsonl", [{"instance_id": "t", "gold_context": block}]))
