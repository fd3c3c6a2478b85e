"""An evaluator for LangSmith: ``langsmith.evaluate(target, data=..., evaluators=[RetrievalEvaluator("charR@5")])``.

from berrypick.langsmith import RetrievalEvaluator
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from berrypick.data.errors import UsageError
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.integrations.topic_lists import ListEvaluator

if TYPE_CHECKING:  # the library may not be installed
    from typing import Any as RunEvaluator

    EvaluationResult: Any
else:
    from langsmith.evaluation import EvaluationResult, RunEvaluator

__all__ = ["RetrievalEvaluator"]


class RetrievalEvaluator(RunEvaluator):
    """Measures of berrypick on the documents that a target returns.

    ``retrieved`` is the key of the target's outputs that holds the ranked documents, ``relevant`` the key of the
    example's outputs that holds the relevant ones: LangChain documents, quotes, or dictionaries with doc, start and
    end. The other options are those of :func:`berrypick.evaluate`. There is no score where it is undefined.
    """

    def __init__(
        self, measures: MeasuresGiven, *, retrieved: str = "documents", relevant: str = "documents", **options: Any
    ) -> None:
        self._evaluate = ListEvaluator(measures, options)
        self.retrieved, self.relevant = retrieved, relevant

    def evaluate_run(self, run: Any, example: Any = None, *given: Any, **more: Any) -> dict[str, list[Any]]:
        """A score for each measure."""
        found = self._evaluate.one(
            _under(self.relevant, None if example is None else example.outputs, "the example", "relevant"),
            _under(self.retrieved, run.outputs, "the target", "retrieved"),
        )
        return {"results": [EvaluationResult(key=name, score=value) for name, value in found.items()]}


def _under(key: str, outputs: Mapping[str, Any] | None, whose: str, argument: str) -> Any:
    if outputs is None or key not in outputs:
        has = ", ".join(outputs or ()) or "nothing"
        raise UsageError(f"the outputs of {whose} have no {key!r}: name the key with {argument}=; there is {has}")
    return outputs[key]
