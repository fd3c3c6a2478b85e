"""Words of lines: numbers, and names that a line can hold."""

from __future__ import annotations

from collections.abc import Iterable


def finite(word: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def whole_number(word: str | None) -> int | None:
    """A whole number of at most 15 digits, not below 0; or None. (``isdigit`` alone is true of superscripts.)"""
    return int(word) if word and len(word) <= 15 and word.isascii() and word.isdigit() else None


def word_problem(first: Iterable[str], others: Iterable[str] = ()) -> str:
    """Why names cannot be written in lines of words; empty if they can. ``first`` begin lines."""
    for name in first:
        if name[:1] in ("#", "\ufeff"):
            return f"a line cannot begin with {name!r}"
    bad = next((name for name in (*first, *others) if name.split() != [name]), None)
    return f"the name {bad!r} has white space in it" if bad is not None else ""


def ascii_problem(names: Iterable[str]) -> str:
    """Why names cannot be written in a file that others read as Latin-1; empty if they can."""
    bad = next((name for name in names if not name.isascii()), None)
    return f"the name {bad!r} has characters beyond ASCII" if bad is not None else ""


def cell_problem(names: Iterable[str]) -> str:
    """Why names cannot be written in lines of cells that are separated by TABs; empty if they can."""
    bad = next((name for name in names if _unlike_a_cell(name)), None)
    return f"the name {bad!r} cannot be written in a line" if bad is not None else ""


def _unlike_a_cell(name: str) -> bool:
    return "\t" in name or "\n" in name or name.endswith("\r") or name.lstrip()[:1] in ("", "#", "\ufeff")
