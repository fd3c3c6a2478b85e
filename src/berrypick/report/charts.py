"""Charts as Altair objects: curves with bands, topics side by side, means with intervals.

``results.plot()`` and ``comparison.plot()`` come here. A chart shows itself in a notebook as a picture;
:mod:`berrypick.report.export` writes it to a file. What comes from files (names of runs, topics) goes into charts as
data and as plain text only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from berrypick.analysis.compare import Comparison, compare, get_run_name
from berrypick.analysis.curves import Band, bands
from berrypick.core.errors import UsageError, nearest
from berrypick.core.results import Results
from berrypick.report.chart_theme import SCREEN, Look, labels, length, shortened, strokes
from berrypick.report.export import altair, svg_of

Kind = Literal["curves", "topics", "means"]
KINDS: tuple[Kind, ...] = ("curves", "topics", "means")
#: With more systems bands only hide one another.
BANDS = 3
#: More panels than this nobody can read in one picture.
PANELS = 12
#: Up to so many topics are named below their values.
NAMED_TOPICS = 40
#: What is drawn is rounded, so that a picture does not depend on the last digits of the machine.
DIGITS = 6

NO_CURVE = "there is no curve to draw: no measure has one, or curves were not asked for (curves=True)"

_Rows = list[dict[str, Any]]


def plot(
    results: Results,
    kind: Kind | None = None,
    *,
    baseline: str | None = None,
    until: float | None = None,
    band: bool | None = None,
    width: str | float | None = None,
    height: str | float | None = None,
    font_size: float | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    look: Look = SCREEN,
) -> Any:
    """Results as a chart: 'curves', 'topics' or 'means'; by default what :func:`suggested` says."""
    chosen = kind or suggested(results)
    look = sized(look, width, height, font_size)
    if chosen == "curves":
        shaded = len(results.runs) <= BANDS if band is None else band
        found = bands(results, confidence=confidence, resamples=resamples, seed=seed, intervals=shaded)
        return curves(found, until=until, band=shaded, look=look)
    if chosen == "means":
        return means(compare(results, confidence=confidence, resamples=resamples, seed=seed), look=look)
    if chosen != "topics":
        raise UsageError(f"unknown kind {chosen}{nearest(str(chosen), list(KINDS)) or '; it is one of ' + _all(KINDS)}")
    return topics(results, baseline=baseline, look=look)


def plot_comparison(
    comparison: Comparison,
    *,
    width: str | float | None = None,
    height: str | float | None = None,
    font_size: float | None = None,
    look: Look = SCREEN,
) -> Any:
    """A comparison as a chart: means with intervals."""
    return means(comparison, look=sized(look, width, height, font_size))


def sized(look: Look, width: str | float | None, height: str | float | None, font_size: float | None) -> Look:
    return replace(
        look,
        font=look.font if font_size is None else font_size,
        width=look.width if width is None else length(width),
        height=look.height if height is None else length(height, "height"),
    )


def suggested(results: Results) -> Kind:
    """Curves where a measure has one; else topics of one or two systems, and means of more."""
    if any(row.curve for row in results.mean_rows):
        return "curves"
    return "topics" if len(results.runs) <= 2 else "means"


# curves


def curves(
    found: Sequence[Band],
    *,
    until: float | None = None,
    band: bool | None = None,
    look: Look = SCREEN,
) -> Any:
    """Mean curves, a panel for each measure; ``band``: with the intervals, by default for up to three systems.

    ``until`` is the last rank, recall level or effort that is shown.
    """
    found = [one for one in found if one.x]
    if not found:
        raise UsageError(NO_CURVE)
    first = min(one.x[0] for one in found)
    if until is not None:
        found = [one for one in (_until(one, until) for one in found) if one.x]
    if not found:
        raise UsageError(f"there is no curve up to {until:g} to draw: curves begin at {first:g}; give a larger until")
    names = labels(list(dict.fromkeys(one.run for one in found)))
    measures = list(dict.fromkeys(one.measure for one in found))
    shaded = len(names) <= BANDS if band is None else band
    panels = []
    for measure in measures:
        own = [one for one in found if one.measure == measure]
        across, up = own[0].axes
        panels.append(_curves_panel(own, names, measure, across, up, shaded, look, len(measures)))
    return _together(panels, look)


def _until(one: Band, last: float) -> Band:
    kept = [i for i, x in enumerate(one.x) if x <= last]
    low, high = (tuple(column[i] for i in kept) for column in (one.low, one.high))
    return replace(one, x=tuple(one.x[i] for i in kept), y=tuple(one.y[i] for i in kept), low=low, high=high)


def _curves_panel(
    own: Sequence[Band], names: dict[str, str], measure: str, across: str, up: str, shaded: bool, look: Look, of: int
) -> Any:
    alt = altair()
    last = max(one.x[-1] for one in own)
    by_rank = isinstance(own[0].x[0], int)
    x = alt.X(
        "x:Q",
        title=across,
        scale=alt.Scale(domain=[1 if by_rank else 0, max(last, 2 if by_rank else 0)], nice=False),
        axis=alt.Axis(**_across(last, _ticks(look, of), by_rank)),
    )
    heights = alt.Scale(domain=_span([y for one in own for y in (*one.y, *(one.high if shaded else ()))]), nice=5)
    y = alt.Y("y:Q", title=up, scale=heights, axis=alt.Axis(tickCount=5))
    layers = []
    colour, dash = _lines(names, look, of)
    if shaded:
        area = alt.Chart(alt.Data(values=_band_rows(own, names))).mark_area(opacity=0.15, line=False)
        layers.append(area.encode(x=x, y=alt.Y("low:Q", title=up, scale=heights), y2="high:Q", color=colour))
    line = alt.Chart(alt.Data(values=_curve_rows(own, names))).mark_line()
    layers.append(line.encode(x=x, y=y, color=colour, strokeDash=dash))
    alone = [one for one in own if len(one.x) == 1]
    if alone:
        point = alt.Chart(alt.Data(values=_curve_rows(alone, names))).mark_point(filled=True, size=look.font * 4)
        layers.append(point.encode(x=x, y=y, color=colour))
    return alt.layer(*layers).properties(title=shortened(measure, 60), **_size(look, of))


def _across(last: float, ticks: int, by_rank: bool) -> dict[str, Any]:
    """The ticks across: with few ranks one at each, where Vega would put some between them."""
    if not by_rank:
        return {"tickCount": ticks}
    ranks = max(int(last), 2)
    every = {"values": list(range(1, ranks + 1))} if ranks - 1 <= ticks else {}
    return {"tickCount": ticks, "format": "d", **every}


def _lines(names: dict[str, str], look: Look, panels: int) -> tuple[Any, Any]:
    """Colour and dashes of each system, with one legend for both."""
    alt = altair()
    domain = list(names.values())
    colours, dashes = strokes(len(domain))
    legend = None
    if len(domain) > 1:
        legend = alt.Legend(
            columns=look.legend_columns(domain, panels),
            symbolType="stroke",
            symbolSize=(3 * look.font) ** 2,  # so long that dashes can be told apart
            clipHeight=look.font * 1.3,  # or a row would be as high as a symbol is long
        )
    return (
        alt.Color("run:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
        alt.StrokeDash("run:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend),
    )


def _curve_rows(own: Sequence[Band], names: dict[str, str]) -> _Rows:
    return [
        {"run": names[one.run], "x": _rounded(x), "y": _rounded(y)}
        for one in own
        for x, y in zip(one.x, one.y, strict=True)
    ]


def _band_rows(own: Sequence[Band], names: dict[str, str]) -> _Rows:
    return [
        {"run": names[one.run], "x": _rounded(x), "low": _rounded(low), "high": _rounded(high)}
        for one in own
        for x, low, high in zip(one.x, one.low, one.high, strict=True)
        if low is not None and high is not None
    ]


# topics


def topics(
    results: Results,
    run: str | None = None,
    versus: str | None = None,
    *,
    baseline: str | None = None,
    look: Look = SCREEN,
) -> Any:
    """Topics of two systems side by side, sorted by the difference; a panel for each measure.

    With one system its values, sorted. With more than two, a panel for each of them beside the baseline (the first).
    ``run`` and ``versus`` name two systems.
    """
    runs = list(results.runs)
    if not runs:
        raise UsageError("there is nothing to draw: the results are empty")
    base = get_run_name(versus or baseline or runs[0], runs)
    others = [get_run_name(run, runs)] if run else [one for one in runs if one != base]
    pairs: list[tuple[str, str | None]] = [(one, base) for one in others] or [(base, None)]
    measures = list(results.measures)
    wanted = len(pairs) * len(measures)
    if wanted > PANELS:
        raise UsageError(
            f"{len(pairs)} pairs of systems x {len(measures)} measures are {wanted} panels, and one picture holds "
            f"{PANELS}; name fewer runs or measures, or draw means"
        )
    names = labels(runs)
    values = results.per_topic()
    panels = [
        _topics_panel(values, one, other, measure, names, look, wanted) for measure in measures for one, other in pairs
    ]  # fmt: skip
    known = [panel for panel in panels if panel is not None]
    if not known:
        raise UsageError(f"there is nothing to draw: {', '.join(measures)} undefined for every topic")
    return _together(known, look)


def _topics_panel(
    values: dict[str, dict[str, dict[str, float | None]]],
    run: str,
    versus: str | None,
    measure: str,
    names: dict[str, str],
    look: Look,
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
        axis=alt.Axis(labels=shown, ticks=shown, labelAngle=-90 if shown else 0, labelLimit=look.font * 9),
        scale=alt.Scale(domain=order, paddingOuter=0.5),  # as sort=order Vega fails at a topic named constructor
    )
    everything = [value for run in values.values() for value in run[measure].values()]
    heights = alt.Scale(domain=_span(everything), nice=5)  # the same in all panels of a measure
    y = alt.Y("value:Q", title=shortened(measure, 40), scale=heights, axis=alt.Axis(tickCount=5))
    domain = [names[run], *([names[versus]] if versus else [])]
    legend = alt.Legend(columns=look.legend_columns(domain, 1), symbolSize=look.font * 4) if versus else None
    size = max(4.0, look.font * min(3.0, 90 / len(order)))
    stems = alt.Chart(alt.Data(values=rows)).mark_rule(color="#999999", strokeWidth=look.line)
    stems = stems.transform_filter("datum.first")
    points = alt.Chart(alt.Data(values=rows)).mark_point(size=size, opacity=1, strokeWidth=look.line)
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
        **_size(look, of)
    )


def _topic_rows(own: dict[str, float | None], other: dict[str, float | None] | None, name: str, versus: str) -> _Rows:
    """Two rows for each topic where both have a value, the largest difference first; one row if there is no other."""
    called = labels(list(own), 24)
    found: list[tuple[float, str, float, float | None]] = []
    for topic, value in own.items():
        beside = 0.0 if other is None else other.get(topic)
        if value is not None and beside is not None:
            found.append((value - beside, called[topic], value, None if other is None else beside))
    found.sort(key=lambda row: -row[0])
    rows: _Rows = []
    for _, topic, value, beside in found:
        rows.append({"topic": topic, "run": name, "value": _rounded(value), "other": _rounded(beside or 0.0),
                     "first": True})  # fmt: skip
        if beside is not None:
            rows.append({"topic": topic, "run": versus, "value": _rounded(beside), "other": 0, "first": False})
    return rows


# means


def means(comparison: Comparison, *, look: Look = SCREEN) -> Any:
    """The mean of each system with its interval, the best on top; a panel for each measure."""
    measures = [
        measure
        for measure in comparison.measures
        if any(comparison.estimate(measure, run).value is not None for run in comparison.runs)
    ]
    if not measures:
        raise UsageError(f"there is nothing to draw: {_all(comparison.measures)} undefined for every topic")
    if len(measures) > PANELS:
        raise UsageError(f"{len(measures)} measures are more than the {PANELS} panels that one picture can hold")
    names = labels(comparison.runs)
    order = [names[run] for run in _best_first(comparison, measures[0])]
    columns = look.columns(len(measures))
    panels = [
        _means_panel(comparison, measure, names, order, place % columns == 0, look, len(measures))
        for place, measure in enumerate(measures)
    ]
    return _together(panels, look)


def _best_first(comparison: Comparison, measure: str) -> list[str]:
    sign = -1 if comparison.estimate(measure, comparison.runs[0]).higher_is_better else 1

    def place(run: str) -> tuple[bool, float]:
        value = comparison.estimate(measure, run).value
        return value is None, sign * (value or 0.0)

    return sorted(comparison.runs, key=place)


def _means_panel(
    comparison: Comparison, measure: str, names: dict[str, str], order: list[str], with_names: bool, look: Look, of: int
) -> Any:
    alt = altair()
    rows: _Rows = []
    for run in comparison.runs:
        one = comparison.estimate(measure, run)
        if one.value is not None:
            bounds = (one.value if one.low is None else one.low, one.value if one.high is None else one.high)
            rows.append({"run": names[run], "value": _rounded(one.value), "low": _rounded(bounds[0]),
                         "high": _rounded(bounds[1])})  # fmt: skip
    percent = f"{100 * comparison.method.confidence:.4g}%"
    y = alt.Y("run:N", sort=None, scale=alt.Scale(domain=order), title=None,
              axis=alt.Axis(labels=with_names, ticks=False, domain=False, grid=True))  # fmt: skip
    title = f"mean, {percent} interval"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=_ticks(look, of)))
    base = alt.Chart(alt.Data(values=rows))
    interval = base.mark_rule(color="black", strokeWidth=look.line).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=y
    )
    point = base.mark_point(filled=True, color=strokes(1)[0][0], size=look.font * 4, opacity=1).encode(x=x, y=y)
    size = _size(look, of)
    if look.height is None:
        size["height"] = alt.Step(look.font * 1.6)
    return alt.layer(interval, point).properties(title=shortened(measure, 60), **size)


# what all charts share


def _together(panels: Sequence[Any], look: Look) -> Any:
    alt = altair()
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=look.columns(len(panels)))
    chart = chart.configure(**look.config())
    object.__setattr__(chart, "__class__", _still(chart.__class__))  # plain assignment would go into the chart
    return chart


@cache
def _still(kind: Any) -> type:
    """A kind of chart that shows itself in notebooks as a picture.

    Altair's own way is a page that fetches its program from the network, and runs whatever a name hides behind
    </script>. Whoever chooses another renderer of Altair's gets that.
    """

    def show(self: Any, *given: Any, **more: Any) -> Any:
        if altair().renderers.active in ("default", "html"):
            return {"image/svg+xml": svg_of(self.to_dict()), "text/plain": f"<{kind.__name__} of berrypick>"}
        return kind._repr_mimebundle_(self, *given, **more)

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": show})


def _size(look: Look, panels: int) -> dict[str, Any]:
    width = look.panel(panels)
    rows = -(-panels // look.columns(panels))
    height = width * 0.62 if look.height is None else max(30.0, look.height / rows - 6 * look.font)
    return {"width": round(width, 2), "height": round(height, 2)}


def _ticks(look: Look, panels: int) -> int:
    return max(2, int(look.panel(panels) / (look.font * 5)))


def _span(values: Iterable[float | None]) -> list[float]:
    """From 0, or below it, to the largest value."""
    known = [value for value in values if value is not None]
    low, high = min(0.0, *known), max(0.0, *known)
    return [_rounded(low), _rounded(high) if high > low else 1.0]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(float(value), DIGITS)


def _all(names: Iterable[str]) -> str:
    return ", ".join(names)
