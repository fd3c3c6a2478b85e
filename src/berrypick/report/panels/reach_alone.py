"""The panel of the report page on what reach alone proves."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from berrypick.data.results import Results, concat
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Bounded, Proved, bounded_measures, with_bounds
from berrypick.report.panels.base import Panel


class ReachAlone(Panel):
    """Means of each run for independent targets, within bounds without that assumption."""

    name = "reach_alone"
    title = "Bounds without the independence assumption"
    script = (files("berrypick.report.panels") / "assets" / "reach_alone.js").read_text(encoding="utf-8")

    def data(self, evaluation: Evaluation, results: Results) -> dict[str, Any] | None:
        """Return by measure and run the least mean, the mean, the largest; None where reach leaves nothing open."""
        measures = bounded_measures(evaluation.measures)
        if all(evaluation.contexts[one.text].user.certain for one in measures):
            return None  # what every reader sees is proved already; the bounds are the value
        ends = with_bounds(evaluation, alone=True)
        proved = Proved(tuple(measures), concat(results, ends.run()) if ends.measures else results)
        found = [_intervals(proved, one) for one in measures]
        shown = [one for one in found if any(ends is not None and ends[2] - ends[0] > 1e-9 for ends in one["runs"])]
        return {"measures": shown} if shown else None


def _intervals(proved: Proved, measure: Bounded) -> dict[str, Any]:
    runs = [proved.interval(measure, run) for run in proved.results.runs]
    return {"text": measure.text, "low": measure.low.text, "high": measure.high.text, "runs": runs}
