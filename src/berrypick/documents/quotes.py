"""How quotes are looked for: what options say, without the search itself."""

from __future__ import annotations

from typing import Literal, get_args

from berrypick.core.errors import UsageError, option
from berrypick.core.truth import Truth

Quotes = Literal["exact", "normalised", "fuzzy"]
QUOTES: tuple[Quotes, ...] = get_args(Quotes)
#: Least similarity, in per cent of characters that need no edit, of a place that counts as found.
THRESHOLD = 90.0


def unlocated(truth: Truth) -> UsageError | None:
    """The error to raise if a truth with quotes meets no documents."""
    for topic in truth.topics.values():
        for quote in topic.quotes:
            if not quote.has_offsets:
                where = f"{truth.source or 'the truth'}" + (f":{quote.line}" if quote.line is not None else "")
                return UsageError(f"{where} quotes relevant text: give the documents with {option('documents')}")
    return None
