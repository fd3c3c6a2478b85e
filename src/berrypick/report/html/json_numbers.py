"""The report page's data as JSON: numbers as JavaScript has them, and what is text before all is put together."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray, Positions
from berrypick.kernels import native


class JsonText(str):
    """A value that is JSON already."""


def to_json(value: Any) -> str:
    """Data as the page reads them, without white space."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def members(values: Mapping[str, Any]) -> str:
    """The members of an object, some of which may be JSON already."""
    parts = ((name, one if isinstance(one, JsonText) else to_json(one)) for name, one in values.items())
    return ",".join(f"{to_json(name)}:{text}" for name, text in parts)


def json_rows(columns: Sequence[IntArray | list[str]], bounds: IntArray) -> list[str]:
    """Lists of rows, those between two bounds in one; columns are whole numbers, or texts that are JSON already.

    >>> import numpy as np
    >>> json_rows([np.array([1, 2, 3]), ["null", "0.5", "7"]], np.array([0, 2, 3]))
    ['[[1,null],[2,0.5]]', '[[3,7]]']
    """
    compiled = native()
    if compiled is not None:
        found: list[str] = compiled.json_rows(list(columns), bounds)
        return found
    texts = [column if isinstance(column, list) else map(str, column.tolist()) for column in columns]
    rows = [f"[{','.join(row)}]" for row in zip(*texts, strict=True)]
    return [f"[{','.join(rows[a:b])}]" for a, b in pairwise(bounds.tolist())]


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
