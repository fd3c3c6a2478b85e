"""The trade-off of a least score as a chart."""

from __future__ import annotations

from typing import Any

from berrypick.addons.judge.abstention import Abstention
from berrypick.report.chart_panels import concatenated, panel_size
from berrypick.report.chart_theme import check_options, labels, sized
from berrypick.report.export import altair


def plot_abstention(found: Abstention, **how: Any) -> Any:
    """Abstained against Answered: up and to the right is better; a point for each least score."""
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
