"""The trade-off of a least score as a chart."""

from __future__ import annotations

from typing import Any

from berrypick.report.figures.chart_panels import concatenated, panel_size
from berrypick.report.figures.chart_theme import check_options, labels, sized
from berrypick.report.figures.export import altair


def plot_abstention(found: Any, **how: Any) -> Any:
    """Draw Abstained against Answered: up and to the right is better; a point for each least score.

    Parameters
    ----------
    found : Abstention
        Abstained and Answered at each score threshold.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.abstention_chart import plot_abstention
    >>> found = bp.abstention({"q": {"a": 1}, "p": None}, {"q": {"a": 2.0}, "p": {"a": 1.0}})
    >>> len(plot_abstention(found).to_dict()["layer"])
    2
    """
    check_options(sized, how)
    alt, theme = altair(), sized(**how)
    names = labels(list(dict.fromkeys(point.run for point in found.points)))
    rows = [{**point.as_dict(), "run": names[point.run]} for point in found.points]
    share = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("Answered:Q", scale=share, title="Answered, of topics with an answer"),
        y=alt.Y("Abstained:Q", scale=share, title="Abstained, of topics without one"),
        color=alt.Color("run:N", title=None, scale=alt.Scale(domain=list(names.values()))),
        order=alt.Order("min_score:Q"),
        tooltip=[alt.Tooltip(f"{name}:{kind}") for name, kind in
                 (("run", "N"), ("min_score", "Q"), ("Answered", "Q"), ("Abstained", "Q"))],
    )  # fmt: skip
    drawn = alt.layer(base.mark_line(strokeWidth=theme.line), base.mark_point(size=14, filled=True, opacity=1))
    return concatenated([drawn.properties(**panel_size(theme, 1))], theme)
