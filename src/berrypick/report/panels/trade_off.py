"""The panel of the report page on abstention."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from berrypick.analysis.abstention import trade_off
from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.base import Panel

#: The most points of a run in the curve of Abstained and Answered.
TRADE_OFF_POINTS = 200


class TradeOff(Panel):
    """Abstained and Answered at every score threshold, if one of them is shown."""

    name = "trade_off"
    title = "Abstained and Answered at every score threshold"
    script = (files("berrypick.report.panels") / "assets" / "abstention.js").read_text(encoding="utf-8")

    def data(self, evaluation: Evaluation, results: Results) -> dict[str, Any] | None:
        """Return, by run, points of least score, Abstained and Answered; None where there is nothing to trade, or the
        runs have no scores."""
        if not any(one.measure.of_answers for one in evaluation.measures):
            return None
        try:
            found = trade_off(evaluation)
        except UsageError:
            return None
        points: dict[str, list[list[float]]] = {run: [] for run in evaluation.runs}
        for point in found.points:
            points[point.run].append([point.min_score, point.abstained, point.answered])
        thinned = [_thinned(of) for of in points.values()]
        left_out = len(found.points) - sum(map(len, thinned))
        counts = {"unanswerable": found.unanswerable, "answerable": found.answerable}
        return {**counts, "runs": thinned, "left_out": left_out}


def _thinned(points: list[list[float]]) -> list[list[float]]:
    """Some of many points, evenly, with the first and the last one."""
    if len(points) <= TRADE_OFF_POINTS:
        return points
    last = len(points) - 1
    return [points[round(i * last / (TRADE_OFF_POINTS - 1))] for i in range(TRADE_OFF_POINTS)]
