"""The core works without its slices: each is hidden in turn, and all at once.

The core's quick tests run without any slice. Without one of them, everything else comes in through the doors, and every
command is called, those of the other slices too: no file of a slice imports another one (test_layers), so that nothing
but what is found at run time can be missing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.cli import COMMANDS
from berrypick.core.doors import own_points

TESTS = Path(__file__).resolve().parents[1]
SLICES = sorted(path.parent.name for path in (Path(bp.__file__).parent / "addons").glob("*/__init__.py"))
#: Files of tests that go through commands, values or examples of several slices.
SEVERAL = ["contracts/test_hostile_names.py", "contracts/test_names.py", *(f"unit/test_{name}.py" for name in (
    "door", "given_back", "output_option", "progress", "repeated_names", "saved_results", "values", "written"
))]  # fmt: skip


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


def test_a_method_of_a_missing_slice_is_one_message():
    """The method is there; whatever it needs is said."""
    code = "import berrypick as bp; bp.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'AP').plot()"
    said = without(["figures"], "-c", code).stderr
    assert "UsageError: plot() needs the add-on with the function plot_results, which is not installed" in said


def test_without_notebooks_values_show_their_text():
    code = "import berrypick as bp; print(bp.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'AP')._repr_html_())"
    assert without(["notebook"], "-c", code).stdout == "None\n"


@pytest.mark.parametrize("part", range(4))
def test_everything_else_works_without(part):
    """Each slice is hidden in turn; a part is a fourth of them, for a worker each."""
    done = without([], TESTS / "hidden" / "look_around.py", *SLICES[part::4])
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    known = dict.fromkeys([*COMMANDS, *own_points("commands")])
    seen = dict(block.split(":\n") for block in done.stdout.split("without ")[1:])
    assert list(seen) == SLICES[part::4]
    for hidden, printed in seen.items():
        its_own = {name for name, point in own_points("commands").items() if f".{hidden}." in point.value}
        assert printed.split() == [name for name in known if name not in its_own], hidden


def test_the_core_works_without_any():
    core = [TESTS / "unit", TESTS / "contracts", *(f"--ignore={TESTS / name}" for name in SEVERAL)]
    options = ("-n", "0", "-m", "not slow", "-p", "no:cacheprovider", "--tb=short")
    done = without(SLICES, "-m", "pytest", *options, *core, cwd=TESTS.parent)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


#: What commands of the core offer of a slice: the slice, the command, and what its one message says.
OFFERED = [
    ("simulate", "explain t.qrels r.run --topic 1 -m EPRUM --simulate 100", "--simulate needs the add-on"),
    ("laws", "check --laws t.qrels r.run -m AP", "--laws needs the add-on"),
    ("page", "demo web --html page.html", "demo --html needs the add-on"),
    ("page", "report t.qrels r.run -m AP --html page.html", "No such command 'report'"),
    ("campaigns", "evaluate t.qrels r.run -m AP --protocol inex2010", "unknown protocol inex2010"),
    ("index", "evaluate t.qrels r.run -m AP --collection x.idx", "the index of a collection needs the add-on"),
    ("files", "check r.run", "No such command 'check'"),
    ("diff", "diff r.run r.run", "No such command 'diff'"),
    ("index", "evaluate t.qrels r.run -m AP --collection xml", "a folder of XML documents needs the add-on"),
    ("demo", "demo web", "No such command 'demo'"),
    ("figures", "plot t.qrels r.run -m AP page.html", "No such command 'plot'"),
    ("levels", "evaluate t.qrels r.run -m AP --level document", "--level needs the add-on"),
    (
        "adopt",
        "evaluate q.jsonl r.jsonl -m charR --documents texts",
        "finding quoted text in documents needs the add-on",
    ),
    ("adopt", "locate t.qrels o.jsonl --documents r.run", "No such command 'locate'"),
    ("structure", "evaluate t.qrels r.run -m EPRUM --user hierarchy", "unknown user model hierarchy"),
    ("links", "evaluate t.qrels r.run -m EPRUM --user markov", "unknown user model markov"),
    ("continuation", "evaluate t.qrels r.run -m TBG", "unknown measure TBG"),
    ("continuation", "evaluate t.qrels r.run -m Coverage", "unknown measure Coverage"),
    ("pages", "evaluate b.jsonl r.run -m charR", "a place on a page needs the add-on"),
    ("enough", "evaluate t.qrels r.run -m EPRUM(need='set')", "EPRUM(need='set') needs the add-on"),
    ("ideal", "evaluate t.qrels r.run -m EPRUM(ideal='certified')", "a search for ideal lists needs the add-on"),
    ("judge", "evaluate a.jsonl r.run -m charR", "a truth of several annotators needs the add-on"),
    ("enough", "evaluate t.qrels r.run -m recalls@5", "unknown measure recalls"),
    ("figures", "compare t.qrels r.run -m EPRUM --over window(before=0..9) --plot p.svg", "--plot needs the add-on"),
    ("enough", "evaluate s.jsonl r.run -m R@5", "a set or hop of a truth needs the add-on"),
    ("gains", "evaluate t.qrels r.run -m nxCG@10", "unknown measure nxCG"),
    ("effort", "evaluate t.qrels r.run -m epnav", "unknown measure epnav"),
]


@pytest.mark.parametrize(("name", "command", "message"), OFFERED)
def test_what_a_missing_slice_offers_is_one_message(tmp_path, name, command, message):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 mine\n")
    (tmp_path / "x.idx").write_bytes(b"ARROW1")
    (tmp_path / "xml").mkdir()
    span = '{"topic": "1", "doc": "a", "start": 0, "end": 9, "annotator": "%s"}\n'
    (tmp_path / "a.jsonl").write_text(span % "Ana" + span % "Ben")
    (tmp_path / "s.jsonl").write_text('{"topic": "1", "doc": "a", "set": "x"}\n')
    (tmp_path / "b.jsonl").write_text('{"topic": "1", "doc": "a", "page": 1, "grade": 1}\n')
    (tmp_path / "q.jsonl").write_text('{"topic": "1", "doc": "a", "quote": "here"}\n')
    (tmp_path / "r.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 4, "rank": 1}\n')
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a").write_text("here and there")
    done = without([name], "-m", "berrypick", *command.split(), cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not done.stdout and not (tmp_path / "page.html").exists()
