"""The structure of one XML document without its text: elements with their places on the document's line.

The line of a document is its text with every run of white space merged into one character, mark-up left out; offsets
count characters on it, half-open. Elements are in document order (a parent before its children).

Three ways of pointing into a document convert into each other here:

* a path, ``/article[1]/bdy[1]/sec[2]``: an element;
* a point, ``/article[1]/p[5]/text()[1].89``: so many characters of a text node as it was written (white space not yet
  merged), counted from 0; or a path again, which means the start of the element where a passage starts, and its end
  where a passage ends;
* offsets on the line, as FOL files (file, offset, length) have them.

**The offset at which a passage ends is the one after its last character.** X-Rai, the program that wrote the INEX
assessments, counted the characters read when the highlighted text was over (``download_pools.php``, ``getXPointer``).
Its version of 2006 added 1 to all sizes as if that character still belonged to the passage (hence ``.89`` to ``.199``
with size 111 in Figure 2 of the effort-precision paper); its version of 2007 took this back. So the points of both
years mean the same, and the sizes of 2006 are 1 too large. ``inclusive=True`` reads the other way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray
from berrypick.data.errors import InputError, shorten

# A prefix is let pass and not looked at: structures know local names only.
_STEP = re.compile(r"(?:[^/\[\]():]+:)?([^/\[\]():]+)(?:\[([0-9]{1,9})\])?")
_TEXT_POINT = re.compile(r"(/.+?)/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,9}))?/?")


class TextPoint(NamedTuple):
    """A place in a text node; without an offset, the node as a whole."""

    parent: str
    position: int
    offset: int | None


@lru_cache(maxsize=65536)
def steps(path: str) -> tuple[tuple[str, int], ...]:
    """The names and positions along a path. A missing ``[1]`` and a slash at the end are met in the field."""
    whole = "".join(path.split()).removesuffix("/")
    found = [_STEP.fullmatch(step) for step in whole[1:].split("/")]
    if whole[:1] != "/" or None in found:
        raise InputError(f"{shorten(path)!r} is not the path of an element", remedy="expected like /article[1]/sec[2]")
    return tuple((step[1], int(step[2] or 1)) for step in found if step)


@lru_cache(maxsize=65536)
def text_point(point: str) -> TextPoint | None:
    """The parts of ``parent/text()[k].offset``; None for anything else, which then ought to be a path."""
    match = _TEXT_POINT.fullmatch("".join(point.split()))
    return match and TextPoint(match[1], int(match[2] or 1), None if match[3] is None else int(match[3]))


def _occurrences(keys: IntArray) -> IntArray:
    """For each place, how many places up to there (and with it) have the same key."""
    order = np.argsort(keys, kind="stable")
    head = np.append(True, keys[order][1:] != keys[order][:-1])[: len(keys)]
    places = np.arange(len(keys))
    found = np.empty_like(keys)
    found[order] = places - np.maximum.accumulate(np.where(head, places, 0)) + 1
    return found


def _merged(start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """The stretches that non-empty spans, at least one, cover together, apart from each other."""
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    apart = start[1:] > reach[:-1]
    return start[np.append(True, apart)], reach[np.append(apart, True)]


@dataclass(frozen=True, eq=False)
class Structure:
    """Columns, one row per element; text nodes in columns of their own, none of them empty, in document order."""

    name: Sequence[str]  # the tag, without namespace
    parent: IntArray  # index of the parent, -1 for the root
    start: IntArray
    end: IntArray
    length: int
    text_parent: IntArray  # the element a text node belongs to
    text_raw_length: IntArray  # characters in the node as written
    #: The characters that merging dropped, ascending, counted in the text of the document as written: all text nodes
    #: joined. White space survives at the first place of a run, even where the run goes on in another node.
    dropped: IntArray
    links: Sequence[tuple[int, str]] = field(default_factory=tuple)  # (element, document linked to)

    def __len__(self) -> int:
        return len(self.name)

    # Elements

    @cached_property
    def position(self) -> IntArray:
        """From 1, among siblings of the same name."""
        codes = {name: code for code, name in enumerate(dict.fromkeys(self.name))}
        return _occurrences(self.parent * len(codes) + np.array([codes[name] for name in self.name], dtype=np.int64))

    @cached_property
    def size(self) -> IntArray:
        """Characters in each element."""
        return self.end - self.start

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The path of every element, e.g. /article[1]/bdy[1]/sec[2]. For a few of them, ``path`` is cheaper."""
        found: list[str] = []
        for name, parent, position in zip(self.name, self.parent.tolist(), self.position.tolist(), strict=True):
            found.append(f"{found[parent] if parent >= 0 else ''}/{name}[{position}]")
        return tuple(found)

    @cached_property
    def index(self) -> dict[str, int]:
        """Path to element, for paths written in full; ``element`` takes the variants too."""
        return {path: i for i, path in enumerate(self.paths)}

    def path(self, element: int) -> str:
        """The path of one element."""
        line = [*reversed(self.ancestors(element)), element]
        return "".join(f"/{self.name[i]}[{self.position[i]}]" for i in line)

    def element(self, path: str) -> int:
        """The element that a path leads to."""
        found = -1
        for depth, step in enumerate(steps(path)):
            below = self._child.get((found, *step))
            if below is None:
                there = f"{self.path(found)} exists" if depth else f"its root is {self.path(0)}"
                raise InputError(
                    f"the document has no element {shorten(path)}",
                    remedy=f"{there}, {step[0]}[{step[1]}] does not exist",
                )
            found = below
        return found

    def ancestors(self, element: int) -> list[int]:
        """From the parent up to the root."""
        found: list[int] = []
        while (element := int(self.parent[element])) >= 0:
            found.append(element)
        return found

    def descendants(self, element: int) -> range:
        """All elements inside one, without itself: in document order they follow it without a gap."""
        return range(element + 1, int(self._subtree_end[element]))

    def covering(self, start: int, end: int) -> int:
        """The smallest element that contains a span, the outermost of several that are as small."""
        self._check(start, end)
        inside = np.flatnonzero((self.start <= start) & (self.end >= end))
        return int(inside[np.argmin(self.size[inside])])

    # Paths and points to offsets on the line, and back

    def span_of_path(self, path: str) -> tuple[int, int]:
        """Where an element starts and ends."""
        element = self.element(path)
        return int(self.start[element]), int(self.end[element])

    def path_of_span(self, start: int, end: int) -> str:
        """The element that is the span, the outermost of several; if none is, the smallest that contains it."""
        return self.path(self.covering(start, end))

    def offset_of_point(self, point: str, last: bool = False, *, inclusive: bool = False) -> int:
        """The place of a point on the line; ``last`` if a passage ends there.

        A point inside a run of merged white space is behind the character that survived.
        """
        text = text_point(point)
        if text is None:
            return self.span_of_path(point)[last]
        node = self._text.get((self.element(text.parent), text.position))
        if node is None:
            raise InputError(f"the document has no text node {shorten(point)}")
        length = int(self.text_raw_length[node])
        offset = (length if last else 0) if text.offset is None else text.offset + (last and inclusive)
        if offset > length:
            raise InputError(f"{shorten(point)} is beyond its text node", remedy=f"the node has {length} characters")
        raw = int(self._text_raw_start[node]) + offset
        return raw - int(np.searchsorted(self.dropped, raw))

    def span_of_passage(self, start_point: str, end_point: str, *, inclusive: bool = False) -> tuple[int, int]:
        """Where a passage between two points starts and ends (see the head of this module for ``inclusive``)."""
        start = self.offset_of_point(start_point)
        end = self.offset_of_point(end_point, last=True, inclusive=inclusive)
        if end < start:
            raise InputError(f"the passage ends ({shorten(end_point)}) before it starts ({shorten(start_point)})")
        return start, end

    def point_at(self, offset: int, last: bool = False) -> str:
        """A point that converts back to the offset: in the node of the character that a passage from there on starts
        with, or (``last``) of the character that a passage up to there ends with."""
        self._check(offset, offset)
        if not len(self.text_parent):
            return self.path(0)
        if last:
            raw = self._raw(offset - 1) + 1 if offset else 0
        else:
            raw = self._raw(offset) if offset < self.length else int(self.text_raw_length.sum())
        node = max(0, int(np.searchsorted(self._text_raw_start, raw - last, side="right")) - 1)
        place = raw - int(self._text_raw_start[node])
        return f"{self.path(int(self.text_parent[node]))}/text()[{self.text_position[node]}].{place}"

    # Highlighted text

    def assessed(self, start: npt.ArrayLike, end: npt.ArrayLike) -> tuple[IntArray, IntArray, IntArray]:
        """The elements with highlighted text in them, their sizes, and how many characters of each are highlighted.

        Highlighted spans may overlap: text counts once. This is how INEX made assessments of elements.
        """
        start, end = (np.atleast_1d(np.asarray(ends)).astype(np.int64) for ends in (start, end))
        for span in zip(start.tolist(), end.tolist(), strict=True):
            self._check(*span)
        some = end > start
        if not some.any():
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing, nothing
        start, end = _merged(start[some], end[some])
        # Highlighted text before an offset grows by 1 a character inside a stretch and not at all between two.
        corners = np.stack([start, end], axis=1).ravel()
        before = np.repeat(np.append(0, np.cumsum(end - start)), 2)[1:-1]
        rsize = (np.interp(self.end, corners, before) - np.interp(self.start, corners, before)).astype(np.int64)
        found = np.flatnonzero(rsize)
        return found, self.size[found], rsize[found]

    # What the above looks things up in

    @cached_property
    def _child(self) -> dict[tuple[int, str, int], int]:
        keys = zip(self.parent.tolist(), self.name, self.position.tolist(), strict=True)
        return {key: i for i, key in enumerate(keys)}

    @cached_property
    def _text(self) -> dict[tuple[int, int], int]:
        keys = zip(self.text_parent.tolist(), self.text_position.tolist(), strict=True)
        return {key: i for i, key in enumerate(keys)}

    @cached_property
    def _subtree_end(self) -> IntArray:
        end = np.arange(1, len(self) + 1, dtype=np.int64)
        for element in range(len(self) - 1, 0, -1):  # the later a descendant the further it reaches: children first
            above = self.parent[element]
            end[above] = max(end[above], end[element])
        return end

    @cached_property
    def text_position(self) -> IntArray:
        """k of text()[k], from 1."""
        return _occurrences(self.text_parent)

    @cached_property
    def _text_raw_start(self) -> IntArray:
        return np.cumsum(self.text_raw_length) - self.text_raw_length

    def _raw(self, offset: int) -> int:
        """The position in the text as written of the character at an offset of the line."""
        behind = self.dropped - np.arange(len(self.dropped))  # the offset that each dropped character would have
        return offset + int(np.searchsorted(behind, offset, side="right"))

    def _check(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= self.length:
            raise InputError(f"{start}-{end} is not a span of the document", remedy=f"it has {self.length} characters")
