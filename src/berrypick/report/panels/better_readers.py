"""The panel of the report page on the readers for whom each run is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from berrypick.analysis.assumptions.over import Over
from berrypick.analysis.comparison.comparison import Method
from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.base import Panel

#: Most rankings that are gone through for a page, points of the grid, and draws of topics.
RANKINGS, POINTS, RESAMPLES = 200, 21, 1000


class BetterReaders(Panel):
    """Shares of the range of the user model's slider in which each run is better, and where one takes over."""

    name: ClassVar[str] = "better_readers"
    title: ClassVar[str] = "For which readers is it better?"

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return a table of pairs and one of means, where the user model has a parameter to go through."""
        text = _range(evaluation)
        if text is None or len(evaluation.runs) < 2:
            return []
        if len(evaluation.runs) * len(evaluation.truth) > RANKINGS:
            return [f"Too many rankings for this page: berrypick compare --over '{text}' compares them."]
        try:
            found = Over.compare(evaluation, text, Method(resamples=RESAMPLES), points=POINTS)
        except UsageError:  # no measure of readers, or readers that these inputs do not allow
            return []
        notes = [str(note) for note in found.notes if note.kind != "not over the range"]
        return [*found.tables(), *found.legend(), *notes]


def _range(evaluation: Evaluation) -> str | None:
    """The user model of the evaluation, the parameter of its slider from its least to its largest value."""
    model = evaluation.context.user
    if evaluation.options.user is None or model.slider is None or len(model.slider[0]) != 1:
        return None
    (name,), values = model.slider
    given: dict[str, Any] = {key: one for key, one in model.given_values().items() if key != name}
    own = getattr(model, name)
    ends = (*values, *([own] if isinstance(own, (int, float)) else []))
    fixed = specs.render(model.name(), given)
    inside = fixed[len(model.name()) + 1 : -1]
    return f"{model.name()}({name}={min(ends)}..{max(ends)}{',' if inside else ''}{inside})"
