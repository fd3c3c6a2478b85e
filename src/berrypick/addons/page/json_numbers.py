"""Numbers of the report page's data, as JavaScript has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from berrypick.core.arrays import IntArray, Positions


def whole_numbers(values: IntArray) -> list[Any]:
    """Return whole numbers; those that JavaScript has no whole numbers for as the numbers nearest to them."""
    if not len(values) or (int(values.min()) > -(2**53) and int(values.max()) < 2**53):
        return values.tolist()
    return [plain_number(value) for value in values.tolist()]


def plain_numbers(values: Positions) -> list[Any]:
    """Numbers for JSON, whole where they are whole; most columns are whole throughout."""
    if values.dtype.kind in "iu":
        return whole_numbers(values)
    with np.errstate(invalid="ignore"):
        whole = bool(((values == np.floor(values)) & (np.abs(values) < 2**53)).all())
    return values.astype(np.int64).tolist() if whole else [plain_number(value) for value in values.tolist()]


def plain_number(value: float | Positions | Any) -> float | int | None:
    """A number for JSON, whole where it is whole."""
    if type(value) is int and abs(value) < 2**53:
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number == int(number) and abs(number) < 2**53 else number
