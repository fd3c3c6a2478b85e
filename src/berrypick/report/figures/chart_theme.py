"""The theme of charts: sizes, type, colours and dashes that stay distinct in print and for the colour-blind."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from berrypick.data.errors import UsageError, nearest
from berrypick.tables.tables import LONGEST_NAME, shortened

#: Okabe and Ito's colours, which people with any colour vision tell apart; grey in the place of yellow, which does not
#: show on white paper.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#8a8a8a")
#: One less than there are colours, so that 56 pairs of colour and dashes differ.
DASHES = ([1, 0], [5, 2], [1.5, 1.5], [7, 2, 1.5, 2], [11, 4], [1.5, 4.5], [5, 1.5, 1.5, 1.5, 1.5, 1.5])
#: Liberation Sans comes with vl-convert and has the widths of Arial; programs that open an SVG take what they have.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

#: Vega's pixels are points here: 72 of them are an inch in every file that is written.
INCH, CENTIMETRE = 72.0, 72 / 2.54
#: A column and a page of most proceedings.
COLUMN, PAGE = 8.5 * CENTIMETRE, 17.5 * CENTIMETRE


@dataclass(frozen=True)
class ChartTheme:
    """Sizes in points. ``width`` and ``height`` are those of the whole picture; None leaves them to the contents."""

    width: float | None = None
    height: float | None = None
    font: float = 8.0

    @property
    def line(self) -> float:
        return self.font / 7

    def full_width(self, panels: int) -> float:
        return self.width or (COLUMN if panels == 1 else PAGE) * self.font / PAPER.font

    def columns(self, panels: int) -> int:
        """How many panels are side by side."""
        fit = max(1, int(self.full_width(panels) / (self.font * 16)))
        return min(fit, 2 if panels in (2, 4) else 3, panels)

    def panel(self, panels: int) -> float:
        """The width of the plotting area of a panel, without its labels."""
        return max(30.0, self.full_width(panels) / self.columns(panels) - 5 * self.font)

    def legend_columns(self, names: Sequence[str], panels: int) -> int:
        """As many as fit below the panels, each column as wide as its longest name."""
        room = self.full_width(panels) - 4 * self.font
        widths = [(len(name) * 0.52 + 5.2) * self.font for name in names]
        for columns in range(len(names), 1, -1):
            if sum(max(widths[column::columns]) for column in range(columns)) <= room:
                return columns
        return 1

    def config(self) -> dict[str, Any]:
        """Black type on white, thin axes, no frame, a faint grid across."""
        text = {"labelFontSize": self.font, "titleFontSize": self.font, "titleFontWeight": "normal",
                "labelColor": "black", "titleColor": "black"}  # fmt: skip
        thin = self.font / 16
        return {
            "font": FONT,
            "background": "white",
            "padding": self.font / 4,
            "view": {"stroke": None},
            "axis": {**text, "domainColor": "black", "domainWidth": thin, "tickColor": "black", "tickWidth": thin,
                     "tickSize": self.font / 2.5, "labelPadding": self.font / 4, "titlePadding": self.font / 2,
                     "gridColor": "#dddddd", "gridWidth": thin, "labelLimit": self.font * 18, "labelFlush": False},
            "axisX": {"grid": False},
            "title": {"fontSize": self.font, "fontWeight": "bold", "color": "black", "anchor": "start",
                      "frame": "group", "offset": self.font / 4, "limit": 1000},
            "legend": {**text, "labelLimit": 1000, "orient": "bottom", "title": None, "symbolOpacity": 1,
                       "symbolStrokeWidth": self.line, "rowPadding": self.font / 8, "columnPadding": self.font,
                       "symbolLimit": 0, "offset": self.font / 2, "padding": 0},
            "line": {"strokeWidth": self.line, "strokeCap": "butt"},
            "concat": {"spacing": self.font * 1.5},
        }  # fmt: skip


PAPER = ChartTheme()
#: For pages that are read on a screen.
SCREEN = ChartTheme(font=12.0)

_UNITS = {"": CENTIMETRE, "cm": CENTIMETRE, "mm": CENTIMETRE / 10, "in": INCH, "pt": 1.0}


def length(text: str | float, what: str = "width") -> float:
    """A length like '8.5cm', '3.3in' or '240pt' in points; a bare number counts centimetres."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(cm|mm|in|pt|)\s*", str(text))
    points = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 36 <= points <= 200 * INCH:
        raise UsageError(f"the {what} must be a length like 8.5cm, 85mm, 3.3in or 240pt, at least 0.5in, not {text}")
    return points


def sized(
    *,
    width: str | float | None = None,
    height: str | float | None = None,
    font_size: float | None = None,
    theme: ChartTheme = SCREEN,
) -> ChartTheme:
    """A theme with another width, height ('8.5cm') or font size."""
    return replace(
        theme,
        font=theme.font if font_size is None else font_size,
        width=theme.width if width is None else length(width),
        height=theme.height if height is None else length(height, "height"),
    )


def check_options(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuse what a plot does not take, with a suggestion."""
    known = [name for name, one in inspect.signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY]
    for name in given:
        if name not in known:
            raise UsageError(f"plot() has no option {name!r}{nearest(name, known) or '; it takes ' + ', '.join(known)}")


def labels(names: Sequence[str], longest: int = LONGEST_NAME) -> dict[str, str]:
    """Names as they are written beside lines: printable, short, and different where the names are."""
    return dict(zip(names, distinct(names, longest), strict=True))


def distinct(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """A label for each of some names; no two are alike."""
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        label = short = shortened(name, longest)
        number = 2
        while label in used:
            label, number = f"{short} ({number})", number + 1
        used.add(label)
        found.append(label)
    return found


def strokes(count: int) -> tuple[list[str], list[list[float]]]:
    """A colour and a pattern of dashes for each of so many lines."""
    colours = [COLOURS[i % len(COLOURS)] for i in range(count)]
    return colours, [list(map(float, DASHES[i % len(DASHES)])) for i in range(count)]
