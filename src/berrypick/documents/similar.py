"""Places where a text stands in documents almost as it is quoted.

Similarity is the share of characters in common, in order: 2 * common / (length of the quote + length of the place), as
RapidFuzz and difflib have it. A place begins and ends where that is largest; who asks for places moves their ends to
borders of words (:mod:`berrypick.documents.word_borders`).

Quotes of up to 64 characters are sought everywhere: a place that is similar enough has so many characters in common
with the quote that no stretch without as many needs a second look. Longer quotes are sought where half of their rarest
words stand as far from each other as in the quote, give or take an eighth of its length; or, in texts without words,
such as Chinese ones, in every stretch with enough in common.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray
from berrypick.kernels.common_subsequence import (
    Codes,
    alike_blocks,
    best_span,
    codes_of,
    common_lengths,
    narrow_codes,
)

#: Quotes up to this length are compared with every stretch of text.
SHORT = 64
#: A longer quote with fewer words in the documents than this is, too.
FEW_WORDS = 4
#: The longest quote of which every start in a stretch is tried; of longer ones borders are fitted as of words.
LONG = 512
#: Pairs of a word in the quote and one in the documents that are looked at, rarest words first; and the fewest words.
PAIRS, ENOUGH_WORDS = 60_000, 8
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class Alike:
    """A place in a document, and how similar it is, in per cent."""

    document: int
    start: int
    end: int
    similarity: float


class SimilarText:
    """Documents in which quotes are sought by similarity."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        sizes = [len(document) + 1 for document in documents]  # a character between them
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def _codes(self) -> Codes:
        return narrow_codes("\0".join(self.documents))

    @cached_property
    def _words(self) -> dict[str, array[int]]:
        """Where each word begins, the documents one after the other."""
        found: dict[str, array[int]] = {}
        for document, first in zip(self.documents, self.first.tolist(), strict=False):
            for match in _WORD.finditer(document):
                found.setdefault(match.group().lower(), array("q")).append(first + match.start())
        return found

    def find(self, quote: str, threshold: float) -> list[Alike]:
        """Places at least so similar; the best first, and none that overlaps a better one."""
        share = threshold / 100
        if not quote or not 0 < share <= 1:
            return []
        code = codes_of(quote)
        width = math.ceil(len(quote) * (2 - share) / share)  # no longer place is similar enough
        places = self._by_words(quote) if len(quote) > SHORT else None
        if places is None:
            fitted = self._everywhere(code, width, share)
        else:
            fitted = (self._fitted(code, *place, width) for place in places)
        return _apart([place for place in fitted if place is not None and place.similarity >= threshold])

    # every stretch

    def _everywhere(self, code: Codes, width: int, share: float) -> Iterator[Alike | None]:
        # a place of w characters has at least share * (m + w) / 2 in common, and w is at least m * share / (2 - share)
        least = math.ceil(len(code) * share / (2 - share) - 1e-9)
        for at in alike_blocks(code, self._codes, len(code), len(code) + width, least).tolist():
            for number in range(self._document(at), self._document(at + len(code) - 1) + 1):
                low = max(0, at - int(self.first[number]))
                until = at + len(code) - int(self.first[number])
                if len(code) > LONG:
                    yield self._fitted(code, number, self._first_start(code, number, low, until + width, width), width)
                    continue
                text = codes_of(self.documents[number][low : until + width])
                start, end, length = best_span(code, text, until - low, width)
                yield self._place(number, low + start, low + end, length, len(code))

    def _first_start(self, code: Codes, number: int, low: int, high: int, width: int) -> int:
        """Where a place may begin: before the best end of a stretch."""
        text = self.documents[number][low:high]
        end = _best_size(code, text)[0]
        return low + end - _best_size(np.ascontiguousarray(code[::-1]), text[max(0, end - width) : end][::-1])[0]

    def _document(self, at: int) -> int:
        last = len(self.documents) - 1
        return min(int(np.searchsorted(self.first, at, side="right")) - 1, last)

    @staticmethod
    def _place(number: int, start: int, end: int, length: int, quote: int) -> Alike | None:
        return Alike(number, start, end, 100 * (2 * length / (quote + end - start))) if end else None

    # by words

    def _by_words(self, quote: str) -> list[tuple[int, int]] | None:
        """Documents and where the quote would begin in them; None if too few words are known."""
        offsets: dict[str, list[int]] = {}
        for match in _WORD.finditer(quote):
            offsets.setdefault(match.group().lower(), []).append(match.start())
        known = [(self._words[word], at) for word, at in offsets.items() if word in self._words]
        if len(known) < min(FEW_WORDS, len(offsets)) or not known:
            return None if len(offsets) < FEW_WORDS else []
        known.sort(key=lambda pair: len(pair[0]) * len(pair[1]))
        starts: list[IntArray] = []
        pairs = tokens = 0
        for where, at in known:
            pairs += len(where) * len(at)
            if pairs > PAIRS and tokens >= ENOUGH_WORDS:
                break
            tokens += len(at)
            begins = np.frombuffer(where, dtype=np.int64)
            starts += [begins - offset for offset in at]
        return self._agreed(np.concatenate(starts), max(1, tokens // 2), len(quote))

    def _agreed(self, start: IntArray, least: int, size: int) -> list[tuple[int, int]]:
        """Where so many words agree on where the quote would begin; of neighbours the ones that most agree on."""
        bin_size = max(8, size // 8)
        lowest = int(start.min())
        number = (start - lowest) // bin_size
        votes = np.bincount(number)
        sums = np.bincount(number, start)  # exact: far below 2^53
        padded = np.concatenate([[0], _with_neighbours(votes), [0]])
        around = padded[1:-1]
        peak = np.flatnonzero((around >= least) & (around >= padded[:-2]) & (around > padded[2:]))
        found = []
        for begin in (_with_neighbours(sums)[peak] / around[peak]).astype(np.int64).tolist():
            document = self._document(max(0, begin + size // 2))
            found.append((document, max(0, begin - int(self.first[document]))))
        return found

    def _fitted(self, code: Codes, number: int, start: int, width: int) -> Alike | None:
        """The borders near a start: the best end for it, then the best start for that end, until it gets no better."""
        text, size = self.documents[number], len(code)
        start = min(start, max(0, len(text) - 1))
        reverse = np.ascontiguousarray(code[::-1])
        best: Alike | None = None
        while True:
            end = start + _best_size(code, text[start : start + width])[0]
            back, length = _best_size(reverse, text[max(0, end - width) : end][::-1])
            found = self._place(number, end - back, end, length, size)
            if found is None or (best is not None and found.similarity <= best.similarity):
                return best
            best, start = found, found.start


def _with_neighbours(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Every value with those on both sides of it."""
    found = column.copy()
    found[1:] += column[:-1]
    found[:-1] += column[1:]
    return found


def _best_size(code: Codes, text: str) -> tuple[int, int]:
    """How much of a text, to a character that is no blank, is most alike, and its length in common; of equal sizes the
    smallest."""
    codes = codes_of(text)
    length = common_lengths(code, codes)
    alike = np.where(codes == ord(" "), -1.0, 2 * length / (len(code) + np.arange(1, len(text) + 1)))
    if not len(alike):
        return 0, 0
    size = int(np.argmax(alike))
    return size + 1, int(length[size])


def _apart(found: list[Alike]) -> list[Alike]:
    """The best first; what overlaps a better one is the same place."""
    kept: list[Alike] = []
    for place in sorted(set(found), key=lambda one: (-one.similarity, one.document, one.start, one.end)):
        if all(
            place.document != other.document or place.end <= other.start or place.start >= other.end for other in kept
        ):
            kept.append(place)
    return kept
