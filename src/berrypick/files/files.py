"""Opening, buffering and writing files: pipes, gzip, lines, atomic writing."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import IO, Any, TextIO

from berrypick.data.errors import InputError, UsageError
from berrypick.files.limits import (
    MemoryGuard,
    expansion_limit,
    memory_limit,
    text_cost,
    too_large,
    too_much_memory,
)
from berrypick.files.problems import Problems

#: The name that means standard input.
STANDARD_INPUT = "-"
#: Bytes of content after which memory is looked at again.
_MEMORY_STEP = 1 << 20
#: How a gzip file begins.
_GZIP = b"\x1f\x8b"
#: How files of other compressors begin; bzip2's comes after four bytes.
_OTHERS = {b"\xfd7zXZ\0": "xz", b"PK\3\4": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"1AY&SY": "bzip2"}
#: How workbooks are called, which are zip files.
_WORKBOOKS = (".xlsx", ".xlsm")
#: The longest line that is read, and how far a file is searched for a line that is no comment, in bytes.
LONGEST, FURTHEST = 1 << 26, 1 << 24
#: Pipes and devices that are being read, by the name that was typed: what has come out of them so far, all of it.
_buffered_streams: dict[str, IO[bytes]] = {}


def file_name(path: object) -> str:
    """A path as text; anything else, which ``open`` might take for a descriptor, is refused."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"expected a file name or path, not {type(path).__name__}")
    return os.fspath(path)


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
    from tempfile import TemporaryFile  # loads much that few need

    with _open_file(path) as source, ExitStack() as stack:
        try:
            kept = stack.enter_context(TemporaryFile(buffering=0))
            left = expansion_limit()
            while data := source.read(1 << 20):
                left -= len(data)
                if left < 0:
                    raise too_large(path)
                kept.write(data)
        except OSError as error:
            what = f"cannot be read or buffered in a temporary file ({error.strerror})"
            raise InputError(what, path=path) from None
        stack.pop_all()  # the caller closes it
    return kept


class _Raw(io.RawIOBase):
    """Content that can be read from any place on."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class _Reopened(_Raw):
    """A reading of a temporary file, from its start, that does not disturb other readings."""

    def __init__(self, kept: IO[bytes], owned: bool) -> None:
        self._kept, self._owned, self._at = kept, owned, 0

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


def open_raw(path: str, buffer: int = 1 << 17) -> io.BufferedReader:
    """Open a file or a buffered pipe, without decompression; of a file, so many bytes are read ahead."""
    if path in _buffered_streams:
        return io.BufferedReader(_Reopened(_buffered_streams[path], owned=False), 1 << 20)
    if is_stream(path):
        return io.BufferedReader(_Reopened(_all_of(path), owned=True), 1 << 20)
    return _open_file(path, buffer)


class _File(io.FileIO):
    """A file whose errors say that it cannot be read, and which one it is."""

    def __init__(self, file: str | int, path: str) -> None:
        super().__init__(file, "rb")
        self._path = path

    def readinto(self, buffer: Any) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", path=self._path) from None

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", path=self._path) from None


def _open_file(path: str, buffer: int = 1 << 17) -> io.BufferedReader:
    try:
        return io.BufferedReader(_File(os.dup(0) if path == STANDARD_INPUT else path, path), buffer)
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except OSError as error:
        if isinstance(error, IsADirectoryError) or os.path.isdir(path):  # Windows: no permission to read a folder
            raise InputError("is a folder, expected a file", path=path) from None
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    except ValueError:
        raise InputError("is not a valid file name", path=path) from None


def open_bytes(path: str, buffer: int = 1 << 17) -> io.BufferedReader:
    """Open a file; gzip is detected from its first bytes."""
    raw = open_raw(path, buffer)
    first = raw.peek(10)
    for begin, name in _OTHERS.items():
        if first.startswith(begin) or (name == "bzip2" and first[4:10] == begin):
            raw.close()
            if name == "zip" and path.lower().endswith(_WORKBOOKS):
                raise InputError("is a workbook of Excel", path=path, remedy="save its sheet as CSV")
            remedy = "unpack it, or compress it with gzip, which berrypick reads"
            raise InputError(f"is compressed with {name}", path=path, remedy=remedy)
    if first[:2] != _GZIP:
        return raw
    if _stated_size(path) > expansion_limit():
        raw.close()
        raise too_large(path)
    return io.BufferedReader(_Unpacked(raw, path), 1 << 16)


#: Deflate makes nothing more than so many times smaller.
_MOST_DENSE = 1032


def _stated_size(path: str) -> int:
    """The size of its content that a gzip file states at its end, modulo 4 GB and of its last member: the content is
    at least as large. 0 where there is none, or one that no file of this size can have, as where a file is cut off."""
    if path in _buffered_streams or not os.path.isfile(path) or (size := os.path.getsize(path)) < 18:
        return 0
    try:
        with open(path, "rb") as stream:
            stream.seek(-4, io.SEEK_END)
            stated = int.from_bytes(stream.read(4), "little")
    except OSError:
        return 0
    return stated if stated <= size * _MOST_DENSE else 0


def is_parquet(path: str) -> bool:
    """Whether a file is a table of Parquet."""
    with open_bytes(path) as stream:
        return stream.read(4) == b"PAR1"


def is_plain_file(stream: io.BufferedReader) -> bool:
    """Whether a stream is a file as it is: not compressed, not the content of a pipe."""
    return isinstance(stream.raw, _File)


class DamagedError(InputError):
    """A compressed file that cannot be read to its end."""


class _Unpacked(_Raw):
    """The content of a gzip file, up to the limit."""

    def __init__(self, raw: io.BufferedReader, path: str) -> None:
        self._raw, self._packed, self._path = raw, gzip.GzipFile(fileobj=raw, mode="rb"), path
        self._read, self._limit = 0, expansion_limit()
        self._memory, self._look = MemoryGuard(path, size_of(path)), _MEMORY_STEP

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._packed.seek(offset, whence)

    def tell(self) -> int:
        return self._packed.tell()

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._packed.readinto(buffer)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            what = "the gzip file ends early or is damaged"
            raise DamagedError(what, path=self._path, remedy="download it again") from None
        self._read += count
        if self._read > self._limit:
            raise too_large(self._path)
        if self._read > self._look:
            self._look = self._read + _MEMORY_STEP
            self._memory.check()
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def size_of(path: str) -> int:
    """Size of a file or a buffered pipe in bytes; 0 for a pipe that is read once."""
    if path in _buffered_streams:
        return _buffered_streams[path].seek(0, io.SEEK_END)
    return os.path.getsize(path) if path != STANDARD_INPUT else 0


def read_whole(path: str, cost: Callable[[bytes], int] = text_cost) -> bytes:
    """The content of a file. A compressed one is refused while it is being read if the value that is made of it would
    take too much memory, by the cost of its parts."""
    with open_bytes(path) as stream:
        if not isinstance(stream.raw, _Unpacked):
            return stream.read()
        found, most, taken = bytearray(), memory_limit(size_of(path)), 0
        while data := stream.read(_MEMORY_STEP):
            taken += cost(data)
            if taken > most:
                raise too_much_memory(path, most)
            found += data
        return bytes(found)


def is_compressed(path: str) -> bool:
    with open_raw(path) as stream:
        return stream.peek(2)[:2] == _GZIP


def check_member(path: str, real_top: str) -> None:
    """Refuse what is not a file of a folder: pipes and devices in it, links to files or folders that lead out of it.

    A missing or unreadable file is reported when it is opened.
    """
    if os.path.islink(path) and not os.path.join(os.path.realpath(path), "").startswith(os.path.join(real_top, "")):
        raise InputError("is a link to a file outside the folder", path=path, remedy=_TAKE_AWAY)
    if is_stream(path):
        raise InputError("is not a regular file but a pipe, a device or a socket", path=path, remedy=_TAKE_AWAY)


def members(folder: str, is_wanted: Callable[[str], bool]) -> Iterator[str]:
    """The files of a folder and the folders in it that are wanted by their names."""
    real_top = os.path.realpath(folder)
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        folders.sort()
        for name in folders:
            check_member(os.path.join(place, name), real_top)
        for name in sorted(names):
            if is_wanted(name):
                path = os.path.join(place, name)
                check_member(path, real_top)
                yield path


def _unreadable(error: OSError) -> None:
    raise InputError(f"cannot be read ({error.strerror})", path=str(error.filename)) from None


_TAKE_AWAY = "remove it from the folder, or replace it by a file"


def lines(path: str, problems: Problems, encoding: str = "utf-8", errors: str = "strict") -> Iterator[tuple[int, str]]:
    """(line number, text without its end) for every line, without a byte order mark.

    Truncated gzip files and invalid bytes are errors.
    """
    number = 0
    with open_bytes(path) as stream:
        try:
            for part in _whole_lines(stream):
                texts, before = _texts(part, encoding, errors), number
                if texts is None:
                    for number, raw in _raw_lines(part, before, path):
                        text = _decoded(raw, number, problems, encoding, errors)
                        if text is not None:
                            yield number, text
                    continue
                for number, text in enumerate(texts, start=before + 1):
                    yield number, text
        except DamagedError as error:
            raise DamagedError(error.what, path=path, line=number or None, remedy=error.remedies) from None


def _whole_lines(stream: io.BufferedReader) -> Iterator[bytes]:
    """The content in parts that end where a line does; the last one may not, nor one with a line that is too long."""
    begun: list[bytes] = []
    size = 0
    while size < LONGEST and (data := stream.read1()):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield b"".join([*begun, data[:cut]])
            begun, size = [], 0
        begun.append(data[cut:])
        size += len(data) - cut
    if size:
        yield b"".join(begun)


def _texts(part: bytes, encoding: str, errors: str) -> list[str] | None:
    """The texts of lines without their ends; None where something in them may have to be reported."""
    if len(part) >= LONGEST or b"\0" in part or (not part.isascii() and codecs.BOM_UTF8 in part):
        return None
    try:
        texts = part.decode(encoding, errors).split("\n")
    except UnicodeDecodeError:
        return None
    if not texts[-1]:  # after the last line end
        texts.pop()
    return [text.rstrip("\r") for text in texts] if b"\r" in part else texts


def _raw_lines(part: bytes, number: int, path: str) -> Iterator[tuple[int, bytes]]:
    """Lines one by one, with their numbers, after the line with this number."""
    rest = io.BytesIO(part)
    while raw := rest.readline(LONGEST):
        number += 1
        if len(raw) == LONGEST and not raw.endswith(b"\n"):
            raise line_too_long(path, number)
        yield number, raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw


def _decoded(raw: bytes, number: int, problems: Problems, encoding: str, errors: str) -> str | None:
    if raw.lstrip().startswith(codecs.BOM_UTF8):
        what = "begins with a byte order mark, which is only valid at the start of a file"
        problems.report(what, number, remedy="remove it; joined files have one each")
        return None
    return decode_line(raw, number, problems, encoding, errors)


def line_too_long(path: str, line: int) -> InputError:
    return InputError(f"the line is longer than {LONGEST >> 20} MB, the maximum", path=path, line=line)


def decode_line(
    raw: bytes, number: int, problems: Problems, encoding: str = "utf-8", errors: str = "strict"
) -> str | None:
    """The text of a line without its end; None, and a reported problem, if it is not valid text."""
    try:
        text = raw.decode(encoding, errors).rstrip("\r\n")
    except UnicodeDecodeError:
        problems.report(
            f"is not {encoding.upper()} text", number, remedy="save the file as UTF-8, or name the right file"
        )
        return None
    if "\0" in text:
        problems.report("contains NUL, which is not text", number, remedy="save the file as UTF-8 text")
        return None
    return text


def content(
    path: str, problems: Problems, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor comments."""
    for number, text in lines(path, problems, encoding, errors):
        stripped = text.strip()
        if stripped and stripped[0] != "#":
            yield number, text


def head(path: str, count: int = 20, width: int = 1 << 16) -> list[str]:
    """The first lines that are neither blank nor comments, for sniffing: no longer than ``width``, the first of them no
    longer than 16 times that, and in any encoding.

    Problems in a line are left to the reader.
    """
    return [text for _, text in numbered_head(path, count, width)]


def numbered_head(path: str, count: int = 20, width: int = 1 << 16) -> list[tuple[int, str]]:
    """The same with the numbers of the lines, from 1."""
    found: list[tuple[int, str]] = []
    with open_bytes(path, 1 << 13) as stream:  # which is enough for most
        if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            wide = stream.read(width).decode("utf-16", errors="replace")
            return [(i, line) for i, line in enumerate(wide.split("\n"), start=1) if line.strip()][:count]
        fresh, read, number = True, 0, 0
        while (
            len(found) < count
            and (raw := stream.readline(width if found else 16 * width))  # a first line may hold a whole document
            and not (found and read > 16 * width)
        ):
            number += fresh
            if fresh and not raw.lstrip().startswith(b"#"):  # a file may begin with many comments
                text = raw.removeprefix(codecs.BOM_UTF8).decode(errors="replace").rstrip("\r\n")
                if text.strip() and not text.lstrip().startswith("#"):
                    found.append((number, text))
            fresh, read = raw.endswith(b"\n"), read + len(raw)
            if read > FURTHEST and not found:
                what = f"has nothing but comments and blank lines in its first {FURTHEST >> 20} MB"
                raise InputError(what, path=path, remedy="remove them, or name the format")
    return found


def replace_file(temporary: str, path: str) -> None:
    """Move a file to its place. Windows cannot replace a file that is open or mapped, here or in another program."""
    try:
        os.replace(temporary, path)
    except PermissionError as error:
        remedy = "close it in this and other programs, or name another file"
        raise InputError(f"cannot be replaced ({error.strerror})", path=path, remedy=remedy) from error


@contextmanager
def atomic_writer(path: str) -> Iterator[TextIO]:
    """Write a text file atomically; a name that ends in .gz is compressed."""
    from pathlib import Path  # loads urllib

    target = Path(path)
    if os.path.isdir(target):
        raise InputError("is a folder, expected a file to write", path=path)
    if not os.path.exists(target.parent):
        raise InputError(f"the folder {target.parent} does not exist", path=path)
    if os.path.exists(target) and not os.path.isfile(target):  # a pipe, a device: nothing to replace
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=path) from None
        return
    temporary = target.parent / f".{target.name[:40]}.{os.urandom(4).hex()}"  # a name has its limit, too
    try:
        raw = open(temporary, "xb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise InputError(f"cannot be written ({why})", path=path) from None
    except BaseException:  # interrupted while the file was made
        temporary.unlink(missing_ok=True)
        raise
    try:
        with raw:
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if target.suffix == ".gz" else None
            with packed or nullcontext(raw) as binary:
                text = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
                yield text
                text.flush()
                text.detach()
            raw.flush()
            os.fsync(raw.fileno())  # else the new name may come to the disk before the content does
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        replace_file(str(temporary), path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, UnicodeEncodeError):
            what = f"cannot be written: {error.object[error.start]!r} is a lone surrogate, which is not valid text"
            raise InputError(what, path=path) from None
        if isinstance(error, OSError):
            raise InputError(f"cannot be written ({error.strerror})", path=path) from None
        raise
