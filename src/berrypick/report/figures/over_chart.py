"""Means along a range of readers as an Altair chart, or a map of the differences over two ranges."""

from __future__ import annotations

import itertools
from typing import Any

from berrypick.report.figures.chart_panels import concatenated, panel_size
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, check_options, labels, sized
from berrypick.report.figures.curve_chart import run_lines
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
        panels = [_lines(found, measure, theme, len(found.measures)) for measure in found.measures]
    else:
        panels = [_map(found, place, theme) for place in range(len(found.pairs))]
    return concatenated(panels, theme)


def _lines(found: Any, measure: str, theme: ChartTheme, of: int) -> Any:
    """A line for each run in the colours of ``plot``, and a rule at each crossing."""
    alt = altair()
    axis = found.axes[0]
    names = labels(found.runs)
    rows = [
        {"run": names[run], "at": at, "value": value}
        for run in found.runs
        for at, value in _points(found, measure, run)
    ]
    scale = alt.Scale(type=axis.scale, domain=[axis.low, axis.high], nice=False)
    title = shortened(f"{axis.parameter} of {found.range.name}")
    x = alt.X("at:Q", scale=scale, title=title, axis=alt.Axis(grid=False))
    colour, dash = run_lines(names, theme, of)
    y = alt.Y("value:Q", title=shortened(measure), scale=alt.Scale(zero=False))
    lines = alt.Chart(alt.Data(values=rows)).mark_line().encode(x=x, y=y, color=colour, strokeDash=dash)
    crossed = [{"at": at} for one in found.pairs if one.measure == measure for at in one.crossings]
    rules = alt.Chart(alt.Data(values=crossed)).mark_rule(strokeDash=[2, 3], color="#888").encode(x=x)
    return alt.layer(rules, lines).properties(**panel_size(theme, of))


def _points(found: Any, measure: str, run: str) -> list[tuple[float, float]]:
    """The places and means of a run; of means that go up and down in steps, both sides of each step.

    Where a step is, is known between two points of the grid alone: it is drawn at a jump that was found there, else in
    the middle.
    """
    known = sorted(
        (one.at, one.value)
        for one in found.values
        if one.measure == measure and one.run == run and one.value is not None
    )
    pairs = list(itertools.pairwise(known))
    levels = {before[1] for before, after in pairs if before[1] == after[1]}
    changes = sum(before[1] != after[1] for before, after in pairs)
    # smooth means may be level at their ends, but nowhere between them
    if changes > 1 and not levels - {known[0][1], known[-1][1]}:
        return known
    jumps = [
        at
        for one in found.pairs
        if one.measure == measure and run in (one.a, one.b)
        for at, jump in zip(one.crossings, one.jumps, strict=True)
        if jump
    ]
    points = known[:1]
    for before, after in pairs:
        if before[1] != after[1]:
            low, high = before[0], after[0]
            middle = (low * high) ** 0.5 if found.axes[0].scale == "log" else (low + high) / 2
            place = next((at for at in jumps if low <= at <= high), middle)
            points += [(place, before[1]), (place, after[1])]
        points.append(after)
    return points


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
