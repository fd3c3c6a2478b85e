"""The finished index, put together from bundles. ``docs/index-file.md`` describes the file.

Two passes over the bundles, so that next to nothing has to be kept in memory: the first finds out which names elements
have and how large numbers get, the second writes the documents in the order of their names, in batches of a limited
size, every column in the narrowest integers that hold it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from berrypick._version import __version__
from berrypick.corpus.index_columns import (
    KEY,
    LISTS,
    VERSION,
    Array,
    Facts,
    coded,
    lists,
    numbers,
    starts_of,
    strings,
    values_of,
    width,
)

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
        offsets = self.bundle.offsets[LISTS[column]]
        found: Array = self.bundle.values[column][offsets[self.first] : offsets[self.last]]
        return found

    def rows(self, column: str) -> list[Any]:
        found: list[Any] = self.bundle.batch[column].slice(self.first, len(self)).to_pylist()
        return found


class _Columns:
    """A bundle as arrays."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch
        self.offsets = {number: starts_of(batch[column]) for column, number in LISTS.items()}
        names = batch["name"].values
        self.names: list[str] = names.dictionary.to_pylist()
        self.values = {column: values_of(batch[column].values) for column in LISTS if column != "name"}
        self.values["name"] = values_of(names.indices)


def write(
    path: str, documents: Sequence[str], batches: Sequence[pa.RecordBatch], rows: Array
) -> tuple[Facts, list[str]]:
    """Write an index of documents, in this order; the two columns of ``rows`` are the batch and the row of each.

    Returns what there is to say of it, and what is wrong with documents that could not be read.
    """
    survey = _Survey()
    for piece in _pieces(batches, rows):
        survey.add(piece)
    with open(path, "wb") as file, pa.ipc.new_file(file, survey.schema(len(documents))) as writer:
        places = {name: place for place, name in enumerate(documents)}
        batch = _Batch(survey, places)
        for piece in _pieces(batches, rows):
            batch.add(piece)
            if batch.full:
                writer.write_batch(batch.made())
                batch = _Batch(survey, places)
        if batch.pieces:
            writer.write_batch(batch.made())
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
    """What must be known of all documents before the first is written."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._largest = dict.fromkeys(LISTS, 0)
        self.facts = Facts(0, 0, 0, 0)
        self.problems: list[str] = []

    def add(self, piece: Piece) -> None:
        for column in LISTS:
            self._largest[column] = max(self._largest[column], int(piece.values(column).max(initial=0)))
        used = np.bincount(piece.values("name"), minlength=len(piece.bundle.names))
        self._names.update(name for name, count in zip(piece.bundle.names, used.tolist(), strict=True) if count)
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

    def schema(self, documents: int) -> pa.Schema:
        columns: dict[str, Any] = {"document": pa.string(), "length": pa.int32(), "problem": pa.string()}
        largest = self._largest | {"name": len(self._names), "link_document": documents}
        for column, value in largest.items():
            number = {1: pa.int8(), 2: pa.int16(), 4: pa.int32()}[width(value)]
            columns[column] = pa.list_(pa.dictionary(number, pa.string()) if column == "name" else number)
        said = {"version": VERSION, "made_by": f"berrypick {__version__}", **asdict(self.facts)}
        return pa.schema(list(columns.items()), metadata={KEY: json.dumps(said).encode()})


class _Batch:
    """A batch of the index in the making."""

    def __init__(self, survey: _Survey, places: Mapping[str, int]) -> None:
        self.pieces: list[Piece] = []
        self._names = survey.names
        self._codes = {name: code for code, name in enumerate(self._names)}
        self._schema = survey.schema(len(places))
        self._places = places
        self._documents = self._values = 0

    @property
    def full(self) -> bool:
        return self._documents >= DOCUMENTS or self._values >= VALUES

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self._documents += len(piece)
        self._values += sum(len(piece.values(column)) for column in LISTS)

    def made(self) -> pa.RecordBatch:
        columns: dict[str, pa.Array] = {
            field.name: self._lists(field) if field.name in LISTS else self._plain(field)
            for field in self._schema
            if field.name != "link_document"
        }
        columns["link_element"], columns["link_document"] = self._links()
        return pa.RecordBatch.from_arrays([columns[name] for name in self._schema.names], schema=self._schema)

    def _plain(self, field: pa.Field) -> pa.Array:
        values = [value for piece in self.pieces for value in piece.rows(field.name)]
        if field.name != "length":
            return strings(values)
        lengths = np.array([-1 if value is None else value for value in values], dtype=np.int32)
        return numbers(np.maximum(lengths, 0), lengths < 0)

    def _lists(self, field: pa.Field) -> pa.Array:
        values = [piece.values(field.name) for piece in self.pieces]
        counts = np.concatenate([piece.counts(LISTS[field.name]) for piece in self.pieces])
        if field.name != "name":
            return lists(counts, self._numbers(field, np.concatenate(values)))
        codes = [np.array([self._codes.get(name, -1) for name in piece.bundle.names]) for piece in self.pieces]
        found = np.concatenate([code[value] for code, value in zip(codes, values, strict=True)])
        return lists(counts, coded(found.astype(_dtype(field.type.value_type.index_type)), self._names))

    def _links(self) -> tuple[pa.Array, pa.Array]:
        """Those that lead to documents of the collection."""
        elements = np.concatenate([piece.values("link_element") for piece in self.pieces])
        targets = [target for piece in self.pieces for row in piece.rows("link_target") for target in row]
        places = np.array([self._places.get(target, -1) for target in targets], dtype=np.int64)
        counts = np.concatenate([piece.counts("links") for piece in self.pieces])
        good = places >= 0
        kept = np.diff(np.append(0, np.cumsum(good))[np.cumsum(counts)], prepend=0)
        one = self._numbers(self._schema.field("link_element"), elements[good])
        other = self._numbers(self._schema.field("link_document"), places[good])
        return lists(kept, one), lists(kept, other)

    def _numbers(self, field: pa.Field, values: Array) -> pa.Array:
        return numbers(values.astype(_dtype(field.type.value_type)))


def _dtype(kind: pa.DataType) -> str:
    return f"i{kind.bit_width // 8}"
