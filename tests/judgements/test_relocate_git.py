"""Spans that ``git blame`` follows are where git has them, or reported; none is elsewhere."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from git_history import Tally, commits, git, tally

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
#: Commits of the main line between the two versions, and the most files that may differ: blame takes longer for more.
STEP, MOST = 12, 120


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> Path:
    """A history of modules whose functions move within files and between files, and whose files are renamed."""
    folder, chance = tmp_path_factory.mktemp("repository"), random.Random(5)

    def commit(files: dict[str, list[str]]) -> None:
        for path in folder.glob("*.py"):
            path.unlink()
        for name, parts in files.items():
            (folder / name).write_text("import os\n\n\n" + "\n\n".join(parts))
        git(folder, "add", "-A")
        author = ("-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(folder), *author, "commit", "-qm", "change"], check=True)

    git(folder, "init", "-q")
    files = {f"m{i}.py": [_function(chance) for _ in range(8)] for i in range(8)}
    commit(files)
    for number in range(10):
        name, other = chance.sample(sorted(files), 2)
        files[other].append(files[name].pop(chance.randrange(len(files[name]))))
        files[other][0] = files[other][0].replace("return", f"print({number})\n    return")
        commit(files)
        if number % 3 == 0:
            files[f"renamed{number}.py"] = files.pop(name)
            commit(files)
    return folder


def _function(chance: random.Random) -> str:
    """Functions have names and words of their own; some of their lines are those of all."""
    name = f"task_{chance.randrange(10**6)}"
    own = [f"    value_{i} = work_{chance.randrange(10**6)}(items, {chance.randrange(100)})" for i in range(4)]
    return "\n".join([f"def {name}(items):", "    if not items:", "        return None", *own, "    return items", ""])


def check(found: Tally, least: float) -> None:
    shown = [(case.document, case.start, case.end, case.documents, case.places, at) for case, at in found.wrong]
    assert not shown, shown
    assert found.followed > 50 and found.right >= least * found.followed, found
    assert found.right + found.reported.total() == found.followed


def test_generated_history(generated):
    history = commits(generated)
    found = tally(generated, history[0], history[-1], 400, random.Random(1))
    check(found, 0.9)
    assert found.other_file_right > 20


def test_own_history():
    """Where a clone has no history, the generated one is all there is to test."""
    if not (ROOT / ".git").exists():
        return
    history = commits(ROOT)
    for last in (len(history) - 1, len(history) // 2, len(history) // 4):
        if last < STEP:
            continue
        new = history[last]
        old = next((history[at] for at in range(last - STEP, last) if _differ(history[at], new) <= MOST), None)
        if old is not None:
            check(tally(ROOT, old, new, 250, random.Random(last)), 0.95)


def _differ(old: str, new: str) -> int:
    return len(git(ROOT, "diff", "--name-only", old, new).splitlines())
