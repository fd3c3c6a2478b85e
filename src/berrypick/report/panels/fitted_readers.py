"""The panel of the report page on what the log of a fitted user model leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.base import Panel
from berrypick.tables.text import reader_table


class FittedReaders(Panel):
    """Means with their intervals over readers drawn from a fitted user model."""

    name: ClassVar[str] = "fitted_readers"
    title: ClassVar[str] = "Uncertainty of the fitted reader"

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return a table, where a user model is fitted and its file says how well."""
        return [] if results.drawn is None or not results.drawn.values else [reader_table(results, 4)]
