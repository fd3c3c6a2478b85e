"""The structure of one XML document without its text: elements with their places on the document's line.

The line of a document is its text with every run of white space merged into one character, mark-up left out; offsets
count characters on it, half-open. Elements stand in document order (a parent before its children).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from berrypick.core.arrays import IntArray


@dataclass(frozen=True, eq=False)
class Structure:
    """Columns, one row per element; text nodes in columns of their own."""

    name: Sequence[str]  # the tag
    parent: IntArray  # index of the parent, -1 for the root
    position: IntArray  # from 1, among siblings of the same name
    start: IntArray
    end: IntArray
    length: int
    text_parent: IntArray  # the element a text node belongs to
    text_position: IntArray  # k of text()[k], from 1
    text_start: IntArray  # where the node's first character that counts stands on the line
    text_raw_length: IntArray  # characters in the node as written
    text_dropped: Sequence[IntArray]  # per node, the raw offsets that merging dropped, ascending
    links: Sequence[tuple[int, str]] = field(default_factory=tuple)  # (element, document linked to)

    def __len__(self) -> int:
        return len(self.name)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The path of every element, e.g. /article[1]/bdy[1]/sec[2]."""
        found: list[str] = []
        for name, parent, position in zip(self.name, self.parent.tolist(), self.position.tolist(), strict=True):
            found.append(f"{found[parent] if parent >= 0 else ''}/{name}[{position}]")
        return tuple(found)

    @cached_property
    def index(self) -> dict[str, int]:
        """Path to element."""
        return {path: i for i, path in enumerate(self.paths)}

    def covering(self, start: int, end: int) -> int:
        """The smallest element that contains a span (the root if none smaller does)."""
        inside = np.flatnonzero((self.start <= start) & (self.end >= end))
        return int(inside[-1]) if len(inside) else 0
