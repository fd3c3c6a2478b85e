"""Rooms import only earlier rooms, and importing berrypick loads little."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from many_cases import each
from parsed_files import parsed

import berrypick

ROOT = Path(berrypick.__file__).parent
#: The rooms: each imports itself and those before it, at the top of a file or inside a function.
ROOMS = [
    "data",
    "registry",
    "workers",
    "kernels",
    "files",
    "rows",
    "statistics",
    "tables",
    "documents",
    "inputs",
    "formats",
    "given",
    "judgements",
    "targets",
    "users",
    "ideal",
    "topics",
    "measures",
    "evaluation",
    "analysis",
    "report",
    "tracks",
    "integrations",
    "testing",
    "demo",
    "cli",
]
#: Thin modules beside the rooms, for imports that users type, and the room whose place they take.
BESIDE = {
    "__main__": "cli",
    "deepeval": "integrations",
    "haystack": "integrations",
    "langsmith": "integrations",
    "llama_index": "integrations",
    "mlflow": "integrations",
    "promptfoo": "integrations",
    "pytest": "integrations",
    "ragas": "integrations",
}
#: Methods that convert or show a value, and UserModel.fit: they may import later rooms when they are called.
CONVENIENCE = {
    "__str__", "_repr_html_", "plot", "svg", "write_svg", "write_html", "table", "save", "write", "write_back", "fit",
    "_as", "to_dict", "to_records", "from_dict", "from_file", "from_frame", "from_records", "from_objects",
}  # fmt: skip
FILES = sorted(ROOT.rglob("*.py"))


def module_of(path: Path) -> str:
    parts = ["berrypick", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def room_of(module: str) -> str:
    """Return the room of a module; '' for the package itself and its version."""
    name = (*module.split("."), "")[1]
    return "" if name == "_version" else BESIDE.get(name, name)


class Import(NamedTuple):
    """A module of ours that a file imports."""

    line: int
    module: str
    late: bool  # inside a function
    method: str  # the method of a class that it is in


def imports(path: Path, tree: ast.AST | None = None) -> Iterator[Import]:
    """Go through the imports of a file, without those for types alone."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]

    def visit(node: ast.AST, function: str, method: str, in_class: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                for module in _modules(child, package):
                    yield Import(child.lineno, module, bool(function), method)
            elif isinstance(child, ast.FunctionDef):
                yield from visit(child, child.name, child.name if in_class else method, False)
            else:
                yield from visit(child, function, method, isinstance(child, ast.ClassDef))

    return visit(parsed(path) if tree is None else tree, "", "", False)


def _modules(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        found = [alias.name for alias in node.names]
    else:
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, base]).rstrip(".")
        found = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names]
    return [name for name in dict.fromkeys(found) if name.split(".")[0] == "berrypick"]


def upwards(path: Path, module: str, tree: ast.AST | None = None) -> list[str]:
    """Return the imports of a file that point to a later room."""
    own, found = room_of(module), []
    for one in imports(path, tree):
        other = room_of(one.module)
        if own and other and ROOMS.index(other) > ROOMS.index(own) and not (one.late and one.method in CONVENIENCE):
            found.append(f"{path.name}:{one.line}: {own} imports {one.module}")
    return found


@each("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_to_the_own_room_or_an_earlier_one(path):
    own = room_of(module_of(path))
    assert own in ("", *ROOMS), f"{own} is not a room: give it a place in {__name__}"
    assert upwards(path, module_of(path)) == []


def test_every_room_is_a_package():
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == {*ROOMS}


@each(
    ("code", "noticed"),
    [
        ("from berrypick.measures.base import Measure", True),
        ("def f():\n    from berrypick.measures.base import Measure", True),
        ("class A:\n    def plot(self):\n        from berrypick.report.figures import charts", False),
        ("class A:\n    def draw(self):\n        from berrypick.report.figures import charts", True),
        ("def plot():\n    from berrypick.report.figures import charts", True),
        ("if TYPE_CHECKING:\n    from berrypick.measures.base import Measure", False),
        ("from berrypick.data.run import Run", False),
        ("from berrypick import cli", True),
    ],
)
def test_an_upward_import_is_noticed(code, noticed):
    assert bool(upwards(ROOT / "rows" / "x.py", "berrypick.rows.x", ast.parse(code))) is noticed


def test_no_two_files_import_each_other_at_the_top():
    top = {module_of(path): {one.module for one in imports(path) if not one.late} for path in FILES}
    assert [sorted(cycle) for cycle in cycles(top)] == []


def cycles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules that reach each other, by taking away what imports nothing that is left."""
    left = {name: {other for other in others if other in edges and other != name} for name, others in edges.items()}
    while free := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in free}
    used = set().union(*left.values()) if left else set()
    while unused := left.keys() - used:  # what only leads into a cycle is not part of one
        left = {name: others for name, others in left.items() if name not in unused}
        used = set().union(*left.values()) if left else set()
    return [set(left)] if left else []


def test_a_cycle_is_found():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]
    assert cycles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_private_modules_are_imported_in_their_room_only():
    found = [
        f"{path.name}:{one.line}: {one.module}"
        for path in FILES
        for one in imports(path)
        if any(part.startswith("_") and not part.startswith("__") for part in one.module.split(".")[2:])
        and room_of(one.module) != room_of(module_of(path))
    ]
    assert found == []


def test_our_own_modules_are_imported_by_name_only_by_the_registry():
    """The type checker sees every other call."""
    calls = re.compile(r"\b(?:import_module|__import__)\((?!\"(?!berrypick))")
    found = {str(path.relative_to(ROOT)) for path in FILES if calls.search(path.read_text("utf-8"))}
    assert found == {
        "data/errors.py",  # optional libraries, with the extra to install
        "registry/definitions.py",
        "testing/carriers.py",  # pandas or polars
    }


def test_our_own_entry_points_are_those_of_pytest_and_the_command():
    declared = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    assert re.findall(r"^\[project\.entry-points.*\]$", declared, re.MULTILINE) == ["[project.entry-points.pytest11]"]


HEAVY = [
    "scipy",
    "ir_measures",
    "click",
    "rich",
    "lxml",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "altair",
    "jinja2",
    "dask",
    "haystack",
    "langsmith",
    "llama_index",
    "mlflow",
    "pyterrier",
    "pytest",
    "wandb",
]


def loaded_by(code: str) -> set[str]:
    script = (
        f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_berrypick_loads_little():
    assert not loaded_by("import berrypick") & {"numpy", *HEAVY}


def test_the_pytest_plugin_loads_nothing_more():
    """pytest imports it at every start, whether or not it is used."""
    assert not loaded_by("import berrypick.pytest") & {"numpy", *HEAVY} - loaded_by("import pytest")


def test_functions_on_a_matrix_load_nothing_more():
    assert not loaded_by("import berrypick as bp; bp.eprum([[1.0]]); bp.prum([[1.0]])") & set(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["evaluate", "--help"]])
def test_help_is_quick(arguments):
    code = (
        "import sys\nfrom berrypick.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit as stopped:\n    assert not stopped.code"
    )
    assert not loaded_by(code) & (set(HEAVY) - {"click"})


def test_an_evaluation_on_documents_loads_no_scipy(tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 x\n")
    code = f"import berrypick as bp; bp.evaluate({str(tmp_path / 't.qrels')!r}, {str(tmp_path / 'r.run')!r}, 'EPRUM')"
    assert not loaded_by(code) & set(HEAVY)


def test_importing_writes_nothing(tmp_path):
    subprocess.run([sys.executable, "-c", "import berrypick"], cwd=tmp_path, check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []
