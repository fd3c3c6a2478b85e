"""Spans of lines that ``git blame`` follows from one commit to another, and where ``relocate`` places them."""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import berrypick as bp
from berrypick.judgements.relocate import CERTAIN, RelocatedSpan

#: Files that are read; others of a repository are pictures and data.
SUFFIXES = (".py", ".md", ".toml", ".cpp", ".h", ".js", ".css", ".txt", ".yml", ".yaml", ".rst", ".c")
Line = tuple[str, int]


def git(repository: Path, *words: str, given: str = "") -> str:
    """The output of a command of git, whoever owns the repository."""
    return _output(repository, words, given).decode("utf-8", "replace")


def _output(repository: Path, words: Sequence[str], given: str) -> bytes:
    settings = ("-c", "core.quotepath=off", "-c", "safe.directory=*")
    command = ["git", *settings, "-C", str(repository), *words]
    return subprocess.run(command, input=given.encode(), capture_output=True, check=True).stdout


def commits(repository: Path) -> list[str]:
    """The main line of a history, the oldest first."""
    return git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").split()


def texts_at(repository: Path, commit: str) -> dict[str, str]:
    """The texts of the files of a commit."""
    names = git(repository, "ls-tree", "-r", "--name-only", commit).splitlines()
    chosen = [name for name in names if name.endswith(SUFFIXES)]
    held = _output(repository, ("cat-file", "--batch"), "".join(f"{commit}:{name}\n" for name in chosen))
    found, at = {}, 0
    for name in chosen:
        end = held.index(b"\n", at)
        size = int(held[at:end].split()[2])
        with contextlib.suppress(UnicodeDecodeError):  # pictures and other data
            found[name] = held[end + 1 : end + 1 + size].decode()
        at = end + 2 + size
    return found


def followed(repository: Path, old: str, new: str, documents: list[str]) -> dict[Line, set[Line]]:
    """For lines of the old commit, from 0, where git has them in these documents of the new one."""
    found: defaultdict[Line, set[Line]] = defaultdict(set)
    for document in documents:
        blamed = git(
            repository, "blame", "--first-parent", "-M", "-C", "--line-porcelain", f"{old}..{new}", "--", document
        )
        place: Line | None = None
        number = ("", 0, 0)
        for text in blamed.split("\n"):
            words = text.split(" ")
            if text.startswith("\t"):
                if place is not None:
                    found[place].add((document, number[2] - 1))
                place = None
            elif len(words) in (3, 4) and len(words[0]) == 40:
                number = (words[0], int(words[1]), int(words[2]))
            elif text.startswith("filename ") and number[0] == old:
                place = (text.removeprefix("filename "), number[1] - 1)
    return found


def targets(lines: dict[Line, set[Line]], document: str, start: int, end: int) -> set[tuple[str, int, int]]:
    """Where git has all lines of a span, one after the other."""
    return {
        (name, at, at + end - start)
        for name, at in lines.get((document, start), ())
        if all((name, at + i) in lines.get((document, start + i), ()) for i in range(1, end - start))
    }


@dataclass
class Tally:
    """How many spans git follows, and how many of them are in the same place, reported, or elsewhere."""

    drawn: int = 0
    followed: int = 0
    right: int = 0
    reported: Counter[str] = field(default_factory=Counter)
    other_file: int = 0
    other_file_right: int = 0
    beyond: int = 0  # placed without a flag although git has no place for them
    wrong: list[tuple[RelocatedSpan, set[tuple[str, int, int]]]] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def add(self, case: RelocatedSpan, expected: set[tuple[str, int, int]]) -> None:
        self.drawn += 1
        place = (case.documents[0], *case.places[0]) if len(case.places) == 1 else None
        if not expected:
            self.beyond += case.status in CERTAIN
            return
        self.followed += 1
        elsewhere = all(target[0] != case.document for target in expected)
        self.other_file += elsewhere
        if case.status not in CERTAIN:
            self.reported[case.status] += 1
        elif place in expected:
            self.right += 1
            self.other_file_right += elsewhere
        else:
            self.wrong.append((case, expected))


def tally(repository: Path, old: str, new: str, spans: int, chance: random.Random, most: int = 40) -> Tally:
    """Relocate spans of 1 to 30 lines of some files that differ between two commits, and compare with git."""
    before, after = texts_at(repository, old), texts_at(repository, new)
    changed = sorted(name for name, text in before.items() if text.strip() and after.get(name) != text)
    chosen = sorted(chance.sample(changed, min(most, len(changed))))
    blamed = [name for name, text in after.items() if text and before.get(name) != text]
    lines = followed(repository, old, new, blamed)
    rows = []
    for _ in range(spans if chosen else 0):
        document = chance.choice(chosen)
        of = before[document].split("\n")
        count = len(of) - (of[-1] == "")
        start = chance.randrange(count)
        end = min(count, start + chance.choice([1, 1, 2, 3, 5, 8, 13, 20, 30]))
        if any(line.strip() for line in of[start:end]):
            rows.append({"topic": str(len(rows)), "doc": document, "start_line": start + 1, "end_line": end})
    found = Tally()
    for case in bp.relocate(rows, before, after).cases if rows else ():
        found.add(case, targets(lines, case.document, case.start, case.end))
    return found
