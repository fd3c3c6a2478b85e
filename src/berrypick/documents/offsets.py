"""What offsets count: characters, bytes of UTF-8 or UTF-16 units, and from one to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from berrypick.data.arrays import IntArray, Positions
from berrypick.data.errors import InputError, UsageError, nearest, option
from berrypick.data.truth import OFFSETS, Offsets

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


def check_offsets(name: str | None) -> Offsets:
    if name is None:
        return "chars"
    if name not in OFFSETS:
        close = nearest(name, list(OFFSETS)) or f"; expected one of {', '.join(OFFSETS)}"
        raise UsageError(f"unknown offsets {name!r}{close}")
    return name


#: What offsets count, in words.
UNIT_NAMES = {"chars": "characters", "bytes": "bytes", "utf16": "UTF-16 units"}


class Units:
    """From offsets in bytes or UTF-16 units to characters, for one text, and back.

    ``marked``: a byte order mark stands before the text in its file; ``+bom`` counts it, as one character, three bytes
    or one UTF-16 unit.
    """

    def __init__(self, text: str, counting: Offsets, marked: bool = False) -> None:
        self.counting = counting
        unit, _, bom = counting.partition("+")
        self.mark = (3 if unit == "bytes" else 1) if bom and marked else 0
        self.plain = unit == "chars" or text.isascii()
        self.total = len(text) + self.mark
        if not self.plain:
            points = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
            if unit == "bytes":
                width = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
            else:
                width = 1 + (points > 0xFFFF).astype(np.int64)
            self.starts = np.concatenate([[0], np.cumsum(width)])  # where every character starts, and the end
            self.total = int(self.starts[-1]) + self.mark

    def characters(self, offsets: Positions) -> tuple[IntArray, IntArray]:
        """The offsets in characters, and the rows of those inside a character."""
        whole = offsets.astype(np.int64)
        if self.mark:  # what starts before or in the mark starts with the text
            whole = np.maximum(whole - self.mark, 0)
        if self.plain:
            return whole, np.zeros(0, dtype=np.int64)
        place = np.searchsorted(self.starts, whole, side="left")
        split = self.starts[np.minimum(place, len(self.starts) - 1)] != whole
        return place, np.flatnonzero(split)

    def offset(self, character: int) -> int:
        """Where a character starts, in these units."""
        return self.mark + (character if self.plain else int(self.starts[character]))


def count_units(text: str, counting: Offsets) -> int:
    """The length of a text in these units."""
    unit = counting.partition("+")[0]
    if unit == "chars" or text.isascii():
        return len(text)
    encoded = text.encode("utf-8" if unit == "bytes" else "utf-16-le", errors="surrogatepass")
    return len(encoded) if unit == "bytes" else len(encoded) // 2


class UnitsCache:
    """Units of each document, made once."""

    def __init__(self, texts: Texts, counting: Offsets) -> None:
        self.texts, self.counting = texts, counting
        self.known: dict[str, Units] = {}

    def of(self, document: str) -> Units:
        if document not in self.known:
            marked = self.counting.endswith("+bom") and self.texts.has_mark(document)
            self.known[document] = Units(self.texts[document], self.counting, marked)
        return self.known[document]

    def spans(
        self, document: str, start: Positions, end: Positions, rows: IntArray, line: IntArray | None, source: str
    ) -> tuple[IntArray, IntArray]:
        units = self.of(document)
        what = UNIT_NAMES[self.counting.partition("+")[0]]

        def refuse(bad: int, problem: str) -> InputError:
            where = int(line[rows[bad]]) if line is not None else None
            return InputError(
                f"the span {start[bad]:.12g}-{end[bad]:.12g} of {document} {problem}",
                path=source or None,
                line=where,
                remedy=f"{document} has {units.total} {what}; set the unit of the offsets (chars, bytes or utf16) with "
                f"{option('offsets')}",
            )

        if (beyond := np.flatnonzero(end > units.total)).size:
            raise refuse(int(beyond[0]), "goes beyond the end of the document")
        for offsets in (start, end):
            if (broken := np.flatnonzero(offsets != np.floor(offsets))).size:
                raise refuse(int(broken[0]), "has an offset that is not a whole number")
        first, inside = units.characters(start)
        last, also = units.characters(end)
        if (split := np.union1d(inside, also)).size:
            raise refuse(int(split[0]), "starts or ends inside a character")
        return first, last


def inside_word(text: str, at: int) -> bool:
    """Whether a place is between two characters of one word."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
