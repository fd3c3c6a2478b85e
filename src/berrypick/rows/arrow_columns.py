"""Columns of Arrow tables, of Parquet files and data frames, as names with codes and as numbers.

No value becomes an object of Python, but for each distinct name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from berrypick.data.columns import Coded


def arrow_column(column: Any, is_name: bool) -> Coded | np.ndarray[Any, Any] | None:
    """The names or the numbers in a column; None where it has other values, or lacks some."""
    import pyarrow
    from pyarrow import types

    if not isinstance(column, pyarrow.ChunkedArray):
        column = pyarrow.chunked_array([column])
    in_codes = types.is_dictionary(column.type)
    kind = column.type.value_type if in_codes else column.type
    if column.null_count or not len(column):
        return None
    if types.is_string(kind) or types.is_large_string(kind) or kind == pyarrow.string_view():
        return coded(column) if is_name else None
    if in_codes or not (types.is_integer(kind) or types.is_floating(kind)):
        return None
    if is_name:
        return coded(column) if types.is_integer(kind) else None
    numbers = column.to_numpy()
    return None if np.isnan(numbers).any() else numbers


def coded(column: Any) -> Coded | None:
    """The distinct values of a column of texts or whole numbers, in the order of their first appearance, and the code
    of each row; None where a value is missing."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    else:
        column = column.dictionary_encode()
    chunks = [chunk for chunk in column.chunks if len(chunk)]
    names = chunks[0].dictionary.to_pylist()
    codes = np.concatenate([chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks])
    if None in names:
        return None
    return in_order([name if type(name) is str else str(name) for name in names], codes)


def in_order(names: Sequence[str], codes: np.ndarray[Any, Any]) -> Coded:
    """Names in the order of their first appearance, each once, whatever codes rows have."""
    if len({*names}) < len(names):  # a dictionary may hold a name twice
        once = Coded.of(names)
        names, codes = once.names, once.codes[codes]
    first = np.full(len(names), len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of rows with one code the first is written last
    order = np.argsort(first, kind="stable")
    order = order[: int((first < len(codes)).sum())]
    if len(order) == len(names) and (order[1:] > order[:-1]).all():
        return Coded(names, codes.astype(np.int32, copy=False))
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Coded([names[i] for i in order.tolist()], place[codes])
