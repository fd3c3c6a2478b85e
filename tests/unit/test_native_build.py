"""Which kernels are in use, who decides, and what an installation without a compiler has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    wanted = {
        str(path.relative_to(source))
        for path in (source / "berrypick").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert {"berrypick/py.typed", "berrypick/references.bib"} <= wanted
    assert wanted - names == set(), "files of the package that the wheel has not"
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    program = "import sys; sys.path[:0] = sys.argv[1:]; from berrypick.cli import main; main(['--version'])"
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    version = subprocess.run(
        [sys.executable, "-S", "-c", program, str(installed), *libraries],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "BERRYPICK_KERNELS"},
    )
    assert version.stdout == f"berrypick {bp.__version__}, kernels: numpy\n", version.stderr
