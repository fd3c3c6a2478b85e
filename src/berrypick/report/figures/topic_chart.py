"""Topics of two runs side by side, a panel for each measure."""

from __future__ import annotations

from typing import Any

from berrypick.analysis.comparison.run_identity import find_run
from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.report.figures.chart_panels import PANELS, Rows, concatenated, panel_size, rounded, value_range
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, labels, strokes
from berrypick.report.figures.export import altair
from berrypick.tables.tables import shortened

#: Up to so many topics are named below their values.
NAMED_TOPICS = 40


def topics(results: Results, *, baseline: str | None = None, theme: ChartTheme = SCREEN) -> Any:
    """Topics of two runs side by side, sorted by the difference; a panel for each measure.

    With one run its values, sorted. With more than two, a panel for each of them beside the baseline (the first).
    """
    runs = list(results.runs)
    if not runs:
        raise UsageError("nothing to draw: the results are empty")
    base = runs[0] if baseline is None else find_run(baseline, runs, results.run_facts)
    pairs: list[tuple[str, str | None]] = [(one, base) for one in runs if one != base] or [(base, None)]
    measures = list(results.measures)
    wanted = len(pairs) * len(measures)
    if wanted > PANELS:
        raise UsageError(
            f"{len(pairs)} pairs of runs x {len(measures)} measures are {wanted} panels, and one picture holds "
            f"{PANELS}; choose fewer runs or measures, or draw means"
        )
    names = labels(runs)
    values = results.per_topic()
    panels = [
        _topics_panel(values, one, other, measure, names, theme, wanted) for measure in measures for one, other in pairs
    ]  # fmt: skip
    known = [panel for panel in panels if panel is not None]
    if not known:
        raise UsageError(f"nothing to draw: {', '.join(measures)} undefined for every topic")
    return concatenated(known, theme)


def _topics_panel(
    values: dict[str, dict[str, dict[str, float | None]]],
    run: str,
    versus: str | None,
    measure: str,
    names: dict[str, str],
    theme: ChartTheme,
    of: int,
) -> Any:
    alt = altair()
    rows = _topic_rows(values[run][measure], values[versus][measure] if versus else None, names[run],
                       names[versus] if versus else "")  # fmt: skip
    if not rows:
        return None
    order = list(dict.fromkeys(row["topic"] for row in rows))
    shown = len(order) <= NAMED_TOPICS
    x = alt.X(
        "topic:N",
        sort=None,
        title="topic" if shown else f"{len(order)} topics",
        axis=alt.Axis(labels=shown, ticks=shown, labelAngle=-90 if shown else 0, labelLimit=theme.font * 9),
        scale=alt.Scale(domain=order, paddingOuter=0.5),  # as sort=order Vega fails at a topic named constructor
    )
    everything = [value for run in values.values() for value in run[measure].values()]
    heights = alt.Scale(domain=value_range(everything), nice=5)  # the same in all panels of a measure
    y = alt.Y("value:Q", title=shortened(measure, 40), scale=heights, axis=alt.Axis(tickCount=5))
    domain = [names[run], *([names[versus]] if versus else [])]
    legend = alt.Legend(columns=theme.legend_columns(domain, 1), symbolSize=theme.font * 4) if versus else None
    size = max(4.0, theme.font * min(3.0, 90 / len(order)))
    stems = alt.Chart(alt.Data(values=rows)).mark_rule(color="#999999", strokeWidth=theme.line)
    stems = stems.transform_filter("datum.first")
    points = alt.Chart(alt.Data(values=rows)).mark_point(size=size, opacity=1, strokeWidth=theme.line)
    colours = dict(zip(names.values(), strokes(len(names))[0], strict=True))  # as in a chart of curves
    colour = alt.Scale(domain=domain, range=[colours[name] for name in domain])
    fill = alt.Scale(domain=domain, range=[colours[names[run]], "#ffffff"][: len(domain)])
    shape = alt.Scale(domain=domain, range=["circle", "square"][: len(domain)])
    points = points.encode(
        x=x,
        y=y,
        color=alt.Color("run:N", scale=colour, legend=legend),
        fill=alt.Fill("run:N", scale=fill, legend=legend),
        shape=alt.Shape("run:N", scale=shape, legend=legend),
    )
    panel = alt.layer(stems.encode(x=x, y=y, y2="other:Q"), points)
    return panel.resolve_scale(color="independent", fill="independent", shape="independent").properties(
        **panel_size(theme, of)
    )


def _topic_rows(own: dict[str, float | None], other: dict[str, float | None] | None, name: str, versus: str) -> Rows:
    """Two rows for each topic where both have a value, the largest difference first; one row if there is no other."""
    called = labels(list(own), 24)
    found: list[tuple[float, str, float, float | None]] = []
    for topic, value in own.items():
        beside = 0.0 if other is None else other.get(topic)
        if value is not None and beside is not None:
            found.append((value - beside, called[topic], value, None if other is None else beside))
    found.sort(key=lambda row: -row[0])
    rows: Rows = []
    for _, topic, value, beside in found:
        rows.append({"topic": topic, "run": name, "value": rounded(value), "other": rounded(beside or 0.0),
                     "first": True})  # fmt: skip
        if beside is not None:
            rows.append({"topic": topic, "run": versus, "value": rounded(beside), "other": 0, "first": False})
    return rows
