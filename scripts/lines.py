"""Count lines of code, room by room: ``make lines``. Blank lines, comments and docstrings are no code.

``--since REVISION`` puts the count of an earlier state beside it.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
PACKAGE = "src/berrypick"
#: Modules beside the rooms that belong to the add-ons: what other programs import.
_ADDONS = {
    "deepeval.py",
    "haystack.py",
    "langsmith.py",
    "llama_index.py",
    "mlflow.py",
    "promptfoo.py",
    "pytest.py",
    "ragas.py",
}


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
    """Return the room of a file below the package: its folder, the slice of an add-on, or the package itself."""
    parts = PurePosixPath(path).parts
    if parts[0] == "addons" and len(parts) > 2:
        return f"addons/{parts[1]}"
    return "addons/beside" if path in _ADDONS else parts[0] if len(parts) > 1 else "(beside)"


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


def sums(rooms: Counter[str]) -> Counter[str]:
    """Return the core, the add-ons and all."""
    addons = sum(lines for room, lines in rooms.items() if room.startswith("addons/"))
    return Counter({"core": rooms.total() - addons, "add-ons": addons, "all": rooms.total()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", metavar="REVISION")
    since = parser.parse_args().since
    now = counted(files_here())
    before = counted(files_at(since)) if since else Counter()
    for title, one, other in [("room", now, before), ("sum", sums(now), sums(before))]:
        print(f"{title:<24}{'lines':>8}" + (f"{since[:12]:>14}{'change':>8}" if since else ""))
        for name in dict.fromkeys([*sorted(one), *sorted(other)]):
            change = f"{other[name]:>14}{one[name] - other[name]:>+8}" if since else ""
            print(f"{name:<24}{one[name]:>8}{change}")


if __name__ == "__main__":
    main()
