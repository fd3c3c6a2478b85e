"""The finished part of an index that is being built: a file beside the index, from which the build can resume.

It starts with a line of JSON about folder and version. Then bundles of documents follow in no particular order, each
after its length and checksum, so that an incomplete one is recognised and ignored. A bundle is an Arrow stream
with one batch; its columns are those of the index, but for links, which still lead to names, and for size and time of
each file, from which it is seen whether the file has changed since.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berrypick.data.errors import InputError
from berrypick.documents.collection_files import UNFINISHED
from berrypick.documents.xml.index_columns import LISTS, dictionary, lists, narrow, numbers, strings, values_of
from berrypick.documents.xml.structure_scan import Bundle, Source

_FRAME = struct.Struct("<QI")  # length and checksum


def pack_bundle(bundle: Bundle, sources: Iterable[Source], problems: Mapping[str, str]) -> pa.Buffer:
    """A bundle as it is stored; documents with a problem come last."""
    documents = [*bundle.documents, *problems]
    unreadable = np.arange(len(documents)) >= len(bundle.documents)
    more = np.zeros(len(problems), dtype=np.int32)
    stamps = {name: (size, modified) for name, _, size, modified in sources}
    states = np.array([stamps[name] for name in documents], dtype=np.int64).reshape(-1, 2)
    columns: dict[str, pa.Array] = {
        "document": strings(documents),
        "size": numbers(states[:, 0]),
        "modified": numbers(states[:, 1]),
        "length": numbers(np.append(bundle.columns["length"], more), unreadable),
        "problem": strings([*[None] * len(bundle.documents), *problems.values()]),
    }
    for column, number in {**LISTS, "link_target": "links"}.items():
        values = bundle.columns[column]
        words = {"name": bundle.vocabulary, "link_target": bundle.targets}.get(column)
        content = numbers(narrow(values)) if words is None else dictionary(narrow(values), words)
        columns[column] = lists(np.append(bundle.columns[number], more), content)
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _lock_file(descriptor: int) -> bool:
    """Lock a file until it is closed; False if another process has. True, too, on a system or disk without locks."""
    try:
        import fcntl
    except ImportError:
        return _lock_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # locked, or a file system without locks
        return not isinstance(error, BlockingIOError)
    return True


def _lock_on_windows(descriptor: int) -> bool:
    """The lock is on a byte beyond all content: what is locked cannot be read there."""
    try:
        import msvcrt
    except ImportError:
        return True
    os.lseek(descriptor, 1 << 30, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return True


class Partial:
    """The file of finished bundles, with those of an earlier attempt at the same index."""

    def __init__(self, path: str, work: Mapping[str, Any]) -> None:
        self.path = path
        #: Notes about the file of an earlier attempt.
        self.remarks: list[str] = []
        self._frames: list[tuple[int, int]] = []
        head = UNFINISHED + json.dumps(work, sort_keys=True).encode().replace(b"{", b", ", 1) + b"\n"
        try:
            self._file = open(path, "r+b" if os.path.exists(path) else "w+b")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=path) from error
        try:
            self._lock()
            self._resume(head)
        except BaseException:
            self._file.close()
            raise

    def _resume(self, head: bytes) -> None:
        """Keep complete bundles, if they are of the same folder and version."""
        found = self._file.read(len(head))
        if found[: len(UNFINISHED)] != UNFINISHED[: len(found)]:
            what = "is another file at the place of the unfinished index"
            raise InputError(what, path=self.path, remedy="remove it, or name another file for the index")
        if found == head:
            self._find_frames(len(head))
        else:
            if len(found) >= len(UNFINISHED):
                self.remarks.append(f"{self.path} is from another folder or version and is replaced")
            self._file.seek(0)
            self._file.write(head)
        self._file.truncate(self._file.tell())
        self._file.flush()  # nothing may be pending when processes are forked

    def _lock(self) -> None:
        """Keep a second process from writing to the same file."""
        if _lock_file(self._file.fileno()):
            return
        raise InputError(
            "is being written by another process", path=self.path, remedy="wait until it has finished, or end it"
        )

    def _find_frames(self, place: int) -> None:
        """Find bundles up to the first incomplete one, as an interruption may leave it."""
        while len(front := self._file.read(_FRAME.size)) == _FRAME.size:
            length, checksum = _FRAME.unpack(front)
            content = self._file.read(min(length, 1 << 32))
            if len(content) != length or zlib.crc32(content) != checksum:
                break
            place += _FRAME.size
            self._frames.append((place, length))
            place += length
        if self._file.seek(0, os.SEEK_END) != place:
            self.remarks.append(f"{self.path} was incomplete; what is missing is read again")
        self._file.seek(place)

    def add(self, content: pa.Buffer) -> None:
        """Add a bundle, as it comes from ``pack_bundle``."""
        self._file.write(_FRAME.pack(content.size, zlib.crc32(content)))
        self._frames.append((self._file.tell(), content.size))
        self._file.write(content)
        self._file.flush()  # an interruption no longer loses it

    def batches(self) -> Sequence[pa.RecordBatch]:
        """All bundles, mapped into memory and read as they are used."""
        if not self._frames:
            return []
        whole = pa.memory_map(self.path).read_buffer()
        return [_batch(whole.slice(place, length)) for place, length in self._frames]

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self._file.close()
        with contextlib.suppress(OSError):
            os.remove(self.path)

    def __enter__(self) -> Partial:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _batch(content: pa.Buffer) -> pa.RecordBatch:
    with pa.ipc.open_stream(content) as stream:
        return stream.read_next_batch()


class FinishedDocument(NamedTuple):
    """A document that was read: size and time of its file, and its batch and row."""

    size: int
    modified: int
    batch: int
    row: int


def finished_documents(batches: Sequence[pa.RecordBatch]) -> dict[str, FinishedDocument]:
    """All documents that were read; for one that was read again, the last time."""
    found: dict[str, FinishedDocument] = {}
    for number, batch in enumerate(batches):
        size, modified = (values_of(batch[column]).tolist() for column in ("size", "modified"))
        rows = map(FinishedDocument, size, modified, repeat(number), range(batch.num_rows))
        found.update(zip(batch["document"].to_pylist(), rows, strict=True))
    return found
