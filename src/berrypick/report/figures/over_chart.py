"""Means along a range of readers as an Altair chart, or a map of the differences over two ranges."""

from __future__ import annotations

from typing import Any

from berrypick.report.figures.chart_panels import concatenated
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, check_options, labels, sized
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened


def plot_over(found: Any, **how: Any) -> Any:
    """Draw a panel for each measure; of two ranges for each measure and pair.

    Parameters
    ----------
    found : Over
        A comparison along a range of readers.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.over_chart import plot_over
    >>> truth, runs = {"q": {"d#0-9": 1}}, {"a": {"q": {"d#0-5": 1}}, "b": {"q": {"d#4-40": 1}}}
    >>> along = bp.compare(truth, runs, "EPRUM", over="window(before=0..20)")
    >>> len(plot_over(along).to_dict()["layer"])  # rules at crossings, and lines
    2
    """
    check_options(sized, how)
    theme = sized(**{"theme": SCREEN, **how})
    if len(found.axes) == 1:
        panels = [_lines(found, measure, theme) for measure in found.measures]
    else:
        panels = [_map(found, place, theme) for place in range(len(found.pairs))]
    return concatenated(panels, theme)


def _lines(found: Any, measure: str, theme: ChartTheme) -> Any:
    """A line for each run, and a rule at each crossing."""
    alt = altair()
    axis = found.axes[0]
    names = labels(found.runs)
    rows = [
        {"run": names[one.run], "at": one.at, "value": one.value}
        for one in found.values
        if one.measure == measure and one.value is not None
    ]
    scale = alt.Scale(type=axis.scale, domain=[axis.low, axis.high], nice=False)
    title = shortened(f"{axis.parameter} of {found.range.name}")
    x = alt.X("at:Q", scale=scale, title=title, axis=alt.Axis(grid=False))
    lines = alt.Chart(alt.Data(values=rows)).mark_line().encode(
        x=x,
        y=alt.Y("value:Q", title=shortened(measure), scale=alt.Scale(zero=False)),
        color=alt.Color("run:N", sort=list(names.values()), title=None),
        strokeDash=alt.StrokeDash("run:N", sort=list(names.values()), title=None),
    )  # fmt: skip
    crossed = [{"at": at} for one in found.pairs if one.measure == measure for at in one.crossings]
    rules = alt.Chart(alt.Data(values=crossed)).mark_rule(strokeDash=[2, 3], color="#888").encode(x=x)
    return alt.layer(rules, lines)


def _map(found: Any, place: int, theme: ChartTheme) -> Any:
    """How much better a is than b, in the colours of both."""
    alt = altair()
    pair = found.pairs[place]
    known = {(one.run, one.at): one.value for one in found.values if one.measure == pair.measure}
    one, other = found.axes
    rows = []
    for (run, at), value in known.items():
        versus = known.get((pair.b, at))
        if run == pair.a and value is not None and versus is not None:
            rows.append({"x": f"{at[0]:.4g}", "y": f"{at[1]:.4g}", "difference": value - versus})
    most = max((abs(row["difference"]) for row in rows), default=1.0) or 1.0
    xs, ys = (list(dict.fromkeys(row[name] for row in rows)) for name in ("x", "y"))
    colour = alt.Scale(domain=[-most, 0, most], range=["#b35806", "#f7f7f7", "#2166ac"])
    names = labels([pair.a, pair.b])
    ticks = {"labelOverlap": True, "grid": False}
    return alt.Chart(alt.Data(values=rows)).mark_rect().encode(
        x=alt.X("x:O", sort=xs, title=shortened(one.parameter), axis=alt.Axis(**ticks)),
        y=alt.Y("y:O", sort=ys[::-1], title=shortened(other.parameter), axis=alt.Axis(**ticks)),
        color=alt.Color("difference:Q", scale=colour, title=[f"{names[pair.a]} minus", names[pair.b]]),
    ).properties(title=shortened(pair.measure))  # fmt: skip
