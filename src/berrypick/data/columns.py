"""Columns of a run as readers make them: names as bytes, names with codes, stretches of equal values, moved rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from berrypick.data.arrays import IntArray, Narrow, Positions


class Names(Sequence[str]):
    """Distinct names in the order of their first appearance, from a compiled vocabulary."""

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none

    def __init__(self, vocabulary: Any) -> None:
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return len(self._vocabulary)

    @overload
    def __getitem__(self, code: int) -> str: ...

    @overload
    def __getitem__(self, code: slice) -> list[str]: ...

    def __getitem__(self, code: int | slice) -> str | list[str]:
        if isinstance(code, slice):
            return [self[i] for i in range(*code.indices(len(self)))]
        code = int(code)
        name: str = self._vocabulary.name(code + len(self) if code < 0 else code)
        return name

    def __iter__(self) -> Iterator[str]:
        names: list[str] = self._vocabulary.names()
        return iter(names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and int(self.codes([name])[0]) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Names, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    def __repr__(self) -> str:
        more = ", ..." if len(self) > 3 else ""
        return f"Names({', '.join(map(repr, self[:3]))}{more})"

    def __reduce__(self) -> tuple[type[list[str]], tuple[list[str]]]:
        """Sent to another process as a list."""
        return list, (list(self),)

    def codes(self, names: Sequence[str]) -> IntArray:
        """The code of each name, -1 for one that is not here."""
        found = np.empty(len(names), dtype=np.int64)
        self._vocabulary.find(names if isinstance(names, list) else list(names), found)
        return found


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of names as codes into its distinct names, in the order of their first appearance."""

    names: Sequence[str]
    codes: Narrow

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, names: Sequence[str]) -> Coded:
        known: dict[str, int] = defaultdict(count().__next__)  # a name that is met has the next code
        codes = np.fromiter(map(known.__getitem__, names), dtype=np.int64, count=len(names))
        return cls(list(known), codes)

    @classmethod
    def joined(cls, columns: Sequence[Sequence[str]]) -> Coded:
        """Several columns, one after the other; codes that all of them have from one file are used as they are."""
        known = getattr(columns[0], "known", None) if columns else None
        if known is not None and all(getattr(one, "known", None) is known for one in columns):
            return cls(known, np.concatenate([one.codes for one in columns]))  # type: ignore[attr-defined]
        return cls.of(list(chain.from_iterable(columns)))

    def stretches(self) -> tuple[Narrow, IntArray]:
        """Stretches of rows with one code: their codes, and where they begin."""
        new = np.ones(len(self.codes), dtype=bool)
        np.not_equal(self.codes[1:], self.codes[:-1], out=new[1:])
        begins = np.flatnonzero(new)
        return self.codes[begins], begins


class CodedNames(tuple[str, ...]):
    """Names of rows with their codes in the file that they were read from; what is made of it is a plain tuple."""

    codes: Narrow
    known: Sequence[str]  # the names that have the codes

    @classmethod
    def of(cls, names: Sequence[str], codes: Narrow, known: Sequence[str]) -> CodedNames:
        made = cls(names)
        made.codes, made.known = codes, known
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process as a plain tuple."""
        return tuple, (tuple(self),)


@dataclass(frozen=True, eq=False)
class NameColumn:
    """A column of names as bytes, which get codes when first needed."""

    column: Any  # compiled, in the order of the file
    order: IntArray | Moved | None = None  # of rows, if it is another one

    def __len__(self) -> int:
        return len(self.column)

    def names_at(self, rows: IntArray) -> list[str]:
        """The names of some rows of the file."""
        return [self.column.name(row) for row in rows.tolist()]

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.uint64], IntArray, IntArray]:
        """Where the name of each row lies in the column; then some rows, and the rows in which their names are."""
        none = np.zeros(0, dtype=np.int64)
        found: npt.NDArray[np.uint64] = self.column.places()
        if isinstance(self.order, Moved):
            return found, self.order.places, self.order.rows
        return found if self.order is None else found[self.order], none, none

    def coded(self) -> tuple[Names, Narrow]:
        """The distinct names in the order of the file, and the code of each row."""
        vocabulary, codes = self.column.interned()
        return Names(vocabulary), taken(codes, self.order)


class LateCodes:
    """A column of names that get codes when these are first asked for; their bytes then go."""

    def __init__(self, names: NameColumn) -> None:
        self.uncoded: NameColumn | None = names
        self._coded: Coded | None = None

    @property
    def coded(self) -> Coded:
        """The distinct names in the order of the file, and the code of each row."""
        if (names := self.uncoded) is not None:
            self._coded = Coded(*names.coded())
            self.uncoded = None  # when the codes are there: threads may share a run
        assert self._coded is not None
        return self._coded

    @property
    def names(self) -> Sequence[str]:
        return self.coded.names

    @property
    def codes(self) -> Narrow:
        return self.coded.codes

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process with codes."""
        return Coded, (self.names, self.codes)


@dataclass(frozen=True, eq=False)
class Stretches:
    """A column of names, of which many rows in turn have the same: the code of each stretch, and where it begins."""

    names: Sequence[str]
    code: Narrow
    begins: IntArray
    count: int

    def __len__(self) -> int:
        return self.count

    @cached_property
    def codes(self) -> Narrow:
        return np.repeat(self.code, np.diff(np.append(self.begins, self.count)))

    def stretches(self) -> tuple[Narrow, IntArray]:
        return self.code, self.begins


@dataclass(frozen=True, eq=False)
class Moved:
    """An order in which only some rows stand elsewhere: at ``places`` stand ``rows``."""

    places: IntArray
    rows: IntArray
    in_place: bool = False


class PackedColumn:
    """A column in less memory than its values need: it has some of them by ``[rows]``, all by ``values()``."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("a packed column has no comparison by itself: compare its values()")

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Packed(PackedColumn):
    """A column as whole numbers of 32 bits, equal and in order as its values are: these are such whole numbers, of 64
    bits, or such numbers over a power of ten."""

    whole: Narrow
    divisor: float | None = None

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, rows: Any) -> Any:
        """The values of some rows."""
        return self._values_of(self.whole[rows])

    def values(self) -> Positions:
        return self._values_of(self.whole)

    def _values_of(self, whole: Any) -> Any:
        return whole.astype(np.int64) if self.divisor is None else whole / self.divisor

    def taken(self, rows: IntArray | Moved | None) -> Packed:
        return Packed(taken(self.whole, rows), self.divisor)


@overload
def unpacked(column: None) -> None: ...


@overload
def unpacked(column: Positions | Packed | LineRange) -> Positions: ...


def unpacked(column: Positions | Packed | LineRange | None) -> Positions | None:
    """All values of a column, packed or not."""
    return column.values() if isinstance(column, PackedColumn) else column


def as_kept(column: Positions | Packed | None) -> Positions | None:
    """A column as it is kept: values, or whole numbers that are equal and in order as these are; those of positions are
    their values, of 32 bits."""
    return column.whole if isinstance(column, Packed) else column


@dataclass(frozen=True, eq=False)
class LineRange(PackedColumn):
    """Numbers of lines that follow each other, apart from rows that stand elsewhere."""

    first: int
    count: int
    order: Moved | None = None
    kind: type[np.signedinteger[Any]] = np.int32

    def __len__(self) -> int:
        return self.count

    def values(self) -> Narrow:
        return taken(np.arange(self.first, self.first + self.count, dtype=self.kind), self.order)

    def __getitem__(self, rows: Any) -> Any:
        """The numbers of some rows."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(self.count))
        elif isinstance(rows, np.ndarray) and rows.dtype == bool:
            rows = np.flatnonzero(rows)
        at = np.asarray(rows)
        if self.order is not None and len(self.order.places):
            places = self.order.places
            near = np.minimum(np.searchsorted(places, at), len(places) - 1)
            at = np.where(places[near] == at, self.order.rows[near], at)
        return (self.first + at).astype(self.kind)[()]

    def taken(self, rows: IntArray | Moved | None) -> Narrow | LineRange:
        """They stay a range where few rows are moved."""
        kept = rows is None or isinstance(rows, Moved)
        return replace(self, order=rows) if kept else self.values()[rows]  # type: ignore[arg-type, index]


def taken(column: Any, rows: IntArray | Moved | None) -> Any:
    """A column, packed or not, in an order of rows."""
    if isinstance(column, (Packed, LineRange)):
        return column.taken(rows)
    if isinstance(rows, Moved):
        moved = column if rows.in_place else column.copy()
        moved[rows.places] = column[rows.rows]
        return moved
    return column if rows is None else column[rows]


def narrow(column: Any) -> Any:
    """int32 where that holds all values; a range of lines stays one."""
    if isinstance(column, LineRange):
        return column
    fits = column.dtype == np.int32 or not len(column) or int(column.max()) < 2**31
    return column.astype(np.int32, copy=False) if fits else column


def rows_by_document(document: Narrow) -> list[IntArray]:
    """Rows document by document: an index keeps few documents in memory, and results of a topic are of many."""
    order = np.argsort(document, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(document[order])) + 1) if len(order) else []
