"""Tables as rows of fields: CSV (comma or TAB), and Parquet."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.columns import Coded
from berrypick.data.errors import InputError, library
from berrypick.files.files import LONGEST, is_parquet, line_too_long, open_bytes
from berrypick.files.limits import expansion_limit, too_large
from berrypick.files.line_words import finite
from berrypick.files.problems import Problems
from berrypick.rows.arrow_columns import arrow_column
from berrypick.rows.column_plan import ColumnPlan, column_plan
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import TABLE as FIELDS
from berrypick.rows.fields import Aliases, Role, has_list, has_name, is_list, is_span_header, is_used

#: How a Parquet file begins.
MAGIC = "PAR1"
SWITCHES = ("judged", "is_impossible")
#: Bytes that a row takes at least, of the most that a file may expand to: so many rows are read, however well their
#: values are compressed.
_ROW = 100
#: Rows of a Parquet file whose cells are values of Python at the same time.
_BATCH = 1 << 14
NO_ROWS = "has column names but no rows"
ROWS = "write each span in a row below the header"
TableRows = Iterator[tuple[int, str, dict[str, Any]]]


@dataclass(frozen=True)
class Part:
    """The rows of one run in a Parquet file of several: its name, and the row groups that hold some of them."""

    run: str
    groups: tuple[int, ...]


def header_of(lines: list[str]) -> set[str]:
    """The column names in the first line of a table."""
    first = lines[0].lstrip("\ufeff")
    try:
        return {cell.strip() for cell in next(csv.reader([first], delimiter=_delimiter(first)))}
    except (csv.Error, StopIteration):
        return set()


def _delimiter(header: str) -> str:
    if "," in header:
        return ","
    return "\t" if "\t" in header else ";" if ";" in header else ","


def table_rows(
    path: str, problems: Problems, needed: tuple[str, ...], reader: FieldParser | None = None, part: Part | None = None
) -> TableRows:
    """Every row as fields, with the line it starts in; cells that are empty are left out. ``reader``: who reads them,
    so that other columns of Parquet are not loaded; ``part``: the rows of one run in it."""
    parquet = is_parquet(path)
    yield from (
        _parquet_rows(path, problems, needed, reader, part) if parquet else csv_rows(path, problems, needed, reader)
    )


def table_header(path: str) -> tuple[list[str], str] | None:
    """The names of columns in a table in a text file, and the mark that separates cells; None if it has none, or if
    numbers in it may have decimal commas."""
    if is_parquet(path):
        return None
    first = next(_cells(path, Problems(path)), None)
    if first is None or first[2] not in (",", "\t"):
        return None
    return [cell.strip() for cell in first[1]], first[2]


def csv_rows(path: str, problems: Problems, needed: tuple[str, ...], reader: FieldParser | None = None) -> TableRows:
    """The rows of a table of text, their numbers as a parser knows them; without one every cell is a text."""
    header: list[str] | None = None
    number, first = 1, 0
    convert: list[Callable[[str], Any]] = []
    graded: frozenset[str] = frozenset()
    for number, cells, mark in _cells(path, problems):
        text = mark.join(cells)
        if header is None:
            header = [cell.strip() for cell in cells]
            _check_columns(header, needed, path, number)
            first = number
            numbers = {} if reader is None else reader.number_names(header)
            convert = [_conversion(name, numbers.get(name, ""), mark) for name in header]
            graded = _graded(header, reader)
            continue
        if cells[0].startswith("\ufeff"):
            problems.report("begins with a byte order mark, which is only valid at the start of a file", number, text)
            continue
        if len(cells) != len(header):
            what = f"has {len(cells)} cells, the header has {len(header)}"
            problems.report(what, number, text, f"columns are {', '.join(header)}")
            continue
        fields: dict[str, Any] = {}
        for name, cell, value in zip(header, cells, convert, strict=True):
            if cell != "" or name == "quote":
                fields[name] = value(cell)
            elif name in graded:
                fields[name] = None
        yield number, text, fields
    if number == first:
        problems.report(NO_ROWS, first, remedy=ROWS)


def _graded(names: Iterable[str], reader: FieldParser | None) -> frozenset[str]:
    """Columns of a truth in which an empty cell is an error: a row without a grade would be relevant."""
    known = {} if reader is None else reader.number_names(names)
    return frozenset(name for name, ours in known.items() if ours == "grade")


def _conversion(name: str, ours: str, mark: str) -> Callable[[str], Any]:
    """What makes a value of a cell of this column."""
    if name in SWITCHES:
        return _switch
    if not ours:
        return str
    if mark != ";":
        return _number
    return _comma_place if ours in ("start", "end", "length") else _comma_number


def _switch(cell: str) -> Any:
    word = cell.strip().lower()
    return word == "true" if word in ("true", "false") else cell


def _number(cell: str) -> Any:
    number = finite(cell.strip())
    if number is None:
        return cell  # the checks of the fields say what is wrong with it
    return int(number) if number.is_integer() else number


def _comma_number(cell: str) -> Any:
    """Where semicolons separate columns, a comma is that of decimals."""
    return _number(cell.replace(",", ".", 1) if "." not in cell else cell)


def _comma_place(cell: str) -> Any:
    """1,000 may be one second or a thousand characters: it is left as it is, and refused."""
    return cell if _THOUSANDS.fullmatch(cell.strip()) else _comma_number(cell)


_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")


def almost_spans(first: str, path: str, line: int) -> InputError | None:
    """What keeps a file from being a table of spans, if it is meant to be one: that is, if it is called .csv, or names
    two columns that such tables have. None if nothing does."""
    if first.lstrip("\ufeff").startswith(("{", "[", "<", MAGIC)):
        return None
    if wrong := wrong_separator(first, path, line):
        return wrong
    header = list(dict.fromkeys(_split(first, _delimiter(first))))
    known = sum(has_name([name], aliases) for name in header for aliases in FIELDS["truth"].values())
    meant = path.lower().removesuffix(".gz").endswith(".csv") or known >= 2
    return _missing_column(header, ("topic", "doc"), path, line) if meant else None


def wrong_separator(first: str, path: str, line: int) -> InputError | None:
    """Columns of spans that are separated by something else than commas, semicolons or TABs."""
    if "{" not in first and len(names := _split(first, "|")) > 1 and is_span_header(names):
        remedy = "separate columns by commas, semicolons or TABs"
        return InputError("columns are separated by '|'", path=path, line=line, text=first, remedy=remedy)
    return None


def _split(first: str, mark: str) -> list[str]:
    return [cell.strip().strip('"') for cell in first.lstrip("\ufeff").split(mark)]


def _missing_column(header: list[str], needed: tuple[str, ...], path: str, line: int | None) -> InputError | None:
    for name in needed:
        if name == "doc" and (is_span_header(header) or (line is None and has_list(header))):
            continue  # text that is looked up stands for the name; results of a list, in Parquet, have their own
        if not has_name(header, FIELDS["run"].get(name, Aliases((name,)))):
            what = f"has no column {name}; it has {', '.join(header)}"
            return InputError(what, path=path, line=line, remedy=f"add the column, or rename one to {name}")
    return None


def _check_columns(header: list[str], needed: tuple[str, ...], path: str, line: int | None) -> None:
    if missing := _missing_column(header, needed, path, line):
        raise missing
    if len({*header}) < len(header):
        twice = next(name for name, count in Counter(header).items() if count > 1)
        raise InputError(f"has two columns {twice}", path=path, line=line)


def _cells(path: str, problems: Problems) -> Iterator[tuple[int, list[str], str]]:
    """(line where the row starts, cells, what separates them); a cell may hold line ends."""
    csv.field_size_limit(LONGEST)
    with open_bytes(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            first = stream.readline(LONGEST)
            mark = _delimiter(first)
            reader = csv.reader(_chained(first, stream, path), delimiter=mark, strict=True)
            start = 1
            while True:
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    problems.report(f"is not a row of a table ({error})", start)
                    return
                if cells is None:
                    return
                if cells and not (len(cells) == 1 and not cells[0].strip()) and not cells[0].lstrip().startswith("#"):
                    yield start, cells, mark
                start = reader.line_num + 1
        except UnicodeDecodeError:
            problems.report("is not UTF-8 text", None, remedy="save the file as UTF-8, or name the right file")


def _chained(first: str, rest: io.TextIOWrapper, path: str) -> Iterator[str]:
    line, number = first, 1
    while line:
        if len(line) == LONGEST and not line.endswith("\n"):
            raise line_too_long(path, number)
        yield line
        line, number = rest.readline(LONGEST), number + 1


def _parquet_rows(
    path: str, problems: Problems, needed: tuple[str, ...], reader: FieldParser | None, part: Part | None
) -> TableRows:
    with parquet_file(path) as file:
        schema = file.schema_arrow
        nested = reader is not None and any(is_list(name, reader.role) for name in schema.names)
        _check_columns(schema.names, tuple(name for name in needed if not (nested and name == "doc")), path, None)
        all_read = reader is None or reader.role == "truth"
        names = [name for name in schema.names if all_read or is_used(name, "run") or is_list(name, "run")]
        if reader is not None:
            reader.leave(name for name in schema.names if name not in names)
        numbers, columns = parquet_columns(file, names, path, part)
        graded = _graded(names, reader)
        if not file.metadata.num_rows:
            problems.report(NO_ROWS, remedy=ROWS)
        for number, *cells in zip(numbers, *columns, strict=True):
            held = zip(names, cells, strict=True)
            fields = {name: cell for name, cell in held if cell is not None or name in graded}
            yield number, str(fields), fields


def typed_parquet(path: str, role: Role, part: Part | None = None) -> TypedTable | None:
    """The columns of a Parquet file, which are read at once; None if rows have to be read one by one."""
    with parquet_file(path) as file:
        names = [str(name) for name in file.schema_arrow.names]
        column = run_column(names) if part is not None else ""
        names = [name for name in names if name != column]
        used = tuple(name for name in names if role == "truth" or is_used(name, "run") or is_list(name, "run"))
        plan = column_plan(used, role) if len({*names}) == len(names) else None
        if plan is None or not file.metadata.num_rows:
            return None
        ours = [*plan.called]
        numbers, held = arrow_columns(file, [*plan.called.values(), *plan.rest], path, part)
        columns = {name: _typed(name, column) for name, column in zip(ours, held, strict=False)}
        rest = {name: _first_value(column) for name, column in zip(plan.rest, held[len(ours) :], strict=True)}
        tag = columns.pop("tag", "")
        if tag is None or None in rest.values() or any(column is None for column in columns.values()):
            return None
        left = [name for name in names if name not in used]
        first = sorted((row, plan.rest.index(name)) for name, row in rest.items() if row is not None and row >= 0)
        unread = tuple(plan.rest[place] for _, place in first)
        tag = tag or ("" if part is None else part.run)
        return TypedTable(plan, columns, np.fromiter(numbers, dtype=np.int64), tag, tuple(left), unread)


@dataclass(frozen=True)
class TypedTable:
    """A table whose columns are read at once."""

    plan: ColumnPlan
    columns: Mapping[str, Any]
    line: IntArray
    tag: str
    #: Names of columns that are not loaded, and of columns with values that fill no field.
    left: tuple[str, ...]
    unread: tuple[str, ...]


def _typed(ours: str, column: Any) -> Any:
    """A column as names with codes, numbers or texts; the first tag; None where it has other values."""
    if ours == "tag":
        found = [] if str(column.type) == "null" else column.drop_null()
        return "" if not len(found) else (found[0].as_py() if isinstance(found[0].as_py(), str) else None)
    typed = arrow_column(column, ours in ("topic", "doc", "text"))
    if ours == "text" and isinstance(typed, Coded):
        names = typed.names
        return [names[code] for code in typed.codes.tolist()]
    return typed


def _first_value(column: Any) -> int | None:
    """The first row with a value that is not empty, -1 if there is none; None where values may say where."""
    import pyarrow.compute as compute
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_null(kind):
        return -1
    if types.is_string(kind) or types.is_large_string(kind):
        filled = compute.fill_null(compute.not_equal(column.cast(kind), ""), False)
    elif types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        filled = column.is_valid()
    else:
        return None
    return int(compute.index(filled, True).as_py())


@contextlib.contextmanager
def parquet_file(path: str) -> Iterator[Any]:
    """A Parquet file, its texts coded as they are in the file."""
    parquet = library("pyarrow.parquet", f"{path}: Parquet needs pyarrow", "chunks")
    import pyarrow

    try:
        with open_bytes(path) as stream:
            schema = parquet.read_schema(stream)
            stream.seek(0)
            texts = [name for name in schema.names if pyarrow.types.is_string(schema.field(name).type)]
            yield parquet.ParquetFile(stream, read_dictionary=texts, pre_buffer=False)
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:  # broken text, dates beyond years
        raise InputError(f"is not a valid Parquet file ({str(error).splitlines()[0]})", path=path) from None


def parquet_names(path: str) -> list[str]:
    """The names of the columns of a Parquet file."""
    with parquet_file(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def parquet_records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a Parquet file with their numbers, each with the values that it has."""
    with parquet_file(path) as file:
        names = [str(name) for name in file.schema_arrow.names]
        numbers, columns = parquet_columns(file, names, path, None)
        for number, *cells in zip(numbers, *columns, strict=True):
            yield number, {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}


def parquet_columns(
    file: Any, names: list[str], path: str, part: Part | None
) -> tuple[Iterable[int], list[Iterator[Any]]]:
    """Numbers of rows, and the values of the columns that are needed, which are made some rows at a time."""
    numbers, columns = arrow_columns(file, names, path, part)
    return numbers, [*map(_values, columns)]


def arrow_columns(file: Any, names: list[str], path: str, part: Part | None) -> tuple[Iterable[int], list[Any]]:
    """Numbers of rows, and the columns of Arrow that are needed.

    A few bytes can say that a value comes a billion times: rows and decoded bytes are counted, and texts stay coded as
    they are in the file until it is known how long all of them are.
    """
    import numpy
    import pyarrow
    import pyarrow.compute as compute

    groups = list(range(file.num_row_groups) if part is None else part.groups)
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    left = expansion_limit()
    if sum(sizes[i] for i in groups) * _ROW > left:
        raise too_large(path)
    firsts = [0, *itertools.accumulate(sizes)]
    numbers: Iterable[int] = itertools.chain.from_iterable(range(firsts[i] + 1, firsts[i + 1] + 1) for i in groups)
    mask = None
    if part is not None:
        column = run_column(file.schema_arrow.names)
        held, place = _runs_of(file.read_row_groups(groups, columns=[column], use_threads=False).column(column))
        mask = pyarrow.array(numpy.isin(place, [i for i, name in enumerate(held) if name == part.run]))
        numbers = itertools.compress(numbers, mask.to_pylist())
    columns: list[Any] = []
    for name in names:
        read = file.read_row_groups(groups, columns=[name], use_threads=False)  # the stream is Python's
        if read.column_names != [name]:  # a damaged file may name its columns in two ways
            raise InputError(f"is not a valid Parquet file (its column {name} cannot be read)", path=path)
        column = read.column(name)
        for chunk in column.chunks:
            if pyarrow.types.is_dictionary(chunk.type):
                lengths = numpy.asarray(compute.binary_length(chunk.dictionary).fill_null(0))
                left -= int(lengths @ numpy.bincount(chunk.indices.drop_null(), minlength=len(lengths)))
            else:
                left -= chunk.nbytes
            if left < 0:
                raise too_large(path)
        if len(column) != sum(sizes[i] for i in groups):
            raise InputError(f"is not a valid Parquet file (the column {name} has {len(column)} rows)", path=path)
        columns.append(column if mask is None else column.filter(mask))
    return numbers, columns


def _values(column: Any) -> Iterator[Any]:
    for chunk in column.chunks:
        for start in range(0, len(chunk), _BATCH):
            yield from chunk.slice(start, _BATCH).to_pylist()


def _runs_of(column: Any) -> tuple[list[Any], Any]:
    """The names in a column, as texts also where it holds numbers, and the place among them of each row.

    Coded as in the file: a long name that comes a million times takes its length once.
    """
    import numpy
    import pyarrow

    coded = column if pyarrow.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = coded.unify_dictionaries().combine_chunks()
    names = whole.dictionary.cast(pyarrow.string()).to_pylist()
    return [*names, None], numpy.asarray(whole.indices.fill_null(len(names)))


def run_column(names: Iterable[str]) -> str:
    """The column that names the run of each row; '' if there is none. ``tag`` names the run of all rows."""
    return next((name for name in names if name != "tag" and has_name([name], FIELDS["run"]["run"])), "")


def table_parts(path: str) -> list[Part] | None:
    """The runs of a Parquet file with a column of runs, in the order of their first rows; empty without the column.
    None if the rows of runs are so mixed that most of the file would be read again for each of them."""
    with parquet_file(path) as file:
        if not (column := run_column(file.schema_arrow.names)):
            return []
        groups: dict[str, list[int]] = {}
        row = 0
        for i in range(file.num_row_groups):
            names, place = _runs_of(file.read_row_group(i, columns=[column], use_threads=False).column(column))
            for one in dict.fromkeys(place.tolist()):
                if not names[one]:
                    raise InputError("run is missing", path=path, line=row + place.tolist().index(one) + 1)
                if i not in groups.setdefault(str(names[one]), [])[-1:]:
                    groups[str(names[one])].append(i)
            row += len(place)
        mixed = sum(map(len, groups.values())) > 2 * len(groups) + 4 * file.num_row_groups
    return None if mixed else [Part(name, tuple(held)) for name, held in groups.items()]


def write_csv(rows: list[dict[str, Any]], columns: list[str], out: Any) -> None:
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)


def write_parquet(rows: list[dict[str, Any]], columns: list[str], out: Any) -> None:
    pyarrow = library("pyarrow", "Parquet needs pyarrow", "chunks")
    parquet = library("pyarrow.parquet", "Parquet needs pyarrow", "chunks")
    kinds = {"value": pyarrow.float64()}  # a column of values may hold nothing but None
    table = pyarrow.table({n: pyarrow.array([row.get(n) for row in rows], kinds.get(n)) for n in columns})
    parquet.write_table(table, out)
