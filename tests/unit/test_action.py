"""The GitHub Action and the workflow that shows it: parsed, and their steps run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((EXAMPLES / "ci" / "retrieval.yml").read_text(encoding="utf-8"))
COMPARE = next(step for step in ACTION["runs"]["steps"] if step["name"] == "Compare")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps of an action need bash")


def run_step(script: str, folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A step with shell: bash, as GitHub runs it."""
    (folder / "step.sh").write_text(script, encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), **more}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", timeout=120)


def values(step: dict, given: dict[str, str]) -> dict[str, str]:
    """The variables of a step of the action."""
    inputs = {name: given.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    return {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)
        for name, text in step["env"].items()
    }


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
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in steps)
    used = {text for step in steps for text in step["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
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
                done = run_step(inner["run"], tmp_path, values(inner, step["with"]))
                assert done.returncode == 0, done.stderr
                ran.append(inner["name"])
        else:
            assert step["uses"].startswith("actions/")
    assert ran == ["Retrieve", "Install", "Compare"]
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("## Retrieval\n") and "**IoU@5, larger is better**" in summary
    assert summary.endswith("**Gates:** 4 checks, all met\n")


def test_the_page_shows_the_step_of_the_workflow():
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(.+?)```", page, flags=re.DOTALL)
    assert yaml.safe_load(shown) == [WORKFLOW["jobs"]["retrieval"]["steps"][-1]]
    assert all(f"`{name}`" in page for name in ACTION["inputs"])


def test_a_worse_run_fails_and_the_summary_says_why(handbook):
    given = {"truth": "handbook.jsonl", "run": "small.jsonl", "baseline": "large.jsonl", "measures": "charR@3 IoU@3"}
    done = compared(handbook, **given)
    assert done.returncode == 1 and "not met: small: charR@3 is significantly worse than large" in done.stderr
    assert "* small: charR@3 is significantly worse than large" in (handbook / "summary.md").read_text(encoding="utf-8")
    assert compared(handbook, **given, margin="0.5").returncode == 0
    assert compared(handbook, **given, margin="0.5", fail_under="charR@3=0.8").returncode == 1
    assert compared(handbook, **given, arguments="--confidence 0.99\n  --seed 3").returncode == 0


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
