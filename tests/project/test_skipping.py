"""The rule of this suite itself: what is skipped is told, and under BERRYPICK_REQUIRE_ALL=1 it has failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

def test_with_real_data(data):
    assert data.is_dir()

def test_more_of_it(data):
    assert data.is_dir()

@pytest.mark.skip(reason="not today")
def test_marked():
    pass

@pytest.mark.xfail(reason="known", strict=True)
def test_known_to_fail():
    assert False

def test_good():
    pass
"""


#: Plugins of other libraries, which take longer to load than this suite to run.
WITHOUT = [word for name in ("cacheprovider", "langsmith_plugin", "phoenix", "anyio") for word in ("-p", f"no:{name}")]


@pytest.fixture
def suite(tmp_path):
    tests = Path(__file__).parents[1]
    helpers = ("browsers", "command_process", "made_once", "many_cases")
    for path in (tests / "conftest.py", *(tests / "helpers" / f"{name}.py" for name in helpers)):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "test_it.py").write_text(SUITE)

    def run(**environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BERRYPICK_")}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *WITHOUT, str(tmp_path)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**clean, **environment},
            timeout=120,
        )

    return run


def test_skips_are_told_in_one_line_each(suite):
    done = suite()
    assert done.returncode == 0
    told = [line for line in done.stdout.splitlines() if line.startswith("NOT TESTED")]
    assert len(told) == 2
    assert any("2 tests" in line and "BERRYPICK_DATA" in line for line in told)
    assert any("not today" in line for line in told)


def test_skips_are_failures_where_all_is_required(suite):
    done = suite(BERRYPICK_REQUIRE_ALL="1")
    assert done.returncode == 1
    assert "3 errors" in done.stdout and "1 passed" in done.stdout and "1 xfailed" in done.stdout
    assert "may not be skipped" in done.stdout


def test_with_data_nothing_is_skipped(suite, tmp_path):
    done = suite(BERRYPICK_REQUIRE_ALL="1", BERRYPICK_DATA=str(tmp_path))
    assert "1 error" in done.stdout and "3 passed" in done.stdout
    assert "no folder" in suite(BERRYPICK_DATA=str(tmp_path / "nowhere")).stdout
