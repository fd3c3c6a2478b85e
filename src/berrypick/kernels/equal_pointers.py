"""Topics whose lists may hold two equal pointers: a fast look before pointers are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, IntArray
from berrypick.kernels import native


def may_repeat(
    bounds: IntArray, document: Any, documents: int, positions: Sequence[Any] = (), paths: Sequence[Any] = ()
) -> BoolArray:
    """For each topic, False if surely no two of its rows are equal in every column.

    ``bounds`` are the first row of each topic and the number of rows, ``document`` codes below ``documents``,
    ``positions`` nothing or start and end, ``paths`` codes.
    """
    compiled = native()
    if compiled is None or paths:
        columns = [document, *positions, *paths]
        return np.array([_may_repeat([column[a:b] for column in columns]) for a, b in pairwise(bounds.tolist())], bool)
    out = np.empty(len(bounds) - 1, dtype=bool)
    codes = np.ascontiguousarray(document, dtype=np.int32)
    if not positions:
        compiled.repeated_documents(bounds, codes, documents, out)
        return out
    kinds = {column.dtype for column in positions}
    if kinds not in ({np.dtype(np.int32)}, {np.dtype(np.int64)}):
        # as whole numbers that are equal where positions are: 0.0 makes one zero of -0.0 and 0.0
        positions = [(column.astype(np.float64) + 0.0).view(np.int64) for column in positions]
    compiled.repeated_spans(bounds, codes, *map(np.ascontiguousarray, positions), out)
    return out


def _may_repeat(columns: Sequence[Any]) -> bool:
    """Equal rows have equal fingerprints, and one sort compares these."""
    mixed = columns[0].astype(np.uint64)
    for column in columns[1:]:
        bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # 0.0 makes one zero of -0.0 and 0.0
        mixed = (mixed * _MIXING) ^ (mixed >> _SHIFT)
        mixed += bits * _SPREADING
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


#: Odd numbers without pattern, and a shift that brings high bits down: a fingerprint of several columns.
_MIXING, _SPREADING, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)
