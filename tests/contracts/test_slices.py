"""The core works without its slices: each is hidden in turn, and all at once, and the core's tests run.

All quick tests run without any slice; without one of them, those that go through the doors and every command of the core.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import berrypick as bp

TESTS = Path(__file__).resolve().parents[1]
SLICES = sorted(path.parent.name for path in (Path(bp.__file__).parent / "addons").glob("*/__init__.py"))
#: What a missing slice could disturb in the core, in seconds each.
CHOSEN = [
    f"unit/test_{name}.py"
    for name in ("evaluate", "compare_gates", "compare_diff", "inputs", "option_values", "text_check", "segments",
                 "idealism", "data_sets", "direction", "doors_of_slices")
]  # fmt: skip


def run_without(hidden: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BERRYPICK_HIDDEN": ",".join(hidden), "PYTHONPATH": str(TESTS / "hidden")}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "--tb=short",
    ]
    return subprocess.run(
        [*command, *arguments], cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=900
    )


def test_every_slice_has_tests_by_its_name():
    assert all(list((TESTS / name).glob("test_*.py")) for name in SLICES)


@pytest.mark.parametrize("name", SLICES)
def test_the_core_works_without_a_slice(name):
    done = run_without([name], *(str(TESTS / path) for path in CHOSEN))
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_core_works_without_any_slice():
    done = run_without(SLICES, str(TESTS / "unit"), str(TESTS / "contracts"))
    assert done.returncode == 0, done.stdout[-3000:]


def test_they_are_hidden():
    code = "import berrypick as bp; import sys; sys.exit(hasattr(bp, 'fit') or not hasattr(bp, 'power'))"
    environment = {**os.environ, "BERRYPICK_HIDDEN": "fit", "PYTHONPATH": str(TESTS / "hidden")}
    assert subprocess.run([sys.executable, "-c", code], env=environment, timeout=60).returncode == 0
