"""Means over two parameters, as a table of text or an SVG picture drawn without any library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from berrypick.core.errors import UsageError
from berrypick.core.explanation import Table

Value = float | None

# from light to dark, so that the best is the darkest; text on them is dark or light, whichever is easier to read
_LIGHT, _DARK = (222, 235, 247), (8, 48, 107)
_CELL, _HIGH, _LETTER, _MARGIN = 84, 40, 7.5, 16


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

    @property
    def best(self) -> Value:
        known = [value for row in self.values for value in row if value is not None]
        return (max(known) if self.higher_is_better else min(known)) if known else None

    def table(self, places: int) -> Table:
        """The best value has a star."""
        head = f"{self.rows} \\ {self.columns}"
        lines = [
            [_shown(name), *(self._cell(value, places) for value in row)]
            for name, row in zip(self.down, self.values, strict=True)
        ]
        return Table(self.measure, [head, *(f"{_shown(name)} " for name in self.across)], lines)

    def _cell(self, value: Value, places: int) -> str:
        return "- " if value is None else f"{value:.{places}f}" + ("*" if value == self.best else " ")

    def svg(self, places: int) -> str:
        """Labels follow the page's colours, cells have their own, so it can be read on light and dark pages."""
        left = _MARGIN + _LETTER * max(len(text) for text in (self.rows, *map(_shown, self.down))) + 10
        top = 84
        width = left + _CELL * len(self.across) + _MARGIN
        width = max(width, 2 * _MARGIN + _LETTER * 1.15 * len(self.measure))
        height = top + _HIGH * len(self.down) + _MARGIN
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-label="{_attribute(self._told(places))}">',
            f"<title>{escape(self._told(places))}</title>",
            "<style>text{font:13px sans-serif;fill:#222}.name{font-weight:bold}.title{font-size:15px}"
            "@media(prefers-color-scheme:dark){text{fill:#ddd}}"
            ".on-light{fill:#000!important}.on-dark{fill:#fff!important}.none{fill:none;stroke:#888}</style>",
            f'<text class="name title" x="{_MARGIN}" y="24">{escape(self.measure)}</text>',
            _label(left + _CELL * len(self.across) / 2, 50, self.columns, "middle", "name"),
            _label(left - 10, 72, self.rows, "end", "name"),
        ]
        for j, name in enumerate(self.across):
            parts.append(_label(left + _CELL * (j + 0.5), 72, _shown(name), "middle"))
        for i, (name, row) in enumerate(zip(self.down, self.values, strict=True)):
            y = top + _HIGH * i
            parts.append(_label(left - 10, y + 25, _shown(name), "end"))
            for j, value in enumerate(row):
                parts += self._square(left + _CELL * j, y, value, places)
        return "\n".join([*parts, "</svg>"]) + "\n"

    def _square(self, x: float, y: float, value: Value, places: int) -> list[str]:
        box = f'x="{x + 1:g}" y="{y + 1:g}" width="{_CELL - 2}" height="{_HIGH - 2}" rx="3"'
        if value is None:
            return [f'<rect class="none" {box}/>']
        colour = self.colour(value)
        fill = "#" + "".join(f"{part:02x}" for part in colour)
        side = "on-light" if contrast(colour, (0, 0, 0)) >= contrast(colour, (255, 255, 255)) else "on-dark"
        star = " *" if value == self.best else ""
        return [
            f'<rect fill="{fill}" {box}/>',
            _label(x + _CELL / 2, y + 25, f"{value:.{places}f}{star}", "middle", side),
        ]

    def colour(self, value: float) -> tuple[int, int, int]:
        known = [value for row in self.values for value in row if value is not None]
        low, high = min(known), max(known)
        share = 0.5 if high == low else (value - low) / (high - low)
        if not self.higher_is_better:
            share = 1 - share
        red, green, blue = (round(a + (b - a) * share) for a, b in zip(_LIGHT, _DARK, strict=True))
        return red, green, blue

    def _told(self, places: int) -> str:
        best = self.best
        end = "" if best is None else f", best {best:.{places}f}"
        return f"{self.measure} by {self.rows} and {self.columns}{end}"


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
        raise UsageError("there is no such setting in this sweep")
    found: dict[tuple[Any, Any], Mapping[str, Any]] = {}
    for row in kept:
        key = (row[rows], row[columns])
        if key in found:
            others = [name for name in parameters if name not in (rows, columns) and row[name] != found[key][name]]
            values = {name: sorted({_shown(one[name]) for one in kept}) for name in others}
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


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """How well two colours can be told apart, from 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _label(x: float, y: float, words: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _attribute(words: str) -> str:
    return escape(words, {'"': "&quot;"})


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
