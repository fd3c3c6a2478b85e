"""Mean curves with bands, a panel for each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from berrypick.analysis.comparison.curves import Band
from berrypick.data.errors import UsageError
from berrypick.report.figures.chart_panels import Rows, concatenated, panel_size, rounded, tick_count, value_range
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, labels, strokes
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened

#: With more runs bands only hide one another.
BANDS = 3

NO_CURVE = "there is no curve to draw: no measure has one, or the results were computed without curves=True"


def curves(found: Sequence[Band], *, until: float | None = None, band: bool, theme: ChartTheme = SCREEN) -> Any:
    """Mean curves, a panel for each measure; ``band``: with the intervals.

    ``until`` is the last rank, recall level or effort that is shown.
    """
    found = [one for one in found if one.x]
    if not found:
        raise UsageError(NO_CURVE)
    first = min(one.x[0] for one in found)
    if until is not None:
        found = [one for one in (_until(one, until) for one in found) if one.x]
    if not found:
        raise UsageError(f"nothing to draw up to {until:g}: curves begin at {first:g}; give a larger until")
    names = labels(list(dict.fromkeys(one.run for one in found)))
    measures = list(dict.fromkeys(one.measure for one in found))
    panels = [
        _curves_panel([one for one in found if one.measure == measure], names, band, theme, len(measures))
        for measure in measures
    ]
    return concatenated(panels, theme)


def _until(one: Band, last: float) -> Band:
    kept = [i for i, x in enumerate(one.x) if x <= last]
    low, high = (tuple(column[i] for i in kept) for column in (one.low, one.high))
    return replace(one, x=tuple(one.x[i] for i in kept), y=tuple(one.y[i] for i in kept), low=low, high=high)


def _curves_panel(own: Sequence[Band], names: dict[str, str], shaded: bool, theme: ChartTheme, of: int) -> Any:
    """The curves of one measure."""
    alt = altair()
    across, up = own[0].axes
    last = max(one.x[-1] for one in own)
    by_rank = isinstance(own[0].x[0], int)
    x = alt.X(
        "x:Q",
        title=across,
        scale=alt.Scale(domain=[1 if by_rank else 0, max(last, 2 if by_rank else 0)], nice=False),
        axis=alt.Axis(**_across(last, tick_count(theme, of), by_rank)),
    )
    heights = alt.Scale(domain=value_range([y for one in own for y in (*one.y, *(one.high if shaded else ()))]), nice=5)
    y = alt.Y("y:Q", title=up, scale=heights, axis=alt.Axis(tickCount=5))
    layers = []
    colour, dash = run_lines(names, theme, of)
    if shaded:
        area = alt.Chart(alt.Data(values=_band_rows(own, names))).mark_area(opacity=0.15, line=False)
        layers.append(area.encode(x=x, y=alt.Y("low:Q", title=up, scale=heights), y2="high:Q", color=colour))
    line = alt.Chart(alt.Data(values=_curve_rows(own, names))).mark_line()
    layers.append(line.encode(x=x, y=y, color=colour, strokeDash=dash))
    alone = [one for one in own if len(one.x) == 1]
    if alone:
        point = alt.Chart(alt.Data(values=_curve_rows(alone, names))).mark_point(filled=True, size=theme.font * 4)
        layers.append(point.encode(x=x, y=y, color=colour))
    return alt.layer(*layers).properties(title=shortened(own[0].measure, 60), **panel_size(theme, of))


def _across(last: float, ticks: int, by_rank: bool) -> dict[str, Any]:
    """The ticks across: with few ranks one at each, where Vega would put some between them."""
    if not by_rank:
        return {"tickCount": ticks}
    ranks = max(int(last), 2)
    every = {"values": list(range(1, ranks + 1))} if ranks - 1 <= ticks else {}
    return {"tickCount": ticks, "format": "d", **every}


def run_lines(names: dict[str, str], theme: ChartTheme, panels: int) -> tuple[Any, Any]:
    """Colour and dashes of each run, with one legend for both."""
    alt = altair()
    domain = list(names.values())
    colours, dashes = strokes(len(domain))
    legend = None
    if len(domain) > 1:
        legend = alt.Legend(
            columns=theme.legend_columns(domain, panels),
            symbolType="stroke",
            symbolSize=(3 * theme.font) ** 2,  # so long that dashes can be distinguished
            clipHeight=theme.font * 1.3,  # or a row would be as high as a symbol is long
        )
    return (
        alt.Color("run:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
        alt.StrokeDash("run:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend),
    )


def _curve_rows(own: Sequence[Band], names: dict[str, str]) -> Rows:
    return [
        {"run": names[one.run], "x": rounded(x), "y": rounded(y)}
        for one in own
        for x, y in zip(one.x, one.y, strict=True)
    ]


def _band_rows(own: Sequence[Band], names: dict[str, str]) -> Rows:
    return [
        {"run": names[one.run], "x": rounded(x), "low": rounded(low), "high": rounded(high)}
        for one in own
        for x, low, high in zip(one.x, one.low, one.high, strict=True)
        if low is not None and high is not None
    ]
