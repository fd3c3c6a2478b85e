"""How much is read, and how much memory that may take."""

from __future__ import annotations

import os
import sys

from berrypick.data.errors import InputError, UsageError
from berrypick.files.line_words import finite

#: The environment variable that sets how many gigabytes a compressed file, a pipe or a device may expand to.
EXPANSION_LIMIT = "BERRYPICK_EXPANSION_LIMIT"
#: What reading a compressed file may take in memory: a share of what it may expand to, because values are put together
#: from what was read, or a multiple of its own size; at least so many bytes, because libraries are loaded meanwhile.
_MEMORY_SHARE, _MEMORY_MULTIPLE, _LEAST_MEMORY = 0.5, 50, 1 << 28


def expansion_limit() -> int:
    """Bytes that a compressed file, a pipe or a device may expand to."""
    word = os.environ.get(EXPANSION_LIMIT, "")
    gigabytes = finite(word) if word else 1.0
    if gigabytes is None or gigabytes <= 0:
        raise UsageError(f"{EXPANSION_LIMIT} is {word!r}, expected a number of gigabytes above 0")
    return int(gigabytes * 2**30)


def too_large(path: str) -> InputError:
    shown = f"{expansion_limit() / 2**30:g} GB"
    what = f"expands to more than {shown}, the maximum from a compressed file, a pipe or a device"
    return InputError(what, path=path, remedy=_OTHER_LIMIT)


_OTHER_LIMIT = f"the environment variable {EXPANSION_LIMIT} sets another limit, in gigabytes"


class MemoryGuard:
    """Bounds what the process takes in memory while it reads a compressed file: some content is short in the file and
    long in memory, such as millions of empty elements."""

    def __init__(self, path: str, size: int) -> None:
        self._path, self._before, self._most = path, _memory_in_use(), memory_limit(size)

    def check(self) -> None:
        if _memory_in_use() - self._before > self._most:
            raise too_much_memory(self._path, self._most)


def memory_limit(size: int) -> int:
    """Bytes that reading a compressed file of some size may take in memory."""
    return max(int(expansion_limit() * _MEMORY_SHARE), size * _MEMORY_MULTIPLE, _LEAST_MEMORY)


def too_much_memory(path: str, most: int) -> InputError:
    shown = f"{most / 2**20:.0f} MB"
    what = f"takes more than {shown} in memory, the most for a compressed file of its size"
    return InputError(what, path=path, remedy=_OTHER_LIMIT)


def _memory_in_use() -> int:
    """Bytes of memory that the process holds, the most it ever held where the system says only that; else 0."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, AttributeError):
        pass
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def text_cost(data: bytes) -> int:
    """Bytes that a part of a text takes as it is read and as text; one character beyond ASCII can make all of them
    four times as large."""
    return 2 * len(data) if data.isascii() else 5 * len(data)


#: Bytes of memory, at most, for what a character of JSON begins: an object, a list, an item with a number, a text.
_COSTS = ((b"{", 240), (b"[", 72), (b",", 40), (b'"', 30))


def json_cost(data: bytes) -> int:
    """Bytes of memory that a part of a JSON file takes, at most."""
    return 2 * text_cost(data) + sum(data.count(mark) * cost for mark, cost in _COSTS)
