"""Comparisons, differences and records as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from berrypick.analysis.comparison.comparison import Comparison, Estimate
from berrypick.analysis.comparison.comparison_text import best_cells, difference_table, legend
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.report.notebook import html
from berrypick.tables.tabular import Tabular


def comparison_html(comparison: Comparison) -> str:
    """Means with intervals and the letters of the runs that are significantly worse, differences from the baseline with
    the test behind them, and what all of these are."""
    rows = []
    for run in comparison.runs:
        cells = [comparison.estimate(measure, run) for measure in comparison.measures]
        rows.append([cells[0].label, run, *(_estimate(cell) for cell in cells)])
    head = Table("", ["", "run", *comparison.measures], rows, "<" * (2 + len(comparison.measures)))
    best = best_cells(comparison, comparison.measures, 2)
    means = html.table(head, best, raw=range(2, len(head.header)))
    against = difference_table(comparison)
    said = "".join(map(html.paragraph, legend(comparison)))
    differences = "" if against is None else html.table(against)
    return means + differences + said + html.notes(comparison.notes, comparison.runs)


def _estimate(one: Estimate) -> str:
    if one.value is None:
        return "undefined"
    interval = "" if one.low is None or one.high is None else f" [{one.low:.4f}, {one.high:.4f}]"
    return f"{one.value:.4f}" + (f"<sup>{escape(one.letters)}</sup>" if one.beats else "") + interval


def shown_html(value: Any) -> str:
    """The records of a value in the columns that it shows, such as those of a difference, and its notes."""
    rows = [[_cell(row[name]) for name in value.shown] for row in value.records()]
    sides = "".join(">" if value._kinds[name] == "number" else "<" for name in value.shown)
    return html.table(Table("", list(value.shown), rows, sides)) + html.notes(value.notes)


def records_html(rows: list[dict[str, Any]], names: list[str], results: Results) -> str:
    """Return some columns of records as a table, with the notes of the results behind them.

    Parameters
    ----------
    rows : list of dict
        The records.
    names : list of str
        The columns that are shown.
    results : Results
        Whose notes stand below.

    Returns
    -------
    str
        HTML for notebooks.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.notebook.notebook_analysis import records_html
    >>> results = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    >>> ">1.0000</td>" in records_html(results.records(), ["run", "value"], results)
    True
    """
    cells = [[_cell(row[name]) for name in names] for row in rows]
    table = html.table(Table("", names, cells, "".join(_side(rows, name) for name in names)))
    return table + html.notes(results.notes, results.runs)


def tabular_html(value: Tabular) -> str:
    """The tables of an analysis, what is said under them, and the notes."""
    parts = [html.table(table) for table in value.tables()]
    return "".join(parts) + "".join(map(html.paragraph, value.legend())) + html.notes(value.notes)


def _side(rows: list[dict[str, Any]], name: str) -> str:
    return ">" if all(isinstance(row[name], (int, float, type(None))) for row in rows) else "<"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
