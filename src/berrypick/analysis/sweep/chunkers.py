"""Simple ways to cut a text into chunks. A chunker takes a text and gives (start, end) pairs, in characters.

These are for baselines and examples; any function of that shape will do in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from berrypick.data.errors import UsageError
from berrypick.documents.sentences import sentence_spans, trimmed

Span = tuple[int, int]

_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")


def fixed(text: str, size: int = 400, overlap: int = 0) -> list[Span]:
    """Chunks of ``size`` characters, each beginning ``overlap`` characters before the last one ended.

    The last chunk ends with the text and may be shorter.

    >>> fixed("abcdefghij", size=4, overlap=1)
    [(0, 4), (3, 7), (6, 10)]
    """
    if size < 1:
        raise UsageError(f"size must be at least 1 character, not {size}")
    if not 0 <= overlap < size:
        raise UsageError(f"overlap must be at least 0 and below the size, {size}, not {overlap}")
    step = size - overlap
    starts = range(0, max(len(text) - overlap, 1), step)
    return [(start, min(start + size, len(text))) for start in starts if start < len(text)]


def sentences(text: str, size: int = 0) -> list[Span]:
    """Whole sentences, as many as fit into ``size`` characters; one at a time with size 0.

    A sentence ends with a full stop, question or exclamation mark before white space, with a danda or a full-width
    stop, or at an empty line; one that is longer than ``size`` stays whole. Abbreviations ("e.g. this") are not known.

    >>> sentences("One. Two? Three.")
    [(0, 4), (5, 9), (10, 16)]
    >>> sentences("One. Two? Three.", size=9)
    [(0, 9), (10, 16)]
    """
    return _packed(sentence_spans(text), size)


def paragraphs(text: str, size: int = 0) -> list[Span]:
    """Whole paragraphs (text between empty lines), as many as fit into ``size`` characters; one at a time with size 0.

    >>> paragraphs("One.\\n\\nTwo.\\nStill two.")
    [(0, 4), (6, 21)]
    """
    return _packed(trimmed(text, _PARAGRAPH), size)


def elements(text: str, many: int = 1) -> list[Span]:
    """The words or elements of a layout as they are given with their places, ``many`` together.

    For a sweep over pages, with ``words``: a line of these may be a word, a paragraph, a cell of a table.
    """
    pieces: list[Span] | None = getattr(text, "pieces", None)
    if pieces is None:
        raise UsageError("elements are those of words with their places: give words")
    if many < 1:
        raise UsageError(f"many must be at least 1, not {many}")
    groups = (pieces[i : i + many] for i in range(0, len(pieces), many))
    return [(group[0][0], group[-1][1]) for group in groups]


def _packed(pieces: Iterable[Span], size: int) -> list[Span]:
    if size < 0:
        raise UsageError(f"size must be 0 characters or more, not {size}")
    found: list[Span] = []
    for start, end in pieces:
        if found and end - found[-1][0] <= size:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
