"""Characters that a short text has in common with stretches of a long one, in order: longest common subsequences.

The plain form keeps, in one whole number, a bit for every character of the short text; the compiled form does the same
word by word.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray
from berrypick.kernels import native

Codes: TypeAlias = npt.NDArray[Any]


def codes_of(text: str) -> Codes:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def narrow_codes(text: str) -> Codes:
    """The same in as few bytes as will do."""
    if text.isascii():
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    if max(text) < "\U00010000":
        return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    return codes_of(text)


class _Common:
    """The common subsequence of a short text with what has been added."""

    def __init__(self, code: Codes) -> None:
        self.places: dict[int, int] = {}
        for place, one in enumerate(code.tolist()):
            self.places[one] = self.places.get(one, 0) | 1 << place
        self.top = 1 << len(code)
        self.reset()

    def reset(self) -> None:
        self.state, self.length = self.top - 1, 0

    def add(self, code: int) -> int:
        common = self.state & self.places.get(code, 0)
        grown = self.state + common
        self.length += grown >= self.top
        self.state = (grown | (self.state - common)) & (self.top - 1)
        return self.length


def common_lengths(code: Codes, text: Codes) -> IntArray:
    """How many characters ``code`` has in common with each prefix of ``text``."""
    found = np.zeros(len(text), dtype=np.int64)
    compiled = native()
    if compiled is not None:
        compiled.common_lengths(code, np.ascontiguousarray(text), found)
    else:
        common = _Common(code)
        found[:] = [common.add(one) for one in text.tolist()]
    return found


def similarity(one: str, other: str) -> float:
    """The share of characters that two texts have in common, in order, in per cent of both; as RapidFuzz's ratio."""
    size = len(one) + len(other)
    if not one or not other:
        return 0.0 if size else 100.0
    short, long = sorted((one, other), key=len)
    common = int(common_lengths(codes_of(short), codes_of(long))[-1])
    return 100 * (1 - (size - 2 * common) / size)


def alike_blocks(code: Codes, text: Codes, block: int, width: int, least: int) -> IntArray:
    """The multiples of ``block`` from which on ``width`` characters have ``least`` in common with ``code``."""
    found = np.zeros(-(-len(text) // block), dtype=np.uint8)
    compiled = native()
    if compiled is not None:
        compiled.alike_blocks(code, text, block, width, least, found)
    else:
        common = _Common(code)
        for i in range(len(found)):
            common.reset()
            stretch = text[i * block : i * block + width].tolist()
            found[i] = any(common.add(one) >= least for one in stretch)
    return np.flatnonzero(found) * block


def best_span(code: Codes, text: Codes, until: int, width: int) -> tuple[int, int, int]:
    """Start, end and length in common of the stretch that is most alike, at most ``width`` long.

    It begins before ``until``, and neither begins nor ends with a blank. Alike is 2 * length / (sum of both sizes);
    of equal ones the shorter counts, then the earlier. (0, 0, 0) if nothing is in common.
    """
    compiled = native()
    if compiled is not None:
        start, end, length = compiled.best_span(code, np.ascontiguousarray(text), until, width)
        return start, end, length
    best = (0, 0, 0)
    common = _Common(code)
    for start in range(min(until, len(text))):
        if text[start] == ord(" "):
            continue
        common.reset()
        for at, one in enumerate(text[start : start + width].tolist(), start):
            length = common.add(one)
            if one == ord(" ") or not length:
                continue
            ours, theirs = at + 1 - start, best[1] - best[0]
            left, right = length * (len(code) + theirs), best[2] * (len(code) + ours)
            if not best[1] or left > right or (left == right and ours < theirs):
                best = (start, at + 1, length)
    return best
