"""The ledger: a file with one line of JSON for each look at a truth, chained by checksums.

Each line has the checksum of the line before it (``previous``), so berrypick reports a line that somebody edited, moved
or cut out: the line after it follows one that is not there. Two lines may follow the same line, which is what a merge
of two branches leaves; the next line then names the ends of all branches (``merged``). A last line can be cut without a
trace, unless its checksum, the head, is known from elsewhere.

Names come from people's files. JSON escapes line breaks in them and everything beyond ASCII, so no name begins a line.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from berrypick.data.errors import InputError, UsageError, option, shorten
from berrypick.data.results import Note
from berrypick.data.signature import Signature
from berrypick.data.words import counted
from berrypick.files.append import AppendedFile, appending
from berrypick.files.files import file_name, is_stream, read_whole
from berrypick.files.strict_json import strict_json

#: Bytes of a checksum of a line, which has two hexadecimal digits for each.
_BYTES = 16
_NUMBER = (int, float, type(None))
#: Numbers of a line are smaller: no measure has others, and larger ones overflow.
_LARGEST = 1e100
#: Fields that every line has, and their types.
_NEEDED: Mapping[str, Any] = {
    "time": str, "truth": str, "topics": str, "run": str, "run_sum": str, "measure": str, "signature": str,
    "value": _NUMBER, "low": _NUMBER, "high": _NUMBER, "n": int, "increasing": bool, "previous": str,
}  # fmt: skip
#: Fields that a line may have.
_OPTIONAL: Mapping[str, Any] = {
    "verdict": (str, type(None)), "baseline": (str, type(None)), "baseline_sum": (str, type(None)),
    "baseline_value": _NUMBER, "difference": _NUMBER, "p": _NUMBER, "look": int, "level": _NUMBER, "commit": str,
    "topic_names": list, "merged": list,
}  # fmt: skip


def line_sum(text: bytes) -> str:
    """Return the checksum of a line, without its end."""
    return hashlib.blake2b(text, digest_size=_BYTES).hexdigest()


def counted_signature(signature: Signature) -> Signature:
    """Return a signature without what starts no new count: the version of berrypick, and which topics of the truth are
    scored, since whoever looks at some of them has looked at the truth."""
    return Signature(signature.measure, tuple(part for part in signature.fields if part[0] not in ("v", "topics")))


@dataclass(frozen=True)
class LedgerLine:
    """One look: a run under one measure."""

    number: int  # in the file, from 1
    sum: str
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields.get(name)

    @cached_property
    def signature(self) -> Signature:
        """How its value was computed, as far as looks are counted by it."""
        return counted_signature(Signature.parse(self.fields["signature"]))

    @property
    def follows(self) -> list[str]:
        """The checksums of the lines that it follows."""
        named = [self.fields["previous"], *(self.fields.get("merged") or ())]
        return [str(one) for one in named if one]


@dataclass(frozen=True)
class Ledger:
    """The lines of a ledger, each once, and what is wrong with them."""

    path: str
    lines: tuple[LedgerLine, ...] = ()
    notes: tuple[Note, ...] = ()
    #: Whether the last line has no end: the next one must not continue it.
    open_end: bool = field(default=False, repr=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Ledger:
        """Read a ledger; InputError if the file is not one."""
        name = file_name(path)
        return cls.parse(read_whole(name), name)

    @classmethod
    def parse(cls, content: bytes, path: str) -> Ledger:
        """Read a ledger from its content."""
        found: dict[str, LedgerLine] = {}
        notes: list[Note] = []
        broken: list[int] = []
        texts = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        for number, raw in enumerate(texts, start=1):
            text = raw.rstrip(b"\r")
            if not text.strip():
                continue
            line = _parsed(text, number)
            if line is None:
                broken.append(number)
            elif line.sum not in found:  # a merge may leave a line twice
                found[line.sum] = line
        if broken and not found and not (broken == [len(texts)] and _is_begun(texts[-1])):
            remedy = f"{option('ledger')} needs a file of its own, which berrypick creates"
            raise InputError("is not a ledger", path=path, line=broken[0], remedy=remedy)
        if broken and broken[-1] == len(texts):
            said = f"{path}:{broken.pop()}: skipped the incomplete last line: writing it was interrupted"
            notes.append(Note(TORN, said))
        if broken:
            notes.append(Note(BROKEN, _said_broken(path, broken)))
        lines = tuple(found.values())
        notes += [Note(BROKEN, f"{path}:{one}") for one in _unchained(lines)]
        return cls(path, lines, tuple(notes), open_end=bool(texts[-1].strip()))

    @property
    def head(self) -> str:
        """The checksum of the last line; empty where there is none."""
        return self.lines[-1].sum if self.lines else ""

    @cached_property
    def ends(self) -> list[str]:
        """The checksums of the lines that no other line follows, in their order."""
        followed = {one for line in self.lines for one in line.follows}
        return [line.sum for line in self.lines if line.sum not in followed]

    def check_head(self, head: str | None) -> None:
        """Refuse a ledger that does not have the line with this checksum: its last lines were cut or edited."""
        if head is None or any(line.sum == head for line in self.lines):
            return
        what = f"the line {shorten(head, 60)} is missing: the last lines were cut off or edited"
        remedy = f"restore the ledger, or remove {option('ledger_head')} to continue without them"
        raise InputError(what, path=self.path, remedy=remedy)

    def following(self, rows: Sequence[Mapping[str, Any]]) -> tuple[bytes, Ledger]:
        """Return the text of new lines that follow the last one, and the ledger with them."""
        added: list[LedgerLine] = []
        texts: list[bytes] = []
        previous, others = self.head, self.ends[:-1] if self.ends[-1:] == [self.head] else self.ends
        number = self.lines[-1].number if self.lines else 0
        for row in rows:
            merged = {"merged": others} if others else {}
            fields = {**row, "previous": previous, **merged}
            text = json.dumps(fields, allow_nan=False).encode("ascii")
            number, previous, others = number + 1, line_sum(text), []
            added.append(LedgerLine(number, previous, fields))
            texts.append(text + b"\n")
        before = b"\n" if self.open_end and texts else b""
        return before + b"".join(texts), Ledger(self.path, (*self.lines, *added), self.notes)


#: Kinds of notes on a ledger.
TORN, BROKEN = "ledger cut short", "ledger damaged"


@contextmanager
def open_ledger(path: str | os.PathLike[str], head: str | None = None) -> Iterator[tuple[Ledger, AppendedFile]]:
    """Read a ledger, which need not exist, and hold it until the new lines are appended.

    Parameters
    ----------
    path : str or path
        The file.
    head : str, optional
        The checksum of a line that must be there.
    """
    name = file_name(path)
    if name.endswith(".gz") or is_stream(name):
        raise UsageError(f"{name}: a ledger must be a plain file, neither compressed nor a pipe")
    with appending(name) as file:
        ledger = Ledger.parse(file.content(), name)
        ledger.check_head(head)
        yield ledger, file


def _parsed(text: bytes, number: int) -> LedgerLine | None:
    """A line; None if it is not one of a ledger."""
    try:
        fields = strict_json(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or any(not _has_type(fields.get(name), kind) for name, kind in _NEEDED.items()):
        return None
    if any(name in fields and not _has_type(fields[name], kind) for name, kind in _OPTIONAL.items()):
        return None
    if any(not isinstance(one, str) for name in ("topic_names", "merged") for one in fields.get(name, ())):
        return None
    return LedgerLine(number, line_sum(text), fields)


def _is_begun(text: bytes) -> bool:
    """Whether a text may be the beginning of a line that was not written to its end."""
    begin = b'{"time": "'
    return text[: len(begin)] == begin[: len(text)]


def _has_type(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, and no number that cannot be computed with."""
    if isinstance(value, (int, float)) and not abs(value) < _LARGEST:
        return False
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _said_broken(path: str, numbers: Sequence[int]) -> str:
    which = ", ".join(map(str, numbers[:5])) + (", .." if len(numbers) > 5 else "")
    skipped = f"{path}: skipped {counted(len(numbers), 'line')} that are not ledger lines (line {which})"
    return f"{skipped}; where a merge left conflict markers, keep the lines of both sides and remove the markers"


def _unchained(lines: Sequence[LedgerLine]) -> Iterator[str]:
    """What is wrong with the chain, with the number of the line."""
    known = {line.sum for line in lines}
    before: set[str] = set()
    for line in lines:
        missing = [one for one in line.follows if one not in before]
        before.add(line.sum)
        if not missing:
            continue
        if any(one not in known for one in missing):
            yield f"{line.number}: the line before it was edited or cut out, so looks may be missing from the count"
        else:
            yield f"{line.number}: the lines were reordered: it is before a line that it follows"
