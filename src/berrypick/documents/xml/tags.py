"""Tags and text of many documents at once, in a few passes over one array with a byte for each of their characters.

``xml_documents`` does the same for one document. An array operation costs about as much for a bundle of short documents
as for one of them, so a collection is read in bundles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]

_NAME = re.compile(rb"<([^ />!?]+)")
_REFERENCE = re.compile(rb"&[^;]+;")
_OTHER = b"\xff"  # a character that is not white space


def int32(values: Any) -> Int32Array:
    return np.asarray(values, dtype=np.int32)


class Tags:
    """The tags of some documents, and the text behind each of them.

    Documents are given as ``markup_of`` serialises them: ``<`` is the start of a tag and ``>`` its end, nothing else.
    """

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.markup = b"".join(documents)
        self.characters = _one_byte_each(self.markup)
        brackets = np.flatnonzero((self.characters | 2) == ord(">"))  # which < becomes, too
        self.start, self.end = brackets[::2], brackets[1::2]
        kind = self.characters[self.start + 1]
        self.closing = kind == ord("/")
        self.element = ~self.closing & (kind != ord("!")) & (kind != ord("?"))
        self.empty = self.element & (self.characters[self.end - 1] == ord("/"))
        #: How many elements are open behind each tag.
        self.level = np.cumsum(self.element.astype(np.int8) - self.closing - self.empty, dtype=np.int32)
        #: The last and first tag of each document: where the root element ends, and the next one starts.
        self._last = np.flatnonzero(self.level == 0)
        self.first = np.append(0, self._last[:-1] + 1)
        #: How many elements have started with each tag, and how many there are in each document.
        self.passed = np.cumsum(self.element, dtype=np.int32)
        self.elements = np.diff(self.passed[self._last], prepend=int32([0]))
        self._measure_text()

    def of_documents(self, values: npt.NDArray[Any]) -> Int32Array:
        """Values of tags added up in each document."""
        return np.add.reduceat(values, self.first, dtype=np.int32)

    def _measure_text(self) -> None:
        behind = np.append(self.start[1:], len(self.characters)) - self.end - 1
        self.text_length = int32(behind)
        #: The tags with text behind them, which is a text node, and how many there are in each document.
        self.text = np.flatnonzero(behind)
        self.texts = np.diff(np.searchsorted(self.text, self._last, side="right"), prepend=0).astype(np.int32)
        stretches = np.stack([self.end - self.start + 1, behind], axis=1).ravel()
        is_text = np.tile([False, True], len(behind))
        self._merge_white(self.characters[np.repeat(is_text, stretches)])

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
        """Where each element starts and ends in the text of its document."""
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

    def names(self) -> tuple[list[str], Int32Array]:
        """The local names there are, and which of them each element has."""
        found, codes = _NAME.findall(self.markup), _Codes()
        name = np.fromiter(map(codes.__getitem__, found), dtype=np.int32, count=len(found))
        local = [name.rpartition(b":")[2].decode() for name in codes]
        names = {one: code for code, one in enumerate(dict.fromkeys(local))}
        return list(names), int32([names[one] for one in local])[name]


class _Codes(dict[bytes, int]):
    """Names to numbers, in the order in which they are first looked up."""

    def __missing__(self, name: bytes) -> int:
        self[name] = code = len(self)
        return code


def _one_byte_each(markup: bytes) -> npt.NDArray[np.uint8]:
    """The first byte of each character. Those of tags are all in ASCII, and white space is."""
    if b"&" in markup:
        markup = _REFERENCE.sub(_OTHER, markup.replace(b"&#13;", b"\r"))  # the only white space that is escaped in text
    characters = np.frombuffer(markup, dtype=np.uint8)
    return characters if markup.isascii() else characters[(characters & 0xC0) != 0x80]


class Nesting:
    """Which tags belong together, and which element is around each, among those tags that start or end an element.

    Put the tags of each depth together, in document order. Behind a tag that opens an element is then the one that
    closes it. And siblings follow each other, so that the element around is known from the first of them, which is
    right behind the tag of its parent, until there is another first.
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
