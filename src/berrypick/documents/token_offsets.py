"""Documents counted in tokens instead of characters: conversion of positions in both directions.

Tokens are found once in the whole document, never in a chunk: so what two chunks cost does not depend on where the
text was cut between them. Inside a token the count rises evenly from character to character, and text between two
tokens (white space, for the plain tokenizer) costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.errors import InputError, option
from berrypick.data.observed import copied
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets

#: Corners of a rising, piecewise straight line: characters from the beginning, and tokens up to there.
Corners = tuple[FloatArray, FloatArray]
#: The name of the plain tokenizer in signatures.
WORDS = "words-uax29"

Tokenizer = Callable[[str], Any]


@dataclass(frozen=True, eq=False)
class TokenOffsets:
    """The corners of every document; the mapping may work them out on demand."""

    name: str  # of the tokenizer, for signatures
    corners: Mapping[str, Corners]
    source: str = ""

    def corners_of(self, document: str) -> Corners:
        try:
            return self.corners[document]
        except KeyError:
            raise InputError(
                f"document {document} is not in {self.source or 'the texts'}, so its tokens cannot be counted",
                remedy=f"give all texts with {option('documents')}",
            ) from None

    def to_tokens(self, document: str, position: Positions) -> FloatArray:
        """Tokens before each position."""
        characters, tokens = self.corners_of(document)
        return np.asarray(np.interp(position, characters, tokens), dtype=np.float64)

    def to_chars(self, document: str, tokens: FloatArray) -> FloatArray:
        """The first position that has so many tokens before it."""
        characters, counted = self.corners_of(document)
        return np.asarray(np.interp(tokens, counted, characters), dtype=np.float64)

    def length(self, document: str) -> float:
        """Tokens of the whole document."""
        return float(self.corners_of(document)[1][-1])

    @cached_property
    def total(self) -> float:
        """Tokens of all documents together."""
        return math.fsum(self.length(document) for document in self.corners)

    def convert(self, ranking: Ranking, targets: Targets) -> tuple[Ranking, Targets]:
        """The starts of results, and targets, on lines that count tokens."""
        assert ranking.start is not None and targets.start is not None and targets.end is not None
        start, target_start, target_end = np.zeros(len(ranking)), np.zeros(len(targets)), np.zeros(len(targets))
        for document, rows in ranking.rows_by_document.items():
            start[rows] = self.to_tokens(document, ranking.start[rows])
        for document, rows in targets.by_document().items():
            target_start[rows] = self.to_tokens(document, targets.start[rows])
            target_end[rows] = self.to_tokens(document, targets.end[rows])
        return replace(ranking, start=start), copied(targets, start=target_start, end=target_end)

    def between(self, document: str, start: Positions, end: Positions) -> FloatArray:
        """Tokens in each span."""
        found = self.to_tokens(document, np.concatenate([end, start]))
        return found[: len(end)] - found[len(end) :]

    def inside(self, document: str, start: float, end: float) -> FloatArray:
        """The corners strictly between two positions: where the pace changes."""
        characters, _ = self.corners_of(document)
        low, high = np.searchsorted(characters, [start, end], side="right")
        found = characters[low:high]
        return found[found < end]
