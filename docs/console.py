"""Run the console examples of the pages: fenced blocks marked console, with lines like `$ berrypick ...`.

    python docs/console.py          renew the printed output of all examples (look at the difference before you keep it)

Commands run where `berrypick demo --copy FOLDER --all` puts the files, as if at a terminal without colours that is as
wide as need be. A line of three dots stands for any lines; blocks that have one are not renewed.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from berrypick.cli import main

from _markdown import GENERATED

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def hand_written() -> list[Path]:
    """Pages that people write: those without the mark of generated ones."""
    top = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "skills/berrypick/SKILL.md")]
    below = [page for page in sorted((ROOT / "docs").rglob("*.md")) if EXAMPLES not in page.parents]
    return [*top, *(page for page in below if not page.read_text(encoding="utf-8").startswith(GENERATED))]


def blocks(page: Path, language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def examples(page: Path) -> Iterator[tuple[str, str]]:
    """(command, printed output) of every console block."""
    for body in blocks(page, "console"):
        yield from _parts(body)


def _parts(body: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


class Terminal(io.StringIO):
    """Standard output as a person at a terminal has it: tables by default."""

    def isatty(self) -> bool:
        return True


class Beside(io.TextIOBase):
    """Standard error into the same text, without a progress bar."""

    def __init__(self, out: io.StringIO) -> None:
        self.out = out

    def write(self, text: str) -> int:
        return self.out.write(text)


def run(command: str) -> str:
    """What the command prints, standard error included."""
    words = shlex.split(command)
    if words[0] != "berrypick":
        raise ValueError(f"only berrypick commands are run, not {command!r}")
    out = Terminal()
    uncoloured = patch.dict(os.environ, NO_COLOR="1", COLUMNS="1000")
    with uncoloured, redirect_stdout(out), redirect_stderr(Beside(out)), suppress(SystemExit):
        main(words[1:])
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def matches(expected: str, output: str) -> bool:
    """A line of three dots stands for any lines."""
    lines = [line.rstrip() for line in expected.rstrip("\n").split("\n")]
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)
    return re.fullmatch(pattern, output) is not None


def renewed(content: str) -> str:
    """A page with the output of its examples renewed."""

    def renew(block: re.Match[str]) -> str:
        if block[1] != "console" or "..." in block[2].splitlines():
            return block[0]
        return "```console\n" + "".join(f"$ {command}\n{run(command)}" for command, _ in _parts(block[2])) + "```"

    return BLOCK.sub(renew, content)


def renew_all() -> None:
    from berrypick.demo.demo_files import copy_examples, example_files

    with tempfile.TemporaryDirectory() as folder:
        copy_examples(folder, example_files())
        os.chdir(folder)
        for page in hand_written():
            content = page.read_text(encoding="utf-8")
            if (new := renewed(content)) != content:
                page.write_text(new, encoding="utf-8", newline="\n")
                print(f"renewed {page.relative_to(ROOT)}")
        os.chdir(ROOT)


if __name__ == "__main__":
    renew_all()
