"""Tables, explanations and small curves for people at a terminal: as wide as it is, with the best values emphasised.

In a pipe everything stays the plain text of :mod:`berrypick.tables.tables`. Under NO_COLOR and on dumb terminals it is
as wide as the terminal, too, but without a single control character. Names come from files: no control character of
theirs gets through.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from berrypick.data.errors import one_line
from berrypick.data.score import Explanation, Table
from berrypick.tables import tables
from berrypick.tables.tables import Cells, Paint, can_encode, shortened

if TYPE_CHECKING:
    from berrypick.analysis.comparison.curves import Band

_BLOCKS, _PLAIN_BLOCKS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
_GAP = 2
#: A column of prose is not made narrower than this; other columns are rather moved to a table of their own.
_PROSE = 28
#: Where the terminal is too narrow for all headings, that of a column of numbers takes several lines rather than more
#: than this.
_HEADING = 20


def decorated(stream: TextIO) -> bool:
    """Whether a person looks at a terminal that shows more than plain text, and wants it."""
    dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
    return stream.isatty() and not os.environ.get("NO_COLOR") and not dumb


def width() -> int:
    import shutil

    return max(40, shutil.get_terminal_size((80, 24)).columns)


@dataclass(frozen=True)
class Painter:
    """Formats tables for a terminal of so many columns; columns that do not fit go into further tables below."""

    columns: int
    styled: bool = True

    def __call__(self, table: Table, strong: Cells = ()) -> str:
        if not self.styled and max(map(_cells, tables.aligned(table).splitlines())) <= self.columns:
            return tables.aligned(table)
        clean = [[one_line(cell) for cell in row] for row in (table.header, *table.rows)]
        sides = tables.alignment(table)
        keys = next((i for i, side in enumerate(sides) if side == ">"), len(sides))
        keys = max(1, min(keys, 2))
        clean = [
            [shortened_cell(cell, self._longest(column, sides)) for column, cell in enumerate(row)] for row in clean
        ]
        title = one_line(table.title)
        parts = []
        for group in self._groups(clean, sides, keys):
            parts.append(self._painted(title, clean, sides, group, strong))
            title = ""
        return "\n".join(parts)

    def _longest(self, column: int, sides: str) -> int:
        """Names are shortened to half of the terminal; prose is wrapped instead."""
        return 10_000 if column == len(sides) - 1 and sides[column] == "<" else max(16, self.columns // 2 - 4)

    def _groups(self, clean: list[list[str]], sides: str, keys: int) -> list[list[int]]:
        """Columns side by side; the first ones, which identify a row, are in every group."""
        widths = self._widths(clean, sides)
        last = len(sides) - 1
        if sides[last] == "<":
            widths[last] = min(widths[last], _PROSE)
        first = list(range(min(keys, len(sides))))
        if sum(widths) + _GAP * last <= self.columns:
            return [list(range(len(sides)))]
        used = sum(widths[i] + _GAP for i in first)
        groups: list[list[int]] = []
        room = 0
        for i in range(len(first), len(sides)):
            if not groups or widths[i] + _GAP > room:
                groups.append(list(first))
                room = self.columns - used + _GAP
            groups[-1].append(i)
            room -= widths[i] + _GAP
        return groups or [first]

    def _widths(self, clean: list[list[str]], sides: str) -> list[int]:
        contents = [max((_cells(row[i]) for row in clean[1:]), default=0) for i in range(len(sides))]
        headings = [_cells(cell) for cell in clean[0]]
        whole = [max(pair) for pair in zip(contents, headings, strict=True)]
        needed = sum(whole) - (max(0, whole[-1] - _PROSE) if sides[-1] == "<" else 0)
        if needed + _GAP * (len(sides) - 1) <= self.columns:
            return whole
        return [max(one, min(two, _HEADING)) for one, two in zip(contents, headings, strict=True)]

    def _painted(self, title: str, clean: list[list[str]], sides: str, group: list[int], strong: Cells) -> str:
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
        widths = self._widths(clean, sides)
        for i in group:
            prose = i == len(sides) - 1 and sides[i] == "<"
            least = 0 if prose else widths[i]
            side: Any = "left" if sides[i] == "<" else "right"
            grid.add_column(Text(clean[0][i]), justify=side, overflow="fold", min_width=least, max_width=least or None)
        if not self.styled:  # nothing else sets the headings off
            grid.add_row(*("-" * min(widths[i], _PROSE) for i in group))
        for number, row in enumerate(clean[1:]):
            grid.add_row(*(Text(row[i], style="bold green" if (number, i) in strong else "") for i in group))
        parts: list[Any] = [Text(title, style="bold underline")] if title else []
        return rendered([*parts, grid], self.columns, self.styled)


def rendered(parts: Sequence[Any], columns: int, styled: bool = True) -> str:
    """What rich draws, as text for a terminal."""
    from rich.console import Console

    out = io.StringIO()
    colours: Any = "standard" if styled else None
    console = Console(
        file=out, width=columns, height=100, force_terminal=styled, color_system=colours, highlight=False
    )  # fmt: skip
    for part in parts:
        console.print(part, end="\n")
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def painter(stream: TextIO) -> Paint:
    return Painter(width(), decorated(stream)) if stream.isatty() else tables.plain


def explanation(value: Explanation, columns: int, styled: bool = True) -> str:
    """An explanation as wide as the terminal: tables that fit, sentences that are wrapped."""
    from rich.text import Text

    paint = Painter(columns, styled)
    parts = [rendered([Text(one_line(value.title), style="bold")], columns, styled)]
    for part in value.parts:
        parts.append(paint(part) if isinstance(part, Table) else rendered([Text(one_line(part))], columns, styled))
    return "\n".join(parts)


def shortened_cell(cell: str, longest: int) -> str:
    return cell if len(cell) <= longest else shortened(cell, longest)


def _cells(words: str) -> int:
    from rich.cells import cell_len

    return cell_len(words)


# small curves


def small_curves(found: Sequence[Band], columns: int = 80, encoding: str = "utf-8") -> str:
    """A line of blocks for each run, under a line that says what it shows; all runs of a measure at one scale."""
    blocks = _BLOCKS if can_encode(_BLOCKS, encoding) else _PLAIN_BLOCKS
    runs = list(dict.fromkeys(one.run for one in found))
    names = {run: shortened(run, max(12, columns // 3)) for run in runs}
    room = max(len(name) for name in names.values()) if names else 0
    length = min(60, columns - room - _GAP)
    parts = []
    for measure in dict.fromkeys(one.measure for one in found):
        own = [one for one in found if one.measure == measure]
        top = max(0.0, *(y for one in own for y in one.y))
        across, up = own[0].axes
        first, last = min(one.x[0] for one in own), max(one.x[-1] for one in own)
        head = f"{one_line(measure)}: {up} from 0 to {top:.4g}, {across} from {first:g} to {last:g}"
        lines = [f"{names[one.run]:<{room}}  {_curve_line(one, first, last, top, length, blocks)}" for one in own]
        parts.append("\n".join([head, *(line.rstrip() for line in lines)]) + "\n")
    return "\n".join(parts)


def _curve_line(one: Band, first: float, last: float, top: float, length: int, blocks: str) -> str:
    """The value at evenly spaced places, each the last point at or before it; blank where the curve has ended."""
    ranks = int(isinstance(one.x[0], int))  # a rank is as wide as the next one is away, the last one too
    found = ""
    place = 0
    for step in range(length):
        x = first + (last + ranks - first) * step / max(1, length - 1 + ranks)
        while place + 1 < len(one.x) and one.x[place + 1] <= x + 1e-9:
            place += 1
        ended = x + 1e-9 >= one.x[-1] + 1 if ranks else not one.x[0] - 1e-9 <= x <= one.x[-1] + 1e-9
        level = int(max(one.y[place], 0.0) / top * (len(blocks) - 1) + 0.5) if top > 0 else 0
        found += " " if ended else blocks[level]
    return found
