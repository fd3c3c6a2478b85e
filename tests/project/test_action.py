"""The GitHub Action and the workflow that shows it: parsed, and their steps run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from action_steps import ACTION, Job, artifact, make_store, run_step, values

import berrypick

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
WORKFLOW = yaml.safe_load((EXAMPLES / "ci" / "retrieval.yml").read_text(encoding="utf-8"))
KEPT = yaml.safe_load((EXAMPLES / "ci" / "retrieval-artifact.yml").read_text(encoding="utf-8"))
COMPARE = next(step for step in ACTION["runs"]["steps"] if step["name"] == "Compare")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps of an action need bash")


@pytest.fixture
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store"))


def compared(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    return run_step(COMPARE["run"], folder, values(COMPARE, {name.replace("_", "-"): v for name, v in given.items()}))


@pytest.fixture
def handbook(tmp_path):
    for name in ("handbook", "small", "large"):
        shutil.copy(EXAMPLES / f"{name}.jsonl", tmp_path)
    return tmp_path


def test_the_action_is_composite_and_every_input_reaches_a_step():
    assert ACTION["runs"]["using"] == "composite" and ACTION["name"] and ACTION["description"]
    steps = ACTION["runs"]["steps"]
    scripts = [step for step in steps if "run" in step]
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in scripts)
    assert [step["uses"].split("@")[0] for step in steps if "uses" in step] == ["actions/upload-artifact"] * 2
    used = {name for step in scripts for text in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", text)}
    assert used == set(ACTION["inputs"])
    assert all(one["description"] and (one.get("required") or "default" in one) for one in ACTION["inputs"].values())


def test_the_steps_of_the_workflow(tmp_path):
    """All that the workflow runs in a project that has the files it names."""
    shutil.copytree(EXAMPLES / "chunks" / "texts", tmp_path / "texts")
    shutil.copy(EXAMPLES / "chunks" / "questions.json", tmp_path)
    shutil.copy(EXAMPLES / "ci" / "retrieve.py", tmp_path)
    (tmp_path / "retrieval").mkdir()
    shutil.copy(EXAMPLES / "chunks" / "truth.jsonl", tmp_path / "retrieval")
    shutil.copy(EXAMPLES / "chunks" / "200.jsonl", tmp_path / "retrieval" / "baseline.jsonl")
    ran = []
    for step in WORKFLOW["jobs"]["retrieval"]["steps"]:
        if "run" in step:
            done = run_step(step["run"], tmp_path, {})
            assert done.returncode == 0, done.stderr
            ran.append(step["name"])
        elif "berrypick" in step["uses"]:
            for inner in ACTION["runs"]["steps"]:
                if "if" in inner:  # a baseline in the repository
                    continue
                done = run_step(inner["run"], tmp_path, values(inner, step["with"]))
                assert done.returncode == 0, done.stderr
                ran.append(inner["name"])
        else:
            assert step["uses"].startswith("actions/")
    assert ran == ["Retrieve", "Install", "Compare"]
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("## Retrieval\n") and "**IoU@5, larger is better**" in summary
    assert "**Gates:** 4 checks, all met\n" in summary
    assert "no drop can be significant on 4 topics" in summary


def test_the_page_shows_the_step_of_the_workflow():
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    shown = re.findall(r"```yaml\n(.+?)```", page, flags=re.DOTALL)
    steps = [one["jobs"]["retrieval"]["steps"][-1] for one in (WORKFLOW, KEPT)]
    assert [yaml.safe_load(text) for text in shown] == [[step] for step in steps]
    assert all(f"`{name}`" in page for name in ACTION["inputs"])


def test_a_worse_run_fails_and_the_summary_says_why(handbook):
    given = {"truth": "handbook.jsonl", "run": "small.jsonl", "baseline": "large.jsonl", "measures": "charR@3 IoU@3"}
    done = compared(handbook, **given)
    assert done.returncode == 1 and "not met: small: charR@3 is significantly worse than large" in done.stderr
    assert "* small: charR@3 is significantly worse than large" in (handbook / "summary.md").read_text(encoding="utf-8")
    assert compared(handbook, **given, margin="0.5").returncode == 0
    assert compared(handbook, **given, margin="0.5", fail_under="charR@3=0.8").returncode == 1
    assert compared(handbook, **given, arguments="--confidence 0.99\n  --seed 3").returncode == 0


def test_outputs_annotations_and_notes(handbook):
    """A job can go on with what was found, and the page of the change shows why it failed."""
    given = {"truth": "handbook.jsonl", "run": "small.jsonl", "baseline": "large.jsonl", "measures": "charR@3",
             "fail-under": "charR@3=0.9"}  # fmt: skip
    found = handbook / "outputs.txt"
    done = run_step(COMPARE["run"], handbook, {**values(COMPARE, given), "GITHUB_OUTPUT": str(found)})
    assert done.returncode == 1
    outputs = dict(line.split("=", 1) for line in found.read_text().splitlines())
    means = berrypick.evaluate(handbook / "handbook.jsonl", handbook / "small.jsonl", "charR@3").mean()["small"]
    assert outputs["passed"] == "false" and json.loads(outputs["means"])["small"] == means
    [reason, *_] = json.loads(outputs["reasons"])
    assert f"::error title=Retrieval::{reason}" in done.stdout
    assert set(ACTION["outputs"]) == set(outputs)
    summary = (handbook / "summary.md").read_text(encoding="utf-8")
    notes = re.findall(r"^note: (.+)$", done.stderr, re.MULTILINE)
    assert notes and summary.count("\n* ") >= len(notes)
    assert all(f"::notice title=Retrieval::{note.replace('%', '%25')}" in done.stdout for note in notes)
    assert summary.index("**Notes**") < summary.index("**Gates:**")


def test_limits_alone(handbook):
    given = {"truth": "handbook.jsonl", "run": "large.jsonl"}
    assert compared(handbook, **given, fail_under="charR@3=0.8", fail_over="Overlap@3=0.2").returncode == 0
    assert compared(handbook, **given, fail_over="charR@3=0.2").returncode == 1


def test_an_action_that_cannot_fail_is_refused(handbook):
    done = compared(handbook, truth="handbook.jsonl", run="large.jsonl", measures="charR@3")
    assert done.returncode == 2 and "nothing can fail" in done.stdout


def test_bad_input_and_a_missing_baseline_fail(handbook):
    given = {"truth": "handbook.jsonl", "run": "large.jsonl", "measures": "charR@3"}
    done = compared(handbook, **given, baseline="none.jsonl")
    assert done.returncode == 2 and "none.jsonl" in done.stderr
    done = compared(handbook, **given, baseline="small.jsonl", margin="much")
    assert done.returncode == 2 and "--margin" in done.stderr


def test_inputs_are_not_run_as_code(handbook):
    os.rename(handbook / "large.jsonl", handbook / "a $(touch hit) b.jsonl")
    done = compared(handbook, truth="handbook.jsonl", run="a $(touch hit) b.jsonl", fail_under="charR@3=0.8")
    assert done.returncode == 0 and not (handbook / "hit").exists()
    compared(handbook, truth="handbook.jsonl", run="small.jsonl", fail_under="x", arguments="; touch hit; $(touch hit)")
    assert not (handbook / "hit").exists()


FETCH, CHOOSE, KEEP = "Fetch the baseline", "Choose the baseline", "Keep the baseline"


def test_a_baseline_that_is_an_artefact(handbook, store):
    """As the workflow with an artefact: nothing at first, then the run of main, kept where its gates are met."""
    assert KEPT["permissions"]["actions"] == "read"
    step = KEPT["jobs"]["retrieval"]["steps"][-1]["with"]
    given = {**step, "truth": "handbook.jsonl", "run": "run.jsonl", "measures": "charR@3 IoU@3"}

    def job(run, ref, **more):
        shutil.copy(handbook / run, handbook / "run.jsonl")
        (handbook / "summary.md").unlink(missing_ok=True)
        made = Job(handbook, store, {**given, **{n.replace("_", "-"): v for n, v in more.items()}}, ref)
        return made, made.run(), (handbook / "summary.md").read_text(encoding="utf-8")

    first, ran, summary = job("large.jsonl", "12/merge")
    assert ran == [FETCH, "Compare"] and first.last.returncode == 0 and "There is no baseline yet." in summary
    first, ran, _ = job("large.jsonl", "main")
    assert ran == [FETCH, "Compare", CHOOSE, KEEP] and first.last.returncode == 0
    worse, ran, summary = job("small.jsonl", "13/merge")
    assert ran == [FETCH, "Compare"] and worse.last.returncode == 1
    assert "charR@3 is significantly worse than" in summary and "no baseline" not in summary
    worse, ran, _ = job("small.jsonl", "main")
    assert ran == [FETCH, "Compare"] and worse.last.returncode == 1, "a run that is worse is not kept"
    same, ran, summary = job("large.jsonl", "main")
    assert ran == [FETCH, "Compare", CHOOSE, KEEP] and same.last.returncode == 0 and "all met" in summary
    other, ran, _ = job("small.jsonl", "main", baseline_branch="next")
    assert ran == [FETCH, "Compare"] and other.last.returncode == 0, "that branch has none"
    kept = json.loads((store / "artifacts.json").read_text())
    assert [one["name"] for one in kept] == ["retrieval-baseline"] * 2
    (store / "artifacts.json").write_text(json.dumps([{**one, "expired": True} for one in kept]))
    assert "There is no baseline yet." in job("small.jsonl", "14/merge")[2]


def test_limits_count_while_there_is_no_artefact(handbook, store):
    given = {"truth": "handbook.jsonl", "run": "small.jsonl", "baseline-artifact": "x y", "fail-under": "charR@3=0.8"}
    job = Job(handbook, store, given)
    assert job.run() == [FETCH, "Compare"] and job.last.returncode == 1
    both = Job(handbook, store, {**given, "baseline": "large.jsonl"})
    assert both.run() == [FETCH] and both.last.returncode == 2 and "not both" in both.last.stdout


def newest(store: Path) -> str:
    one = json.loads((store / "artifacts.json").read_text())[0]
    (file,) = (store / str(one["workflow_run"]["id"])).iterdir()
    return file.read_text(encoding="utf-8")


GATE = {"truth": "handbook.jsonl", "run": "run.jsonl", "baseline-artifact": "x", "measures": "charR@3 IoU@3"}


def job(handbook, store, run, ref="main", event="", tag=False, **more):
    shutil.copy(handbook / run, handbook / "run.jsonl")
    made = Job(handbook, store, {**GATE, **more}, ref, event, tag)
    return made, made.run()


def test_the_baseline_does_not_slide_down(handbook, store):
    """A drop within the margin passes, again and again; what it is compared with stays the best run."""
    best = (handbook / "large.jsonl").read_text(encoding="utf-8")
    job(handbook, store, "large.jsonl")
    for _ in range(2):
        (handbook / "summary.md").unlink()
        passed, ran = job(handbook, store, "small.jsonl", margin="0.5")
        assert ran == [FETCH, "Compare", CHOOSE, KEEP] and passed.last.returncode == 0
        assert newest(store) == best
        summary = (handbook / "summary.md").read_text(encoding="utf-8")
        assert "The baseline stays, the best run so far:\n\n* charR@3 is 0.5909, the baseline has 0.9924\n" in summary
    worse, ran = job(handbook, store, "small.jsonl")
    assert ran == [FETCH, "Compare"] and worse.last.returncode == 1


def test_a_better_run_is_the_next_baseline(handbook, store):
    measure = {"measures": "charR@3"}
    job(handbook, store, "small.jsonl", **measure)
    _, ran = job(handbook, store, "large.jsonl", **measure)
    assert ran[-1] == KEEP and newest(store) == (handbook / "large.jsonl").read_text(encoding="utf-8")


def test_artefacts_of_forks_and_pull_requests_are_no_baseline(handbook, store):
    """A fork's branch may be called main, and its pull requests may leave artefacts of any name, many of them."""
    (store / "1").mkdir()
    shutil.copy(handbook / "small.jsonl", store / "1" / "run.jsonl")
    for event, head in (("pull_request", 7), ("push", 7), ("pull_request", 1), ("pull_request_target", 1)):
        (store / "artifacts.json").write_text(json.dumps([artifact(1, "x", "main", event, head)]))
        first, _ = job(handbook, store, "large.jsonl", "12/merge")
        assert first.known["steps.baseline.outputs.missing"] == "true", (event, head)
    (store / "artifacts.json").write_text("[]")
    shutil.rmtree(store / "1")
    job(handbook, store, "large.jsonl")
    forged = [artifact(100 + i, "x", "main", "pull_request", 7) for i in range(130)]
    (store / "artifacts.json").write_text(json.dumps([*forged, *json.loads((store / "artifacts.json").read_text())]))
    worse, ran = job(handbook, store, "small.jsonl", "13/merge")
    assert ran == [FETCH, "Compare"] and worse.last.returncode == 1, "ours is behind them"


@pytest.mark.parametrize(("event", "tag"), [("pull_request_target", False), ("workflow_run", False), ("push", True)])
def test_only_the_branch_itself_keeps_a_baseline(handbook, store, event, tag):
    _, ran = job(handbook, store, "large.jsonl", event=event, tag=tag)
    assert ran == [FETCH, "Compare"] and json.loads((store / "artifacts.json").read_text()) == []
