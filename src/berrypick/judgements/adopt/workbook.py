"""Golden files of Excel: the rows of one sheet, by the names of columns in its first row.

What a sheet cannot say without doubt is refused: merged cells, two sheets of questions, two columns of one name.
"""

from __future__ import annotations

import datetime
import os
import zipfile
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from berrypick.data.errors import InputError, library, shorten
from berrypick.data.words import counted
from berrypick.files.files import open_raw
from berrypick.judgements.adopt.cells import cell_value
from berrypick.rows.fields import QUESTIONS, plain_name

_OLE, _ZIP = b"\xd0\xcf\x11\xe0", b"PK\x03\x04"
#: Bytes of all parts of a workbook after unpacking.
_MOST = 500_000_000
_Rows = list[tuple[int, Mapping[str, Any]]]


class NoHeaderError(InputError):
    """A table whose first line is a question, not names of columns."""


def is_workbook(given: Any) -> bool:
    """Whether a golden file is a workbook of Excel (.xlsx, .xlsm or .xls), by its first bytes and parts."""
    if not isinstance(given, (str, PathLike)) or not os.path.isfile(fspath(given)):
        return False
    with open_raw(fspath(given)) as file:
        first = file.peek(4)[:4]
        if first != _ZIP:
            return first == _OLE
        try:
            with zipfile.ZipFile(file) as parts:
                return any(name.startswith("xl/") for name in parts.namelist())
        except (zipfile.BadZipFile, ValueError, OSError):
            file.seek(0)
            return b"xl/" in file.read(1 << 20)  # a torn one, of which the library says what is wrong


def workbook_rows(path: str) -> tuple[_Rows, tuple[str, ...]]:
    """Return the rows of the sheet with the questions, each with its number, and what a person should know."""
    calamine = library("python_calamine", f"{path}: Excel files need python-calamine", "xlsx")
    _check_size(path)
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            sheets = {name: book.get_sheet_by_name(name) for name in _sheet_names(book, calamine)}
            held = {name: one.to_python(skip_empty_area=False) for name, one in sheets.items()}
            merged = {name: list(one.merged_cell_ranges or ()) for name, one in sheets.items()}
    except calamine.PasswordError:
        raise InputError("is password-protected", path=path, remedy="save it without a password") from None
    except (calamine.CalamineError, OSError, ValueError) as error:
        remedy = "open it in Excel and save it again, or save the sheet as CSV"
        raise InputError(
            f"is not a workbook that can be read ({shorten(str(error), 80)})", path=path, remedy=remedy
        ) from None
    filled = {name: rows for name, rows in held.items() if any(map(_is_filled, rows))}
    name = _one_sheet(filled, path)
    others = ", ".join(one for one in filled if one != name)
    notes = [f"only the sheet {name} is read, not {others}"] if others else []
    if merged[name]:
        (row, column), _ = merged[name][0]
        remedy = "unmerge them (Home, Merge & Center) and fill every cell, with names of columns in the first row"
        what = f"sheet {name} has merged cells, the first at {_cell(row, column)}"
        raise InputError(what, path=path, line=row + 1, remedy=remedy)
    rows, said = _rows(filled[name], path)
    return rows, (*notes, *said)


def check_header(header: Sequence[str], path: str, line: int) -> None:
    """Refuse two columns of one name, and a question in place of a name."""
    named = [name for name in header if name]
    if question := next((name for name in named if " " in name and name.endswith("?")), ""):
        what = f"the first line has no names of columns but the question {shorten(question, 60)!r}"
        raise NoHeaderError(
            what, path=path, line=line, remedy="add a first line with names of columns, such as question, quote and doc"
        )
    if repeated := next((name for name in named if named.count(name) > 1), ""):
        raise InputError(f"two columns are called {repeated}", path=path, line=line, remedy="rename one of them")


def _check_size(path: str) -> None:
    """Refuse what is too large, or becomes so when it is unpacked."""
    size = os.path.getsize(path)
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
    except (zipfile.BadZipFile, ValueError, OSError):
        pass  # an old one, or a torn one
    if size > _MOST:
        raise InputError(f"holds {size:,} bytes, more than {_MOST:,}", path=path, remedy="save the sheet as CSV")


def _sheet_names(book: Any, calamine: Any) -> list[str]:
    """Sheets of cells that are not hidden."""
    return [
        one.name
        for one in book.sheets_metadata
        if one.visible == calamine.SheetVisibleEnum.Visible and one.typ == calamine.SheetTypeEnum.WorkSheet
    ]


def _is_filled(row: Sequence[Any]) -> bool:
    return any(cell is not None and str(cell).strip() for cell in row)


def _one_sheet(sheets: Mapping[str, Sequence[Sequence[Any]]], path: str) -> str:
    """The only sheet, or the only one with a column of questions."""
    if not sheets:
        raise InputError("has no visible sheet with cells", path=path)
    asked = [name for name, rows in sheets.items() if _asks(next(filter(_is_filled, rows)))]
    if len(sheets) == 1 or len(asked) == 1:
        return asked[0] if asked else next(iter(sheets))
    which = f"{len(asked)} of them have questions" if asked else "none has a column question or query in its first row"
    remedy = "keep the sheet with the questions, or save it as CSV"
    raise InputError(f"has {len(sheets)} sheets ({', '.join(sheets)}), and {which}", path=path, remedy=remedy)


def _asks(header: Sequence[Any]) -> bool:
    return any(plain_name(str(cell)) in QUESTIONS[:-1] for cell in header)


def _rows(cells: Sequence[Sequence[Any]], path: str) -> tuple[_Rows, list[str]]:
    """The rows below the names of columns; empty rows between them and cells without a name are counted."""
    first = next(number for number, row in enumerate(cells) if _is_filled(row))
    header = ["" if cell is None else str(cell).strip() for cell in cells[first]]
    check_header(header, path, first + 1)
    if sum(map(bool, header)) < 2:
        remedy = "the first row has the names of columns: delete titles above it"
        raise InputError(f"row {first + 1} has {counted(sum(map(bool, header)), 'name')} of columns", path=path,
                         line=first + 1, remedy=remedy)  # fmt: skip
    rows: _Rows = []
    empty = skipped = unnamed = 0
    for number, row in enumerate(cells[first + 1 :], start=first + 2):
        if not _is_filled(row):
            skipped += 1
            continue
        empty, skipped = empty + skipped, 0  # those after the last row are none
        unnamed += sum(not name and _is_filled([cell]) for name, cell in zip(header, row, strict=False))
        rows.append((number, {name: _value(cell) for name, cell in zip(header, row, strict=False) if name}))
    notes = [f"{counted(empty, 'empty row')} skipped"] if empty else []
    notes += [f"{counted(unnamed, 'cell')} in columns without a name not read"] if unnamed else []
    return rows, notes


def _value(cell: Any) -> Any:
    """A cell as JSON has it: whole numbers without a point, dates as ISO 8601, lists and objects in texts opened."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, (datetime.datetime, datetime.date, datetime.time)):
        midnight = isinstance(cell, datetime.datetime) and cell.time() == datetime.time()
        return cell.date().isoformat() if midnight else cell.isoformat()  # type: ignore[union-attr]
    if isinstance(cell, datetime.timedelta):
        return str(cell)
    return cell_value(cell) if isinstance(cell, str) else cell


def _cell(row: int, column: int) -> str:
    """A cell as Excel names it."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"
