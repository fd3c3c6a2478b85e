"""An index as a collection: sizes, offsets, nesting and links of XML documents without the documents.

The file is an Arrow file, described in ``docs/index-file.md`` and made by ``index_build``. It is mapped into memory,
not read: documents stand in the order of their names, so that one is found by bisection, and no part of the file is
touched but those that hold it.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, ValuesView
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from berrypick.core.arrays import IntArray
from berrypick.core.errors import InputError
from berrypick.core.structure import Structure
from berrypick.corpus.index import UNFINISHED
from berrypick.corpus.index_columns import KEY, VERSION, Facts, missing_of, starts_of, values_of

#: How many structures are kept: a run is judged topic by topic, and topics come back to the same documents.
KEPT = 256

_REMEDY = "an index is made with: berrypick index FOLDER FILE"


class Index:
    """The file: documents by number, in the order of their names."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                unfinished = file.read(len(UNFINISHED)) == UNFINISHED
            if unfinished:
                raise InputError("is an unfinished index", path=path, remedy="the command that began it will finish it")
            reader = pa.ipc.open_file(pa.memory_map(path))
            self.facts = self._facts(reader.schema)
            self._batches = [_Batch(reader.get_batch(i)) for i in range(reader.num_record_batches)]
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
        except pa.ArrowInvalid as error:
            raise InputError("is no Arrow file, or only a part of one", path=path, remedy=_REMEDY) from error
        #: The number of each batch's first document, and at the end the number of all.
        self._first = np.cumsum([0, *map(len, self._batches)]).tolist()
        if self._first[-1] != self.facts.documents + self.facts.unreadable:
            raise InputError("does not hold the documents that it says it holds", path=path, remedy=_REMEDY)

    def _facts(self, schema: Any) -> Facts:
        said = (schema.metadata or {}).get(KEY)
        if said is None:
            raise InputError("is an Arrow file, but not the index of a collection", path=self.path, remedy=_REMEDY)
        facts = json.loads(said)
        if facts["version"] != VERSION:
            made_by = facts.get("made_by", "another version of berrypick")
            raise InputError(f"is an index of another kind, made by {made_by}", path=self.path, remedy=_REMEDY)
        return Facts(*(int(facts[name]) for name in Facts.__dataclass_fields__))

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return Index, (self.path,)  # another process maps the file itself

    def number(self, name: object) -> int | None:
        """The number of the document with a name."""
        if not isinstance(name, str):
            return None
        sought = name.encode("utf-8", "surrogatepass")
        which = bisect_right(range(len(self._batches)), sought, key=lambda i: self._batches[i].name(0)) - 1
        if which < 0:
            return None
        batch = self._batches[which]
        row = bisect_left(range(len(batch)), sought, key=batch.name)
        return self._first[which] + row if row < len(batch) and batch.name(row) == sought else None

    def _place(self, number: int) -> tuple[_Batch, int]:
        which = bisect_right(self._first, number) - 1
        return self._batches[which], number - self._first[which]

    def length(self, number: int) -> int:
        """The length of a document, -1 if it could not be read."""
        batch, row = self._place(number)
        return int(batch.length[row])

    def problem(self, number: int) -> str:
        """Why a document could not be read."""
        batch, row = self._place(number)
        return str(batch.problem(row))

    def name(self, number: int) -> str:
        batch, row = self._place(number)
        return batch.name(row).decode()

    def lengths(self) -> Iterator[tuple[bytes, int]]:
        """Names and lengths of all documents that could be read."""
        for batch in self._batches:
            for row, length in enumerate(batch.length.tolist()):
                if length >= 0:
                    yield batch.name(row), length

    def structure(self, number: int) -> Structure:
        batch, row = self._place(number)
        starts, counts = batch.values("dropped_start", row), batch.values("dropped_length", row)
        before = np.cumsum(counts) - counts
        targets = [self.name(target) for target in batch.values("link_document", row).tolist()]
        return Structure(
            name=tuple(map(batch.names.__getitem__, batch.values("name", row).tolist())),
            parent=batch.values("parent", row),
            start=batch.values("start", row),
            end=batch.values("end", row),
            length=int(batch.length[row]),
            text_parent=batch.values("text_parent", row),
            text_raw_length=batch.values("text_raw_length", row),
            dropped=np.repeat(starts - before, counts) + np.arange(counts.sum()),
            links=tuple(zip(batch.values("link_element", row).tolist(), targets, strict=True)),
        )


class _Batch:
    """Some documents, as arrays on the mapped file."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch
        self._lists: dict[str, tuple[npt.NDArray[np.int32], npt.NDArray[Any]]] = {}

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    @cached_property
    def _documents(self) -> tuple[npt.NDArray[np.int32], memoryview]:
        _, offsets, content = self._batch["document"].buffers()
        return np.frombuffer(offsets, dtype=np.int32), memoryview(content)

    def name(self, row: int) -> bytes:
        offsets, content = self._documents
        return bytes(content[offsets[row] : offsets[row + 1]])

    @cached_property
    def length(self) -> IntArray:
        """-1 where a document could not be read."""
        column = self._batch["length"]
        return np.where(missing_of(column), -1, values_of(column)).astype(np.int64)

    def problem(self, row: int) -> object:
        return self._batch["problem"][row].as_py()

    @cached_property
    def names(self) -> list[str]:
        """What elements are called."""
        found: list[str] = self._batch["name"].values.dictionary.to_pylist()
        return found

    def values(self, column: str, row: int) -> IntArray:
        if column not in self._lists:
            lists = self._batch[column]
            values = lists.values.indices if column == "name" else lists.values
            self._lists[column] = starts_of(lists), values_of(values)
        offsets, found = self._lists[column]
        return found[offsets[row] : offsets[row + 1]].astype(np.int64)


class Structures(Mapping[str, Structure]):
    """The structure of each document, taken from the index when asked for; the last ones are kept.

    Documents that could not be read when the index was made are not in it. Who asks for one of them is told why.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._kept: dict[str, Structure] = {}

    def __getitem__(self, name: str) -> Structure:
        structure = self._kept.pop(name, None)
        if structure is None:
            structure = self._found(name)
        self._kept[name] = structure  # now the last one used
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return structure

    def _found(self, name: str) -> Structure:
        number = self._index.number(name)
        if number is None:
            raise KeyError(name)
        if self._index.length(number) < 0:
            problem = self._index.problem(number)
            raise InputError(
                f"document {name} could not be read when the index was made: {problem}", path=self._index.path
            )
        return self._index.structure(number)

    def __iter__(self) -> Iterator[str]:
        return (name.decode() for name, _ in self._index.lengths())

    def __len__(self) -> int:
        return self._index.facts.documents

    def __contains__(self, name: object) -> bool:
        number = self._index.number(name)
        return number is not None and self._index.length(number) >= 0

    def __getstate__(self) -> dict[str, object]:
        return {"_index": self._index, "_kept": {}}


class Lengths(Mapping[str, float]):
    """The length of each document."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getitem__(self, name: str) -> float:
        number = self._index.number(name)
        length = -1 if number is None else self._index.length(number)
        if length < 0:
            raise KeyError(name)
        return length

    def __iter__(self) -> Iterator[str]:
        return (name.decode() for name, _ in self._index.lengths())

    def __len__(self) -> int:
        return self._index.facts.documents

    def __contains__(self, name: object) -> bool:
        number = self._index.number(name)
        return number is not None and self._index.length(number) >= 0

    def values(self) -> ValuesView[float]:
        return _LengthsOnly(self, self._index)


class _LengthsOnly(ValuesView[float]):
    """All lengths, without looking for each document by its name."""

    def __init__(self, lengths: Lengths, index: Index) -> None:
        super().__init__(lengths)
        self._index = index

    def __iter__(self) -> Iterator[float]:
        return (length for _, length in self._index.lengths())
