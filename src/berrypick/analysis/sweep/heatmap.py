"""Means over two parameters, as a grid; :mod:`berrypick.report.figures.heatmap_chart` draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.score import Table

Value = float | None


@dataclass(frozen=True)
class Grid:
    """A value for each pair of values of two parameters; None where there is none."""

    rows: str
    columns: str
    measure: str
    down: Sequence[Any]
    across: Sequence[Any]
    values: Sequence[Sequence[Value]]
    higher_is_better: bool

    def names(self) -> tuple[list[str], list[str]]:
        """The values down and across, as they are shown."""
        return [shown(value) for value in self.down], [shown(value) for value in self.across]

    @property
    def best(self) -> Value:
        known = [value for row in self.values for value in row if value is not None]
        return (max(known) if self.higher_is_better else min(known)) if known else None

    def table(self, places: int) -> Table:
        """The best value has a star."""
        head = f"{self.rows} \\ {self.columns}"
        lines = [
            [shown(name), *(self._cell(value, places) for value in row)]
            for name, row in zip(self.down, self.values, strict=True)
        ]
        return Table(self.measure, [head, *(f"{shown(name)} " for name in self.across)], lines)

    def _cell(self, value: Value, places: int) -> str:
        return "- " if value is None else f"{value:.{places}f}" + ("*" if value == self.best else " ")

    def share(self, value: float) -> float:
        """From 0 for the worst value to 1 for the best."""
        known = [value for row in self.values for value in row if value is not None]
        low, high = min(known), max(known)
        share = 0.5 if high == low else (value - low) / (high - low)
        return share if self.higher_is_better else 1 - share


def grid_of(
    kept: Sequence[Mapping[str, Any]],
    parameters: Sequence[str],
    rows: str,
    columns: str,
    measure: str,
    higher_is_better: bool,
) -> Grid:
    """Rows of a sweep as a grid; an error if a cell has several values because something else varies too."""
    if rows == columns:
        raise UsageError(f"a heat-map has two parameters, not {rows} twice")
    if not kept:
        raise UsageError("no such setting in this sweep")
    found: dict[tuple[Any, Any], Mapping[str, Any]] = {}
    for row in kept:
        key = (row[rows], row[columns])
        if key in found:
            others = [name for name in parameters if name not in (rows, columns) and row[name] != found[key][name]]
            values = {name: sorted({shown(one[name]) for one in kept}) for name in others}
            hint = "; ".join(f"{name} is one of {', '.join(known)}" for name, known in values.items())
            raise UsageError(f"other parameters vary too, fix them with where={{...}}: {hint}")
        found[key] = row
    down, across = (_in_order([key[side] for key in found]) for side in (0, 1))
    values_found: list[list[Value]] = [
        [found[a, b]["value"] if (a, b) in found else None for b in across] for a in down
    ]
    return Grid(rows, columns, measure, down, across, values_found, higher_is_better)


def _in_order(values: Sequence[Any]) -> list[Any]:
    """Numbers by size, anything else as it came."""
    distinct = list(dict.fromkeys(values))
    return sorted(distinct) if all(isinstance(value, (int, float)) for value in distinct) else distinct


def shown(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
