"""The rooms of the house: small enough to find one's way in, and no name stands for two things."""

import ast
import importlib.util
from collections import defaultdict
from pathlib import Path

import pytest
from parsed_files import parsed
from test_layers import LAYERS, ROOT, module_of

FILES = sorted(ROOT.rglob("*.py"))
#: Private modules, by file name; what the version is anyone may ask.
PRIVATE = {path.name for path in FILES if path.name.startswith("_") and not path.name.startswith("__")} - {
    "_version.py"
}
#: Files that a room may have.
MOST = 27
#: Lines of code of everything but the add-ons, and of that without measures, user models and formats.
MOST_OF_THE_CORE, MOST_OF_THE_HOUSE = 22_900, 16_000
#: File names that occur in several rooms, and why.
FILES_TWICE = {
    "__init__": "every package has one",
    "__main__": "what python -m runs",
    "base": "what the classes of a room derive from",
}
#: Class names that occur twice, and why.
CLASSES_TWICE = {
    "Coverage": "a measure and a user model of one name",
    "RetrievalEvaluator": "evaluators for LangSmith, Haystack and LlamaIndex, each in the module for its library",
    "RetrievalMetric": "metrics for ragas and DeepEval, each in the module for its library",
    "T2I": "a measure and a user model of one name",
    "Table": "a table to be shown, and the user model of that name",
}


def places_of(names: list[tuple[str, Path]]) -> dict[str, list[str]]:
    """Names that occur more than once, with where."""
    places = defaultdict(list)
    for name, path in names:
        places[name].append(str(path.relative_to(ROOT)))
    return {name: found for name, found in places.items() if len(found) > 1}


def classes(path: Path) -> list[tuple[str, Path]]:
    return [(one.name, path) for one in parsed(path).body if isinstance(one, ast.ClassDef)]


def test_no_file_name_occurs_twice():
    """Files of cli/ are called after their commands, and may have the name of the module that does the work."""
    found = places_of([(path.stem, path) for path in FILES if path.parent != ROOT / "cli"])
    assert {name: where for name, where in found.items() if name not in FILES_TWICE} == {}
    assert FILES_TWICE.keys() <= {*found, "__main__"}


@pytest.mark.slow
def test_no_class_name_occurs_twice():
    found = places_of([one for path in FILES for one in classes(path)])
    assert {name: where for name, where in found.items() if name not in CLASSES_TWICE} == {}
    assert found.keys() == CLASSES_TWICE.keys()


def room_of(module: str) -> str:
    """berrypick.measures.spans._text -> berrypick.measures; a slice is a room."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["addons"] else 2])


def named(path: Path) -> list[tuple[int, str]]:
    """Every module, or name of a module, that a file imports, wherever in the file."""
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
    return [(line, name) for line, name in found if name.startswith("berrypick.")]


def private(path: Path, module: str) -> list[str]:
    """Private modules of other rooms that a file imports, or takes something from."""
    found = []
    for line, name in named(path):
        modules = [part for part in name.split(".")[1:] if part.startswith("_") and f"{part}.py" in PRIVATE]
        if modules and room_of(name) != room_of(module):
            found.append(f"{path.name}:{line}: {name}")
    return found


@pytest.mark.slow
def test_private_modules_are_used_in_their_room_only():
    assert [one for path in FILES for one in private(path, module_of(path))] == []


def test_a_private_module_of_another_room_is_noticed(tmp_path):
    path = tmp_path / "effort.py"
    path.write_text("def f():\n    from berrypick.measures import _documents\nfrom berrypick.judging._own import x\n")
    assert private(path, "berrypick.judging.effort") == ["effort.py:2: berrypick.measures._documents"]


@pytest.mark.parametrize("room", [name for name in LAYERS if name != "addons"])
def test_no_room_of_the_core_is_crowded(room):
    """Measures and formats are counted by families."""
    for folder in [ROOT / room, *(ROOT / room).rglob("*/")]:
        assert len(list(folder.glob("*.py"))) <= MOST, f"{folder.relative_to(ROOT)} has too many files"


@pytest.fixture(scope="module")
def lines():
    """Lines of code by room, as ``make lines`` counts them."""
    spec = importlib.util.spec_from_file_location("lines", Path(__file__).parents[2] / "scripts" / "lines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_of_code_are_neither_blank_nor_comments_nor_docstrings(lines):
    text = '"""Doc.\n\nMore."""\n\n# why\nx = 1  # because\n\n\ndef f():\n    """Doc."""\n    return """a\n    b"""\n'
    assert lines.code_lines(text) == 4


@pytest.mark.slow
def test_the_core_stays_small(lines):
    """What one has to know to change an evaluation, apart from measures, user models and formats, which are one file
    each; and everything but the add-ons."""
    rooms = lines.counted({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in FILES})
    assert lines.sums(rooms)["core"] < MOST_OF_THE_CORE
    assert lines.sums(rooms)["core"] - sum(rooms[room] for room in ("measures", "users", "formats")) < MOST_OF_THE_HOUSE
