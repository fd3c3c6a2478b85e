"""The experiments of the pages, one after the other: `make experiments`, or

    python experiments/all.py [WORD ...] [--data FOLDER] [--renew | --small]

The pages of docs/ show what experiments print, in blocks that begin with the command, `$ python experiments/...`. Each
of these commands is run, or those with one of the words in them, and what it prints is compared with the page. With
--renew it is written into the page. With --small the small forms run, which the pages do not show.

In a block a line of three dots stands for any lines; such blocks are compared, and renewed by hand.
"""

from __future__ import annotations

import argparse
import difflib
import io
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from data import add_options

from berrypick.data.errors import BerrypickError

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"^```text\n\$ python experiments/(\w+)\.py *([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DOTS = "...\n"


@dataclass(frozen=True)
class Shown:
    """A block of a page: a command, and what it printed."""

    page: Path
    script: str
    words: tuple[str, ...]
    output: str

    @property
    def command(self) -> str:
        return shlex.join(["python", f"experiments/{self.script}.py", *self.words])


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD", help="only commands with one of these words in them")
    parser.add_argument("--renew", action="store_true", help="write what is printed into the pages")
    parser.add_argument("--small", action="store_true", help="the small forms, to see that they run")
    add_options(parser)
    given = parser.parse_args(words)
    chosen = [one for one in shown() if not given.words or any(word in one.command for word in given.words)]
    if not chosen:
        parser.error(f"no page shows a command with {' or '.join(given.words)}")
    options = [*(["--data", str(given.data)] if given.data else []), *(["--unchecked"] if given.unchecked else [])]
    differ, without = [], []
    for one in chosen:
        print(f"== {one.command}", flush=True)
        try:
            printed = run(one, [*options, *(["--small"] if given.small else [])])
        except BerrypickError as error:
            print(f"not run: {error}", flush=True)
            without.append(one.command)
            continue
        print(printed, flush=True)
        if not given.small and not same(one.output, printed):
            differ.append(one.command)
            renew(one, printed) if given.renew else print(difference(one, printed), flush=True)
    print(f"{len(chosen) - len(without)} of {len(chosen)} commands run")
    for names, what in ((differ, "renewed" if given.renew else "not as on the page"), (without, "not run")):
        for name in names:
            print(f"{what}: {name}")
    if without or (differ and not given.renew):
        sys.exit(2 if without else 1)


def shown(docs: Path | None = None) -> Iterator[Shown]:
    """Every block of the pages that shows an experiment."""
    for page in sorted((docs or DOCS).rglob("*.md")):
        for script, words, output in BLOCK.findall(page.read_text(encoding="utf-8")):
            yield Shown(page, script, tuple(shlex.split(words)), output)


def run(one: Shown, options: Sequence[str] = ()) -> str:
    """What the command prints, each line without spaces at its end."""
    out = io.StringIO()
    with redirect_stdout(out):
        import_module(one.script).main([*one.words, *options])
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def same(shown_output: str, printed: str) -> bool:
    """Whether a page shows what is printed, where three dots stand for any lines."""
    parts = shown_output.split(DOTS)
    if len(parts) == 1:
        return shown_output == printed
    place = 0
    for part in parts:
        found = printed.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return printed.startswith(parts[0]) and printed.endswith(parts[-1])


def difference(one: Shown, printed: str) -> str:
    lines = (text.splitlines(keepends=True) for text in (one.output, printed))
    return "".join(difflib.unified_diff(*lines, one.page.name, "printed"))


def renew(one: Shown, printed: str) -> None:
    if DOTS in one.output:
        print(f"{one.page.name}: has a line of three dots, and is renewed by hand")
        return
    text = one.page.read_text(encoding="utf-8")
    begin = text.index("\n", text.index(f"```text\n$ {one.command}\n") + len("```text\n")) + 1
    one.page.write_text(text[:begin] + printed + text[begin + len(one.output) :], encoding="utf-8")


if __name__ == "__main__":
    main()
