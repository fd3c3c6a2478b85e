"""Text files of words and white space, read into columns by the compiled scanner.

Whatever is not exactly as the format says (a bad line, bytes that are no text, a number in a form that only Python
knows, white space beyond ASCII) ends the scan, and the plain reader of lines reads the file instead: that reader alone
decides what is an error, and names the line. So columns are a matter of speed only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.core.arrays import Narrow
from berrypick.core.names import Names
from berrypick.core.run import Coded, Stretches
from berrypick.formats._files import LONGEST, DamagedError, open_bytes
from berrypick.kernels import native

#: Bytes that are read at once: small enough to stay in the processor's memory. Longer lines make it grow.
BLOCK = 1 << 18

_MARK = b"\xef\xbb\xbf"


class Scanned:
    """The columns of a file, by name."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

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

    @property
    def topic_names(self) -> list[str]:
        return list(Names(self.columns["topics"]))


def scan(path: str, format: str) -> Scanned | None:
    """The columns of a file; None if the plain reader has to read it."""
    compiled = native()
    if compiled is None:
        return None
    lines = compiled.lines_of(format)
    try:
        complete = _feed(lines, path)
    except DamagedError:  # the plain reader names the line
        return None
    return Scanned(lines.finish()) if complete else None


def _feed(lines: Any, path: str) -> bool:
    """Give a file to the scanner block by block; a byte order mark is no character."""
    block, filled, first = np.empty(BLOCK, dtype=np.uint8), 0, True
    with open_bytes(path) as stream:
        while True:
            if filled == len(block):  # a line that is longer
                if len(block) >= LONGEST:  # which the plain reader reports
                    return False
                block = np.concatenate([block, np.empty(len(block), dtype=np.uint8)])
            got = stream.readinto(memoryview(block)[filled:])  # type: ignore[arg-type]
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
