"""Files of tables: the text of an output format, chosen by name or by how the file is called."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from berrypick.data.errors import UsageError, library, option
from berrypick.files.files import atomic_writer, file_name

if TYPE_CHECKING:
    from berrypick.data.exchange import Written

#: The output format by the end of a file's name.
ENDINGS = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".md": "markdown", ".tex": "latex",
           ".txt": "table", ".parquet": "parquet"}  # fmt: skip


def output_of(path: str | PathLike[str]) -> str:
    """Return the output format that a file's name asks for; an error if it asks for none."""
    from pathlib import Path  # loads urllib

    name = file_name(path)
    ending = Path(name.removesuffix(".gz")).suffix.lower()
    if ending not in ENDINGS:
        known = f"{', '.join(list(ENDINGS)[:-1])} or {list(ENDINGS)[-1]}"
        raise UsageError(f"{name}: the extension is not a known format; use {known}, or give {option('format')}")
    return ENDINGS[ending]


def write_content(text: str, path: str | PathLike[str]) -> None:
    """Write a text to a file, atomically."""
    with atomic_writer(file_name(path)) as out:
        out.write(text)


def write_value(value: Written, path: str | PathLike[str], format: str | None, how: dict[str, Any]) -> None:
    """Write a table to a file in an output format, or as Parquet."""
    chosen = format or output_of(path)
    if chosen != "parquet":
        write_content(value.table(chosen, **how), path)
        return
    if how:
        raise UsageError(f"a Parquet file has all rows with all digits; omit {', '.join(how)}")
    pyarrow = library("pyarrow", "Parquet needs pyarrow", "frames")
    parquet = library("pyarrow.parquet", "Parquet needs pyarrow", "frames")
    with atomic_writer(file_name(path)) as out:
        parquet.write_table(pyarrow.RecordBatchReader.from_stream(value).read_all(), out.buffer)
