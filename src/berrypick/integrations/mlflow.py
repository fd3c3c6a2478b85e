"""A scorer for MLflow: ``mlflow.genai.evaluate(data=traces, scorers=[RetrievalScorer("charR@5", documents="docs")])``.

from berrypick.mlflow import RetrievalScorer
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from berrypick.data.errors import UsageError
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.given.read_traces import read_traces
from berrypick.inputs.traces.words_of import results_in
from berrypick.integrations.topic_lists import ListEvaluator

if TYPE_CHECKING:  # the library may not be installed
    from typing import Any as Scorer

    AssessmentSource: Any
    Feedback: Any
    PrivateAttr: Any
else:
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.scorers import Scorer
    from pydantic import PrivateAttr

__all__ = ["RetrievalScorer"]


class RetrievalScorer(Scorer):
    """Measures of berrypick on what a trace retrieved, or on what was put out where there is no trace.

    ``relevant`` is the key of the expectations that holds the relevant text: texts, or dictionaries with doc, start and
    end. The other options are those of :func:`berrypick.evaluate`. There is no feedback where a score is undefined.
    """

    name: str = "berrypick"
    _evaluate: ListEvaluator = PrivateAttr()
    _relevant: str = PrivateAttr()

    def __init__(
        self, measures: MeasuresGiven, *, relevant: str = "expected_retrieved_context", name: str = "berrypick",
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self._evaluate, self._relevant = ListEvaluator(measures, options), relevant

    def __call__(self, *, outputs: Any = None, expectations: Any = None, trace: Any = None) -> list[Any]:
        """A feedback for each measure."""
        if not expectations or self._relevant not in expectations:
            has = ", ".join(expectations or ()) or "nothing"
            raise UsageError(
                f"the expectations have no {self._relevant!r}: name the key with relevant=; there is {has}"
            )
        found = self._evaluate.one(expectations[self._relevant], _retrieved(trace, outputs))
        source = AssessmentSource(source_type="CODE", source_id="berrypick")
        return [Feedback(name=name, value=value, source=source) for name, value in found.items() if value is not None]


def _retrieved(trace: Any, outputs: Any) -> list[Any]:
    """What the retriever of a trace returned; else what the outputs hold."""
    if trace is not None:
        runs = read_traces([trace])
        if len(runs) > 1:
            raise UsageError(f"the trace has several retrievers: {', '.join(runs)}; evaluate bp.read_traces instead")
        [run] = runs.values()
        [topic] = run.topics
        return [_item(run, row, one) for row, one in enumerate(run[topic])]
    found = results_in(outputs)
    if found is None:
        raise UsageError("the outputs have no documents, and there is no trace")
    return found if isinstance(found, list) else [found]


def _item(run: Any, row: int, one: Mapping[str, Any]) -> dict[str, Any] | str:
    """A result with its text; a document that only a trace names is left to the text."""
    text = run.texts.quoted.get(row)
    if run.texts.strings:
        return str(one["doc"] if text is None else text)
    kept = {name: value for name, value in one.items() if name != "doc" or (value and (text is None or "start" in one))}
    return kept if text is None else {**kept, "text": text}
