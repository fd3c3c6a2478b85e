"""scripts/lines.py counts lines of code per room, and scripts/mutants.py draws from all rooms."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULE = '''"""A docstring
of two lines."""

# a comment
VALUE = """a text
of two lines"""


def value():
    """A docstring."""
    return VALUE  # counted
'''


def test_blank_lines_comments_and_docstrings_do_not_count():
    assert script("lines").code_lines(MODULE) == 4


def test_lines_are_counted_per_room():
    lines = script("lines")
    files = {
        "data/a.py": "x = 1\n",
        "data/deep/b.py": "y = 2\nz = 3\n",
        "users/c.py": "x = 1\n",
        "pytest.py": "x = 1\n",
    }
    assert lines.counted(files) == {"data": 3, "users": 1, "(top)": 1}


def test_the_table_shows_an_earlier_revision():
    shown = script("lines").table(Counter(data=3, users=1), Counter(data=1, core=2), "HEAD~20")
    assert [row.split() for row in shown.splitlines()] == [
        ["room", "lines", "HEAD~20", "change"],
        ["core", "0", "2", "-2"],
        ["data", "3", "1", "+2"],
        ["users", "1", "0", "+1"],
        ["all", "4", "3", "+1"],
    ]
    assert script("lines").table(Counter(data=3)).split() == ["room", "lines", "data", "3", "all", "3"]


def test_mutants_are_drawn_from_all_rooms(monkeypatch, tmp_path):
    mutants = script("mutants")
    for room in ("data", "cli", "report/panels"):
        (tmp_path / "berrypick" / room).mkdir(parents=True)
        (tmp_path / "berrypick" / room / "a.py").write_text("def f(x):\n    return x + 1\n")
    monkeypatch.setattr(mutants, "SOURCE", tmp_path)
    drawn = mutants.draw(10, seed=1)
    assert sorted(str(one).partition(":")[0] for one in drawn) == [
        "berrypick/cli/a.py", "berrypick/data/a.py", "berrypick/report/panels/a.py"
    ]  # fmt: skip
