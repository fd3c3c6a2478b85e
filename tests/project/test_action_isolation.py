"""The action runs no file of the checkout, prints no commands to the runner, and lets no run be its own baseline."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from action_steps import ACTION, Job, make_store, run_step, values

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the steps of an action need bash"),
]

STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
TOPICS = [f"q{n}" for n in range(10)]
#: Modules that the steps, pip or berrypick import, and files that Python runs at its start.
SHADOWS = ("json", "os", "sys", "subprocess", "urllib", "re", "pip", "berrypick", "click", "numpy", "sitecustomize",
           "usercustomize", "encodings", "site", "runpy")  # fmt: skip


def run_text(hits: int, tag: str, topics: int = 10) -> str:
    return "".join(f"{t} Q0 {'a' if n < hits else 'b'} 1 1.0 {tag}\n" for n, t in enumerate(TOPICS[:topics]))


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "truth.qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in TOPICS))
    (tmp_path / "run.txt").write_text(run_text(8, "mine"))
    return tmp_path


@pytest.fixture
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store"))


GIVEN = {"truth": "truth.qrels", "run": "run.txt", "baseline-artifact": "x", "measures": "P@1"}


def test_every_python_is_isolated():
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    called = [line for script in scripts for line in script.splitlines() if re.search(r"\bpython\b", line)]
    assert len(called) >= 6 and all("python -I" in line for line in called)
    assert not [line for script in scripts for line in script.splitlines() if re.match(r"\s*berrypick ", line)]


def shadow(folder: Path, hit: Path) -> None:
    """A pull request with modules that leave a trace when they are run, beside packages of that kind."""
    for name in SHADOWS:
        code = f"open({str(hit)!r}, 'a').write('{name} ')\nraise SystemExit(9)\n"
        (folder / f"{name}.py").write_text(code)
    (folder / "evil.pth").write_text(f"import os; open({str(hit)!r}, 'a').write('pth ')\n")
    info = folder / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[berrypick.measures]\nEvil = json:Evil\n")
    for name in ("gh", "gh.exe", "python", "sed", "cat"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{hit}'\nexit 9\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize("path", ["", "."])
def test_no_file_of_the_checkout_is_run(checkout, store, tmp_path_factory, monkeypatch, path):
    """In any step, and also where the job has the checkout in PYTHONPATH."""
    hit = tmp_path_factory.mktemp("seen") / "hit"
    if path:
        monkeypatch.setenv("PYTHONPATH", path)
    Job(checkout, store, GIVEN).run()  # there is a baseline now
    shadow(checkout, hit)
    job = Job(checkout, store, GIVEN)
    assert job.run() == ["Fetch the baseline", "Compare", "Choose the baseline", "Keep the baseline"], job.last.stderr
    assert job.last.returncode == 0
    install = STEPS["Install"]
    done = run_step(install["run"], checkout, values(install, {}))
    assert done.returncode == 0, done.stderr
    assert not hit.exists(), hit.read_text()


COMMANDS = (
    "::stop-commands::x",
    "  ::add-mask::a",
    "\t::error::no",
    "##[warning]look",
    "a ##[add-path]b",
    ":::set-env",
)


def commands_in(text: str) -> list[str]:
    """Lines that a runner takes for commands: :: after white space, or ##[ anywhere; \\r ends a line too."""
    lines = re.split(r"\r\n|\r|\n", text)
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize("where", ["run", "truth", "baseline"])
@pytest.mark.parametrize("command", COMMANDS)
def test_lines_of_bad_input_are_no_commands(checkout, where, command):
    """Quoted alone on a line, and as a name in a note."""
    (checkout / "bad.txt").write_text(f"{command}\n{command}\n")
    given = {"truth": "truth.qrels", "run": "run.txt", "baseline": "run.txt", "measures": "P@1", where: "bad.txt"}
    step = STEPS["Compare"]
    done = run_step(step["run"], checkout, values(step, given))
    assert done.returncode == 2 and "bad.txt" in done.stderr
    assert commands_in(done.stderr) == []
    ours = [line for line in commands_in(done.stdout) if not line.startswith(("::error title=", "::notice title="))]
    assert ours == [] and "##[" not in done.stdout


def test_the_neutral_lines_can_be_read(checkout):
    (checkout / "bad.txt").write_text("::stop-commands::x\n")
    step = STEPS["Compare"]
    done = run_step(step["run"], checkout, values(step, {"truth": "bad.txt", "run": "run.txt", "fail-under": "P@1=1"}))
    assert ": :stop-commands::x" in done.stderr


def test_names_in_notes_are_no_commands(checkout):
    (checkout / "run.txt").write_text(run_text(8, "##[group]x") + "::error:: Q0 a 1 1.0 ##[group]x\n")
    step = STEPS["Compare"]
    done = run_step(step["run"], checkout, values(step, {"truth": "truth.qrels", "run": "run.txt",
                                                         "fail-under": "P@1=0.9"}))  # fmt: skip
    assert done.returncode == 1 and "P@1 is 0.8000, below 0.9" in done.stderr
    assert commands_in(done.stderr) == [] and "##[" not in done.stdout


def newest(store: Path) -> str:
    one = json.loads((store / "artifacts.json").read_text())[0]
    (file,) = (store / str(one["workflow_run"]["id"])).iterdir()
    return file.read_text(encoding="utf-8")


def test_a_run_is_not_its_own_baseline(checkout, store):
    """Its tag is the path of the stored baseline: 0.0 must not pass against 0.8, nor become the baseline."""
    best = (checkout / "run.txt").read_text()
    assert Job(checkout, store, GIVEN).run()[-1] == "Keep the baseline"
    path = checkout / "temp" / "baseline" / "run.txt"
    for tag in (str(path), "run.txt", "run", "mine"):
        (checkout / "run.txt").write_text(run_text(0, tag))
        job = Job(checkout, store, GIVEN)
        assert job.run() == ["Fetch the baseline", "Compare"] and job.last.returncode == 1, tag
        assert "significantly worse" in job.last.stderr and newest(store) == best
    step = STEPS["Compare"]
    (checkout / "base.txt").write_text(best)
    (checkout / "run.txt").write_text(run_text(0, "base.txt"))
    given = {"truth": "truth.qrels", "run": "run.txt", "baseline": "base.txt", "measures": "P@1"}
    assert run_step(step["run"], checkout, values(step, given)).returncode == 1


def test_a_run_does_not_choose_its_topics(checkout, store):
    best = (checkout / "run.txt").read_text()
    Job(checkout, store, GIVEN).run()
    (checkout / "run.txt").write_text(run_text(2, "easy", topics=2))
    job = Job(checkout, store, {**GIVEN, "arguments": "--topics run"})
    assert job.run() == ["Fetch the baseline", "Compare"] and job.last.returncode == 2
    job = Job(checkout, store, {**GIVEN, "arguments": "--protocol mediaeval2014", "margin": "1"})
    job.run()
    assert newest(store) == best, "0.2 on the baseline's topics, 1.0 on its own"


def test_each_run_of_a_file_counts_for_the_next_baseline(checkout, store):
    """A file with a bad run and a good one does not replace the baseline."""
    best = (checkout / "run.txt").read_text()
    Job(checkout, store, GIVEN).run()
    rows = [f"{run},{topic},{'a' if n < hits else 'b'},1" for run, hits in (("x", 7), ("y", 10))
            for n, topic in enumerate(TOPICS)]  # fmt: skip
    (checkout / "run.csv").write_text("\n".join(["run,topic,doc,rank", *rows]) + "\n")
    job = Job(checkout, store, {**GIVEN, "run": "run.csv"})
    assert job.run()[-1] == "Keep the baseline" and newest(store) == best
