"""What is finished of an index while it is being made: a file beside the index, from which the work can go on.

One line of JSON says what the work is. Then bundles of documents follow in no particular order, each with its length
and checksum in front, so that one that was not written to its end is recognised and left. A bundle is an Arrow stream
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

from berrypick.core.errors import InputError
from berrypick.corpus.index import UNFINISHED
from berrypick.corpus.index.columns import LISTS, coded, lists, narrow, numbers, strings, values_of
from berrypick.corpus.index.scan import Bundle, Source

_FRAME = struct.Struct("<QI")  # length and checksum


def packed(bundle: Bundle, sources: Iterable[Source], problems: Mapping[str, str]) -> pa.Buffer:
    """A bundle as it is stored; documents with a problem come last."""
    documents = [*bundle.documents, *problems]
    more = np.zeros(len(problems), dtype=np.int32)
    stamps = {name: (size, modified) for name, _, size, modified in sources}
    states = np.array([stamps[name] for name in documents], dtype=np.int64).reshape(-1, 2)
    columns: dict[str, pa.Array] = {
        "document": strings(documents),
        "size": numbers(states[:, 0]),
        "modified": numbers(states[:, 1]),
        "length": numbers(np.append(bundle.length, more), np.arange(len(documents)) >= len(bundle.documents)),
        "problem": strings([*[None] * len(bundle.documents), *problems.values()]),
    }
    for column, number in {**LISTS, "link_target": "links"}.items():
        values = getattr(bundle, column)
        words = {"name": bundle.vocabulary, "link_target": bundle.targets}.get(column)
        made = numbers(narrow(values)) if words is None else coded(narrow(values), words)
        columns[column] = lists(np.append(getattr(bundle, number), more), made)
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


class Partial:
    """The file of finished bundles: opened with what an earlier attempt has left in it, if that was the same work."""

    def __init__(self, path: str, work: Mapping[str, Any]) -> None:
        self.path = path
        #: What there is to say of what was found.
        self.remarks: list[str] = []
        self._frames: list[tuple[int, int]] = []
        head = UNFINISHED + json.dumps(work, sort_keys=True).encode().replace(b"{", b", ", 1) + b"\n"
        try:
            self._file = open(path, "r+b" if os.path.exists(path) else "w+b")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=path) from error
        try:
            self._lock()
            self._go_on(head)
        except BaseException:
            self._file.close()
            raise

    def _go_on(self, head: bytes) -> None:
        """Keep what is whole and of the same work."""
        found = self._file.read(len(head))
        if found[: len(UNFINISHED)] != UNFINISHED[: len(found)]:
            raise InputError(
                "is in the way: what is not finished would be kept here, and this is something else",
                path=self.path,
                remedy="remove it, or name another file for the index",
            )
        if found == head:
            self._find_frames(len(head))
        else:
            if len(found) >= len(UNFINISHED):
                self.remarks.append(f"{self.path} was left by other work (folder, version) and is begun anew")
            self._file.seek(0)
            self._file.write(head)
        self._file.truncate(self._file.tell())
        self._file.flush()  # nothing may be pending when processes are forked

    def _lock(self) -> None:
        """Two at the same work would spoil it."""
        try:
            import fcntl
        except ImportError:  # a system without; there nobody keeps anybody from it
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "is being written by another process", path=self.path, remedy="let it finish, or end it"
            ) from None
        except OSError:
            return  # a file system without

    def _find_frames(self, place: int) -> None:
        """Find bundles up to the first that is not whole, as an interruption may leave one."""
        while len(front := self._file.read(_FRAME.size)) == _FRAME.size:
            length, checksum = _FRAME.unpack(front)
            content = self._file.read(min(length, 1 << 32))
            if len(content) != length or zlib.crc32(content) != checksum:
                break
            place += _FRAME.size
            self._frames.append((place, length))
            place += length
        if self._file.seek(0, os.SEEK_END) != place:
            self.remarks.append(f"{self.path} was not whole; what is missing is read again")
        self._file.seek(place)

    def add(self, content: pa.Buffer) -> None:
        """Add a bundle, as it comes from ``packed``."""
        self._file.write(_FRAME.pack(content.size, zlib.crc32(content)))
        self._frames.append((self._file.tell(), content.size))
        self._file.write(content)
        self._file.flush()  # whatever happens now, it is kept

    def batches(self) -> Sequence[pa.RecordBatch]:
        """All bundles, mapped into memory and not read before they are used."""
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


class Finished(NamedTuple):
    """A document that has been read: size and time of its file then, and where to find it."""

    size: int
    modified: int
    batch: int
    row: int


def finished(batches: Sequence[pa.RecordBatch]) -> dict[str, Finished]:
    """All documents that have been read; where one was read again, the last time counts."""
    found: dict[str, Finished] = {}
    for number, batch in enumerate(batches):
        size, modified = (values_of(batch[column]).tolist() for column in ("size", "modified"))
        rows = map(Finished, size, modified, repeat(number), range(batch.num_rows))
        found.update(zip(batch["document"].to_pylist(), rows, strict=True))
    return found
