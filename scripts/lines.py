"""Count lines of code per room, for information: ``make lines``. Blank lines, comments and docstrings do not count.

``--since REVISION`` shows the counts of an earlier revision too.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
PACKAGE = "src/berrypick"


def docstrings(text: str) -> set[int]:
    """Return the numbers of the lines that docstrings take."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def code_lines(text: str) -> int:
    """Return how many lines of a module hold code."""
    aside = docstrings(text)
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(1 for number, line in lines if line and not line.startswith("#") and number not in aside)


def room_of(path: str) -> str:
    """Return the room of a file below the package, or '(top)' for modules of the package itself."""
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else "(top)"


def counted(files: dict[str, str]) -> Counter[str]:
    """Return the lines of code of each room."""
    found: Counter[str] = Counter()
    for path, text in files.items():
        found[room_of(path)] += code_lines(text)
    return found


def files_here() -> dict[str, str]:
    """Return the modules of the working tree, by their path below the package."""
    package = ROOT / PACKAGE
    return {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in sorted(package.rglob("*.py"))}


def files_at(revision: str) -> dict[str, str]:
    """Return the modules of an earlier state."""
    git = ["git", "-C", str(ROOT)]
    names = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", revision, PACKAGE], check=True, capture_output=True, text=True
    ).stdout.split()
    return {
        name.removeprefix(f"{PACKAGE}/"): subprocess.run(
            [*git, "show", f"{revision}:{name}"], check=True, capture_output=True, text=True, encoding="utf-8"
        ).stdout
        for name in names
        if name.endswith(".py")
    }


def table(now: Counter[str], before: Counter[str] | None = None, since: str = "") -> str:
    """Return the lines of each room and of all rooms, with those of an earlier revision if there is one."""
    title = f"{'room':<24}{'lines':>8}" + (f"{since[:12]:>14}{'change':>8}" if before is not None else "")
    rows = [(name, now[name], (before or now)[name]) for name in sorted({*now, *(before or ())})]
    rows.append(("all", now.total(), (before or now).total()))
    changes = [f"{then:>14}{lines - then:>+8}" if before is not None else "" for _, lines, then in rows]
    shown = [f"{name:<24}{lines:>8}{change}" for (name, lines, _), change in zip(rows, changes, strict=True)]
    return "\n".join([title, *shown])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", metavar="REVISION")
    since = parser.parse_args().since
    print(table(counted(files_here()), counted(files_at(since)) if since else None, since or ""))


if __name__ == "__main__":
    main()
