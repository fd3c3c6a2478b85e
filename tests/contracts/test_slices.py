"""The core works without its slices: each is hidden in turn, and all at once, and the core's tests run.

All quick tests run without any slice; without one of them, those that go through commands, doors and formats.
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
#: Files of tests that go through commands, values or examples of several slices.
SEVERAL = ["contracts/test_hostile_names.py", "contracts/test_names.py", *(f"unit/test_{name}.py" for name in (
    "door", "given_back", "output_option", "progress", "repeated_names", "saved_results", "values", "written"
))]  # fmt: skip
#: Tests of the core that a missing slice could disturb.
CHOSEN = ("evaluate", "compare_gates", "compare_diff", "inputs", "option_values", "overlap", "idealism", "direction")


def without(hidden: list[str], *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run Python without some slices."""
    environment = {**os.environ, "BERRYPICK_HIDDEN": ",".join(hidden), "PYTHONPATH": str(TESTS / "hidden")}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, **options)


def test_what_is_left_out_is_there():
    assert all((TESTS / name).exists() for name in SEVERAL)


def test_every_slice_has_tests_by_its_name():
    assert all(list((TESTS / name).glob("test_*.py")) for name in SLICES)


def test_they_are_hidden():
    assert without(["fit"], "-c", "import berrypick as bp; bp.power").returncode == 0
    assert "has no attribute 'fit'" in without(["fit"], "-c", "import berrypick as bp; bp.fit").stderr


@pytest.mark.parametrize("hidden", [*([name] for name in SLICES), SLICES], ids=[*SLICES, "all"])
def test_the_core_works_without(hidden):
    chosen = [TESTS / "unit" / f"test_{name}.py" for name in CHOSEN]
    core = [TESTS / "unit", TESTS / "contracts", *(f"--ignore={TESTS / name}" for name in SEVERAL)]
    tests = chosen if len(hidden) == 1 else core
    options = ("-n", "0", "-m", "not slow", "-p", "no:cacheprovider", "--tb=short")
    done = without(hidden, "-m", "pytest", *options, *tests, cwd=TESTS.parent)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


#: What commands of the core offer of a slice: the slice, the command, and what its one message says.
OFFERED = [
    ("simulate", "explain t.qrels r.run --topic 1 -m EPRUM --simulate 100", "--simulate needs the add-on"),
    ("laws", "check --laws t.qrels r.run -m AP", "--laws needs the add-on"),
    ("page", "demo web --html page.html", "demo --html needs the add-on"),
    ("page", "report t.qrels r.run -m AP --html page.html", "No such command 'report'"),
    ("campaigns", "evaluate t.qrels r.run -m AP --protocol inex2010", "unknown protocol inex2010"),
    ("index", "evaluate t.qrels r.run -m AP --collection x.idx", "the index of a collection needs the add-on"),
    ("demo", "demo web", "No such command 'demo'"),
    ("adopt", "locate t.qrels o.jsonl --documents r.run", "No such command 'locate'"),
    ("links", "evaluate t.qrels r.run -m EPRUM --user markov", "unknown user model markov"),
    ("continuation", "evaluate t.qrels r.run -m TBG", "unknown measure TBG"),
    ("gains", "evaluate t.qrels r.run -m nxCG@10", "unknown measure nxCG"),
]


@pytest.mark.parametrize(("name", "command", "message"), OFFERED)
def test_what_a_missing_slice_offers_is_one_message(tmp_path, name, command, message):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 mine\n")
    (tmp_path / "x.idx").write_bytes(b"ARROW1")
    done = without([name], "-m", "berrypick", *command.split(), cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not done.stdout and not (tmp_path / "page.html").exists()
