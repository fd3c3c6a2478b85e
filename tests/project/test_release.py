"""What the package index, the site and the workflows get: one place for addresses, links that work outside."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRACKED = ("README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "src/berrypick/_version.py")


def script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path):
    """A repository with the files that a release changes, and addresses."""
    root = tmp_path / "repository"
    for name in TRACKED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "scripts").mkdir()
    known = {"repository": "https://code.example/berrypick/", "site": "https://docs.example/"}
    (root / "scripts/addresses.json").write_text(json.dumps(known))
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    return root


def test_what_is_missing_is_said(copy):
    release = script("scripts/release.py")
    (copy / "scripts/addresses.json").write_text('{"repository": "", "site": ""}')
    (copy / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n")
    (copy / "CITATION.cff").write_text("version: 0.0.1\n")
    number = release.version()
    assert release.problems(copy) == [
        "scripts/addresses.json: fill in the address of the repository",
        "scripts/addresses.json: fill in the address of the site",
        f"CHANGELOG.md: name the topmost section {number} (YYYY-MM-DD)",
        f"CITATION.cff: set version to {number}",
    ]


def test_nothing_is_missing(copy):
    release = script("scripts/release.py")
    (copy / "CHANGELOG.md").write_text(f"# Changes\n\n## {release.version()} (2030-01-31)\n")
    (copy / "CITATION.cff").write_text(f"version: {release.version()}\ndate-released: 2030-01-30\n")
    assert release.problems(copy) == ["CITATION.cff: set date-released to 2030-01-31"]
    (copy / "CITATION.cff").write_text(f"version: {release.version()}\ndate-released: 2030-01-31\n")
    assert release.problems(copy) == []


def test_the_staged_copy_has_the_addresses(copy, tmp_path):
    release = script("scripts/release.py")
    release.stage(tmp_path / "staged", copy)
    readme = (tmp_path / "staged/README.md").read_text("utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert targets and all(target.startswith(("https://", "#")) for target in targets)
    assert "https://code.example/berrypick/raw/main/docs/pictures/" in readme
    settings = (tmp_path / "staged/pyproject.toml").read_text("utf-8")
    assert 'Source = "https://code.example/berrypick"' in settings
    assert "repository-code: https://code.example/berrypick" in (tmp_path / "staged/CITATION.cff").read_text("utf-8")


def test_no_address_is_written_anywhere_else():
    known = json.loads((ROOT / "scripts/addresses.json").read_text("utf-8"))
    assert set(known) == {"repository", "site"}
    assert "[project.urls]" not in (ROOT / "pyproject.toml").read_text("utf-8")


def test_workflows_are_valid_and_call_what_exists():
    yaml = pytest.importorskip("yaml", reason="workflows: PyYAML comes with the dependency group site")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    found = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert len(found) >= 3
    for path in found:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        assert all(("run" in step) != ("uses" in step) for step in steps), path
        for step in steps:
            for target in re.findall(r"^make (\w+)", step.get("run", ""), re.MULTILINE):
                assert target in targets, (path, target)
            for name in re.findall(r"python (\w+/\w+\.py)", step.get("run", "")):
                assert (ROOT / name).exists(), (path, name)
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text("utf-8"))
        assert form["name"] and form["description"] and form["body"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in hooks["repos"][0]["hooks"]] == ["ruff-check", "ruff-format", "mypy"]


def test_a_broken_link_fails(tmp_path, monkeypatch):
    pytest.importorskip("zensical", reason="the site: zensical comes with the dependency group site")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    site = script("docs/site.py")
    (tmp_path / "broken.md").write_text("# Broken\n\n[nowhere](nowhere.md)\n")
    monkeypatch.setattr(site, "pages", lambda: {"index.md": tmp_path / "broken.md"})
    monkeypatch.setattr(site, "menu", lambda found: [{"Home": "index.md"}])
    assert site.build(tmp_path / "site") != 0
    assert not (tmp_path / "site").exists()
