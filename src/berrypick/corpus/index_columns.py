"""What an index is made of: columns of an Arrow file. ``docs/index-file.md`` describes them.

Arrays of NumPy become columns, and columns arrays, without being copied. pyarrow has conversions of its own, but they
import pandas wherever it is installed, which takes longer than to index a thousand documents, or to open any index. So
this goes by the buffers that columns consist of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

#: Under this key the schema of an index says what it is.
KEY = b"berrypick index"
VERSION = 1
#: The columns of lists, and what there is one value for.
LISTS = {
    "name": "elements",
    "parent": "elements",
    "start": "elements",
    "end": "elements",
    "text_parent": "texts",
    "text_raw_length": "texts",
    "dropped_start": "drops",
    "dropped_length": "drops",
    "link_element": "links",
}


@dataclass(frozen=True)
class Facts:
    """What an index says of itself: documents that could be read and could not, and what there is in the former."""

    documents: int
    unreadable: int
    elements: int
    characters: int


def narrow(values: Array) -> Array:
    """Integers from -1 up, in as few bytes as hold the largest."""
    return values.astype(f"i{width(int(values.max(initial=0)))}")


def width(largest: int) -> int:
    """How many bytes hold integers from -1 up to the largest."""
    return 1 if largest < 1 << 7 else 2 if largest < 1 << 15 else 4


def numbers(values: Array, missing: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """A column of integers, all there but for the ``missing`` ones."""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [_validity(missing), pa.py_buffer(np.ascontiguousarray(values))])


def strings(values: Iterable[str | None]) -> pa.Array:
    """A column of texts."""
    listed = list(values)
    encoded = [b"" if value is None else value.encode() for value in listed]
    missing = np.array([value is None for value in listed], dtype=np.bool_)
    content = b"".join(encoded)
    buffers = [_validity(missing), pa.py_buffer(_starts(map(len, encoded))), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(listed), buffers)


def lists(counts: Iterable[int], values: pa.Array) -> pa.Array:
    """A column of lists: the first so many values are the first list, and so on."""
    return pa.ListArray.from_arrays(numbers(_starts(counts)), values)


def coded(codes: Array, names: Sequence[str]) -> pa.Array:
    """A column of texts that are few: which of them each one is."""
    return pa.DictionaryArray.from_arrays(numbers(codes), strings(names))


def values_of(column: pa.Array) -> Array:
    """The integers of a column, whatever there may be in place of missing ones."""
    kind = f"i{column.type.bit_width // 8}"
    content = column.buffers()[1]
    found = np.frombuffer(content, dtype=kind) if content is not None and content.size else np.zeros(0, dtype=kind)
    return found[column.offset : column.offset + len(column)]


def missing_of(column: pa.Array) -> npt.NDArray[np.bool_]:
    """Where a column has no value."""
    bits = column.buffers()[0]
    if bits is None:
        return np.zeros(len(column), dtype=np.bool_)
    there = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return there[column.offset : column.offset + len(column)] == 0


def starts_of(column: pa.Array) -> Array:
    """Where each list or text of a column starts, and at the end where the last one ends."""
    found = np.frombuffer(column.buffers()[1], dtype=np.int32)
    return found[column.offset : column.offset + len(column) + 1]


def _starts(counts: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.append(0, np.cumsum(np.fromiter(counts, dtype=np.int64))).astype(np.int32)


def _validity(missing: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))
