"""What the results of an analysis share: text in every output format, data frames, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.data.exchange import Written, columns_of
from berrypick.data.results import Note
from berrypick.data.score import Table
from berrypick.data.signature import Signature
from berrypick.statistics.statistics import check_draws


class Tabular(Written):
    """Subclasses say what their records and tables are."""

    notes: Sequence[Note] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return one number or name a column, as in CSV and TSV output."""
        return self.records()

    def tables(self, places: int = 4) -> list[Table]:
        """Return what a person reads."""
        raise NotImplementedError

    def legend(self) -> list[str]:
        """Sentences under the tables."""
        return []

    def table(self, output: str = "table", places: int | None = None) -> str:
        """Return a text: 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'."""
        from berrypick.tables.analysis_table import render

        return render(self, output, places)

    def __str__(self) -> str:
        """The tables, with the notes."""
        from berrypick.tables.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.notes)

    def _columns(self) -> dict[str, list[Any]]:
        return columns_of(self.rows())

    def _repr_html_(self) -> str | None:
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)


@dataclass(frozen=True)
class Interval:
    """An estimate; ``low`` and ``high`` are None where there is no interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def cells(self, places: int) -> list[str]:
        """Two cells of a table: the value, and its interval."""
        return [shown(self.value, places), bounds(self.low, self.high, places)]

    def fields(self, name: str) -> dict[str, float | None]:
        """Three fields of a record: the value under a name, and the ends of its interval."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def fields_of(value: object, *names: str) -> dict[str, Any]:
    """Fields of a record: attributes under their own names."""
    return {name: getattr(value, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How topics are drawn again; every part of it is in the signature. Analyses that ask for more derive from it."""

    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    cluster: str = ""  # the field or file by which topics are clustered

    def __post_init__(self) -> None:
        check_draws(self.confidence, self.resamples, self.seed)

    @property
    def alpha(self) -> float:
        """The level of significance, 1 - confidence."""
        return round(1 - self.confidence, 12)

    def fields(self) -> list[tuple[str, str]]:
        """Return the method as fields of a signature."""
        return [("interval", "percentile"), *self._fields("confidence", "resamples", "seed"), *self._clustered()]

    def _clustered(self) -> list[tuple[str, str]]:
        return [("cluster", self.cluster)] if self.cluster else []

    def _fields(self, *names: str) -> list[tuple[str, str]]:
        """Attributes as fields of a signature."""
        return [(name, _digits(value)) for name, value in fields_of(self, *names).items()]


def _digits(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, (float, np.floating)) else str(value)


def with_method(signature: Signature, method: Sequence[tuple[str, str]]) -> Signature:
    """The signature of a value, with the fields of an analysis before the version."""
    return signature.with_fields(*method)


def shown(value: float | None, places: int) -> str:
    """A number of a table."""
    return "-" if value is None else f"{value:.{places}f}"


def bounds(low: float | None, high: float | None, places: int) -> str:
    """An interval of a table."""
    return "" if low is None or high is None else f"[{low:.{places}f}, {high:.{places}f}]"
