"""An evaluator for Haystack: a component beside those of ``haystack.components.evaluators``.

from berrypick.haystack import RetrievalEvaluator

RetrievalEvaluator("charR@5").run(ground_truth_documents=[[...], ...], retrieved_documents=[[...], ...])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berrypick.data.errors import UsageError
from berrypick.integrations.topic_lists import ListEvaluator

if TYPE_CHECKING:  # the library may not be installed
    component: Any
    default_from_dict: Any
    default_to_dict: Any
else:
    from haystack import component, default_from_dict, default_to_dict

__all__ = ["RetrievalEvaluator"]

UNDEFINED = float("nan")


@component
class RetrievalEvaluator:
    """One measure of berrypick as a component: its mean over questions as ``score``, and ``individual_scores``.

    Documents need ``meta["split_idx_start"]`` and ``meta["source_id"]``, which Haystack's splitters write, or the texts
    of the documents in ``documents``. The options are those of :func:`berrypick.evaluate`. A score is NaN where it is
    undefined, as for questions without ground truth, and those are not part of the mean.
    """

    __module__ = "berrypick.haystack"  # pipelines are saved, and trusted, under the name that people import

    def __init__(self, measure: str, **options: Any) -> None:
        self._evaluate = ListEvaluator(measure, options)
        if len(self._evaluate.measures) != 1:
            raise UsageError("RetrievalEvaluator takes one measure; add a component for each")
        self.measure, self.options = measure, options

    @component.output_types(score=float, individual_scores=list[float])
    def run(self, ground_truth_documents: list[list[Any]], retrieved_documents: list[list[Any]]) -> dict[str, Any]:
        """Lists of documents, one for each question. Ground truth may also be quotes, or dictionaries with doc, start
        and end.
        """
        if len(ground_truth_documents) != len(retrieved_documents):
            counts = f"{len(ground_truth_documents)} and {len(retrieved_documents)}"
            raise UsageError(f"ground_truth_documents and retrieved_documents have different lengths, {counts}")
        relevant, retrieved = (
            {str(number): some for number, some in enumerate(lists)}
            for lists in (ground_truth_documents, retrieved_documents)
        )
        results = self._evaluate(relevant, retrieved)
        (values,) = results.per_topic()["retrieved"].values()
        (mean,) = results.mean()["retrieved"].values()
        scores = [values.get(topic) for topic in relevant]
        return {"score": _number(mean), "individual_scores": [_number(score) for score in scores]}

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self, measure=self.measure, **self.options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RetrievalEvaluator:
        found: RetrievalEvaluator = default_from_dict(cls, data)
        return found


def _number(value: float | None) -> float:
    return UNDEFINED if value is None else value
