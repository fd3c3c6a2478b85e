"""Where the sentences of a text are, by the marks that end them."""

from __future__ import annotations

import re
from collections.abc import Iterator

# a full stop, with quotation marks or brackets that close after it, before white space; no such space is needed after
# full-width stops, the danda and other marks that only end sentences; an empty line. A row of full stops is looked at
# once, from its first one: from each of them it would take time with the square of their number
_SENTENCE = re.compile(
    r"""(?<![.!?…؟۔։])[.!?…؟۔։]+["'”’»)\]]*(?=\s)"""  # Latin, Arabic, Urdu, Armenian
    r"""|(?:[。！？｡।॥።။។៕]|．(?!\d))+["'”’」』）]*"""  # full-width, danda, Ethiopic, Burmese, Khmer
    r"""|\n[ \t\r]*\n"""
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the sentences of a text in order, without white space around them.

    A sentence ends with a full stop, question or exclamation mark before white space, with a danda or a full-width
    stop, or at an empty line. Abbreviations ("e.g. this") are not known.

    >>> sentence_spans("One. Two? Three.")
    [(0, 4), (5, 9), (10, 16)]
    """
    return list(trimmed(text, _SENTENCE))


def trimmed(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Return pieces up to each end, without white space around them."""
    start = 0
    for stop in [*(match.end() for match in ends.finditer(text)), len(text)]:
        piece = text[start:stop]
        kept = piece.strip()
        if kept:
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(kept)
        start = stop
