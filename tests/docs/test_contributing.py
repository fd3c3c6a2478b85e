"""CONTRIBUTING is true: its map of rooms, and its examples, each one file or one key in a copy of this repository."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import berrypick as bp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
OPTIONS = "src/berrypick/evaluation/options.py"
#: Copied, with what was compiled of it; the rest of the repository is linked.
COPIED = ("src", "tests")
#: Finds the package in the copy, not where it was installed from; the metadata stays that of the installation.
FIRST = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "Redirecting" not in type(one).__name__]
sys.path.insert(0, {source!r})
"""
#: Contract tests in which the examples are cases, and these cases.
CONTRACTS = [
    f"test_{name}" for name in ("measures", "users", "walks", "formats", "layers", "facts", "observed", "options")
]
CASES = ("SeenAny", "whole_document", "reach-arrows", "colour")
#: What the examples do once they are files: printed line by line.
USED = r"""
import inspect
import pathlib
import tempfile

import berrypick as bp
from berrypick import formats, measures, users
from berrypick.cli import commands
from berrypick.evaluation.protocols.base import protocols
from berrypick.report.panels.base import panels

print("SeenAny" in measures.registered(), "whole_document" in users.registered())
print("reach-arrows" in formats.registered(), "topics" in commands.names())
print("topic_count" in panels.names(), "strict2030" in protocols.names())
folder = pathlib.Path(tempfile.mkdtemp())
truth, run, page, clicks = (folder / name for name in ("truth.qrels", "run.txt", "page.html", "clicks"))
truth.write_text("1 0 a 1\n2 0 b 1\n")
run.write_text("1 Q0 a 1 2.0 mine\n")
commands.get("topics").main([str(truth)], standalone_mode=False)
print(bp.evaluate(truth, run, protocol="strict2030").mean())
bp.write_report(truth, run, "AP", html=page)
print("Judged topics: 2" in page.read_text())
print(bp.explain(truth, run, "SeenAny@2", topic="1").title)
clicks.write_text("home -> docs: 0.35\nhome -> pricing: often\n")
try:
    bp.read_navigation(clicks)
except bp.InputError as error:
    print(str(error).splitlines()[0].rpartition("/")[2])
from berrypick.cli.evaluate import evaluate_command

flags = {flag: one for one in evaluate_command.params for flag in one.opts}
print(flags["--colour"].type.choices, flags["--colour"].help, inspect.signature(bp.evaluate).parameters["colour"])
print([one.value for one in flags["--colour"].type.shell_complete(None, flags["--colour"], "g")])
for wrong in ({"colour": "blue"}, {"colur": "red"}):
    try:
        bp.evaluate(truth, run, "AP", **wrong)
    except bp.UsageError as error:
        print(error)
print(bp.evaluate(truth, run, "AP", colour="red").mean_rows[0].signature.get("colour"))
"""
EXPECTED = """\
True True
True True
True True
1
2
{'mine': {'AP': 1.0, 'EPRUM': 1.0}}
True
SeenAny@2 for topic 1, user model classical(share=0.5)
clicks:2: is not from -> to: probability
('red', 'green') Colour of results. colour: Literal['red', 'green'] | None = None
['green']
unknown colour 'blue'; expected one of red, green
evaluate() has no option 'colur'; did you mean colour?
red
"""


def examples() -> dict[str, str]:
    """The code blocks by the path in their first line."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    assert all(re.match(r"# (src|tests)/\S+\.py\n", block) for block in blocks)
    return {block.partition("\n")[0].removeprefix("# "): block for block in blocks}


def with_key(options: str, example: str) -> str:
    """The module of options with one more key, before the last one."""
    before, key, after = options.partition("    metrics: Annotated[")
    assert key
    return before + example.partition("\n")[2] + key + after


# the map


def map_of(rooms: list[str], package: Path) -> str:
    """Each room, with the first line of its docstring."""
    found = {room: ast.get_docstring(ast.parse((package / room / "__init__.py").read_text("utf-8"))) for room in rooms}
    return "".join(f"{room + '/':<14}{(told or '').partition(chr(10))[0]}\n" for room, told in found.items())


def test_the_map_shows_the_rooms_in_their_order_with_their_docstrings():
    layers = ast.parse((ROOT / "tests/contracts/test_layers.py").read_text("utf-8"))
    assigned = [one for one in layers.body if isinstance(one, ast.Assign)]
    [rooms] = [one.value for one in assigned if ast.unparse(one.targets[0]) == "ROOMS"]
    expected = map_of(ast.literal_eval(rooms), Path(bp.__file__).parent)
    [shown] = re.findall(r"^## The rooms\n\n```text\n(.*?)^```", PAGE, re.M | re.S)
    assert shown == expected, f"put this into CONTRIBUTING.md:\n{expected}"


def test_paths_named_in_the_text_exist():
    prose = re.sub(r"^```.*?^```", "", PAGE, flags=re.M | re.S)
    named = re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", prose)
    assert named and [path for path in named if not (ROOT / path).exists()] == []


# the examples


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the examples in it."""
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
        place = top / path
        assert place.exists() == (path == OPTIONS), f"{path}: one new file, or one key of the options"
        if path.startswith("tests/"):
            place.parent.mkdir(exist_ok=True)
        place.write_text(with_key(place.read_text("utf-8"), text) if path == OPTIONS else text, encoding="utf-8")
    (top / "first").mkdir()
    (top / "first/sitecustomize.py").write_text(FIRST.format(source=str(top / "src")))
    return top


def run(copy: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    here = {**os.environ, "PYTHONPATH": str(copy / "first"), **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=here, capture_output=True, text=True, timeout=300)


def on_examples(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run tests of the copy on the examples alone."""
    files = [path.removeprefix("src/berrypick/") for path in examples()]
    options = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short")
    return run(copy, *options, *arguments, BERRYPICK_CASES=" ".join([*CASES, *files]))


def contracts(*names: str) -> list[str]:
    return [f"tests/contracts/{name}.py" for name in names]


def test_there_is_one_example_of_each_kind():
    places = [path.removeprefix("src/berrypick/") for path in examples() if path.startswith("src/")]
    kinds = ["measures", "users", "formats", "cli", "report/panels", "evaluation/protocols", "evaluation/options"]
    assert [next(kind for kind in kinds if place.startswith(kind)) for place in places] == kinds


def test_the_copy_is_imported(copy):
    done = run(copy, "-c", "import berrypick; print(berrypick.__file__)")
    assert Path(done.stdout.strip()) == copy / "src/berrypick/__init__.py", done.stderr


def test_examples_work_as_files(copy):
    done = run(copy, "-c", USED)
    assert done.stdout == EXPECTED, done.stderr[-2000:]


def test_examples_pass_their_tests_and_the_contract_tests(copy):
    own = [path for path in examples() if path.startswith("tests/")]
    chosen = "not [ or SeenAny or whole_document or reach-arrows"
    done = on_examples(copy, *own, *contracts(*CONTRACTS), "-k", chosen)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


@pytest.mark.skipif(shutil.which("ruff") is None and importlib.util.find_spec("ruff") is None, reason="needs ruff")
def test_examples_pass_the_linter(copy):
    files = [path for path in examples() if path != OPTIONS]
    for arguments in (["check"], ["format", "--check"]):
        done = run(copy, "-m", "ruff", *arguments, "--no-cache", *files)
        assert done.returncode == 0, done.stdout


BROKEN = {
    "a measure without a section": (
        "measures/readers/seenany.py", "Undefined\n", "Otherwise\n", "test_measures", "sections"
    ),
    "a measure that reads reach and is not simulated": (
        "measures/readers/seenany.py", "def reader_values", "def other_values", "test_walks", "simulated"
    ),
    "a user model without effort": (
        "users/whole_document.py", "Effort:", "Costs:", "test_users", "what_it_costs"
    ),
    "a format that does not read its sample": (
        "formats/navigation/reach_arrows.py", "home -> docs: 0.35", "home -> docs: 1.35", "test_formats", "sample"
    ),
    "a protocol that imports the command line": (
        "evaluation/protocols/strict2030.py", "\nstrict2030", "\nfrom berrypick.cli import main\nstrict2030",
        "test_layers", "imports_point"
    ),
    "an option without a label": ("evaluation/options.py", 'label="colour", ', "", "test_options", "has_help"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_contract_is_noticed(copy, case):
    path, old, new, module, chosen = BROKEN[case]
    place = copy / "src/berrypick" / path
    good = place.read_text("utf-8")
    assert old in good
    try:
        place.write_text(good.replace(old, new), encoding="utf-8")
        done = on_examples(copy, *contracts(module), "-k", chosen)
    finally:
        place.write_text(good, encoding="utf-8")
    assert done.returncode == 1, done.stdout[-2000:]
