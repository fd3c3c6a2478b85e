"""What the results of an analysis share: text in every output format, data frames, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berrypick.core.arrow import Frames, columns_of
from berrypick.core.explanation import Table
from berrypick.core.results import Note


class Tabular(Frames):
    """Subclasses say what their records and tables are."""

    notes: Sequence[Note]

    def records(self) -> list[dict[str, Any]]:
        """Everything that is known, as in JSON output."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """One number or name a column, as in CSV and TSV output."""
        return self.records()

    def tables(self, places: int = 4) -> list[Table]:
        """What a person reads."""
        raise NotImplementedError

    def legend(self) -> list[str]:
        """Sentences under the tables."""
        return []

    def table(self, output: str = "table", places: int | None = None) -> str:
        """As text: 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'."""
        from berrypick.report.tabular import render

        return render(self, output, places)

    def __str__(self) -> str:
        """The tables, with the notes."""
        from berrypick.report.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.notes)

    def _columns(self) -> dict[str, list[Any]]:
        return columns_of(self.rows())

    def _repr_html_(self) -> str:
        from berrypick.report.notebook_analysis import tabular_html

        return tabular_html(self)


def shown(value: float | None, places: int) -> str:
    """A number of a table."""
    return "-" if value is None else f"{value:.{places}f}"


def bounds(low: float | None, high: float | None, places: int) -> str:
    """An interval of a table."""
    return "" if low is None or high is None else f"[{low:.{places}f}, {high:.{places}f}]"
