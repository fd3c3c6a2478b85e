"""The steps of the GitHub Action, run as GitHub runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def run_step(script: str, folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A step with shell: bash, as GitHub runs it."""
    (folder / "step.sh").write_text(script, encoding="utf-8")
    first = [more["PATH_FIRST"]] if "PATH_FIRST" in more else []
    path = os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), **more}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", timeout=120)


class Job:
    """The expressions and steps of a composite action, as GitHub evaluates them, with the artefacts of a repository."""

    def __init__(
        self,
        folder: Path,
        store: Path,
        given: dict[str, str],
        ref: str = "main",
        event: str = "",
        tag: bool = False,
        head: str = "us/it",
    ) -> None:
        inputs = {name: given.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()}
        assert set(given) <= set(inputs)
        self.folder, self.store, self.ref = folder, store, ref
        self.event = event or ("pull_request" if ref.endswith("/merge") else "push")
        self.known = {"github.token": "secret", "github.ref_name": ref, "github.event_name": self.event}
        self.known |= {"github.sha": "5ca1ab1e", "github.event.pull_request.head.repo.full_name": head}
        self.head = head
        self.known["github.ref_type"] = "tag" if tag else "branch"
        self.known |= {f"inputs.{name}": self.expand(value) for name, value in inputs.items()}
        (folder / "temp").mkdir(exist_ok=True)

    def value(self, expression: str) -> str | bool:
        code = re.sub(
            r"\b(?:inputs|steps|github)(?:\.[\w-]+)+", lambda name: repr(self.known.get(name[0], "")), expression
        )
        return eval(code.replace("always()", "True").replace("&&", " and ").replace("||", " or "))

    def expand(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: str(self.value(found[1])), str(text))

    def step(self, step: dict) -> subprocess.CompletedProcess[str] | None:
        if "if" in step and not self.value(step["if"]):
            return None
        if step.get("uses", "").startswith("actions/upload-artifact@"):
            return self.keep({name: self.expand(value) for name, value in step["with"].items()})
        outputs = self.folder / "outputs"
        outputs.write_text("")
        env = {name: self.expand(value) for name, value in step["env"].items()}
        env |= {"GITHUB_OUTPUT": str(outputs), "RUNNER_TEMP": str(self.folder / "temp"), "STORE": str(self.store),
                "GITHUB_REPOSITORY": "us/it", "PATH_FIRST": str(self.store)}  # fmt: skip
        done = run_step(step["run"], self.folder, env)
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def keep(self, given: dict[str, str]) -> None:
        assert given["overwrite"] == "True" and given["if-no-files-found"] == "error"
        kept = json.loads((self.store / "artifacts.json").read_text())
        number = 1 + max((int(one.name) for one in self.store.iterdir() if one.name.isdigit()), default=0)
        (self.store / str(number)).mkdir()
        path = self.folder / given["path"]
        for file in path.iterdir() if path.is_dir() else [path]:
            shutil.copy(file, self.store / str(number))
        made = artifact(number, given["name"], self.ref, self.event, 1 if self.head == "us/it" else 7)
        (self.store / "artifacts.json").write_text(json.dumps([made, *kept]))

    def run(self) -> list[str]:
        """Names of the steps that were run; after one that failed, only those that always are."""
        ran, failed = [], False
        for step in ACTION["runs"]["steps"]:
            if step["name"] == "Install":
                continue
            if failed and "always()" not in step.get("if", ""):
                continue
            before = len(json.loads((self.store / "artifacts.json").read_text()))
            done = self.step(step)
            if done is not None or len(json.loads((self.store / "artifacts.json").read_text())) > before:
                ran.append(step["name"])
            self.last = done or getattr(self, "last", None)
            failed = failed or (done is not None and done.returncode != 0)
        return ran


def artifact(number: int, name: str, branch: str, event: str = "push", head: int = 1) -> dict:
    """An artefact as GitHub lists it, and, which GitHub does not list, the event that its run had."""
    made = {"id": number, "head_branch": branch, "repository_id": 1, "head_repository_id": head}
    return {"id": 1000 + number, "name": name, "expired": False, "workflow_run": made, "event": event}


#: What the action uses of GitHub's command.
GH = """#!/usr/bin/env python3
import json, os, pathlib, shutil, sys, urllib.parse
assert os.environ["GH_TOKEN"] == "secret"
store = pathlib.Path(os.environ["STORE"])
if sys.argv[1] == "api":
    url = urllib.parse.urlsplit(sys.argv[2])
    kept = json.loads((store / "artifacts.json").read_text())
    if url.path.startswith("repos/us/it/actions/runs/"):
        run = int(url.path.rpartition("/")[2])
        print(json.dumps(next({"id": run, "event": one["event"]} for one in kept if one["workflow_run"]["id"] == run)))
        sys.exit()
    assert url.path == "repos/us/it/actions/artifacts"
    asked = {name: values[0] for name, values in urllib.parse.parse_qs(url.query).items()}
    kept = [{k: v for k, v in one.items() if k != "event"} for one in kept if one["name"] == asked["name"]]
    size, page = int(asked["per_page"]), int(asked["page"])
    print(json.dumps({"total_count": len(kept), "artifacts": kept[size * (page - 1) : size * page]}))
else:
    kind, verb, run, *options = sys.argv[1:]
    given = dict(zip(options[::2], options[1::2]))
    assert (kind, verb, given["--repo"]) == ("run", "download", "us/it")
    assert any(one["name"] == given["--name"] and str(one["workflow_run"]["id"]) == run
               for one in json.loads((store / "artifacts.json").read_text()))
    shutil.copytree(store / run, given["--dir"])
"""


def make_store(folder: Path) -> Path:
    """A folder that stands for the artefacts of a repository, with the command that fetches them."""
    (folder / "artifacts.json").write_text("[]")
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    return folder


def values(step: dict, given: dict[str, str]) -> dict[str, str]:
    """The variables of a step of the action."""
    job = Job.__new__(Job)
    inputs = {name: given.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    job.known = {f"inputs.{name}": value for name, value in inputs.items()}
    return {name: job.expand(text) for name, text in step["env"].items()}
