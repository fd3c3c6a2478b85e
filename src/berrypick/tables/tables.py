"""Tables as text: aligned columns, Markdown, LaTeX, CSV, TSV, JSON; each is written here and nowhere else.

Names come from files. In Markdown and LaTeX they are text and never mark-up, in a spreadsheet no formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from berrypick.data.errors import UsageError, nearest, one_line
from berrypick.data.score import Table

UNDEFINED = "-"
#: What every table can be written as.
OUTPUTS = ("table", "tsv", "json", "jsonl", "csv", "markdown", "latex")
#: Those with a row for each value, which programs read.
FOR_PROGRAMS = ("tsv", "json", "jsonl", "csv")

Cells = Collection[tuple[int, int]]
#: Turns a table into text; the cells (row, column) are emphasised where possible.
Paint = Callable[[Table, Cells], str]


def check_choice(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        offer = nearest(value, list(known)) or f"; expected one of {', '.join(known)}"
        raise UsageError(f"unknown {what} {value}{offer}")


def plain(table: Table, strong: Cells = ()) -> str:
    """For pipes and files: plain text."""
    return aligned(table)


def shown(value: float | None, places: int) -> str:
    return UNDEFINED if value is None else f"{value:.{places}f}"


#: Names of runs up to this length are shown as they are.
LONG_NAME = 30
#: The least that two names have in common before it is left out.
_IN_COMMON = 8


def elided(names: Sequence[str]) -> dict[str, str]:
    """Long names of runs without what all of them begin or end with, cut between words; none if that is little."""
    if len(names) < 2 or max(map(len, names)) <= LONG_NAME:
        return {}
    before = _cut(_shared(names))
    rest = [name[len(before) :] for name in names]
    after = _cut(_shared([name[::-1] for name in rest]))
    found = [name[: len(name) - len(after)] for name in rest]
    if not (before or after) or not all(found) or len(set(found)) < len(names):
        return {}
    left, right = "..." if before else "", "..." if after else ""
    return {name: f"{left}{one}{right}" for name, one in zip(names, found, strict=True)}


def elided_note(names: Sequence[str]) -> str:
    """What is left out of the names of runs; '' if nothing is."""
    shorter = elided(names)
    if not shorter:
        return ""
    name, one = next(iter(shorter.items()))
    return f"run names are shortened to what differs: {one} is {name}"


def _shared(names: Sequence[str]) -> str:
    """What all names begin with."""
    low, high = min(names), max(names)
    same = next((i for i, c in enumerate(low) if i >= len(high) or high[i] != c), len(low))
    return low[:same]


def _cut(common: str) -> str:
    """What is long enough to be left out, up to a mark between words."""
    kept = re.match(r".*[^\w]", common, re.DOTALL)
    return kept[0] if kept and len(kept[0]) >= _IN_COMMON else ""


def alignment(table: Table) -> str:
    return table.align or "<" + ">" * (len(table.header) - 1)


def can_encode(words: str, encoding: str) -> bool:
    """Whether a stream of this encoding can show words."""
    try:
        words.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def aligned(table: Table) -> str:
    """Plain text in columns."""
    clean = [[one_line(cell) for cell in row] for row in [table.header, *table.rows]]
    widths = [max((len(row[i]) for row in clean), default=0) for i in range(len(table.header))]
    sides = alignment(table)
    lines = []
    for row in clean:
        cells = [
            cell.rjust(w) if side == ">" else cell.ljust(w) for cell, w, side in zip(row, widths, sides, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    ruler = "  ".join("-" * width for width in widths)
    head = f"{one_line(table.title)}\n" if table.title else ""
    return head + "\n".join([lines[0], ruler, *lines[1:]]) + "\n"


def markdown(table: Table, marked: Collection[int] = ()) -> str:
    """``marked`` are columns with mark-up of their own; everything else is text."""

    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |\n"

    head = row(markdown_text(cell) for cell in table.header)
    ruler = row(":--" if side == "<" else "--:" for side in alignment(table))
    body = "".join(row(_marked(cells, marked, markdown_text)) for cells in table.rows)
    title = f"**{markdown_text(table.title)}**\n\n" if table.title else ""
    return title + head + ruler + body


def latex(table: Table, marked: Collection[int] = ()) -> str:
    """``marked`` are columns with mark-up of their own; everything else is text."""

    def row(cells: Iterable[str]) -> str:
        return " & ".join(cells) + " \\\\\n"

    columns = "".join("l" if side == "<" else "r" for side in alignment(table))
    head = row(latex_text(cell) for cell in table.header)
    body = "".join(row(_marked(cells, marked, latex_text)) for cells in table.rows)
    title = f"% {_unbroken(table.title)}\n" if table.title else ""
    return f"{title}\\begin{{tabular}}{{{columns}}}\n\\hline\n{head}\\hline\n{body}\\hline\n\\end{{tabular}}\n"


def _marked(cells: Sequence[str], marked: Collection[int], escape: Callable[[str], str]) -> Iterable[str]:
    return (cell if column in marked else escape(cell) for column, cell in enumerate(cells))


#: Emphasis, code, links, pictures, deleted text and the ends of cells; & and < as entities, which HTML takes too.
_MARKDOWN = str.maketrans({**{c: f"\\{c}" for c in "\\`*_[]|~"}, "&": "&amp;", "<": "&lt;"})


def markdown_text(cell: str) -> str:
    """A name as text of Markdown, addresses included."""
    escaped = _unbroken(cell).translate(_MARKDOWN)
    return re.sub(r"(?i)(?<=www)\.|(?<=:)/(?=/)", lambda found: f"&#{ord(found[0])};", escaped)


_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)  # fmt: skip


def latex_text(cell: str) -> str:
    """A name as text of LaTeX."""
    return _unbroken(cell).translate(_LATEX)


def _unbroken(cell: str) -> str:
    """One line: a line break in a name would end the row. Marks of direction would turn it."""
    return re.sub(f"{_BREAKS.pattern}|{_TURNS}", _escaped, " ".join(cell.splitlines()))


def for_people(table: Table, output: str, paint: Paint, strong: Cells = ()) -> str:
    """As 'table', 'markdown' or 'latex'."""
    if output == "table":
        return paint(table, strong)
    return markdown(table) if output == "markdown" else latex(table)


def separated(
    records: Iterable[Mapping[str, Any]], names: Sequence[str], output: str, places: int | None = None
) -> str:
    """CSV or TSV. In CSV, which spreadsheets open, text that they would take for a formula has an apostrophe before it;
    TSV is for programs and holds everything as it is. In both, a row is a line: line breaks and control characters
    are escaped. Probabilities that the places would show as 0 have two digits."""
    field = _spreadsheet_field if output == "csv" else _field
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if output == "tsv" else ",", lineterminator="\n")
    writer.writerow(names)
    for record in records:
        writer.writerow([_small(record[name], places) if name in _PROBABILITIES else field(record[name], places)
                         for name in names])  # fmt: skip
    return out.getvalue()


#: Columns of p-values and of levels that they are compared with.
_PROBABILITIES = ("p", "p_adjusted", "level")


def _small(value: float | None, places: int | None) -> str:
    text = _field(value, places)
    return f"{value:.2g}" if value and not float(text) else text


#: What breaks a line, or drives a terminal; tabs do neither.
_BREAKS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
#: What turns the direction of writing.
_TURNS = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"


def _escaped(found: re.Match[str]) -> str:
    return one_line(found[0])


def _field(value: Any, places: int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value) if places is None else f"{value:.{places}f}"
    return str(value).lower() if isinstance(value, bool) else _BREAKS.sub(_escaped, str(value))


def _spreadsheet_field(value: Any, places: int | None) -> str:
    text = _field(value, places)
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
    return f"'{text}" if formula and not _is_number(text) else text


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d+)?", text) is not None


def json_line(record: Mapping[str, Any]) -> str:
    """An object on a line; what breaks lines elsewhere than in JSON is escaped as JSON does."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(records: Iterable[Mapping[str, Any]], output: str) -> str:
    """'json' is one array, 'jsonl' an object a line."""
    try:
        lines = [json_line(record) for record in records]
    except ValueError:
        raise UsageError("JSON has no infinite numbers and no NaN; a measure gives None where undefined") from None
    return "".join(f"{line}\n" for line in lines) if output == "jsonl" else "[" + ",\n ".join(lines) + "]\n"


#: Characters of a name beside a line of a figure.
LONGEST_NAME = 28


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """One printable line; the middle is cut out of a long name, since ends of names tell them apart.

    What cannot be printed becomes a question mark, for which every font has a shape.
    """
    import unicodedata

    printable = "".join(c if c.isprintable() else "?" for c in unicodedata.normalize("NFC", name[: 40 * longest]))
    printable = printable if len(name) <= 40 * longest else printable + name[-longest:]
    clean = " ".join(printable.split()) or "(no name)"
    if len(clean) <= longest:
        return clean
    end = (longest - 1) // 2
    return f"{clean[: longest - 1 - end].rstrip()}…{clean[len(clean) - end :].lstrip()}"
