"""A metric for ragas: ``evaluate(dataset, metrics=[RetrievalMetric("charR@5", documents="docs")])``.

from berrypick.ragas import RetrievalMetric
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berrypick.integrations.topic_lists import ListEvaluator, one_measure

if TYPE_CHECKING:  # the library may not be installed
    from typing import Any as SingleTurnMetric

    MetricType: Any
else:
    from ragas.metrics.base import MetricType, SingleTurnMetric

__all__ = ["RetrievalMetric"]

#: What a sample without such text has.
UNDEFINED = float("nan")


class RetrievalMetric(SingleTurnMetric):
    """One measure of berrypick: what a sample retrieved beside what should have been.

    ``retrieved`` and ``relevant`` are the fields of a sample that hold both, as texts; they are looked up in
    ``documents``. The other options are those of :func:`berrypick.evaluate`. A score is NaN where it is undefined.
    """

    def __init__(
        self,
        measure: str,
        *,
        retrieved: str = "retrieved_contexts",
        relevant: str = "reference_contexts",
        **options: Any,
    ) -> None:
        self._evaluate = ListEvaluator(measure, options)
        self.measure = one_measure(self._evaluate, "RetrievalMetric")
        self.retrieved, self.relevant = retrieved, relevant
        needed = {MetricType.SINGLE_TURN: {retrieved, relevant}}
        super().__init__(_required_columns=needed, name=f"berrypick {self.measure}")

    def init(self, run_config: Any) -> None:
        """Nothing to prepare: there is no model."""

    async def _single_turn_ascore(self, sample: Any, callbacks: Any = None) -> float:
        found = self._evaluate.one(getattr(sample, self.relevant) or [], getattr(sample, self.retrieved) or [])
        value = found[self.measure]
        return UNDEFINED if value is None else value
