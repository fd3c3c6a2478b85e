"""The columns of an index, which is an Arrow file. ``docs/reference/formats/collection-index.md`` describes them.

Arrays of NumPy become columns, and columns arrays, without being copied. pyarrow has conversions of its own, but they
import pandas wherever it is installed, which takes longer than to index a thousand documents, or to open any index. So
this goes by the buffers that columns consist of.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

#: The key of an index in the metadata of the schema.
KEY = b"berrypick index"
VERSION = 1
#: The last column: a checksum of the others, for each document.
CHECKSUM = "checksum"
#: The columns of lists, and what each of their values is about.
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
#: All columns of an index, in their order.
COLUMNS = ["document", "length", "problem", *LISTS, "link_document", CHECKSUM]


@dataclass(frozen=True)
class Facts:
    """The totals of an index: readable and unreadable documents, and the size of the readable ones."""

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
    buffers = [_validity(missing), pa.py_buffer(_starts(list(map(len, encoded)))), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(listed), buffers)


def lists(counts: npt.ArrayLike, values: pa.Array) -> pa.Array:
    """A column of lists: the first so many values are the first list, and so on."""
    return pa.ListArray.from_arrays(numbers(_starts(counts)), values)


def dictionary(codes: Array, names: Sequence[str]) -> pa.Array:
    """A column of strings, as codes into a list of the distinct ones."""
    return pa.DictionaryArray.from_arrays(numbers(codes), strings(names))


def values_of(column: pa.Array) -> Array:
    """The integers of a column, with arbitrary ones where values are missing."""
    kind = f"{'u' if pa.types.is_unsigned_integer(column.type) else 'i'}{column.type.bit_width // 8}"
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


class Content(NamedTuple):
    """The values of a column one after the other, and where those of each row start, at the end where the last ends."""

    starts: Array
    values: Array


def content_of(column: pa.Array) -> Content:
    """A column of integers, texts, or lists of integers or codes."""
    if pa.types.is_string(column.type):
        content = column.buffers()[2]
        return Content(starts_of(column), np.frombuffer(content or b"", dtype=np.uint8))
    if not pa.types.is_list(column.type):
        return Content(np.arange(len(column) + 1), values_of(column))
    values = column.values
    return Content(starts_of(column), values_of(values.indices if pa.types.is_dictionary(values.type) else values))


def row_checksums(contents: Sequence[Content], rows: int) -> npt.NDArray[np.uint32]:
    """The checksum of each row: CRC-32 of its bytes in all columns, one column after the other."""
    found = [0] * rows
    for starts, values in contents:
        places = starts.tolist()
        pieces = map(values.data.__getitem__, map(slice, places, places[1:]))
        found = list(map(zlib.crc32, pieces, found))
    return np.array(found, dtype=np.uint32)


def row_checksum(row: Iterable[Array]) -> int:
    """The checksum of one row, from its values in each column."""
    found = 0
    for values in row:
        found = zlib.crc32(values.data, found)
    return found


def words_checksum(words: Sequence[str]) -> int:
    """The checksum of words: CRC-32 of them with a zero byte behind each."""
    return zlib.crc32("".join(f"{word}\0" for word in words).encode())


def texts_checksum(contents: Iterable[Content]) -> int:
    """The same checksum, from columns of texts, none of which is made a value of Python."""
    found = 0
    for starts, values in contents:
        if starts[0] < 0 or starts[-1] > len(values) or (np.diff(starts) < 0).any():
            raise ValueError("outside")
        texts = values[starts[0] : starts[-1]]
        found = zlib.crc32(np.insert(texts, starts[1:] - starts[0], 0).data, found)
    return found


def _starts(counts: npt.ArrayLike) -> npt.NDArray[np.int32]:
    return np.append(0, np.cumsum(counts, dtype=np.int64)).astype(np.int32)


def _validity(missing: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))
