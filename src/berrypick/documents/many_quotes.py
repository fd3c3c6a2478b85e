"""Many quotes in many texts, in one pass over the texts.

A window of some characters of a quote has a hash, and so has every window of the texts. Where the two are equal the
quote is compared. Of several windows of a quote the rarest is looked at, so that quotes that begin alike cost no more
than others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray

#: Lengths of windows: the longest that fits into a quote.
WINDOWS = (8, 16, 32)
#: With fewer quotes to find each is sought for itself.
MANY = 100
#: Characters that are looked at together.
PIECE = 1 << 19
#: Windows of a long quote that are looked at.
_ANCHORS = 3
_Hashes = npt.NDArray[np.uint64]
_BASE, _SPREAD, _BITS = 0x9E3779B97F4A7C15 | 1, np.uint64(0xD6E8FEB86659FD93), 22


def find_many(quotes: Collection[str], texts: Sequence[str], piece: int = PIECE) -> dict[str, list[tuple[int, int]]]:
    """Where each quote begins: the number of the text and the place in it, in order, overlapping ones too.

    Quotes that are shorter than the shortest window are left out.
    """
    long = [quote for quote in dict.fromkeys(quotes) if len(quote) >= WINDOWS[0]]
    found: dict[str, list[tuple[int, int]]] = {}
    for window in WINDOWS:
        longer = next((other for other in WINDOWS if other > window), None)
        chosen = [quote for quote in long if window <= len(quote) and (longer is None or len(quote) < longer)]
        if chosen:
            found |= _WindowIndex.of(chosen, window, texts, piece).places(texts)
    return found


@dataclass(frozen=True)
class _WindowIndex:
    """Windows of quotes, and where texts have them; ``anchors`` are the windows of each quote: place and number."""

    anchors: dict[str, list[tuple[int, int]]]
    bounds: IntArray  # of the places of each window, in the two columns
    text: IntArray
    place: IntArray

    @classmethod
    def of(cls, quotes: Sequence[str], window: int, texts: Sequence[str], piece: int) -> _WindowIndex:
        starts = {quote: _starts(len(quote), window) for quote in quotes}
        parts = "".join(quote[at : at + window] for quote in quotes for at in starts[quote])
        known, number = np.unique(_hashes(parts, window)[::window], return_inverse=True)
        numbers = iter(number.reshape(-1).tolist())
        anchors = {quote: [(at, next(numbers)) for at in places] for quote, places in starts.items()}
        table = np.zeros(1 << _BITS, dtype=bool)
        table[_short(known)] = True
        columns = [np.concatenate(column) for column in zip(*_hits(texts, window, piece, known, table), strict=True)]
        order = np.argsort(columns[0], kind="stable")
        bounds = np.searchsorted(columns[0][order], np.arange(len(known) + 1))
        return cls(anchors, bounds, columns[1][order], columns[2][order])

    def places(self, texts: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
        """Where texts have the quotes themselves."""
        count = np.diff(self.bounds).tolist()
        found = {}
        for quote, anchors in self.anchors.items():
            at, number = min(anchors, key=lambda anchor: count[anchor[1]])
            rows = slice(int(self.bounds[number]), int(self.bounds[number + 1]))
            begins = zip(self.text[rows].tolist(), (self.place[rows] - at).tolist(), strict=True)
            found[quote] = [
                (text, begin) for text, begin in begins if begin >= 0 and texts[text].startswith(quote, begin)
            ]
        return found


def _starts(length: int, window: int) -> list[int]:
    """Where the windows of a quote begin: at its ends, and between."""
    return sorted({(length - window) * i // (_ANCHORS - 1) for i in range(_ANCHORS)})


def _hits(
    texts: Sequence[str], window: int, piece: int, known: _Hashes, table: npt.NDArray[np.bool_]
) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Windows of the texts whose hash is known: its number, the text, the place in it."""
    none = np.zeros(0, dtype=np.int64)
    yield none, none, none
    for parts in _batches(texts, window, piece):
        joined = "".join(texts[number][low : low + piece + window - 1] for number, low in parts)
        hashes = _hashes(joined, window)
        rows = np.flatnonzero(table[_short(hashes)])
        number = np.searchsorted(known, hashes[rows])
        same = known[np.minimum(number, len(known) - 1)] == hashes[rows]
        rows, number = rows[same], number[same]
        sizes = [min(len(texts[text]) - low, piece + window - 1) for text, low in parts]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        part = np.searchsorted(begins, rows, side="right") - 1
        inside = rows - begins[part]
        own = inside < piece  # the next part begins there
        text, low = np.array(parts, dtype=np.int64).T
        yield number[own], text[part[own]], (inside + low[part])[own]


def _batches(texts: Sequence[str], window: int, piece: int) -> Iterator[list[tuple[int, int]]]:
    """Parts of texts, some together, each by its text and where it begins."""
    waiting: list[tuple[int, int]] = []
    size = 0
    for number, text in enumerate(texts):
        for low in range(0, len(text), piece):
            waiting.append((number, low))
            size += min(len(text) - low, piece + window - 1)
            if size >= piece:
                yield waiting
                waiting, size = [], 0
    if waiting:
        yield waiting


def _hashes(text: str, window: int) -> _Hashes:
    """A hash of the characters from each place on, as many as there are whole windows: sums of powers, modulo 2^64."""
    found = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    found += np.uint64(1)
    width, power = 1, _BASE
    while width < window:
        both = found[:-width] * np.uint64(power)
        both += found[width:]
        found, width, power = both, 2 * width, power * power % 2**64
    return found


def _short(hashes: _Hashes) -> npt.NDArray[np.int64]:
    """The first bits of hashes, for a table of them."""
    spread = hashes * _SPREAD
    spread >>= np.uint64(64 - _BITS)
    return spread.view(np.int64)
