"""Large text files read as columns, block by block.

A block of whole lines is split into columns by polars. On any doubt (a line with other columns, a comment, white space
beyond blanks, bytes that are no text, a number in a form that only Python knows) the block's lines are read one by one
instead, by the same code that reads small files: that code alone decides what is an error, and names the line. So
columns are a matter of speed only, and doubt costs no more than one block.

polars is imported here and only for files of some size: below it, importing polars takes longer than reading lines.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from berrypick.core.arrays import IntArray
from berrypick.core.errors import InputError
from berrypick.core.run import Coded
from berrypick.formats._files import decode_line, open_bytes, open_raw, size_of
from berrypick.formats.base import Problems

if TYPE_CHECKING:
    import polars

#: Files from here on (in bytes) are read as columns: where that begins to be quicker, the import of polars included.
LARGE = 3 << 20
#: Bytes that compressed text usually expands to.
EXPANSION = 4
#: Bytes in a block: large enough for polars to work in parallel, small enough for the processor's memory.
BLOCK = 8 << 20

_MARK = b"\xef\xbb\xbf"
#: White space to Python, and not to polars: lines with such bytes are read one by one.
_ODD = tuple(bytes([code]) for code in (0x00, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F))
_ODD_WIDE = tuple(
    chr(code).encode() for code in (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
)
_PLAIN = bytes.maketrans(b"\t\r", b"  ")

T = TypeVar("T")
R = TypeVar("R", bound="Rows")


class Damaged(Exception):
    """The file cannot be read to its end, or only the reader of lines can say what is wrong with it."""


def is_large(path: str) -> bool:
    """Whether a file is better read as columns, and can be."""
    try:
        size = size_of(path)
        with open_raw(path) as stream:
            packed = stream.read(2) == b"\x1f\x8b"
    except (OSError, InputError):
        return False  # the reader of lines says what is wrong
    return size * (EXPANSION if packed else 1) >= LARGE and importlib.util.find_spec("polars") is not None


def read_large(path: str, problems: Problems, read: Callable[[Iterator[tuple[int, bytes]], Problems], T]) -> T | None:
    """What ``read`` makes of the blocks of a file; None, and nothing reported, if lines have to be read instead."""
    trial = Problems(path, problems.strict, problems.limit)
    try:
        value = read(blocks(path), trial)
    except Damaged:
        return None
    for error in trial.found:
        problems.report(error.what, error.line, error.text, error.remedy)
    for what, count in trial.counts.items():
        problems.count(what, count)
    return value


def blocks(path: str, size: int | None = None) -> Iterator[tuple[int, bytes]]:
    """(number of its first line, bytes) of blocks of whole lines; a byte order mark is no character."""
    number = 1
    with open_bytes(path) as stream:
        while True:
            try:
                data = stream.read(size or BLOCK)
                data += stream.readline() if data else b""
            except Exception as error:  # gzip: it ends early or is damaged
                raise Damaged from error
            if not data:
                return
            yield number, data[3:] if number == 1 and data.startswith(_MARK) else data
            number += data.count(b"\n")


class Rows(Protocol):
    """Columns under way, to which lines are added one by one or many at once."""

    def add(self, number: int, text: str) -> None: ...

    def add_block(self, number: int, data: bytes) -> bool:
        """False, and nothing added, if the lines have to be read one by one."""


def filled(rows: R, blocks: Iterator[tuple[int, bytes]], problems: Problems) -> R:
    """Rows with all lines of the blocks."""
    for number, data in blocks:
        if not rows.add_block(number, data):
            for at, text in lines_of(data, number, problems):
                rows.add(at, text)
    return rows


def lines_of(data: bytes, number: int, problems: Problems) -> Iterator[tuple[int, str]]:
    """The lines of a block that are neither blank nor comments."""
    for at, raw in enumerate(data.split(b"\n"), start=number):
        text = decode_line(raw, at, problems)
        stripped = text.strip() if text is not None else ""
        if text is not None and stripped and not stripped.startswith("#"):
            yield at, text


def width(data: bytes) -> int:
    """The number of columns of a block's first line."""
    return len(data[: data.find(b"\n") + 1 or None].split())


def table(data: bytes, columns: int) -> polars.DataFrame | None:
    """A block as columns of words; None on any doubt."""
    if any(odd in data for odd in _ODD) or not (data.isascii() or _only_names_are_wide(data)):
        return None
    spaced = b"\t" in data or b"\r" in data
    frame = None if spaced else _split(data, columns)
    if frame is None:
        frame = _split(_evenly_spaced(data), columns)
    return frame


def _only_names_are_wide(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(odd in data for odd in _ODD_WIDE)


def _evenly_spaced(data: bytes) -> bytes:
    """One blank between words, none around lines."""
    data = data.translate(_PLAIN)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _split(data: bytes, columns: int) -> polars.DataFrame | None:
    import polars

    if data.startswith(b"#") or (b"#" in data and b"\n#" in data):
        return None
    names = [str(i) for i in range(columns)]
    try:
        frame = polars.read_csv(
            data,
            has_header=False,
            separator=" ",
            quote_char=None,
            schema=dict.fromkeys(names, polars.String),
            glob=False,
        )
    except polars.exceptions.PolarsError:
        return None
    whole = frame.height == data.count(b"\n") + (not data.endswith(b"\n"))
    return frame if whole and not any(frame[name].null_count() for name in names) else None


class Names:
    """Names met so far, each with a code, in the order in which they were met."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def code(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))

    def codes(self, column: polars.Series) -> IntArray:
        distinct, local = _distinct(column)
        known = self.known
        codes = np.fromiter((known.setdefault(name, len(known)) for name in distinct), np.int32, len(distinct))
        return codes[local]

    def coded(self, codes: IntArray) -> Coded:
        return Coded(list(self.known), codes)


class Words:
    """A column of names of which there may be many: coded once, when all of it is there."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # one string for every name, however often it is read
        self.pieces: list[polars.Series] = []
        self.single: list[str] = []

    def append(self, name: str) -> None:
        self.single.append(self.names.setdefault(name, name))

    def extend(self, column: polars.Series) -> None:
        self._close()
        self.pieces.append(column)

    def listed(self) -> list[str]:
        self._close()
        return [name for piece in self.pieces for name in piece.to_list()]

    def coded(self) -> Coded:
        if not self.pieces:
            return Coded.of(self.single)
        import polars

        self._close()
        frame = polars.DataFrame({"name": polars.concat(self.pieces)}).with_row_index("row")
        self.pieces = []
        frame = frame.with_columns(first=polars.col("row").first().over("name"))
        first = frame["first"].to_numpy()
        codes = np.cumsum(first == np.arange(len(first)), dtype=np.int64)
        codes -= 1
        return Coded(frame.filter(polars.col("row") == polars.col("first"))["name"].to_list(), codes[first])

    def _close(self) -> None:
        import polars

        if self.single:
            self.pieces.append(polars.Series("2", self.single, dtype=polars.String))
            self.single = []


def _distinct(column: polars.Series) -> tuple[list[str], Any]:
    """Distinct words in order of appearance, and for each row which one it is."""
    import polars

    distinct = column.unique(maintain_order=True)
    return distinct.to_list(), column.cast(polars.Enum(distinct)).to_physical().to_numpy()


def numbers(column: polars.Series, read: Callable[[str], float | None]) -> Any:
    """Words as numbers, nan for those that are none or not finite; ``read`` decides where polars does not know."""
    import polars

    values = column.cast(polars.Float64, strict=False)
    found = values.fill_null(float("nan")).to_numpy().copy()
    return _read_rest(column, ~np.isfinite(found), found, read, float("nan"))


def whole_numbers(column: polars.Series, read: Callable[[str], int | None]) -> Any:
    """Words as whole numbers, -1 for those that are none.

    A word that is as long as its number has digits is plain; ``read`` decides on all others, as signs, zeros in front.
    """
    import polars

    found = column.cast(polars.Int64, strict=False).fill_null(-1).to_numpy().copy()
    digits = column.str.len_bytes().to_numpy()
    plain = (found >= _TENS[np.minimum(digits, 16) - 1]) & (found < _TENS[np.minimum(digits, 16)]) & (digits <= 15)
    plain |= (found == 0) & (digits == 1)
    return _read_rest(column, ~plain, found, read, -1)


_TENS = np.array([10**i for i in range(17)], dtype=np.int64)


def _read_rest(column: polars.Series, doubtful: Any, found: Any, read: Callable[[str], Any], otherwise: Any) -> Any:
    rows = np.flatnonzero(doubtful)
    if len(rows):
        words, local = _distinct(column.gather(rows))
        values = [read(word) for word in words]
        found[rows] = np.array([otherwise if value is None else value for value in values], dtype=found.dtype)[local]
    return found


class Pieces:
    """A column in the making: arrays of blocks, and values of single lines in between."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.arrays: list[Any] = []
        self.values: list[Any] = []
        self.append: Callable[[Any], None] = self.values.append  # directly: it is called for every value of every line

    def extend(self, array: Any) -> None:
        self._close()
        self.arrays.append(array)

    def __len__(self) -> int:
        return sum(map(len, self.arrays)) + len(self.values)

    def joined(self) -> Any:
        """The whole column, which leaves this empty: two copies of a long one would be one too many."""
        self._close()
        arrays, self.arrays = self.arrays, []
        if len(arrays) == 1 and arrays[0].dtype == self.dtype:
            return arrays[0]
        found = np.empty(sum(map(len, arrays)), dtype=self.dtype)
        at = 0
        for i, array in enumerate(arrays):
            found[at : at + len(array)] = array
            at += len(array)
            arrays[i] = None
        return found

    def _close(self) -> None:
        if self.values:
            self.arrays.append(np.array(self.values, dtype=self.dtype))
            self.values.clear()
