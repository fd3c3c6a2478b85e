"""Small helpers for messages."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """'1 run', '2 runs'."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def material(unit: str | None) -> str:
    """What lies between two positions that count this: text, time, or either where that is not known."""
    return {"chars": "text", "lines": "text", "seconds": "time", "pages": "area"}.get(unit or "", "material")


def unit_word(unit: str | None) -> str:
    """One of what positions count."""
    words = {"chars": "character", "lines": "line", "seconds": "second", "pages": "part of a page"}
    return words.get(unit or "", "unit")


def plain_title(text: str) -> str:
    """Return a question or title without white space at its ends, and with single blanks in it."""
    return " ".join(text.split())
