"""Which kernels are in use, who decides, and what an installation without a compiler has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import berrypick as bp
from berrypick import kernels

ROOT = Path(__file__).resolve().parents[2]


def test_the_compiled_kernels_are_installed():
    """A C++ error falls back to pure Python without a word; here it is told."""
    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    assert kernels._native.__name__ == "berrypick.kernels._native"


@pytest.mark.parametrize("wanted", ["numpy", "native"])
def test_the_environment_chooses_and_version_says_so(process, wanted):
    if wanted == "native" and kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    outcome = process("--version", env={**os.environ, "BERRYPICK_KERNELS": wanted})
    assert (outcome.code, outcome.out) == (0, f"berrypick {bp.__version__}, kernels: {wanted}\n")


def test_compiled_kernels_are_used_where_they_are(monkeypatch):
    monkeypatch.delenv("BERRYPICK_KERNELS", raising=False)
    assert kernels.in_use() == ("numpy" if kernels._native is None else "native")
    monkeypatch.setattr(kernels, "_native", None)
    assert kernels.in_use() == "numpy"


def test_an_unknown_choice_is_wrong_usage(process):
    outcome = process("--version", env={**os.environ, "BERRYPICK_KERNELS": "fast"})
    assert outcome.code == 2
    assert outcome.err == "berrypick: BERRYPICK_KERNELS must be numpy or native, not fast\n"


def test_asking_for_kernels_that_are_not_there_is_wrong_usage(monkeypatch):
    monkeypatch.setenv("BERRYPICK_KERNELS", "native")
    monkeypatch.setattr(kernels, "_native", None)
    with pytest.raises(bp.UsageError, match="not installed; reinstall berrypick with a C\\+\\+ compiler"):
        kernels.in_use()
    with pytest.raises(bp.UsageError, match="not installed"):
        bp.eprum([[0.5]])


LARGE_RUN = """
import sys
sys.modules["berrypick.kernels._native"] = None
import warnings
import berrypick as bp
from berrypick import kernels
assert kernels.in_use() == "numpy"
kernels.LARGE = int(sys.argv[1])
import berrypick.evaluation.evaluation as evaluation
evaluation.LARGE = kernels.LARGE
for _ in range(2):
    results = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}, "AP")
    print(*(note.text for note in results.notes if note.kind == "kernels"))
"""
SLOW = "installed without the compiled kernels, which are several times faster; reinstall"


@pytest.mark.parametrize(("large", "chosen"), [(2, ""), (3, ""), (2, "numpy")])
def test_a_slow_installation_says_so_where_the_work_is_large(large, chosen):
    env = {**os.environ, "BERRYPICK_KERNELS": chosen}
    done = subprocess.run([sys.executable, "-c", LARGE_RUN, str(large)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    expected = 0 if large > 2 or chosen else 1
    assert done.stdout.count(SLOW) == 2 * expected, "a note on each of the results"
    assert done.stderr.count(SLOW) == expected, "and one warning in a process"
    assert ("from a wheel, or with a C++ compiler" in done.stderr) == bool(expected)


def test_the_command_line_and_the_index_say_it_once(berrypick, tmp_path, monkeypatch):
    from berrypick.documents.xml import build
    from berrypick.evaluation import evaluation

    monkeypatch.setattr(kernels, "_native", None)
    monkeypatch.delenv("BERRYPICK_KERNELS", raising=False)
    monkeypatch.setattr(evaluation, "LARGE", 2)
    monkeypatch.setattr(build, "LARGE_BYTES", 10)
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "a.xml").write_text("<a>more than ten</a>")
    assert berrypick("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "AP").err.count(SLOW) == 1
    assert berrypick("index", tmp_path / "xml", tmp_path / "x.idx").err.count(SLOW) == 1


def declared_libraries(installed, folder):
    """A folder with what the wheel declares that it needs, and what that needs, as in an empty environment."""
    folder.mkdir()
    (about,) = Distribution.discover(name="berrypick", path=[str(installed)])
    todo, seen = [Requirement(text) for text in about.requires], set()
    while todo:
        one = todo.pop()
        if one.name in seen or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(one.name)
        found = distribution(one.name)
        assert one.specifier.contains(found.version, prereleases=True)
        todo += [Requirement(text) for text in found.requires or ()]
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (folder / top).exists():
                (folder / top).symlink_to(found.locate_file(top))
    return folder


def test_without_a_compiler_a_pure_wheel_with_everything_else_is_made(tmp_path):
    pytest.importorskip("scikit_build_core", reason="installation without a compiler: scikit-build-core is missing")
    if shutil.which("cmake") is None and find_spec("cmake") is None:
        pytest.skip("installation without a compiler: there is no cmake (pip fetches it when it builds a wheel)")
    program = f"from scikit_build_core import build; print(build.build_wheel({str(tmp_path)!r}))"
    environment = {**os.environ, "CC": "no-such-compiler", "CXX": "no-such-compiler"}
    environment.pop("CMAKE_ARGS", None)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name == f"berrypick-{bp.__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    examples = ROOT / "docs" / "examples"
    files = [(path, path.relative_to(source)) for path in (source / "berrypick").rglob("*")]
    packed = Path("berrypick/demo/examples")
    files += [(path, packed / path.relative_to(examples)) for path in examples.rglob("*")]
    wanted = {
        name.as_posix()
        for path, name in files
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert {"berrypick/py.typed", "berrypick/data/references.bib", "berrypick/__init__.pyi"} <= wanted
    assert wanted - names == set(), "files of the package that the wheel has not"
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    libraries = declared_libraries(installed, tmp_path / "libraries")
    assert not {"pandas", "polars", "pyarrow", "narwhals", "altair"} & {path.name for path in libraries.iterdir()}
    program = "import sys; sys.path[:0] = sys.argv[2:]; from berrypick.cli import main; main(sys.argv[1].split())"
    expected = {
        "--version": f"berrypick {bp.__version__}, kernels: numpy\n",
        "demo": "Coverage",
        "demo --copy examples --all": "examples/chunks/texts/compost.md\n",
        "evaluate examples/answers.qrels examples/mine.run -m AP": "mine\tall\tAP\t0.3333\n",
    }
    for argument, shown in expected.items():
        done = subprocess.run(
            [sys.executable, "-S", "-c", program, argument, str(installed), str(libraries)],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env={key: value for key, value in os.environ.items() if key != "BERRYPICK_KERNELS"},
        )
        assert done.returncode == 0, done.stderr
        assert shown in done.stdout
