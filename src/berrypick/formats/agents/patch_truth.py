"""Changes as a truth: what had to be seen to make a change are the lines of the old files that it touches."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from berrypick.data.errors import InputError, shorten
from berrypick.files.files import lines, members
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.counted_places import UNIT
from berrypick.rows.json_lines import Rows, records

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
#: Where a mail of ``git format-patch`` and a commit of ``git log`` begin.
_MAIL = re.compile(r"From [0-9a-f]{40,64} ")
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}(?: \(|\s*$)")
_ENCODED = re.compile(r"content-transfer-encoding:\s*(?:quoted-printable|base64)", re.IGNORECASE)
_COMBINED = ("diff --cc ", "diff --combined ")
_BLOBS = re.compile(r"(?:0+|([0-9a-f]{4,64}))\.\.(?:0+\b|([0-9a-f]{4,64}))")
#: What git puts before names: the sides, or with diff.mnemonicPrefix commit, index, object and work tree.
_PREFIX = re.compile(r"[abciow12]/")
_NONE = "/dev/null"
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
    the first one). New files have no old lines: they are counted, and a topic with nothing else is left out. A renamed
    file has its old name.

    The diff comes from ``git diff`` (names with ``a/ b/``, with the letters of ``diff.mnemonicPrefix``, or plain),
    ``git format-patch`` or ``git log -p``. Several commits count as one change: line numbers are those of the first
    old file, and a line that an earlier commit added counts as the old line before it, which for a replacement is the
    last line it replaced. The ``index`` lines tell the order of the commits. Commits that do not follow one another
    are an error, and so are combined diffs of merges (``diff --cc``).

    Sample::

        {"instance_id": "t1", "patch": "--- a/x.py\\n+++ b/x.py\\n@@ -3,2 +3,2 @@\\n a = 1\\n-b = 2\\n+b = 3\\n"}
        {"instance_id": "t2", "patch": "--- a/y.py\\n+++ b/y.py\\n@@ -7,1 +7,2 @@\\n c = 1\\n+d = 2\\n"}
    """

    format_name: ClassVar[str] = "patch"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = (
        "{", "diff -", "--- a/", "--- c/", "--- i/", "--- o/", "--- w/", "From ", "commit "
    )  # fmt: skip
    marks: ClassVar[tuple[str, ...]] = (
        '"patch"', "diff -", "--- a/", "--- c/", "--- i/", "--- o/", "--- w/", "From ", "commit "
    )  # fmt: skip
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    shape: ClassVar[str] = '{"instance_id": "t1", "patch": "--- a/x.py\\n+++ b/x.py\\n@@ .."}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "patch")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        if first.startswith("{"):
            return f'"{_CHANGE}"' in first and any(f'"{name}"' in first for name in _TOPICS)
        return first.startswith(("diff -", "--- ")) or bool(_MAIL.match(first) or _COMMIT.match(first))

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        return next(members(path, lambda name: name.endswith(_ENDINGS)), None) is not None

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for topic, number, change in _changes(path, problems):
            if not change.places:
                problems.count("topics whose change touches no line of an old file, skipped")
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
    """Read a unified diff, or several commits one after another."""
    diff = _Diff(text)
    diff.read()
    diffs = [part for commit in diff.commits for part in _diffs(commit)]
    step = -1 if diff.is_log else 1  # git log begins with the newest, unless asked for another order
    try:
        return _touched(diffs[::step])
    except DiffError as error:
        try:
            return _touched(diffs[::-step])
        except DiffError:
            raise error from None


@dataclass
class _FileChange:
    """One file of a diff: its names, None where there is no file, and its edits."""

    line: int
    old: str | None = None
    new: str | None = None
    blobs: tuple[str, str] = ("", "")
    prefixed: bool | None = None  # None: only the names can tell
    named: bool = False  # by --- and +++
    copied: bool = False
    binary: bool = False
    created: bool = False
    edits: list[tuple[int, int, int]] = field(default_factory=list)  # lines before, lines removed, lines added


class _Diff:
    """Goes through the lines of a diff and collects its files by commit."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._file: _FileChange | None = None
        self._in_mail = False  # in the head or the message of a mail, whose text is free
        self.commits: list[list[_FileChange]] = [[]]
        self.is_log = False

    def read(self) -> None:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if line.startswith(_COMBINED) or (line.startswith("@@@ ") and not self._in_mail):
                what = f"{shorten(line, 40)!r} is a combined diff of a merge, which has several old files; "
                raise DiffError(what + "compare the merge with its first parent: git diff MERGE^1 MERGE", at + 1)
            if _MAIL.match(line) or _COMMIT.match(line):
                self._in_mail, self._file = line.startswith("From"), None
                self.is_log |= not self._in_mail
                self.commits.append([])
            elif line.startswith("diff --git "):
                self._in_mail = False
                self._begin(at + 1)
                self._git_names(line.removeprefix("diff --git ").rstrip("\r"))
            elif self._in_mail:
                if _ENCODED.match(line):
                    raise DiffError(f"cannot read a mail with {line.strip()!r}; write it with git format-patch", at + 1)
            elif line.startswith("--- ") and self._lines[at + 1 : at + 2] and self._lines[at + 1].startswith("+++ "):
                self._text_names(at + 1, _name(line[4:]), _name(self._lines[at + 1][4:]))
                at += 1
            elif line.startswith("@@ "):
                at = self._hunk(at, self._file)
                continue
            elif self._file is not None:
                self._detail(line, self._file)
            at += 1

    def _begin(self, line: int) -> _FileChange:
        self._file = _FileChange(line)
        self.commits[-1].append(self._file)
        return self._file

    def _git_names(self, given: str) -> None:
        """Take the names of ``diff --git a/x b/x``; names that differ follow in lines of their own."""
        half = len(given) // 2
        old, new = _name(given[:half]), _name(given[half + 1 :])
        assert self._file is not None
        if given[half : half + 1] != " ":
            return
        if old == new or (_PREFIX.match(old) and _PREFIX.match(new) and old[2:] == new[2:]):
            self._file.prefixed = old != new
            self._file.old = self._file.new = old[2:] if self._file.prefixed else old

    def _detail(self, line: str, file: _FileChange) -> None:
        """Take a line between ``diff --git`` and the first hunk."""
        word, _, rest = line.rstrip("\r").partition(" ")
        if word in ("rename", "copy") and rest.startswith(("from ", "to ")):
            file.copied |= word == "copy"
            side, _, name = rest.partition(" ")
            setattr(file, "old" if side == "from" else "new", _name(name))
            file.prefixed = None
        elif word == "index" and (found := _BLOBS.match(rest)):
            file.blobs = (found[1] or "", found[2] or "")
        elif line.startswith("new file mode"):
            file.created, file.old = True, None
        elif line.startswith("deleted file mode"):
            file.new = None
        elif line.startswith(("Binary files ", "GIT binary patch")):
            file.binary = True

    def _text_names(self, line: int, old: str, new: str) -> None:
        """Take the names of ``--- a/x`` and ``+++ b/x``."""
        file = self._file
        if file is None or file.named:
            file = self._begin(line)
        file.named, file.created = True, old == _NONE
        if file.old is not None and file.new is not None and file.prefixed is None:
            return  # rename from, rename to
        strip = _has_prefixes(old, new) if file.prefixed is None else file.prefixed
        file.old, file.new = (None if one == _NONE else one[2:] if strip else one for one in (old, new))

    def _hunk(self, at: int, file: _FileChange | None) -> int:
        """Go through a hunk; return the line after it."""
        hunk = _HUNK.match(self._lines[at])
        if hunk is None or file is None or not file.named:
            head = shorten(self._lines[at], 40)
            raise DiffError(f"{head!r} is not a hunk" if hunk is None else "a hunk before the name of its file", at + 1)
        at += 1
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
                file.edits.append((before, removed, added)) if removed or added else None
                removed = added = 0
                number, old, new = number + 1, old - 1, new - 1
            elif mark != "\\":
                raise DiffError(f"{shorten(self._lines[at], 40)!r} in a hunk", at + 1)
            if old < 0 or new < 0:
                raise DiffError("the hunk has more lines than its head says", at + 1)
            at += 1
        file.edits.append((before, removed, added)) if removed or added else None
        return at


class _OldLines:
    """A file as it is between two commits: for each of its lines the line of the first old file.

    ``runs`` are (line, length, step): consecutive old lines have step 1, added lines repeat the old line before them
    with step 0.
    """

    def __init__(
        self, doc: str | None, runs: Sequence[tuple[int, int, int]] = ((0, 1 << 60, 1),), blob: str = ""
    ) -> None:
        self.doc, self.runs, self.blob = doc, runs, blob

    def changed(self, file: _FileChange) -> tuple[_OldLines, list[range]]:
        """The file after a change, and the old lines that the change touches."""
        rest = deque(self.runs)
        runs: list[tuple[int, int, int]] = []
        touched: list[range] = []

        def take(count: int) -> Iterator[tuple[int, int, int]]:
            while count and rest:
                line, length, step = rest.popleft()
                part = min(count, length)
                if part < length:
                    rest.appendleft((line + part * step, length - part, step))
                count -= part
                yield line, part, step

        at, last = 0, 0  # an insertion at the top touches the first line
        for before, removed, added in sorted(file.edits):
            if before < at:
                raise DiffError(f"two hunks of {file.old or file.new} overlap", file.line)
            for line, length, step in take(before - at):
                runs.append((line, length, step))
                last = line + (length - 1) * step
            for line, length, step in take(removed):
                last = line + (length - 1) * step
                touched.append(range(line, last + 1))
            if added:
                runs.append((last, added, 0))
                touched += [] if removed else [range(last, last + 1)]
            at = before + removed
        return _OldLines(self.doc, [*runs, *rest], file.blobs[1]), touched


def _touched(diffs: list[list[_FileChange]]) -> TouchedLines:
    """The touched lines of the first old files, given the diffs from the oldest to the newest."""
    found = TouchedLines()
    now: dict[str, _OldLines | None] = {}  # None: an earlier commit removed or renamed the file
    seen: dict[str, set[int]] = {}
    for files in diffs:
        left = {file.old for file in files if file.old and file.old != file.new and not file.copied}
        after: dict[str, _OldLines | None] = dict.fromkeys(left)
        for file in files:
            found.binary += file.binary
            found.new_files += file.created and not file.binary
            old = _before(file, now, left)
            new, touched = old.changed(file) if old.doc is not None else (_OldLines(None, (), file.blobs[1]), [])
            if old.doc is not None:
                _add(found, old.doc, touched, seen.setdefault(old.doc, set()))
            if file.new is not None:
                after[file.new] = new
        now |= after
    return found


def _diffs(files: list[_FileChange]) -> Iterator[list[_FileChange]]:
    """Divide files where a name returns: one diff changes a file once, the next one builds on it."""
    part: list[_FileChange] = []
    old: set[str] = set()
    new: dict[str, _FileChange] = {}
    for file in files:
        if (file.old in old and not file.copied) or file.new in new or _builds_on(file, new):
            yield part
            part, old, new = [], set(), {}
        part.append(file)
        if file.old is not None and not file.copied:
            old.add(file.old)
        if file.new is not None:
            new[file.new] = file
    yield part


def _builds_on(file: _FileChange, new: Mapping[str, _FileChange]) -> bool:
    """Whether a change of a file that goes away is later than the one that made it, and not beside it in one diff.

    In one diff, a name that another file takes is that of a file that is renamed too, with another text.
    """
    made = new.get(file.old or "")
    if made is None:
        return False
    return file.new is None or made.old is None or bool(file.blobs[0] and made.blobs[1] == file.blobs[0])


def _before(file: _FileChange, now: dict[str, _OldLines | None], left: set[str]) -> _OldLines:
    """The file before a change; an error if the change cannot follow those before."""
    if file.new is not None and file.new != file.old and now.get(file.new) is not None and file.new not in left:
        raise _unordered(file.new, file)
    if file.old is None:
        return _OldLines(None, ())
    state = now.get(file.old, _OldLines(file.old))
    if state is None or not (state.blob.startswith(file.blobs[0]) or file.blobs[0].startswith(state.blob)):
        raise _unordered(file.old, file)
    return state


def _unordered(name: str, file: _FileChange) -> DiffError:
    what = f"this change of {name} does not continue the other changes of the file here; "
    return DiffError(what + "give one diff from the first old file to the last new one: git diff FIRST LAST", file.line)


def _add(found: TouchedLines, doc: str, touched: list[range], seen: set[int]) -> None:
    """Add places for the touched lines that have none yet."""
    for run in touched:
        new = [line for line in run if line not in seen]
        seen.update(new)
        for at, line in enumerate(new):
            if at and new[at - 1] == line - 1:
                found.places[-1] = (doc, found.places[-1][1], line + 1)
            else:
                found.places.append((doc, line, line + 1))


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


def _has_prefixes(old: str, new: str) -> bool:
    """Whether names without ``diff --git`` begin with git's letters for the two sides."""
    if {old[:2], new[:2]} <= {"a/", "b/"} or _NONE in (old, new):
        return old[:2] != new[:2] and (old if old != _NONE else new)[:2] in ("a/", "b/")
    return bool(_PREFIX.match(old) and _PREFIX.match(new)) and old[0] != new[0] and old[2:] == new[2:]
