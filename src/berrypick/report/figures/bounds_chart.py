"""Bounds without the independence assumption: a panel per measure with the mean for independent targets."""

from __future__ import annotations

from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.evaluation.proved import proved_by
from berrypick.report.figures.chart_panels import PANELS, concatenated
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, labels
from berrypick.report.figures.mean_chart import interval_panel, interval_row


def bounds(results: Results, *, theme: ChartTheme = SCREEN) -> Any:
    """The interval of each run, the best on top; the results hold the measures and their bounds."""
    proved = proved_by(results)
    found = {
        one.text: {run: ends for run in results.runs if (ends := proved.interval(one, run)) is not None}
        for one in proved.measures
    }
    shown = {text: ends for text, ends in found.items() if ends}
    if not shown:
        raise UsageError(
            "nothing to draw: intervals without the independence assumption need EPRUM, "
            "EPRUM(together='low') and EPRUM(together='high')"
        )
    if len(shown) > PANELS:
        raise UsageError(f"{len(shown)} measures are more than the {PANELS} panels that fit in one picture")
    first, names = next(iter(shown.values())), labels(results.runs)
    order = [names[run] for run in sorted(results.runs, key=lambda run: -first[run][1] if run in first else 0.0)]
    columns = theme.columns(len(shown))
    panels = []
    for place, (text, intervals) in enumerate(shown.items()):
        rows = [interval_row(names[run], *interval) for run, interval in intervals.items()]
        title = "mean, and its bounds"
        panels.append(interval_panel(rows, order, text, title, place % columns == 0, theme, len(shown)))
    return concatenated(panels, theme)
