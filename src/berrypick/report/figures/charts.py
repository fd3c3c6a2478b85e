"""Charts as Altair objects: curves with bands, topics side by side, means with intervals.

``results.plot()`` and ``comparison.plot()`` come here by the door of functions. A chart shows itself in a
notebook as a picture; :mod:`berrypick.report.figures.export` writes it to a file. What comes from files (names of runs,
topics) goes into charts as data and as plain text only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from berrypick.analysis.comparison.compare import compare
from berrypick.analysis.comparison.comparison import Comparison
from berrypick.analysis.comparison.curves import Band, bands
from berrypick.data.results import Results
from berrypick.report.figures.bounds_chart import bounds
from berrypick.report.figures.chart_theme import SCREEN, ChartTheme, check_options, sized
from berrypick.report.figures.curve_chart import BANDS, curves
from berrypick.report.figures.mean_chart import means
from berrypick.report.figures.topic_chart import topics
from berrypick.tables.tables import check_choice

Kind = Literal["curves", "topics", "means", "together"]
KINDS: tuple[Kind, ...] = ("curves", "topics", "means", "together")


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
    theme: ChartTheme = SCREEN,
) -> Any:
    """Results as a chart: 'curves', 'topics', 'means' or 'together'; by default what :func:`suggested` says."""
    chosen = kind or suggested(results)
    theme = sized(width=width, height=height, font_size=font_size, theme=theme)
    if chosen == "curves":
        shaded = len(results.runs) <= BANDS if band is None else band
        found = [
            replace(one, measure=one.measure + over)
            for over, part in _parts(results)
            for one in bands(part, confidence=confidence, resamples=resamples, seed=seed, intervals=shaded)
        ]
        return curves(found, until=until, band=shaded, theme=theme)
    if chosen == "means":
        return means(compare(results, confidence=confidence, resamples=resamples, seed=seed), theme=theme)
    if chosen == "together":
        return bounds(results, theme=theme)
    check_choice("kind", str(chosen), KINDS)
    return topics(results, baseline=baseline, theme=theme)


def _parts(results: Results) -> list[tuple[str, Results]]:
    """All topics, then each group of topics with the words for it."""
    groups = () if results.groups is None else results.groups.names
    field = "" if results.groups is None else results.groups.field
    return [("", results), *((f", {field} {name}", results.only_group(name)) for name in groups)]


def plot_results(results: Results, kind: Kind | None = None, **how: Any) -> Any:
    """Return results as a chart of Altair; ``results.plot()`` comes here.

    Parameters
    ----------
    results : Results
        What was measured; curves need ``evaluate(curves=True)``.
    kind : str, optional
        'curves', 'topics', 'means' or 'together'. By default what suits the results.
    **how
        The options baseline, until, band, width, height, font_size, confidence, resamples, seed.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.charts import plot_results
    >>> results = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    >>> plot_results(results, "means").to_dict()["title"]
    'AP'
    """
    check_options(plot, how)
    return plot(results, kind, **how)


def plot_comparison(comparison: Comparison, **how: Any) -> Any:
    """Return a comparison as a chart of means with intervals; ``comparison.plot()`` comes here.

    Parameters
    ----------
    comparison : Comparison
        What :func:`berrypick.compare` returns.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.charts import plot_comparison
    >>> compared = bp.compare({"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}, "p": {"a": 1.0}}, "AP", resamples=100)
    >>> plot_comparison(compared).to_dict()["title"]
    'AP'
    """
    check_options(sized, how)
    return means(comparison, theme=sized(**how))


def plot_bands(found: Sequence[Band], **how: Any) -> Any:
    """Draw curves of any kind as a chart, a panel for each kind.

    Parameters
    ----------
    found : sequence of Band
        The curves: of ``measure`` the panel, of ``run`` the line.
    **how
        The options width, height and font_size.

    Returns
    -------
    Chart
        A chart of Altair, which shows itself in notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.charts import plot_bands
    >>> from berrypick.analysis.comparison.curves import Band
    >>> line = Band("mine", "power", (1, 2), (0.5, 0.7), (None, None), (None, None), 9, ("topics", "share"))
    >>> plot_bands([line]).to_dict()["title"]
    'power'
    """
    check_options(sized, how)
    return curves(found, band=False, theme=sized(**how))


def chart_config(font_size: float = SCREEN.font) -> dict[str, Any]:
    """Return the configuration of berrypick's charts, for charts that Altair's functions make of them.

    Parameters
    ----------
    font_size : float
        The size of words, in points.

    Returns
    -------
    dict
        Arguments of ``chart.configure``.

    Examples
    --------
    >>> import altair as alt, berrypick as bp
    >>> from berrypick.report.figures.charts import chart_config
    >>> left, right = alt.Chart().mark_line(), alt.Chart().mark_point()
    >>> alt.hconcat(left, right).configure(**chart_config(font_size=9)).to_dict()["config"]["axis"]["labelFontSize"]
    9
    """
    return replace(SCREEN, font=font_size).config()


def suggested(results: Results) -> Kind:
    """Curves where a measure has one; else topics of one or two runs, and means of more, or of groups of topics."""
    if any(row.curve for row in results.mean_rows):
        return "curves"
    return "topics" if len(results.runs) <= 2 and results.groups is None else "means"
