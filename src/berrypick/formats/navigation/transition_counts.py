"""Counts of transitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import BACK, CUT, TransitionCounts
from berrypick.data.words import counted
from berrypick.files.files import is_parquet
from berrypick.files.line_words import cell_problem
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.table_files import csv_rows, header_of, parquet_columns, parquet_file, write_csv, write_parquet

COLUMNS = ("from", "to", "n")
#: No database counts more in a lifetime, and sums of so many stay whole numbers.
_MOST = 2**53


class CountedTransitions(Format):
    """How often each step was taken: a table with columns from, to and n, as CSV or Parquet.

    An empty or null ``to`` counts the sessions that ended at ``from``, as SQL's LEAD yields it. Rows that repeat a step
    are added up. Sessions whose end is unknown are counted up to their last step.

    Sample::

        from,to,n
        home,docs,120
        home,,80
        docs,home,30
        docs,,90
    """

    format_name: ClassVar[str] = "transition-counts"
    role: ClassVar[Role] = "navigation"
    before: ClassVar[tuple[str, ...]] = ("links", "navigation-table", "sessions")
    shape: ClassVar[str] = "from,to,n"
    marks: ClassVar[tuple[str, ...]] = ("PAR1", "from")
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".parquet")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return header_of(lines) >= set(COLUMNS)

    @classmethod
    def sniff_columns(cls, names: list[str]) -> bool:
        return set(names) >= set(COLUMNS)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> TransitionCounts:
        if not is_parquet(path):
            read = csv_rows(path, problems, COLUMNS)
            rows = ((number, row.get("from"), row.get("to"), row.get("n")) for number, _, row in read)
            return TransitionCounts.of(_checked(rows, problems), path)
        with parquet_file(path) as file:
            numbers, columns = parquet_columns(file, list(COLUMNS), path, None)
            return TransitionCounts.of(_checked(zip(numbers, *columns, strict=True), problems), path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return cell_problem(value.units) if isinstance(value, TransitionCounts) else "it does not count transitions"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_csv(_fields(value), list(COLUMNS), out)

    @classmethod
    def write_parquet(cls, value: Any, out: Any) -> None:
        write_parquet(_fields(value), list(COLUMNS), out)

    @classmethod
    def describe(cls, value: TransitionCounts) -> list[str]:
        ended = int(value.count[value.to_unit == len(value.units)].sum())
        steps = counted(int((value.to_unit < len(value.units)).sum()), "step")
        return [steps, counted(len(value.units), "page"), f"{counted(ended, 'session')} that ended"]


def counts_from_frame(frame: Any) -> TransitionCounts:
    """Counts of transitions from a data frame with columns from, to and n."""
    from berrypick.data.errors import UsageError
    from berrypick.inputs.frames import _values

    columns = _values(frame)
    if missing := [name for name in COLUMNS if name not in columns]:
        known = ", ".join(columns)
        raise UsageError(f"counts of steps have columns from, to and n; the data frame lacks {missing[0]}: {known}")
    cells = zip(*(columns[name].to_list() for name in COLUMNS), strict=True)
    rows = ((i, *row) for i, row in enumerate(cells, 1))
    return TransitionCounts.of(_checked(rows, Problems("the data frame")))


def _checked(rows: Iterable[tuple[int, Any, Any, Any]], problems: Problems) -> Iterator[tuple[str, str, int]]:
    """Rows that count something; what cannot be a page or a number is reported."""
    for number, *cells, count in rows:
        start, end = map(_page, cells)
        if not start:
            problems.report("from is empty", number, remedy='count steps from pages only: where "from" is not null')
        elif start in (BACK, CUT) or end in (BACK, CUT):
            what = f"{BACK if BACK in (start, end) else CUT} is not a page"
            problems.report(what, number, remedy="count returns as steps to the page, and omit unknown ends")
        elif (whole := _whole(count)) is None:
            problems.report(f"n is {str(count)[:40]!r}, not a whole number above 0", number)
        else:
            yield start, end, whole


def _page(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    return "" if cell is None or type(cell).__name__ == "NAType" or cell != cell else str(cell)


def _whole(cell: Any) -> int | None:
    try:
        found = int(cell)
        return found if found == float(cell) and 0 < found <= _MOST and not isinstance(cell, bool) else None
    except (TypeError, ValueError, OverflowError):
        return None


def _fields(value: TransitionCounts) -> list[dict[str, Any]]:
    names = (*value.units, None)
    rows = zip(value.from_unit.tolist(), value.to_unit.tolist(), value.count.tolist(), strict=True)
    return [dict(zip(COLUMNS, (names[a], names[b], n), strict=True)) for a, b, n in rows]
