"""Values that give themselves back: to other libraries by the Arrow PyCapsule interface, by topic, and as text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal

from berrypick.data.errors import BerrypickWarning, UsageError, library, nearest
from berrypick.data.words import counted

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
        pandas = library("pandas", "to_pandas() needs pandas", "frames")
        return pandas.DataFrame(self._columns())

    def to_polars(self) -> Any:
        """Return the rows as a polars data frame."""
        polars = library("polars", "to_polars() needs polars", "frames")
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
    pa = library("pyarrow", "a table for other libraries needs pyarrow", "frames")
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


class Exchanged(Frames):
    """A truth or a run, by topic; subclasses have the topics and the records."""

    def __new__(cls, *given: object, **named: object) -> Any:
        """``Run({...})`` is what people guess; the columns of a value are many more than one."""
        if len(given) + len(named) == 1:
            makers = ", ".join(f"{cls.__name__}.{name}" for name in ("from_dict", "from_records", "from_frame"))
            raise UsageError(f"a {cls.__name__} is built with {makers} or {cls.__name__}.from_file")
        return super().__new__(cls)

    def __iter__(self) -> Iterator[str]:
        """Go through the topics."""
        raise NotImplementedError

    def _topic(self, topic: str) -> Any:
        raise NotImplementedError

    def to_records(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def __getitem__(self, topic: object) -> Any:
        name = str(topic)
        if name not in self:
            known = list(self)
            offer = nearest(name, known) or f"; it has {', '.join(known[:8])}{' ..' * (len(known) > 8)}"
            raise KeyError(f"no topic {name!r}{offer}")
        return self._topic(name)

    def __contains__(self, topic: object) -> bool:
        raise NotImplementedError

    def keys(self) -> list[str]:
        """Return the topics."""
        return list(self)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Go through the topics with what each has."""
        for topic in self:
            yield topic, self._topic(topic)

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Write a file, atomically; the format follows from how its name ends unless given. See :func:`write`."""
        from berrypick import formats

        formats.write(self, path, format)

    def _columns(self) -> dict[str, list[Any]]:
        """A table has no row for a topic without results and for a checksum; that there are some is a warning."""
        records = self.to_records()
        held = [record for record in records if "topic" in record and "results" not in record]
        rows = [row for record in held for row in one_set_each(_row(record))]
        if left_out := len(records) - len(held):
            text = f"{counted(left_out, 'record')} without a row: topics without results, or checksums"
            warnings.warn(f"{text}; to_records() has them", BerrypickWarning, stacklevel=3)
        return columns_of(rows)


def one_set_each(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each set or hop that a row names: cells of tables hold one."""
    several = next((name for name in ("set", "hop") if isinstance(row.get(name), list)), "")
    return [{**row, several: one} for one in row[several]] if several else [row]


def _row(record: dict[str, Any]) -> dict[str, Any]:
    """In a table None says nothing: a topic without an answer is said by a flag."""
    if "doc" in record or record.get("answer", "") is not None:
        return record
    return {**{name: value for name, value in record.items() if name != "answer"}, "is_impossible": True}


class Written(Frames):
    """A table with a text in every output format. Subclasses have :meth:`table` and :meth:`records`."""

    def table(self, output: str = "table", places: int | None = None) -> str:
        """Return the text that the command line prints in an output format."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return everything that is known, as in JSON output."""
        raise NotImplementedError

    def to_records(self, **how: Any) -> list[dict[str, Any]]:
        """Return the rows of JSON output as dictionaries; ``how`` as in :meth:`records`."""
        return self.records(**how)

    def to_json(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as JSON, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("json", path, how)

    def to_csv(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as CSV, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("csv", path, how)

    def to_markdown(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as Markdown, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("markdown", path, how)

    def to_latex(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as LaTeX, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("latex", path, how)

    def _as(self, output: str, path: str | PathLike[str] | None, how: dict[str, Any]) -> str:
        text = self.table(output, **how)
        if path is not None:
            from berrypick.tables.written import write_content

            write_content(text, path)
        return text

    def write(self, path: str | PathLike[str], format: str | None = None, **how: Any) -> None:
        """Write the table to a file, atomically.

        ``format`` is an output of the command line, such as 'markdown'; by default the name decides: it ends in .json,
        .jsonl, .csv, .tsv, .md, .tex, .txt or .parquet. ``how`` is as in :meth:`table`.
        """
        from berrypick.tables.written import write_value

        write_value(self, path, format, how)
