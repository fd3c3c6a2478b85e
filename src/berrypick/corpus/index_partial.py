"""What is finished of an index while it is being made: a file beside the index, from which the work can go on.

One line of JSON says what the work is. Then bundles of documents follow in no particular order, each with its length and
checksum in front, so that one that was not written to its end is recognised and left. A bundle is an Arrow stream with
one batch; its columns are those of the index, but for links, which still lead to names, and for size and time of each
file, from which it is seen whether the file has changed since.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berrypick.core.errors import InputError
from berrypick.corpus.index import UNFINISHED
from berrypick.corpus.index_scan import Bundle

_FRAME = struct.Struct("<QI")  # length and checksum

#: The columns of lists in bundle and index: which number of the bundle says how long they are.
LISTS = {
    "name": "elements",
    "parent": "elements",
    "start": "elements",
    "end": "elements",
    "text_parent": "texts",
    "text_raw_length": "texts",
    "dropped_start": "drops",
    "dropped_length": "drops",
    "link_element": "links",
}


class Stamp(NamedTuple):
    """By which a file is known to be unchanged."""

    size: int
    modified: int  # nanoseconds


def stamp_of(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return Stamp(-1, -1)  # reading it will say why
    return Stamp(status.st_size, status.st_mtime_ns)


def packed(bundle: Bundle, stamps: Mapping[str, Stamp], problems: Mapping[str, str]) -> bytes:
    """A bundle as it stands in the file; documents with a problem come last."""
    documents = [*bundle.documents, *problems]
    more = len(problems)
    columns: dict[str, pa.Array] = {
        "document": pa.array(documents, pa.string()),
        "size": pa.array([stamps[name].size for name in documents], pa.int64()),
        "modified": pa.array([stamps[name].modified for name in documents], pa.int64()),
        "length": pa.array([*bundle.length.tolist(), *[None] * more], pa.int32()),
        "problem": pa.array([*[None] * len(bundle.documents), *problems.values()], pa.string()),
    }
    for column, number in LISTS.items():
        values: Any = pa.array(getattr(bundle, column))
        if column == "name":
            values = pa.DictionaryArray.from_arrays(values, pa.array(bundle.vocabulary, pa.string()))
        columns[column] = pa.ListArray.from_arrays(_offsets(getattr(bundle, number), more), values)
    targets = pa.array(bundle.link_target, pa.string())
    columns["link_target"] = pa.ListArray.from_arrays(_offsets(bundle.links, more), targets)
    batch = pa.RecordBatch.from_pydict(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content = sink.getvalue().to_pybytes()
    return _FRAME.pack(len(content), zlib.crc32(content)) + content


def _offsets(counts: Any, more: int) -> pa.Array:
    """Where the list of each document starts; ``more`` documents have an empty one."""
    offsets = np.zeros(len(counts) + more + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1 : len(counts) + 1])
    offsets[len(counts) + 1 :] = offsets[len(counts)]
    return pa.array(offsets)


class Partial:
    """The file of finished bundles: opened with what an earlier attempt has left in it, if that was the same work."""

    def __init__(self, path: str, work: Mapping[str, Any]) -> None:
        self.path = path
        head = UNFINISHED + json.dumps(work, sort_keys=True).encode().replace(b"{", b", ", 1) + b"\n"
        try:
            self._file = open(path, "r+b" if os.path.exists(path) else "w+b")
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=path) from error
        self._lock()
        self._frames: list[tuple[int, int]] = []
        if self._file.readline(len(head)) == head:
            self._find_frames(len(head))
        else:
            self._file.seek(0)
            self._file.write(head)
        self._file.truncate(self._file.tell())  # what an interruption has left unfinished

    def _lock(self) -> None:
        """Two at the same work would spoil it."""
        try:
            import fcntl
        except ImportError:  # a system without; there nobody keeps anybody from it
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise InputError("is being written by another process", path=self.path) from None
        except OSError:
            return  # a file system without

    def _find_frames(self, place: int) -> None:
        while len(front := self._file.read(_FRAME.size)) == _FRAME.size:
            length, checksum = _FRAME.unpack(front)
            content = self._file.read(min(length, 1 << 32))
            if len(content) != length or zlib.crc32(content) != checksum:
                break
            place += _FRAME.size
            self._frames.append((place, length))
            place += length
        self._file.seek(place)

    def add(self, frame: bytes) -> None:
        place = self._file.tell()
        self._file.write(frame)
        self._frames.append((place + _FRAME.size, len(frame) - _FRAME.size))

    def batches(self) -> Sequence[pa.RecordBatch]:
        """All bundles, mapped into memory and not read before they are used."""
        self._file.flush()
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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _batch(content: pa.Buffer) -> pa.RecordBatch:
    with pa.ipc.open_stream(content) as stream:
        return stream.read_next_batch()


class Finished(NamedTuple):
    """A document that has been read: the state its file was in, and where to find it."""

    stamp: Stamp
    batch: int
    row: int


def finished(batches: Sequence[pa.RecordBatch]) -> dict[str, Finished]:
    """All documents that have been read; where one was read again, the last time counts."""
    found: dict[str, Finished] = {}
    for i, batch in enumerate(batches):
        columns = (batch[name].to_pylist() for name in ("document", "size", "modified"))
        for row, (document, size, modified) in enumerate(zip(*columns, strict=True)):
            found[document] = Finished(Stamp(size, modified), i, row)
    return found
