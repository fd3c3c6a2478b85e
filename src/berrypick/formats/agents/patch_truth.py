"""Changes as a truth: what had to be seen to make a change are the lines of the old files that it touches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from berrypick.data.errors import InputError, shorten
from berrypick.files.files import lines, members
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.counted_places import UNIT
from berrypick.rows.json_lines import Rows, records

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ENDINGS = (".diff", ".patch", ".diff.gz", ".patch.gz")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
#: The field of a line with the change, and those with its topic.
_CHANGE, _TOPICS = "patch", ("topic", "instance_id")


class DiffError(ValueError):
    """What is wrong with a change, and in which line of it, from 1."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


@dataclass
class TouchedLines:
    """The lines of old files that a change touches, and what has none."""

    places: list[tuple[str, int, int]] = field(default_factory=list)  # path, first line from 0, the line after the last
    new_files: int = 0
    binary: int = 0


class PatchTruth(TruthRecords):
    """Changes as a truth: a folder of ``TOPIC.diff`` or ``TOPIC.patch``, one of these, or JSON Lines with ``patch``.

    A line of JSON names its topic by ``instance_id`` (as SWE-bench does) or ``topic``. Relevant are the lines of the
    old file that a unified diff removes or replaces, and for a pure insertion the line before it (at the top of a file
    the first one). New files have no old lines: they are counted, and a topic with nothing else is left out.

    Sample::

        {"instance_id": "t1", "patch": "--- a/x.py\\n+++ b/x.py\\n@@ -3,2 +3,2 @@\\n a = 1\\n-b = 2\\n+b = 3\\n"}
        {"instance_id": "t2", "patch": "--- a/y.py\\n+++ b/y.py\\n@@ -7,1 +7,2 @@\\n c = 1\\n+d = 2\\n"}
    """

    format_name: ClassVar[str] = "patch"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{", "diff -", "--- a/")
    marks: ClassVar[tuple[str, ...]] = ('"patch"', "diff -", "--- a/")
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    shape: ClassVar[str] = '{"instance_id": "t1", "patch": "--- a/x.py\\n+++ b/x.py\\n@@ .."}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "patch")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        if first.startswith("{"):
            return f'"{_CHANGE}"' in first and any(f'"{name}"' in first for name in _TOPICS)
        return first.startswith(("diff -", "--- a/"))

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        return next(members(path, lambda name: name.endswith(_ENDINGS)), None) is not None

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for topic, number, change in _changes(path, problems):
            if not change.places:
                problems.count("topics whose change touches no line of an old file, left out")
            for doc, start, end in change.places:
                place = {"topic": topic, "doc": doc, "start": start, "end": end, UNIT: "lines"}
                yield number, f"{topic} {doc}", place
            for count, what in ((change.new_files, "new files"), (change.binary, "binary files")):
                problems.count(f"{what} of changes, which have no old lines", count) if count else None


def _changes(path: str, problems: Problems) -> Iterator[tuple[str, int, TouchedLines]]:
    if os.path.isdir(path):
        files = list(members(path, lambda name: name.endswith(_ENDINGS)))
        if not files:
            raise InputError("holds no file that ends in .diff or .patch", path=path)
        for file in files:
            yield from _of_file(file, Problems(file, problems.strict, problems.limit, problems.found))
        return
    first = next((text for _, text in lines(path, problems) if text.strip()), "")
    if not first.lstrip("\ufeff \t").startswith("{"):
        yield from _of_file(path, problems)
        return
    for number, text, value in records(path, problems):
        topic = next((value[name] for name in _TOPICS if isinstance(value.get(name), (str, int))), None)
        change = value.get(_CHANGE)
        if topic is None or not isinstance(change, str):
            problems.report("needs instance_id or topic, and patch", number, text, f"lines are like {PatchTruth.shape}")
            continue
        try:
            yield str(topic), number, read_change(change)
        except DiffError as error:
            problems.report(f"line {error.line} of the patch of {topic}: {error}", number, shorten(text, 80))


def _of_file(path: str, problems: Problems) -> Iterator[tuple[str, int, TouchedLines]]:
    """The topic is the name of the file."""
    name = os.path.basename(path).removesuffix(".gz")
    text = "\n".join(line for _, line in lines(path, problems, errors="replace"))
    try:
        yield name.removesuffix(".diff").removesuffix(".patch"), 1, read_change(text)
    except DiffError as error:
        problems.report(str(error), error.line)


def read_change(text: str) -> TouchedLines:
    """Read a unified diff."""
    return _Diff(text).read()


class _Diff:
    """Goes through the lines of a diff."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._found = TouchedLines()
        self._path: str | None = None  # None: a file that is new, or none yet

    def read(self) -> TouchedLines:
        at, old = 0, None
        while at < len(self._lines):
            line = self._lines[at]
            if line.startswith("--- ") and self._lines[at + 1 : at + 2] and self._lines[at + 1].startswith("+++ "):
                old = _name(line[4:])
                self._path = _without_prefix(old, _name(self._lines[at + 1][4:]))
                self._found.new_files += old == "/dev/null"
                at += 2
                continue
            if line.startswith(("Binary files ", "GIT binary patch")):
                self._found.binary += 1
            if line.startswith("@@ "):
                hunk = _HUNK.match(line)
                if hunk is None or old is None:
                    what = f"{shorten(line, 40)!r} is no hunk" if hunk is None else "a hunk before the name of its file"
                    raise DiffError(what, at + 1)
                at = self._hunk(at + 1, hunk)
                continue
            at += 1
        return self._found

    def _hunk(self, at: int, hunk: re.Match[str]) -> int:
        """Go through a hunk; return the line after it."""
        number, old = int(hunk[1]), int(hunk[2] or 1)
        new = int(hunk[4] or 1)
        number += old == 0  # of no lines the hunk names the one before
        removed, added, before = 0, 0, 0
        while old > 0 or new > 0:
            if at >= len(self._lines):
                raise DiffError("the change ends within a hunk", len(self._lines))
            mark = self._lines[at][:1]
            if mark in ("-", "+"):
                before = before if removed or added else number - 1
                removed, added = removed + (mark == "-"), added + (mark == "+")
                number, old, new = number + (mark == "-"), old - (mark == "-"), new - (mark == "+")
            elif mark in (" ", ""):
                self._touched(before, removed, added)
                removed = added = 0
                number, old, new = number + 1, old - 1, new - 1
            elif mark != "\\":
                raise DiffError(f"{shorten(self._lines[at], 40)!r} in a hunk", at + 1)
            if old < 0 or new < 0:
                raise DiffError("the hunk has more lines than its head says", at + 1)
            at += 1
        self._touched(before, removed, added)
        return at

    def _touched(self, before: int, removed: int, added: int) -> None:
        """Lines that are removed, or for an insertion the one before, the first one at the top."""
        if self._path is None or not (removed or added):
            return
        place = (before, before + removed) if removed else (max(before, 1) - 1, max(before, 1))
        self._found.places.append((self._path, *place))


def _name(given: str) -> str:
    """The name of a file, without the time after it and as git quotes it."""
    name = given.split("\t")[0].rstrip("\r\n")
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name.rstrip()
    found = bytearray()
    for part in re.finditer(r"\\([0-7]{3}|.)|([^\\]+)", name[1:-1]):
        if part[2] is not None:
            found += part[2].encode()
        elif len(part[1]) == 3:
            found.append(int(part[1], 8) & 255)
        else:
            found += _ESCAPES.get(part[1], part[1]).encode()
    return found.decode("utf-8", "replace")


def _without_prefix(old: str, new: str) -> str | None:
    if old == "/dev/null":
        return None
    return old[2:] if old.startswith("a/") and (new.startswith("b/") or new == "/dev/null") else old
