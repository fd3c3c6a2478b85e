"""An index as a collection: sizes, offsets, nesting and links of XML documents without the documents.

The file is an Arrow file, described in ``docs/reference/formats/collection-index.md`` and written by ``build``.
Documents are in the order of their names, so that one is found by bisection, and only its part of the file is read.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, ValuesView
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from berrypick.data.arrays import IntArray
from berrypick.data.errors import InputError
from berrypick.documents.collection_files import UNFINISHED
from berrypick.documents.lazy import OfDocuments
from berrypick.documents.xml.index_columns import (
    CHECKSUM,
    COLUMNS,
    KEY,
    VERSION,
    Content,
    Facts,
    content_of,
    missing_of,
    row_checksum,
    texts_checksum,
    values_of,
    words_checksum,
)
from berrypick.documents.xml.lazy_structures import LazyStructures
from berrypick.documents.xml.structure import Structure

_REMEDY = "build an index with: berrypick index FOLDER FILE"


class Index:
    """The file: documents by number, in the order of their names."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._documents_checked = False
        try:
            self._file = _MappedFile(path)
            if self._file.begins_with(UNFINISHED):
                raise InputError("is an unfinished index", path=path, remedy="the command that began it will finish it")
            reader = pa.ipc.open_file(pa.BufferReader(self._file.mapped))
            with self._reading():
                self._open(reader)
        except OSError as error:
            if error.errno is None:  # raised by Arrow for a file that it cannot parse
                raise self._damaged() from error
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
        except pa.ArrowException as error:
            raise InputError("is not a complete Arrow file", path=path, remedy=_REMEDY) from error

    def _open(self, reader: Any) -> None:
        metadata = (reader.schema.metadata or {}).get(KEY)
        if metadata is None:
            raise InputError("is an Arrow file, but not the index of a collection", path=self.path, remedy=_REMEDY)
        about = json.loads(metadata)
        if about["version"] != VERSION:
            made_by = about.get("made_by", "another version of berrypick")
            raise InputError(f"is an index of another version, written by {made_by}", path=self.path, remedy=_REMEDY)
        self.facts = Facts(*(int(about[name]) for name in Facts.__dataclass_fields__))
        self._checksums = {words: int(about[f"{words}_checksum"]) for words in ("documents", "names")}
        self._batches = [_Batch(reader.get_batch(i), self._file) for i in range(reader.num_record_batches)]
        #: The number of each batch's first document, and at the end the number of all.
        self._first = np.cumsum([0, *map(len, self._batches)]).tolist()
        if self._first[-1] != self.facts.documents + self.facts.unreadable or not _is_schema(reader.schema):
            raise self._damaged()

    def _damaged(self, where: str = "") -> InputError:
        what = f"is damaged: {where} has changed since it was written" if where else "is damaged"
        return InputError(what, path=self.path, remedy="build it again: berrypick index FOLDER FILE")

    @contextlib.contextmanager
    def _reading(self, where: str = "") -> Iterator[None]:
        """Report inconsistent content as damage of the file."""
        try:
            yield
        except (pa.ArrowException, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self._damaged(where) from error

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return Index, (self.path,)  # another process maps the file itself

    def number(self, name: object) -> int | None:
        """The number of the document with a name."""
        if not isinstance(name, str):
            return None
        sought = name.encode("utf-8", "surrogatepass")
        self._check_documents()
        with self._reading("the list of documents"):
            which = bisect_right(range(len(self._batches)), sought, key=lambda i: self._batches[i].document(0)) - 1
            if which < 0:
                return None
            batch = self._batches[which]
            row = bisect_left(range(len(batch)), sought, key=batch.document)
            return self._first[which] + row if row < len(batch) and batch.document(row) == sought else None

    def _place(self, number: int) -> tuple[_Batch, int]:
        which = bisect_right(self._first, number) - 1
        return self._batches[which], number - self._first[which]

    def document(self, number: int) -> str:
        batch, row = self._place(number)
        return batch.document(row).decode()

    def length(self, number: int) -> int:
        """The length of a document, -1 if it could not be read."""
        with self._reading("the length of a document"):
            batch, row = self._place(number)
            length = int(batch.length[row])
            if length >= 0 and batch.values("end", row)[0] != length:  # the root ends where the document ends
                raise ValueError(length)
            return length

    def problem(self, number: int) -> str:
        """Why a document could not be read."""
        with self._reading(f"document {self.document(number)}"):
            batch, row = self._place(number)
            return batch.checked(row)["problem"].tobytes().decode()

    def lengths(self) -> Iterator[int]:
        """The lengths of all documents that could be read."""
        with self._reading("the length of a document"):
            found = [batch.length[batch.length >= 0] for batch in self._batches]
        if sum(int(lengths.sum()) for lengths in found) != self.facts.characters:
            raise self._damaged("the length of a document")
        return chain.from_iterable(lengths.tolist() for lengths in found)

    def __iter__(self) -> Iterator[str]:
        """The names of all documents that could be read."""
        self._check_documents()
        with self._reading("the list of documents"):
            names = [batch.document(row).decode() for batch in self._batches for row in range(len(batch))]
            lengths = [length for batch in self._batches for length in batch.length.tolist()]
        return (name for name, length in zip(names, lengths, strict=True) if length >= 0)

    def __len__(self) -> int:
        """How many documents could be read."""
        return self.facts.documents

    def __contains__(self, name: object) -> bool:
        """Whether there is a document of this name, and it could be read."""
        number = self.number(name)
        return number is not None and self.length(number) >= 0

    def _check_documents(self) -> None:
        """Before the first look-up: with a changed name, a document would seem not to be there, or be another one."""
        if self._documents_checked:
            return
        with self._reading("the list of documents"):
            found = texts_checksum(batch.documents for batch in self._batches)
        if found != self._checksums["documents"]:
            raise self._damaged("the list of documents")
        self._documents_checked = True

    @cached_property
    def _names(self) -> list[str]:
        """The names of elements."""
        with self._reading("the list of names"):
            found = self._batches[0].names()
        if words_checksum(found) != self._checksums["names"]:
            raise self._damaged("the list of names")
        return found

    def structure(self, number: int) -> Structure:
        with self._reading(f"document {self.document(number)}"):
            return self._structure(*self._place(number))

    def _structure(self, batch: _Batch, row: int) -> Structure:
        found = {column: values.astype(np.int64) for column, values in batch.checked(row).items()}
        starts, counts = found["dropped_start"], found["dropped_length"]
        before = np.cumsum(counts) - counts
        targets = [self.document(target) for target in found["link_document"].tolist()]
        return Structure(
            name=tuple(map(self._names.__getitem__, found["name"].tolist())),
            parent=found["parent"],
            start=found["start"],
            end=found["end"],
            length=int(batch.length[row]),
            text_parent=found["text_parent"],
            text_raw_length=found["text_raw_length"],
            dropped=np.repeat(starts - before, counts) + np.arange(counts.sum()),
            links=tuple(zip(found["link_element"].tolist(), targets, strict=True)),
        )


class _MappedFile:
    """The file, mapped into memory, and read piece by piece where the system can do that.

    Around each access to a mapped file, the system loads more of it into the memory of the process. For many scattered
    documents that is soon most of the file.
    """

    def __init__(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, descriptor)
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        if not self._size:
            raise pa.ArrowInvalid("empty")
        self.mapped = pa.py_buffer(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))

    def begins_with(self, sign: bytes) -> bool:
        return bytes(self.mapped[: len(sign)]) == sign

    def place(self, array: npt.NDArray[Any]) -> int:
        """Where an array on the mapped file starts in it; -1 if it cannot be read there."""
        place: int = array.__array_interface__["data"][0] - self.mapped.address
        return place if 0 <= place <= self._size - array.nbytes and hasattr(os, "pread") else -1

    def read(self, place: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, place)


def _is_schema(schema: Any) -> bool:
    """Whether the columns are those of an index."""
    texts = all(pa.types.is_string(schema.field(column).type) for column in ("document", "problem"))
    items = [schema.field(column).type.value_type for column in COLUMNS[3:-1]]
    codes = [item.index_type if pa.types.is_dictionary(item) else item for item in items]
    numbers = all(map(pa.types.is_signed_integer, [schema.field("length").type, *codes]))
    return schema.names == COLUMNS and texts and numbers and pa.types.is_uint32(schema.field(CHECKSUM).type)


class _Batch:
    """Some documents, as arrays on the mapped file."""

    def __init__(self, batch: Any, file: _MappedFile) -> None:
        batch.validate()  # that lengths fit together, not what there is in them
        self._batch, self._file = batch, file
        self._contents: dict[str, tuple[Content, int]] = {}

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def _content(self, column: str) -> tuple[Content, int]:
        """The values of a column, and their place in the file."""
        if column not in self._contents:
            content = content_of(self._batch[column])
            self._contents[column] = content, self._file.place(content.values)
        return self._contents[column]

    def values(self, column: str, row: int) -> npt.NDArray[Any]:
        """The values of a column in a row: integers, or the bytes of a string."""
        (starts, values), place = self._content(column)
        first, last = starts[row : row + 2].tolist()
        if not 0 <= first <= last <= len(values):
            raise ValueError("outside")
        if place < 0:
            return values[first:last]
        step = values.itemsize
        return np.frombuffer(self._file.read(place + first * step, (last - first) * step), dtype=values.dtype)

    @property
    def documents(self) -> Content:
        """The names of all documents."""
        return self._content("document")[0]

    def document(self, row: int) -> bytes:
        (starts, values), _ = self._content("document")  # bisection comes back to the same places
        return values[starts[row] : starts[row + 1]].tobytes()

    @cached_property
    def length(self) -> IntArray:
        """-1 where a document could not be read."""
        column = self._batch["length"]
        return np.where(missing_of(column), -1, values_of(column)).astype(np.int64)

    def checked(self, row: int) -> dict[str, npt.NDArray[Any]]:
        """All columns of a document, after a check that they are as stored."""
        found = {column: self.values(column, row) for column in COLUMNS}
        stored = int(found.pop(CHECKSUM)[0])
        is_readable = not len(found["problem"])
        if row_checksum(found.values()) != stored or is_readable != (self.length[row] >= 0):
            raise ValueError("not what was stored")
        return found

    def names(self) -> list[str]:
        """The names of elements in all documents."""
        starts, content = content_of(self._batch["name"].values.dictionary)
        return [bytes(content[a:b]).decode() for a, b in pairwise(starts.tolist())]


class IndexStructures(LazyStructures):
    """The structure of each document, read from the index on demand; the last ones are cached.

    Documents that could not be read when the index was built are not in it. Looking one up raises the reason.
    """

    def read(self, name: str) -> Structure:
        index: Index = self._source
        number = index.number(name)
        if number is None:
            raise KeyError(name)
        if index.length(number) < 0:
            what = f"document {name} could not be read when the index was built: {index.problem(number)}"
            raise InputError(what, path=index.path)
        return index.structure(number)


class IndexLengths(OfDocuments[float]):
    """The length of each document."""

    def __getitem__(self, name: str) -> float:
        number = self._source.number(name)
        length: int = -1 if number is None else self._source.length(number)
        if length < 0:
            raise KeyError(name)
        return length

    def values(self) -> ValuesView[float]:
        return _LengthsOnly(self, self._source)


class _LengthsOnly(ValuesView[float]):
    """All lengths, without looking for each document by its name."""

    def __init__(self, lengths: IndexLengths, index: Index) -> None:
        super().__init__(lengths)
        self._index = index

    def __iter__(self) -> Iterator[float]:
        return self._index.lengths()
