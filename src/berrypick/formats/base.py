"""What every file format is, and how files are opened.

A format is one file in this folder: a class whose docstring is the specification with a sample, and that can sniff,
read and write. Readers are tolerant of what real files contain and strict about what would change a number. What they
object to goes to :class:`Problems`, which either stops at the first one (evaluation) or collects them (``check``).
"""

from __future__ import annotations

import ast
import codecs
import gzip
import inspect
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, TextIO

from berrypick.core.errors import InputError, UsageError

Role = Literal["truth", "run", "collection", "navigation"]


@dataclass
class Problems:
    """Where readers report. Strict: the first problem is raised. Otherwise they are collected, up to a limit."""

    path: str
    strict: bool = True
    limit: int = 1000
    found: list[InputError] = field(default_factory=list)
    #: What a reader skipped or met by design, to be shown as counts.
    counts: dict[str, int] = field(default_factory=dict)

    def report(self, what: str, line: int | None = None, text: str | None = None, remedy: str = "") -> None:
        error = InputError(what, path=self.path, line=line, text=text, remedy=remedy)
        if self.strict:
            raise error
        if len(self.found) < self.limit:
            self.found.append(error)

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by


class Format:
    """Base class of formats."""

    #: The name people type as a format and see in ``berrypick list formats``.
    format_name: ClassVar[str]
    role: ClassVar[Role]
    #: What one line of it looks like, for messages.
    shape: ClassVar[str]
    #: File endings by which ``convert`` chooses the format of its output.
    suffixes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def name(cls) -> str:
        return cls.format_name

    @classmethod
    def specification(cls) -> str:
        """The docstring as it stands in the file, TABs included: from Python 3.13 on ``__doc__`` has blanks instead."""
        try:
            tree = ast.parse(inspect.getsource(sys.modules[cls.__module__]))
        except (KeyError, OSError, TypeError):  # no source at hand
            return cls.__doc__ or ""
        found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__]
        return (ast.get_docstring(found[0], clean=False) if found else None) or cls.__doc__ or ""

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        """Whether these first lines (no comments, no blank lines) look like this format."""
        raise NotImplementedError

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        """Whether a folder looks like files of this format that belong together."""
        return False

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Any:
        raise NotImplementedError

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        raise NotImplementedError

    @classmethod
    def write_parquet(cls, value: Any, out: Any) -> None:
        """Write to a binary file, where the name ends in .parquet."""
        raise UsageError(f"{cls.format_name} is not written as Parquet")

    @classmethod
    def accepts(cls, value: Any) -> str:
        """Empty if the value can be written in this format without loss, else why not."""
        raise NotImplementedError

    @classmethod
    def describe(cls, value: Any) -> list[str]:
        """Counts a person wants to see after ``check``."""
        raise NotImplementedError


#: The name that means standard input.
STANDARD_INPUT = "-"
#: Pipes and devices that are being read, by the name that was typed: what has come out of them so far, all of it.
_buffered_streams: dict[str, IO[bytes]] = {}


def is_stream(path: str) -> bool:
    """Whether something can be read only once: standard input, a pipe, a device."""
    if path == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False  # whoever opens it says what is wrong
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def reusable(path: str) -> Iterator[None]:
    """While this lasts, a pipe can be opened as often as a file. To find out the format takes one reading, to read
    another; what a pipe has given once it does not give again, so it goes to a temporary file first."""
    if path in _buffered_streams or not is_stream(path):
        yield
        return
    _buffered_streams[path] = _all_of(path)
    try:
        yield
    finally:
        _buffered_streams.pop(path).close()


def _all_of(path: str) -> IO[bytes]:
    """What comes out of a pipe or a device, in a temporary file without a name."""
    with _open_file(path) as source:
        try:
            kept = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed by whoever asked for it)
            shutil.copyfileobj(source, kept, 1 << 20)
        except OSError as error:
            raise InputError(f"cannot be read, or kept in a temporary file ({error.strerror})", path=path) from None
    return kept


class _Reopened(io.RawIOBase):
    """A reading of a temporary file, from its start, that does not disturb other readings."""

    def __init__(self, kept: IO[bytes], owned: bool) -> None:
        self._kept, self._owned, self._at = kept, owned, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._kept.seek(offset + (self._at if whence == io.SEEK_CUR else 0), 0 if whence == io.SEEK_CUR else whence)
        self._at = self._kept.tell()
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._kept.seek(self._at)
        data = self._kept.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if self._owned:
            self._kept.close()
        super().close()


def open_raw(path: str) -> io.BufferedReader:
    """Open a file, or what has come out of a pipe, as it is."""
    if path in _buffered_streams:
        return io.BufferedReader(_Reopened(_buffered_streams[path], owned=False), 1 << 20)
    if is_stream(path):
        return io.BufferedReader(_Reopened(_all_of(path), owned=True), 1 << 20)
    return _open_file(path)


def _open_file(path: str) -> io.BufferedReader:
    try:
        if path == STANDARD_INPUT:
            return os.fdopen(os.dup(0), "rb")
        return open(path, "rb")
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder, a file is expected", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None


def size_of(path: str) -> int:
    """Bytes of a file, or of what has come out of a pipe."""
    return _buffered_streams[path].seek(0, io.SEEK_END) if path in _buffered_streams else os.path.getsize(path)


def open_bytes(path: str) -> io.BufferedReader | gzip.GzipFile:
    """Open a file, through gzip if it starts like one, whatever its name."""
    raw = open_raw(path)
    if raw.peek(2)[:2] == b"\x1f\x8b":
        packed = gzip.GzipFile(fileobj=raw, mode="rb")
        packed.myfileobj = raw  # type: ignore[assignment] # so that closing it closes the file too
        return packed
    return raw


def lines(path: str, problems: Problems, encoding: str = "utf-8", errors: str = "strict") -> Iterator[tuple[int, str]]:
    """(line number, text without its end) for every line; a byte order mark is no character.

    A gzip file that ends early and bytes that are no text are errors.
    """
    number = 0
    with open_bytes(path) as stream:
        try:
            for raw in stream:
                number += 1
                if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                    raw = raw[3:]
                text = decoded(raw, number, problems, encoding, errors)
                if text is not None:
                    yield number, text
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError(
                "the gzip file ends early or is damaged", path=path, line=number or None, remedy="fetch it again"
            ) from None


def decoded(raw: bytes, number: int, problems: Problems, encoding: str = "utf-8", errors: str = "strict") -> str | None:
    """The text of a line without its end; None if it is no text, which is reported."""
    try:
        return raw.decode(encoding, errors).rstrip("\r\n")
    except UnicodeDecodeError:
        problems.report(
            f"is not {encoding.upper()} text", number, remedy="save the file as UTF-8, or name the right file"
        )
        return None


def content(
    path: str, problems: Problems, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor comments."""
    for number, text in lines(path, problems, encoding, errors):
        stripped = text.strip()
        if stripped and not stripped.startswith("#"):
            yield number, text


def head(path: str, count: int = 20, width: int = 1 << 16) -> list[str]:
    """The first lines that are neither blank nor comments, for sniffing: no longer than ``width``, and in any encoding.

    What is wrong with a line is for the reader to say.
    """
    return [text for _, text in numbered_head(path, count, width)]


def numbered_head(path: str, count: int = 20, width: int = 1 << 16) -> list[tuple[int, str]]:
    """The same with the numbers of the lines, from 1."""
    found: list[tuple[int, str]] = []
    with open_bytes(path) as stream:
        try:
            if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                wide = stream.read(width).decode("utf-16", errors="replace")
                return [(i, line) for i, line in enumerate(wide.split("\n"), start=1) if line.strip()][:count]
            fresh, read, number = True, 0, 0
            while len(found) < count and (raw := stream.readline(width)) and not (found and read > 16 * width):
                text = raw.decode("utf-8-sig", errors="replace").rstrip("\r\n")
                number += fresh
                if fresh and text.strip() and not text.lstrip().startswith("#"):
                    found.append((number, text))
                fresh, read = raw.endswith(b"\n"), read + len(raw)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError("the gzip file ends early or is damaged", path=path, remedy="fetch it again") from None
    return found


def counted(number: int, what: str) -> str:
    """'1 topic', '2 topics'."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def finite(word: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """Write a text file so that it is there whole or not at all; a name that ends in .gz is compressed."""
    target = Path(path)
    if target.is_dir():
        raise InputError("is a folder, a file to write is expected", path=path)
    if not target.parent.exists():
        raise InputError(f"the folder {target.parent} does not exist", path=path)
    if target.exists() and not target.is_file():  # a pipe, a device: nothing to replace
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", path=path) from None
    try:
        with os.fdopen(handle, "wb") as raw:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                    text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
                    yield text
                    text.flush()
                    text.detach()
            else:
                plain = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
                yield plain
                plain.flush()
                plain.detach()
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
