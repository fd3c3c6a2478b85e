"""Lists of results beside lists of relevant text, topic by topic: what evaluators of other libraries are made of."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.documents.texts import read_texts
from berrypick.evaluation.evaluation_context import read_collection
from berrypick.evaluation.functions import evaluate_parts
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.requested import MeasuresGiven, resolve_measures


class ListEvaluator:
    """Measures and options for many small evaluations: checked here, and texts and collection read once."""

    def __init__(self, measures: MeasuresGiven, options: Mapping[str, Any]) -> None:
        checked = EvaluationOptions.from_arguments(dict(options))
        found = resolve_measures(measures, checked.protocol or "", checked.task or "")
        self.measures = tuple(one.text for one in found)
        self._given, self._options = measures, dict(options)

    def __call__(self, relevant: Mapping[str, Any], retrieved: Mapping[str, Any]) -> Results:
        """``{topic: relevant text}`` beside ``{topic: results in ranked order}``, in any form that
        :func:`berrypick.evaluate` takes; an empty list of relevant text is a topic without an answer.
        """
        for name, read in (("documents", read_texts), ("collection", read_collection)):
            if isinstance(self._options.get(name), (str, PathLike)):
                self._options[name] = read(self._options[name])
        judged = {topic: some or None for topic, some in relevant.items()}
        return evaluate_parts(judged, {"retrieved": retrieved}, self._given, "An evaluator", self._options)

    def one(self, relevant: Any, retrieved: Any) -> dict[str, float | None]:
        """``{measure: value}`` of one topic; None where undefined."""
        return self({"1": relevant}, {"1": retrieved}).mean()["retrieved"]


def one_measure(evaluate: ListEvaluator, who: str) -> str:
    """The only measure of an evaluator."""
    if len(evaluate.measures) != 1:
        raise UsageError(f"{who} takes one measure; give one for each")
    return evaluate.measures[0]
