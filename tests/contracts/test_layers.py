"""Layers import only downwards, and importing berrypick loads little."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from parsed_files import parsed

import berrypick

ROOT = Path(berrypick.__file__).parent
LAYERS = [
    "core",
    "kernels",
    "formats",
    "documents",
    "inputs",
    "relevance",
    "users",
    "judging",
    "measures",
    "evaluation",
    "comparison",
    "report",
    "cli",
    "addons",
]
#: Modules that anyone may import.
FREE = {"references", "_version"}
#: Modules beside the layers, and the layer whose place they take.
BESIDE = {
    "__main__": "cli",
    "pytest": "addons",
    "deepeval": "addons",
    "haystack": "addons",
    "mlflow": "addons",
    "promptfoo": "addons",
    "ragas": "addons",
    "langsmith": "addons",
    "llama_index": "addons",
}


def layer_of(module: str) -> str | None:
    """berrypick.core.run -> core; None for the package itself."""
    parts = module.split(".")
    if len(parts) < 2:
        return None
    if parts[1] == "inputs" and parts[2:3] in (["fields"], ["counted_places"], ["layouts"], ["row_lists"]):
        return "kernels"  # the table of names, which formats read too
    return BESIDE.get(parts[1], parts[1])


def module_of(path: Path) -> str:
    parts = ["berrypick", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: Methods by which a value shows or writes itself, and those that make one: they load the rooms above them when they
#: are called.
DISPLAY = {"__str__", "_repr_html_", "_as", "plot", "save", "table", "heatmap", "svg", "write", "write_svg",
           "to_dict", "to_records", "from_dict", "from_file", "from_frame", "from_records"}  # fmt: skip


def nodes(tree: ast.AST):
    """Every node, but for the insides of display methods."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.FunctionDef) and child.name in DISPLAY):
            yield from nodes(child)


def imports(path: Path):
    """(line, module) of everything of ours that a file imports, wherever in the file, but for display methods."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in nodes(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "berrypick")
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            if base == "berrypick":
                yield from ((node.lineno, f"berrypick.{alias.name}") for alias in node.names)
            elif base.startswith("berrypick."):
                yield node.lineno, base


FILES = sorted(ROOT.rglob("*.py"))


@each("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_its_own_layer_and_those_below(path):
    own = layer_of(module_of(path))
    if own is None or own in FREE:
        return
    assert own in LAYERS, f"{own} is in no layer: give it a place in {__name__}"
    for line, module in imports(path):
        other = layer_of(module)
        if other is None or other in FREE:
            continue
        assert other in LAYERS, f"{path.name}:{line} imports {module}, which is in no layer"
        assert LAYERS.index(other) <= LAYERS.index(own), f"{path.name}:{line}: {own} imports {module}"


def slice_of(module: str) -> str | None:
    """berrypick.addons.fit.survival -> fit; None outside of the add-ons."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["addons"] and len(parts) > 2 else None


@each("path", sorted((ROOT / "addons").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_slice_imports_no_other_slice(path):
    own = slice_of(module_of(path))
    for line, module in imports(path):
        other = slice_of(module)
        assert other is None or other == own, f"{path.name}:{line}: {own} imports {module}"


def test_measures_see_no_files_and_no_user_models():
    for path in (ROOT / "measures").rglob("*.py"):
        for line, module in imports(path):
            assert layer_of(module) not in ("formats", "users"), f"{path.name}:{line}"


def test_the_bibliography_imports_nothing_of_ours():
    assert list(imports(ROOT / "references.py")) == []
    assert list(imports(ROOT / "_version.py")) == []


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
