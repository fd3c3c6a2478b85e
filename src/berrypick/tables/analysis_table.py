"""Results of an analysis as text: tables, Markdown, LaTeX, CSV, TSV, JSON."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from berrypick.tables import tables

if TYPE_CHECKING:
    from berrypick.tables.tabular import Tabular

OUTPUTS = ("table", "markdown", "latex", "csv", "tsv", "json", "jsonl")


def render(value: Tabular, output: str = "table", places: int | None = None, paint: tables.Paint = tables.plain) -> str:
    """In one of OUTPUTS, with a final newline."""
    tables.check_choice("output", output, OUTPUTS)
    if output in ("json", "jsonl"):
        return tables.json_text(value.records(), output)
    if output in ("csv", "tsv"):
        rows = value.rows()
        return tables.separated(rows, list(rows[0]) if rows else list(value._kinds), output, places)
    found = value.tables(4 if places is None else places)
    if output == "markdown":
        return "\n".join(map(tables.markdown, found)) + _legend(value, "", "<br>\n", "\n")
    if output == "latex":
        return "\n".join(map(tables.latex, found)) + _legend(value, "% ", "\n% ")
    columns = getattr(paint, "columns", None)  # of a terminal; in a pipe a sentence is a line
    lines = "".join(f"{fill(line, columns) if columns else line}\n" for line in value.legend())
    return "\n".join(paint(table, ()) for table in found) + (f"\n{lines}" if lines else "")


def _legend(value: Tabular, first: str, between: str, before: str = "") -> str:
    lines = value.legend()
    return before + first + between.join(lines) + "\n" if lines else ""
