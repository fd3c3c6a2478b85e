"""Means with intervals, a panel for each measure."""

from __future__ import annotations

from typing import Any

from berrypick.analysis.comparison.comparison import Comparison
from berrypick.data.errors import UsageError
from berrypick.report.figures.chart_panels import PANELS, Rows, concatenated, panel_size, rounded, tick_count
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, labels, strokes
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened


def means(comparison: Comparison, *, theme: ChartTheme = SCREEN) -> Any:
    """The mean of each run with its interval, the best on top; a panel for each measure and group of topics."""
    measures = [
        measure
        for measure in comparison.measures
        if any(comparison.estimate(measure, run).value is not None for run in comparison.runs)
    ]
    if not measures:
        raise UsageError(f"nothing to draw: {', '.join(comparison.measures)} undefined for every topic")
    parts = [("", comparison), *((f", {comparison.by} {name}", one) for name, one in comparison.groups.items())]
    wanted = [(measure, over, part) for measure in measures for over, part in parts]
    if len(wanted) > PANELS:
        groups = f" of {len(parts) - 1} groups" if comparison.groups else ""
        raise UsageError(f"{len(measures)} measures{groups} are more than the {PANELS} panels that fit in one picture")
    names = labels(comparison.runs)
    order = [names[run] for run in _best_first(comparison, measures[0])]
    columns = theme.columns(len(wanted))
    panels = [
        _means_panel(part, measure, names, order, place % columns == 0, theme, len(wanted), over)
        for place, (measure, over, part) in enumerate(wanted)
    ]
    return concatenated(panels, theme)


def _best_first(comparison: Comparison, measure: str) -> list[str]:
    sign = -1 if comparison.estimate(measure, comparison.runs[0]).higher_is_better else 1

    def place(run: str) -> tuple[bool, float]:
        value = comparison.estimate(measure, run).value
        return value is None, sign * (value or 0.0)

    return sorted(comparison.runs, key=place)


def _means_panel(
    comparison: Comparison,
    measure: str,
    names: dict[str, str],
    order: list[str],
    with_names: bool,
    theme: ChartTheme,
    of: int,
    over: str,
) -> Any:
    rows: Rows = []
    for run in comparison.runs:
        one = comparison.estimate(measure, run)
        if one.value is not None:
            bounds = (one.value if one.low is None else one.low, one.value if one.high is None else one.high)
            rows.append(interval_row(names[run], bounds[0], one.value, bounds[1]))
    percent = f"{100 * comparison.method.confidence:.4g}%"
    return interval_panel(rows, order, measure + over, f"mean, {percent} interval", with_names, theme, of)


def interval_row(run: str, low: float, value: float, high: float) -> dict[str, Any]:
    return {"run": run, "value": rounded(value), "low": rounded(low), "high": rounded(high)}


def interval_panel(
    rows: Rows, order: list[str], head: str, title: str, with_names: bool, theme: ChartTheme, of: int
) -> Any:
    """A value with its interval for each run, one of ``of`` panels; ``title`` is that of the axis."""
    alt = altair()
    y = alt.Y("run:N", sort=None, scale=alt.Scale(domain=order), title=None,
              axis=alt.Axis(labels=with_names, ticks=False, domain=False, grid=True))  # fmt: skip
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=tick_count(theme, of)))
    base = alt.Chart(alt.Data(values=rows))
    interval = base.mark_rule(color="black", strokeWidth=theme.line).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=y
    )
    point = base.mark_point(filled=True, color=strokes(1)[0][0], size=theme.font * 4, opacity=1).encode(x=x, y=y)
    size = panel_size(theme, of)
    if theme.height is None:
        size["height"] = alt.Step(theme.font * 1.6)
    return alt.layer(interval, point).properties(title=shortened(head, 60), **size)
