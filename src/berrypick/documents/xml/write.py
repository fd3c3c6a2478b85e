"""The finished index, put together from bundles. ``docs/reference/formats/collection-index.md`` describes the file.

Two passes over the bundles keep memory low: the first collects the names of elements and the largest number of each
column, the second writes the documents in the order of their names, in batches of a limited
size, every column in the narrowest integers that hold it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from berrypick._version import __version__
from berrypick.documents.xml.index_columns import (
    CHECKSUM,
    KEY,
    LISTS,
    VERSION,
    Array,
    Facts,
    content_of,
    dictionary,
    lists,
    numbers,
    row_checksums,
    starts_of,
    strings,
    values_of,
    width,
    words_checksum,
)

#: What there is one value for in columns of bundles.
_NUMBERS = {**LISTS, "link_target": "links"}
#: A batch is ended when it has so many values in its lists, or so many documents.
VALUES = 4_000_000
DOCUMENTS = 65_536


@dataclass(frozen=True)
class Piece:
    """Some rows of a bundle that follow each other in the index, too."""

    bundle: _Columns
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def counts(self, number: str) -> Array:
        """How many values each document has."""
        return np.diff(self.bundle.offsets[number][self.first : self.last + 1])

    def values(self, column: str) -> Array:
        offsets = self.bundle.offsets[_NUMBERS[column]]
        found: Array = self.bundle.values[column][offsets[self.first] : offsets[self.last]]
        return found

    def codes(self, column: str, codes: Mapping[str, int]) -> Array:
        """The codes of a column's words, -1 for words that have none."""
        found: Array = self.bundle.codes(column, codes)[self.values(column)]
        return found

    def rows(self, column: str) -> list[Any]:
        found: list[Any] = self.bundle.batch[column].slice(self.first, len(self)).to_pylist()
        return found


class _Columns:
    """A bundle as arrays."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch
        self.offsets = {number: starts_of(batch[column]) for column, number in LISTS.items()}
        self.words: dict[str, list[str]] = {}
        self.values: dict[str, Array] = {}
        for column in _NUMBERS:
            values = batch[column].values
            if isinstance(values, pa.DictionaryArray):
                self.words[column] = values.dictionary.to_pylist()
                values = values.indices
            self.values[column] = values_of(values)
        self._codes: dict[str, Array] = {}

    def codes(self, column: str, codes: Mapping[str, int]) -> Array:
        """The codes of all words of a column, which are always the same: a bundle may come in many pieces."""
        if column not in self._codes:
            self._codes[column] = np.array([codes.get(word, -1) for word in self.words[column]], dtype=np.int64)
        return self._codes[column]


def write(
    path: str, documents: Sequence[str], batches: Sequence[pa.RecordBatch], rows: Array
) -> tuple[Facts, list[str]]:
    """Write an index of documents, in this order; the two columns of ``rows`` are the batch and the row of each.

    Returns its totals, and the problems of unreadable documents.
    """
    survey = _Survey()
    for piece in _pieces(batches, rows):
        survey.add(piece)
    schema, names = survey.schema(documents), survey.names
    places = {name: place for place, name in enumerate(documents)}
    with open(path, "wb") as file:
        with pa.ipc.new_file(file, schema) as writer:
            batch = _NewBatch(schema, names, places)
            for piece in _pieces(batches, rows):
                batch.add(piece)
                if batch.full:
                    writer.write_batch(batch.record_batch())
                    batch = _NewBatch(schema, names, places)
            if batch.pieces:
                writer.write_batch(batch.record_batch())
        file.flush()
        os.fsync(file.fileno())  # else the new name may come to the disk before the content does
    return survey.facts, survey.problems


def _pieces(batches: Sequence[pa.RecordBatch], rows: Array) -> Iterator[Piece]:
    """Rows in their order, as many at once as follow each other in the same batch, and at most a batch of the index."""
    breaks = np.flatnonzero((np.diff(rows[:, 0]) != 0) | (np.diff(rows[:, 1]) != 1)) + 1
    which, columns = -1, None
    for first, last in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
        if columns is None or which != rows[first, 0]:
            which = int(rows[first, 0])
            columns = _Columns(batches[which])
        yield Piece(columns, int(rows[first, 1]), int(rows[last - 1, 1]) + 1)


class _Survey:
    """What has to be known of all documents before the first one is written."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._largest = dict.fromkeys(LISTS, 0)
        self.facts = Facts(0, 0, 0, 0)
        self.problems: list[str] = []

    def add(self, piece: Piece) -> None:
        for column in LISTS:
            self._largest[column] = max(self._largest[column], int(piece.values(column).max(initial=0)))
        names = piece.bundle.words["name"]
        used = np.bincount(piece.values("name"), minlength=len(names))
        self._names.update(name for name, count in zip(names, used.tolist(), strict=True) if count)
        self.problems += [problem for problem in piece.rows("problem") if problem is not None]
        lengths = [length for length in piece.rows("length") if length is not None]
        facts = self.facts
        self.facts = Facts(
            facts.documents + len(lengths),
            facts.unreadable + len(piece) - len(lengths),
            facts.elements + len(piece.values("name")),
            facts.characters + sum(lengths),
        )

    @property
    def names(self) -> list[str]:
        return sorted(self._names)

    def schema(self, documents: Sequence[str]) -> pa.Schema:
        columns: dict[str, Any] = {"document": pa.string(), "length": pa.int32(), "problem": pa.string()}
        largest = self._largest | {"name": len(self._names), "link_document": len(documents)}
        for column, value in largest.items():
            number = {1: pa.int8(), 2: pa.int16(), 4: pa.int32()}[width(value)]
            columns[column] = pa.list_(pa.dictionary(number, pa.string()) if column == "name" else number)
        columns[CHECKSUM] = pa.uint32()
        checksums = {"documents_checksum": words_checksum(documents), "names_checksum": words_checksum(self.names)}
        metadata = {"version": VERSION, "made_by": f"berrypick {__version__}", **asdict(self.facts), **checksums}
        return pa.schema(list(columns.items()), metadata={KEY: json.dumps(metadata).encode()})


class _NewBatch:
    """A batch of the index in the making."""

    def __init__(self, schema: pa.Schema, names: list[str], places: Mapping[str, int]) -> None:
        self.pieces: list[Piece] = []
        self._names = names
        self._codes = {name: code for code, name in enumerate(names)}
        self._schema = schema
        self._places = places
        self._documents = self._values = 0

    @property
    def full(self) -> bool:
        return self._documents >= DOCUMENTS or self._values >= VALUES

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self._documents += len(piece)
        self._values += sum(len(piece.values(column)) for column in LISTS)

    def record_batch(self) -> pa.RecordBatch:
        columns = {field.name: self._column(field) for field in self._schema if field.name != CHECKSUM}
        checksum = row_checksums([content_of(column) for column in columns.values()], self._documents)
        return pa.RecordBatch.from_arrays([*columns.values(), numbers(checksum)], schema=self._schema)

    def _column(self, field: pa.Field) -> pa.Array:
        if field.name == "length":
            lengths = np.array([-1 if value is None else value for value in self._rows("length")], dtype=np.int32)
            return numbers(np.maximum(lengths, 0), lengths < 0)
        if field.name in ("document", "problem"):
            return strings(self._rows(field.name))
        if field.name.startswith("link_"):
            return self._links(field)
        counts = np.concatenate([piece.counts(LISTS[field.name]) for piece in self.pieces])
        if field.name == "name":
            codes = np.concatenate([piece.codes("name", self._codes) for piece in self.pieces])
            return lists(counts, dictionary(codes.astype(_dtype(field.type.value_type.index_type)), self._names))
        return lists(counts, self._numbers(field, [piece.values(field.name) for piece in self.pieces]))

    def _rows(self, column: str) -> list[Any]:
        return [value for piece in self.pieces for value in piece.rows(column)]

    def _links(self, field: pa.Field) -> pa.Array:
        """Of those that lead to documents of the collection, the elements or the documents."""
        places = [piece.codes("link_target", self._places) for piece in self.pieces]
        good = [place >= 0 for place in places]
        counts = np.concatenate([piece.counts("links") for piece in self.pieces])
        kept = np.diff(np.append(0, np.cumsum(np.concatenate(good)))[np.cumsum(counts)], prepend=0)
        values = places if field.name == "link_document" else [piece.values(field.name) for piece in self.pieces]
        return lists(kept, self._numbers(field, [one[there] for one, there in zip(values, good, strict=True)]))

    def _numbers(self, field: pa.Field, values: Sequence[Array]) -> pa.Array:
        return numbers(np.concatenate(values).astype(_dtype(field.type.value_type)))


def _dtype(kind: pa.DataType) -> str:
    return f"i{kind.bit_width // 8}"
