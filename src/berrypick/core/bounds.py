"""Parameters whose values have a lower bound, or lie between 0 and 1."""

from __future__ import annotations

from typing import Any

from berrypick.core.parameters import parameter


def above_zero(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: v > 0, must="above 0")


def zero_or_more(default: float | None, help: str, kind: str = "number") -> Any:
    return parameter(default, kind, help, check=lambda v: v >= 0, must="0 or more")


def one_or_more(default: int | None, help: str) -> Any:
    """Whole numbers."""
    return parameter(default, "int", help, check=lambda v: v >= 1, must="1 or more")


def zero_to_one(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: 0 <= v <= 1, must="in [0, 1]")


def positive_share(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: 0 < v <= 1, must="in (0, 1]")
