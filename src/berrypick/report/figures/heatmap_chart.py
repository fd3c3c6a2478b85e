"""A heat-map of a sweep as an Altair chart: the means of a measure over two parameters, the darker the better."""

from __future__ import annotations

from typing import Any

from berrypick.report.figures.chart_panels import concatenated
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, check_options, distinct, sized
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened

Colour = tuple[int, int, int]

LIGHT: Colour = (222, 235, 247)
DARK: Colour = (8, 48, 107)


def plot_heatmap(grid: Any, places: int = 3, **how: Any) -> Any:
    """Draw a cell for each pair of values, with its mean; the best has a star.

    Parameters
    ----------
    grid : Grid
        The means of a measure over two parameters of a sweep.
    places : int
        Digits shown.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.heatmap_chart import plot_heatmap
    >>> from berrypick.analysis.sweep.heatmap import Grid
    >>> grid = Grid("size", "overlap", "charR", [100, 200], [0, 50], [[0.1, 0.2], [0.3, 0.4]], True)
    >>> plot_heatmap(grid).to_dict()["title"]
    'charR'
    """
    check_options(sized, how)
    return heatmap(grid, places, sized(**how))


def heatmap(grid: Any, places: int = 3, theme: ChartTheme = SCREEN) -> Any:
    """A cell for each pair of values, with its mean; the best has a star."""
    alt = altair()
    down, across = map(distinct, grid.names())
    rows = [
        {"row": name, "column": column, **_cell(grid, value, places)}
        for name, line in zip(down, grid.values, strict=True)
        for column, value in zip(across, line, strict=True)
    ]
    axis = {"grid": False, "domain": False, "ticks": False, "labelAngle": 0}
    x = alt.X("column:N", sort=None, scale=alt.Scale(domain=across), title=shortened(grid.columns),
              axis=alt.Axis(orient="top", **axis))  # fmt: skip
    y = alt.Y("row:N", sort=None, scale=alt.Scale(domain=down), title=shortened(grid.rows), axis=alt.Axis(**axis))
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y)
    cells = base.mark_rect(stroke="white").encode(color=alt.Color("fill:N", scale=None))
    words = base.mark_text(fontSize=theme.font).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    chart = alt.layer(cells, words).properties(
        title=shortened(grid.measure, 60),
        width=alt.Step(6 * theme.font),
        height=alt.Step(3 * theme.font),
    )
    return concatenated([chart], theme)


def _cell(grid: Any, value: float | None, places: int) -> dict[str, str]:
    if value is None:
        return {"text": "", "fill": "white", "ink": "black"}
    colour = shade(grid.share(value))
    ink = "black" if contrast(colour, (0, 0, 0)) >= contrast(colour, (255, 255, 255)) else "white"
    text = f"{value:.{places}f}" + " *" * (value == grid.best)
    return {"text": text, "fill": f"#{bytes(colour).hex()}", "ink": ink}


def shade(share: float) -> Colour:
    """From light at 0 to dark at 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(LIGHT, DARK, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """How well two colours can be told apart, from 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
