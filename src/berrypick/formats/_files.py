"""Opening, buffering and writing files: pipes, gzip, lines, atomic writing."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO

from berrypick.core.errors import InputError
from berrypick.formats.base import Problems

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
        return False  # opening it reports the error
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def reusable(path: str) -> Iterator[None]:
    """Within this context a pipe can be opened as often as a file: detecting the format takes one reading, the content
    another. The content of the pipe is buffered in a temporary file."""
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
            kept = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed by the caller)
            shutil.copyfileobj(source, kept, 1 << 20)
        except OSError as error:
            raise InputError(f"cannot be read or buffered in a temporary file ({error.strerror})", path=path) from None
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
    """Open a file or a buffered pipe, without decompression."""
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
        raise InputError("is a folder, expected a file", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None


def size_of(path: str) -> int:
    """Size of a file or a buffered pipe in bytes."""
    return _buffered_streams[path].seek(0, io.SEEK_END) if path in _buffered_streams else os.path.getsize(path)


def open_bytes(path: str) -> io.BufferedReader | gzip.GzipFile:
    """Open a file; gzip is detected from its first bytes."""
    raw = open_raw(path)
    if raw.peek(2)[:2] == b"\x1f\x8b":
        packed = gzip.GzipFile(fileobj=raw, mode="rb")
        packed.myfileobj = raw  # type: ignore[assignment] # so that closing it closes the file too
        return packed
    return raw


def lines(path: str, problems: Problems, encoding: str = "utf-8", errors: str = "strict") -> Iterator[tuple[int, str]]:
    """(line number, text without its end) for every line, without a byte order mark.

    Truncated gzip files and invalid bytes are errors.
    """
    number = 0
    with open_bytes(path) as stream:
        try:
            for raw in stream:
                number += 1
                if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                    raw = raw[3:]
                text = decode_line(raw, number, problems, encoding, errors)
                if text is not None:
                    yield number, text
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError(
                "the gzip file ends early or is damaged", path=path, line=number or None, remedy="download it again"
            ) from None


def decode_line(
    raw: bytes, number: int, problems: Problems, encoding: str = "utf-8", errors: str = "strict"
) -> str | None:
    """The text of a line without its end; None, and a reported problem, if it is not valid text."""
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

    Problems in a line are left to the reader.
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
            raise InputError("the gzip file ends early or is damaged", path=path, remedy="download it again") from None
    return found


def finite(word: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def whole_number(word: str | None) -> int | None:
    """A whole number of at most 15 digits, not below 0; or None. (``isdigit`` alone is true of superscripts.)"""
    return int(word) if word and len(word) <= 15 and word.isascii() and word.isdigit() else None


@contextmanager
def atomic_writer(path: str) -> Iterator[TextIO]:
    """Write a text file atomically; a name that ends in .gz is compressed."""
    target = Path(path)
    if target.is_dir():
        raise InputError("is a folder, expected a file to write", path=path)
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
