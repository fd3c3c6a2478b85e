"""The one function by which values find their HTML, and that of records."""

from __future__ import annotations

from typing import Any

from berrypick.analysis.comparison.comparison import Comparison
from berrypick.data.results import Results
from berrypick.data.score import Explanation
from berrypick.report.notebook import notebook, notebook_analysis
from berrypick.tables.tabular import Tabular
from berrypick.topics.topic import JudgedTopic


def as_html(value: Any) -> str:
    """Return a value as HTML for notebooks, as its ``_repr_html_`` does.

    Parameters
    ----------
    value : Results, Explanation, JudgedTopic, Comparison, Difference, or an analysis
        What is to be shown.

    Returns
    -------
    str
        Tables without script or style sheet; names from files are escaped.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.notebook.as_html import as_html
    >>> "<table" in as_html(bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP"))
    True
    """
    if isinstance(value, Results):
        return notebook.results_html(value)
    if isinstance(value, Explanation):
        return notebook.explanation_html(value)
    if isinstance(value, JudgedTopic):
        return notebook.judged_html(value)
    if isinstance(value, Comparison):
        return notebook_analysis.comparison_html(value)
    if isinstance(value, Tabular):
        return notebook_analysis.tabular_html(value)
    return notebook_analysis.shown_html(value)
