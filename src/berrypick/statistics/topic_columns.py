"""Columns of values over topics, of any length, in blocks of equal ones that statistics take at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Column:
    """Values over some topics, and the numbers of the clusters that the topics are in."""

    values: FloatArray
    clusters: IntArray | None = None

    @property
    def key(self) -> tuple[int, bytes]:
        """Columns with the same key can be treated at once."""
        return len(self.values), b"" if self.clusters is None else self.clusters.tobytes()


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of one length, and of the same clusters, side by side."""

    place: IntArray  # of each column among all columns
    values: FloatArray  # topics x columns
    clusters: IntArray | None = None

    @property
    def units(self) -> int:
        """How many topics or clusters can be drawn."""
        return len(self.values) if self.clusters is None else len(set(self.clusters.tolist()))


class ColumnBlocks:
    """Columns in blocks of equal length."""

    def __init__(self, count: int, blocks: Sequence[Block]) -> None:
        self.count, self.blocks = count, blocks

    @classmethod
    def of_columns(cls, columns: Sequence[Column]) -> ColumnBlocks:
        groups: dict[tuple[int, bytes], list[int]] = {}
        for i, column in enumerate(columns):
            groups.setdefault(column.key, []).append(i)
        blocks = [
            Block(np.array(places), np.column_stack([columns[i].values for i in places]), columns[places[0]].clusters)
            for places in groups.values()
        ]
        return cls(len(columns), blocks)

    @classmethod
    def of_tables(cls, tables: Sequence[FloatArray]) -> ColumnBlocks:
        """The columns of tables of topics x columns, nan where a topic has no value."""
        groups: dict[int, list[tuple[IntArray, FloatArray]]] = {}
        before = 0
        for table in tables:
            by_column = np.ascontiguousarray(table.T)
            known = ~np.isnan(by_column)
            lengths = known.sum(axis=1)
            for length in dict.fromkeys(lengths.tolist()):
                chosen = np.flatnonzero(lengths == length)
                values = by_column[chosen][known[chosen]].reshape(len(chosen), length)
                groups.setdefault(length, []).append((chosen + before, values))
            before += table.shape[1]
        blocks = [
            Block(np.concatenate([place for place, _ in parts]),
                  np.ascontiguousarray(np.concatenate([values for _, values in parts]).T))
            for parts in groups.values()
        ]  # fmt: skip
        return cls(before, blocks)

    def apply(
        self, of: Callable[..., tuple[Any, ...]], each: Mapping[str, BoolArray | IntArray] | None = None, **how: Any
    ) -> list[Any]:
        """Arrays over all columns, from a function that gives arrays over the columns of one block.

        ``each`` are arguments with a value for every column.
        """
        parts = []
        for block in self.blocks:
            own = {name: one[block.place] for name, one in (each or {}).items()}
            parts.append(of(block.values, clusters=block.clusters, **own, **how))
        found = []
        place = np.concatenate([block.place for block in self.blocks]) if self.blocks else np.zeros(0, dtype=np.int64)
        for arrays in zip(*parts, strict=True):
            joined = np.concatenate(arrays)
            whole = np.empty_like(joined)
            whole[place] = joined
            found.append(whole)
        return found

    def means(self) -> list[float | None]:
        """The mean of each column, summed exactly; None where it is empty."""
        found: list[float | None] = [None] * self.count
        for block in self.blocks:
            topics = len(block.values)
            if topics:
                by_column = np.ascontiguousarray(block.values.T).tolist()
                for place, values in zip(block.place.tolist(), by_column, strict=True):
                    found[place] = math.fsum(values) / topics
        return found

    @property
    def lengths(self) -> IntArray:
        """How many values each column has."""
        return self._each(lambda block: len(block.values))

    @property
    def units(self) -> IntArray:
        """How many topics or clusters of each column can be drawn."""
        return self._each(lambda block: block.units)

    def _each(self, of: Callable[[Block], int]) -> IntArray:
        found = np.zeros(self.count, dtype=np.int64)
        for block in self.blocks:
            found[block.place] = of(block)
        return found
