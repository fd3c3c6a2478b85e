"""Text files of words and white space, read into columns by the compiled scanner.

Whatever is not exactly as the format says (a bad line, bytes that are no text, a number in a form that only Python
knows, white space beyond ASCII) ends the scan, and the plain reader of lines reads the file instead: that reader alone
decides what is an error, and names the line. So columns are a matter of speed only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from io import BufferedReader
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray, Narrow
from berrypick.data.columns import Coded, CodedNames, LineRange, Names, Packed, Stretches
from berrypick.files.files import LONGEST, DamagedError, is_plain_file, open_bytes
from berrypick.kernels import native

#: Bytes that are read at once: small enough to stay in the processor's memory. Longer lines make it grow.
BLOCK = 1 << 18
#: Bytes at the end of a block that are left free: the scanner looks at many bytes at once.
SLACK = 64
#: Files of so many bytes are read by so many threads, if their format can be read in parts.
LARGE, THREADS = 1 << 25, 2
#: Columns of so many rows stay packed until they are asked for.
LONG = 1 << 16

_MARK = b"\xef\xbb\xbf"


def as_column(column: Any) -> Any:
    """A column as the scanner hands it over: long ones stay packed, short ones are widened."""
    if isinstance(column, range):
        lines = LineRange(column.start, len(column))
        return lines if len(column) >= LONG else np.arange(column.start, column.stop, dtype=np.int32)
    if isinstance(column, tuple):  # whole numbers, and how many decimals they have
        whole, divisor = column[0], float(10 ** column[1])
        return Packed(whole, divisor) if len(whole) >= LONG else whole / divisor
    return column


class Scanned:
    """The columns of a file, by name."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = {name: as_column(column) for name, column in columns.items()}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.columns[name]
        except KeyError:
            raise AttributeError(name) from None

    def coded(self) -> tuple[Stretches, Coded]:
        """Topics and documents."""
        return self.stretches, Coded(Names(self.columns["documents"]), self.columns["document"])

    @property
    def stretches(self) -> Stretches:
        """Topics."""
        return Stretches(self.topic_names, self.stretch_topic, self.stretch_begins, len(self.line))

    @property
    def topic(self) -> Narrow:
        """The code of the topic of every line."""
        return np.repeat(self.stretch_topic, np.diff(np.append(self.stretch_begins, len(self.line))))

    def by_topic(self) -> tuple[IntArray | slice, IntArray] | None:
        """Rows in the order of their topics, and where each topic begins and the last one ends; None if a document
        stands twice in a topic."""
        compiled = native()
        assert compiled is not None  # columns are there where the kernels are compiled
        order: IntArray | slice = slice(None)  # where every topic is one stretch
        bounds = np.append(self.stretch_begins, len(self.line))
        if len(bounds) - 1 > len(self.topic_names):
            topic = self.topic
            order = np.argsort(topic, kind="stable")
            bounds = np.searchsorted(topic[order], np.arange(len(self.topic_names) + 1))
        found = np.empty(len(bounds) - 1, dtype=bool)
        compiled.repeated_documents(bounds, self.document[order], len(self.documents), found)
        return None if found.any() else (order, bounds)

    def rows(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """The names of topic and document in every line, then what it has in some other columns."""
        topics = map(self.topic_names.__getitem__, self.topic.tolist())
        documents = map(self.document_names.__getitem__, self.document.tolist())
        return zip(topics, documents, *(self.columns[name][:].tolist() for name in columns), strict=True)

    def parts(self, codes: Narrow, bounds: list[int]) -> Iterator[CodedNames]:
        """The names of documents from one of the bounds to the next."""
        names, known = self.named[codes].tolist(), self.document_names
        return (CodedNames.of(names[a:b], codes[a:b], known) for a, b in pairwise(bounds))

    @cached_property
    def named(self) -> npt.NDArray[np.object_]:
        """The names of documents, for taking many at once by their codes."""
        made = np.empty(len(self.document_names), dtype=object)
        made[:] = self.document_names
        return made

    @cached_property
    def topic_names(self) -> list[str]:
        return list(Names(self.columns["topics"]))

    @cached_property
    def document_names(self) -> list[str]:
        return list(Names(self.columns["documents"]))


def scan(path: str, format: str, in_parts: bool = False) -> Scanned | None:
    """The columns of a file; None if the plain reader has to read it."""
    compiled = native()
    if compiled is None:
        return None
    return scan_with(compiled.lines_of(format), path, in_parts)


def scan_with(lines: Any, path: str, in_parts: bool = False) -> Scanned | None:
    """The same with a scanner that is made ready."""
    try:
        complete = _read(lines, path, in_parts)
    except DamagedError:  # the plain reader names the line
        return None
    return Scanned(lines.finish()) if complete else None


def _read(lines: Any, path: str, in_parts: bool) -> bool:
    """Give a file to the scanner."""
    with open_bytes(path, 1 << 12) as stream:  # what is read goes into blocks
        if in_parts and is_plain_file(stream):
            size = os.fstat(stream.fileno()).st_size
            threads = _threads() if size >= LARGE else 1
            if threads > 1:
                begin = len(_MARK) if stream.peek(len(_MARK))[: len(_MARK)] == _MARK else 0
                return bool(lines.read_parts(stream.fileno(), begin, size, BLOCK, LONGEST, threads))
        return _feed(lines, stream)


def _threads() -> int:
    """The number of threads that read a file; one in a process that was started for a share of the work."""
    process = sys.modules.get("multiprocessing.process")
    if os.name != "posix" or (process is not None and process.parent_process() is not None):
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return min(THREADS, os.cpu_count() or 1 if affinity is None else len(affinity(0)))


def _feed(lines: Any, stream: BufferedReader) -> bool:
    """Block by block; a byte order mark is no character."""
    block, filled, first = np.empty(BLOCK + SLACK, dtype=np.uint8), 0, True
    while True:
        if filled == len(block) - SLACK:  # a line that is longer
            if len(block) >= LONGEST:  # which the plain reader reports
                return False
            block = np.concatenate([block, np.empty(len(block), dtype=np.uint8)])
        got = stream.readinto(memoryview(block)[filled:-SLACK])  # type: ignore[arg-type]
        filled += got
        if first:
            if got and filled < len(_MARK):
                continue
            first = False
            if filled >= len(_MARK) and block[: len(_MARK)].tobytes() == _MARK:  # else of what was there before
                filled -= len(_MARK)
                block[:filled] = block[len(_MARK) : len(_MARK) + filled].copy()
        done = lines.feed(block, filled, not got)
        if done < 0 or not got:
            return bool(done >= 0)
        rest = filled - done
        block[:rest] = block[done:filled].copy()
        filled = rest
