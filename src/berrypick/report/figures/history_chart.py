"""The history of a ledger as an Altair chart."""

from __future__ import annotations

from typing import Any

from berrypick.analysis.ledger.history import History
from berrypick.data.errors import UsageError
from berrypick.report.figures.chart_panels import PANELS, concatenated, panel_size, rounded
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, check_options, sized, strokes
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened


def plot_history(found: History, **how: Any) -> Any:
    """Draw a panel for each measure: values with intervals in the order of time, and the best so far as steps.

    A dashed line marks a change of the truth or of the signature; a filled point was called better.

    Parameters
    ----------
    found : History
        What a ledger tells.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp, tempfile, os
    >>> from berrypick.report.figures.history_chart import plot_history
    >>> path = os.path.join(tempfile.mkdtemp(), "ledger.jsonl")
    >>> compared = bp.compare({"q": {"a": 1}}, {"one": {"q": {"a": 1}}}, "RR", ledger=path)
    >>> len(plot_history(bp.history(path)).to_dict()["layer"])  # breaks, intervals, best so far, points
    4
    """
    check_options(sized, how)
    theme = sized(**{"theme": SCREEN, **how})
    measures = [one for one in found.measures if any(point.value is not None for point in found.of(one))]
    if not measures:
        raise UsageError("nothing to draw: no look of the ledger has a value")
    if len(measures) > PANELS:
        raise UsageError(f"{len(measures)} measures are more than the {PANELS} panels that fit in one picture")
    return concatenated([_panel(found, measure, theme, len(measures)) for measure in measures], theme)


def _panel(found: History, measure: str, theme: ChartTheme, of: int) -> Any:
    alt = altair()
    rows, breaks, order = [], [], []
    stretch = 0
    for number, point in enumerate(found.of(measure)):
        at = f"{point.time[:10]} {number}"  # the axis shows the day
        order.append(at)
        stretch += bool(point.break_)
        if point.break_:
            breaks.append({"at": at})
        if point.value is not None:
            low, high, best = (point.value if one is None else one for one in (point.low, point.high, point.best))
            numbers = {"value": point.value, "low": low, "high": high, "best": best}
            better = point.verdict == "better"
            rows.append({"at": at, "stretch": stretch, "better": better, **{k: rounded(v) for k, v in numbers.items()}})
    align = {"condition": {"test": "datum.index > 0", "value": "right"}, "value": "left"}
    days = {"labelExpr": "slice(datum.label, 0, 10)", "values": [order[0], order[-1]], "labelAlign": align}
    axis = alt.Axis(labelAngle=0, grid=False, ticks=False, **days)
    title = "look, in the order of time"
    x = alt.X("at:O", scale=alt.Scale(domain=order, type="point", padding=0.5), axis=axis, title=title)
    blue, orange = strokes(2)[0]
    base = alt.Chart(alt.Data(values=rows)).encode(x=x)
    y = alt.Scale(zero=False)
    head = shortened(measure, 60)
    size = panel_size(theme, of)
    between = -size["width"] / len(order) / 2  # from the first look after a break to half way to the one before it
    rules = alt.Chart(alt.Data(values=breaks)).mark_rule(strokeDash=[2, 3], color="#888", xOffset=between).encode(x=x)
    interval = base.mark_rule(color="black", strokeWidth=theme.line / 2, opacity=0.6).encode(
        y=alt.Y("low:Q", scale=y, title="value, interval; line: best so far"), y2="high:Q"
    )
    best = base.mark_line(interpolate="step-after", color=orange, strokeWidth=theme.line).encode(
        y=alt.Y("best:Q", scale=y), detail="stretch:N"
    )
    point = base.mark_point(size=theme.font * 3, color=blue, opacity=1, strokeWidth=theme.line).encode(
        y=alt.Y("value:Q", scale=y),
        fill=alt.condition("datum.better", alt.value(blue), alt.value("white")),
    )
    return alt.layer(rules, interval, best, point).properties(title=head, **size)
