"""Tables for other libraries, by the Arrow PyCapsule interface: pyarrow, polars, DuckDB and pandas read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from berrypick.core.errors import UsageError
from berrypick.core.words import counted

Kind = Literal["text", "number", "count", "flag"]


class Frames:
    """A table that other libraries read. Subclasses have its columns, and say of what kind some are."""

    _kinds: ClassVar[Mapping[str, Kind]] = {}

    def _columns(self) -> dict[str, list[Any]]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(max(map(len, self._columns().values()), default=0), 'row')})"

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> Any:
        """Return the rows as a polars data frame."""
        import polars

        columns = self._columns()
        numbers = [name for name in columns if self._kinds.get(name) == "number"]
        return polars.DataFrame(columns, schema_overrides=dict.fromkeys(numbers, polars.Float64), strict=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for all that read Arrow: ``pyarrow.table(value)``, ``polars.DataFrame(value)``, DuckDB."""
        return arrow_stream(self._columns(), self._kinds, requested_schema)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns, None where a row has no such value."""
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def arrow_stream(columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, Kind], schema: object = None) -> object:
    """The capsule that ``__arrow_c_stream__`` returns.

    A column without a kind has the type of its values. Columns with a kind keep their type when all values are None.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        raise UsageError("a table for other libraries needs pyarrow: pip install 'berrypick[frames]'") from None
    types = {"text": pa.string(), "number": pa.float64(), "count": pa.int64(), "flag": pa.bool_()}
    made = {name: _array(pa, values, types.get(kinds.get(name, ""))) for name, values in columns.items()}
    return pa.table(made).__arrow_c_stream__(schema)


def _array(pa: Any, values: Sequence[Any], known: Any) -> Any:
    if known == pa.string():
        return pa.array([_text(value) for value in values], known)
    if known is not None:
        return pa.array(values, known)
    try:
        found = pa.array(values)
    except (pa.ArrowException, UnicodeEncodeError):  # values of several types, or of a type of their own
        found = pa.nulls(len(values))
    return _array(pa, values, pa.string()) if pa.types.is_null(found.type) else found


def _text(value: Any) -> str | None:
    """Names in files can hold lone surrogates, which Arrow cannot."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode("utf-8")
