"""Tags and text of many documents, in a few passes over one array with a byte for each of their characters.

Compare ``xml_documents``, which does the like for one document. There, what is said of a document is worked out from a
tree that libxml2 has made; here from the document as it was written, made plain by ``wellformed``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]

#: How deep trees may be is a little different with a tree and without; far below that they are the same.
DEEPEST = 128

_NAME = re.compile(rb"<([^\s/>!?]+)")
_SHORT = 24  # what names are shorter than, a multiple of 8
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD], dtype=np.uint64)


def int32(values: Any) -> Int32Array:
    return np.asarray(values, dtype=np.int32)


class Tags:
    """The tags of some documents, and the text behind each of them; compare ``xml_documents``."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.characters = b"".join(documents)
        characters = np.frombuffer(self.characters, dtype=np.uint8)
        self._signs = np.flatnonzero((characters | 3) == ord("?"))  # which < = > become, too
        self._kinds = characters[self._signs]
        self._is_bracket = (self._kinds | 2) == ord(">")  # which < becomes, too
        brackets = self._signs[self._is_bracket]
        self.start, self.end = brackets[::2], brackets[1::2]
        #: Whether there is no < or > but where tags start and end. If there is, nothing else here is right.
        self.alternate = bool((characters[self.start] == ord("<")).all())
        if not self.alternate:
            return
        kind = characters[self.start + 1]
        self.closing = kind == ord("/")
        self.element = ~self.closing & (kind != ord("!")) & (kind != ord("?"))
        self.empty = self.element & (characters[self.end - 1] == ord("/"))
        #: How many elements are open behind each tag.
        self.level = np.cumsum(self.element.astype(np.int8) - self.closing - self.empty, dtype=np.int32)
        #: The first tag of each document.
        self.first = np.searchsorted(self.start, np.cumsum([0, *map(len, documents[:-1])]))
        self._last = np.append(self.first[1:], len(self.start)) - 1
        #: How many elements have started with each tag, and how many there are in each document.
        self.passed = np.cumsum(self.element, dtype=np.int32)
        self.elements = np.diff(self.passed[self._last], prepend=int32([0]))
        self._measure_text(characters)

    @property
    def sound(self) -> bool:
        """Whether every document is whole, and none so deep that its tree might be refused."""
        if not self.alternate or self.level[self._last].any():
            return False
        return int(self.level.min()) == 0 and int(self.level.max()) <= DEEPEST

    def of_documents(self, values: npt.NDArray[Any]) -> Int32Array:
        """Values of tags added up in each document."""
        return np.add.reduceat(values, self.first, dtype=np.int32)

    def _measure_text(self, characters: npt.NDArray[np.uint8]) -> None:
        behind = np.append(self.start[1:], len(characters)) - self.end - 1
        inside = self.level > 0
        self.text_length = np.where(inside, behind, 0).astype(np.int32)
        #: The tags with text behind them, which is a text node, and how many there are in each document.
        self.text = np.flatnonzero(self.text_length)
        self.texts = np.diff(np.searchsorted(self.text, self._last, side="right"), prepend=0).astype(np.int32)
        stretches = np.stack([self.end - self.start + 1, behind], axis=1).ravel()
        kinds = np.stack([np.zeros_like(inside), inside], axis=1).ravel()
        self._merge_white(characters[np.repeat(kinds, stretches)])

    def _merge_white(self, text: npt.NDArray[np.uint8]) -> None:
        """Find white space that follows white space in the same document, and measure text nodes without it."""
        lengths = self.of_documents(self.text_length)
        begins = np.cumsum(lengths) - lengths
        dropped = np.zeros(len(text) + 1, dtype=np.bool_)
        white = text <= ord(" ")
        np.logical_and(white[1:], white[:-1], out=dropped[1 : len(text)])
        dropped[begins] = False
        edges = np.flatnonzero(dropped[1:] != dropped[:-1]) + 1
        document = np.searchsorted(begins, edges[::2], side="right") - 1
        self.drops = np.bincount(document, minlength=len(begins)).astype(np.int32)
        self.dropped_start = int32(edges[::2] - begins[document])
        self.dropped_length = int32(edges[1::2] - edges[::2])
        #: The length of the text behind each tag when white space is merged.
        self.line_length = self.text_length.copy()
        if len(self.text):
            node_start = np.cumsum(self.text_length[self.text]) - self.text_length[self.text]
            self.line_length[self.text] -= np.add.reduceat(dropped[:-1], node_start, dtype=np.int32)

    def spans(self) -> tuple[Int32Array, Int32Array]:
        """Where each element starts and ends on the line of its document."""
        offset = np.cumsum(self.line_length, dtype=np.int64) - self.line_length
        first = np.repeat(offset[self.first], self.elements)
        return int32(offset[self.element] - first), int32(offset[self.nesting.closed_by] - first)

    def holders(self) -> tuple[Int32Array, Int32Array]:
        """The parent of each element, and the element that each text node belongs to."""
        nesting = self.nesting
        first = np.cumsum(self.elements) - self.elements
        parent = nesting.around[nesting.element] - np.repeat(first, self.elements)
        parent[first] = -1
        holder = np.where(nesting.opening, nesting.number, nesting.around)
        behind = np.cumsum(self.element | self.closing)[self.text] - 1
        return int32(parent), int32(holder[behind] - np.repeat(first, self.texts))

    @cached_property
    def nesting(self) -> Nesting:
        return Nesting(self)

    def equals(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where an ``=`` stands in a tag, and in which."""
        equals = self._kinds == ord("=")
        brackets = np.cumsum(self._is_bracket)[equals]  # before it: an odd number if the last one has opened a tag
        inside = brackets % 2 == 1
        return self._signs[equals][inside], brackets[inside] // 2


class Nesting:
    """Which tags belong together, and which element is around each, among those tags that start or end an element.

    Put the tags of each depth together, in the order in which they stand. Behind a tag that opens an element is then
    the one that closes it. And siblings follow each other, so that the element around is known from the first of them,
    which stands right behind the tag of its parent, until there is another first.
    """

    def __init__(self, tags: Tags) -> None:
        places = np.flatnonzero(tags.element | tags.closing)
        self.element = tags.element[places]
        self.opening = self.element & ~tags.empty[places]
        #: Of the element whose tag it is; for a closing tag of no use.
        self.number = tags.passed[places] - 1
        depth = tags.level[places] + ~self.opening
        order = np.argsort(depth.astype(np.int16), kind="stable")
        closed_by = places.copy()
        closed_by[order[:-1]] = np.where(self.opening[order[:-1]], places[order[1:]], places[order[:-1]])
        self.closed_by = closed_by[self.element]
        above = np.append(-1, np.where(self.opening, self.number, -1)[:-1])  # if it is a first child
        first = self.element & (above >= 0)
        known = np.maximum.accumulate(np.where(first[order], np.arange(len(order)), 0))
        self.around = np.empty_like(self.number)
        self.around[order] = above[order[known]]


def short_names(tags: Tags) -> tuple[list[bytes], Int32Array] | None:
    """The names there are, and which of them each element has; None unless all names are short and in ASCII."""
    characters = np.frombuffer(tags.characters + bytes(_SHORT), dtype=np.uint8)
    rows = np.lib.stride_tricks.sliding_window_view(characters, _SHORT)[tags.start[tags.element] + 1]
    over = (rows <= ord(" ")) | (rows == ord("/")) | (rows == ord(">"))
    length = over.argmax(axis=1)
    words = rows.view("<u8")  # a name is some numbers then
    for place in range(words.shape[1]):
        words[:, place] &= _FIRST_BYTES[np.clip(length - 8 * place, 0, 8)]
    for factor in _FACTORS:
        name, example = _apart(words, factor)
        if bool((words[example[name]] == words).all()):
            break
    else:
        return None
    names = [bytes(row[:end]) for row, end in zip(rows[example], length[example].tolist(), strict=True)]
    return (names, name) if bool(length.all()) and all(map(bytes.isascii, names)) else None


def _apart(words: npt.NDArray[np.uint64], factor: np.uint64) -> tuple[Int32Array, npt.NDArray[np.int64]]:
    """Tell rows apart by a short number made from each, without sorting them; and for each kind of row an example.

    Different rows may happen to have the same number: then another factor will do better.
    """
    mixed = words[:, 0] * factor
    for place in range(1, words.shape[1]):
        mixed = (mixed ^ words[:, place]) * factor
    short = (mixed >> np.uint64(48)).astype(np.int32)
    there = np.zeros(1 << 16, dtype=np.bool_)
    there[short] = True
    kinds = np.flatnonzero(there)
    code = np.zeros(1 << 16, dtype=np.int32)
    code[kinds] = np.arange(len(kinds))
    kind = code[short]
    example = np.zeros(len(kinds), dtype=np.int64)
    example[kind] = np.arange(len(kind))
    return kind, example


def any_names(written: bytes) -> tuple[list[bytes], Int32Array]:
    names = _NAME.findall(written)
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return list(codes), np.fromiter(map(codes.__getitem__, names), dtype=np.int32, count=len(names))
