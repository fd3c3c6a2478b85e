"""Pieces of HTML for notebooks: tables that inherit the page's colours, so that they read in dark and in light.

No script, no style sheet, nothing fetched; whatever comes from files is escaped and holds no control characters.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from berrypick.data.errors import one_line
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import Note
from berrypick.data.score import Table
from berrypick.tables.tables import alignment

#: Half transparent, so that it shows on white and on black.
LINE = "rgba(128,128,128,.45)"
_CELL = f"padding:.2em .7em;border-bottom:1px solid {LINE};vertical-align:top;"
_NUMBERS = "text-align:right;font-variant-numeric:tabular-nums;"
#: A word longer than this is cut in the middle.
LONGEST = 200


def text(words: str) -> str:
    """Words from anywhere as text of a page."""
    if len(words) > LONGEST:
        half = LONGEST // 2
        words = f"{words[:half]} … {words[-half:]}"
    return escape(one_line(words))


def table(table: Table, strong: Collection[tuple[int, int]] = (), raw: Collection[int] = ()) -> str:
    """A table; ``strong`` are (row, column) of emphasised cells, ``raw`` columns that are HTML already."""
    sides = alignment(table)

    def cells(row: Sequence[str], tag: str, number: int = -1) -> str:
        found = ""
        for column, (cell, side) in enumerate(zip(row, sides, strict=True)):
            style = _CELL + ("text-align:left;" if side == "<" else _NUMBERS)
            style += "font-weight:bold;" if (number, column) in strong else ""
            content = cell if column in raw and tag == "td" else text(cell)
            found += f'<{tag} style="{style}">{content}</{tag}>'
        return f"<tr>{found}</tr>"

    body = "".join(cells(row, "td", number) for number, row in enumerate(table.rows))
    title = heading(table.title) if table.title else ""
    grid = f"<thead>{cells(table.header, 'th')}</thead><tbody>{body}</tbody>"
    return f'{title}<div style="overflow-x:auto;"><table style="border-collapse:collapse;">{grid}</table></div>'


def notes(found: Sequence[Note], runs: Sequence[str] = (), most: int = 12) -> str:
    """Notes below a table, what is said of several of the runs once; of very many the first ones and their number."""
    if not found:
        return ""
    lines = [str(note) for note in merge_notes(found, len(runs))]
    shown = [*lines[:most], *([f"{len(lines) - most} more"] if len(lines) > most else [])]
    return '<ul style="opacity:.8;">' + "".join(f"<li>{_sentence(line)}</li>" for line in shown) + "</ul>"


def heading(words: str) -> str:
    return f'<div style="font-weight:bold;margin:.6em 0 .2em;">{text(words)}</div>'


def paragraph(words: str) -> str:
    return f'<div style="margin:.4em 0;">{_sentence(words)}</div>'


def _sentence(words: str) -> str:
    return "<br>".join(text(line) for line in words.splitlines()) if len(words) <= LONGEST else escape(one_line(words))
