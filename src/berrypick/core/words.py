"""Small helpers for messages."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """'1 run', '2 runs'."""
    return f"{number} {one if number == 1 else many or one + 's'}"
