"""CONTRIBUTING's examples, written to the paths that it names in a copy of this repository, pass the contract tests."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What is copied, with what was compiled of it; everything else at the top is there by a link.
COPIED = ("src", "tests")
#: Finds the package in the copy, not where it was installed from; the metadata stays that of the installation.
FIRST = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "Redirecting" not in type(one).__name__]
sys.path.insert(0, {source!r})
"""
#: Written beside the contract tests: what they are parametrised by holds the contributions.
COLLECTED = """
import test_formats, test_layers, test_measures, test_users
from berrypick.cli import commands
from berrypick.evaluation.protocols import protocols
from berrypick.report.panels import panels


def test_contributions_are_collected():
    assert "SeenAny" in dict(test_measures.OURS)
    assert "whole_document" in dict(test_users.OURS)
    assert "reach-arrows" in dict(test_formats.OURS)
    assert {path.name for path in test_layers.FILES} >= {"topics_command.py", "topic_count_panel.py"}
    assert "topics" in commands.names() and "topic_count" in panels.names() and "strict2030" in protocols.names()
"""


def examples() -> dict[str, str]:
    """The code blocks by the path in their first line."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M | re.S)
    return {block.partition("\n")[0].removeprefix("# "): block for block in blocks}


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The repository with the contributions in it."""
    top = tmp_path_factory.mktemp("contributed")
    for one in ROOT.iterdir():
        if one.name in COPIED:
            shutil.copytree(one, top / one.name, ignore=shutil.ignore_patterns("*.pyc.*"))
        elif one.name not in (".git", ".venv", "build"):
            (top / one.name).symlink_to(one)
    native = importlib.util.find_spec("berrypick.kernels._native")
    if native is not None and native.origin is not None:
        shutil.copy(native.origin, top / "src/berrypick/kernels")
    for path, text in examples().items():
        assert not (top / path).exists(), f"{path} is there already"
        (top / path).write_text(text, encoding="utf-8")
    (top / "tests/contracts/test_collected.py").write_text(COLLECTED)
    (top / "first").mkdir()
    (top / "first/sitecustomize.py").write_text(FIRST.format(source=str(top / "src")))
    return top


def run(copy: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    here = {**os.environ, "PYTHONPATH": str(copy / "first"), **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=here, capture_output=True, text=True, timeout=900)


def test_there_are_six_kinds_of_them():
    kinds = ("measures/", "users/", "formats/", "_command.py", "_panel.py", "_protocol.py")
    assert all(any(kind in path for path in examples()) for kind in kinds)


def test_they_are_in_the_copy(copy):
    done = run(copy, "-c", "import berrypick; print(berrypick.__file__)")
    assert Path(done.stdout.strip()) == copy / "src/berrypick/__init__.py", done.stderr


def test_they_pass_the_contract_tests_and_their_own(copy):
    """Of contracts about all measures, user models and formats, those about the contributions."""
    contracts = [str(one) for one in sorted((copy / "tests/contracts").glob("test_*.py")) if one.stem not in OTHERS]
    own = [str(copy / path) for path in examples() if path.startswith("tests/")]
    options = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short")
    files = [path.removeprefix("src/berrypick/") for path in examples()]
    cases = " ".join(["SeenAny", "whole_document", "reach-arrows", *files])
    chosen = "not [ or SeenAny or whole_document or reach-arrows or topics or topic_count or strict2030"
    done = run(copy, *options, *contracts, *own, "-k", chosen, BERRYPICK_CASES=cases)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


#: Contracts about something else: hidden slices, hostile names, the way to the kernel, options, names of ``bp.``.
OTHERS = ("test_slices", "test_hostile_names", "test_way_to_kernel", "test_options", "test_names")


def test_what_breaks_a_contract_is_noticed(copy):
    """A measure without an explanation, in the file that was contributed."""
    place = copy / "src/berrypick/measures/seenany.py"
    good = place.read_text("utf-8")
    try:
        place.write_text(good.replace("Undefined\n    ---------", "Otherwise\n    ---------"), encoding="utf-8")
        arguments = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/contracts/test_measures.py")
        done = run(copy, *arguments, "-k", "page or section or docstring or document", BERRYPICK_CASES="SeenAny")
    finally:
        place.write_text(good, encoding="utf-8")
    assert done.returncode == 1, done.stdout[-2000:]
