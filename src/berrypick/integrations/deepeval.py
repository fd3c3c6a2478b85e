"""A metric for DeepEval: ``assert_test(case, [RetrievalMetric("charR@5", threshold=0.8, documents="docs")])``.

from berrypick.deepeval import RetrievalMetric
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berrypick.integrations.topic_lists import ListEvaluator, one_measure

if TYPE_CHECKING:  # the library may not be installed
    from typing import Any as BaseMetric
else:
    from deepeval.metrics import BaseMetric

__all__ = ["RetrievalMetric"]


class RetrievalMetric(BaseMetric):
    """One measure of berrypick: the ``retrieval_context`` of a test case beside its ``context``, which is relevant.

    Both are texts, and are looked up in ``documents``. ``threshold`` is the least score that passes. The other options
    are those of :func:`berrypick.evaluate`. A score that is undefined does not pass.
    """

    def __init__(
        self, measured: str, *, threshold: float = 0.5, evaluator: ListEvaluator | None = None, **options: Any
    ) -> None:
        # DeepEval makes copies, by what an instance has under the names of the parameters: documents are read once
        self.evaluator = ListEvaluator(measured, options) if evaluator is None else evaluator
        self.measured = one_measure(self.evaluator, "RetrievalMetric")
        self.threshold = threshold
        self.async_mode = False
        self.include_reason = True
        self.evaluation_model = None
        self.score: float | None = None
        self.reason, self.success, self.error = "", False, None

    def measure(self, test_case: Any, *given: Any, **more: Any) -> float | None:
        """The score of a test case."""
        found = self.evaluator.one(test_case.context or [], test_case.retrieval_context or [])
        self.score = found[self.measured]
        self.success = self.score is not None and self.score >= self.threshold
        shown = "undefined: nothing is relevant" if self.score is None else f"{self.score:.4f}"
        self.reason = f"{self.measured} is {shown}; it must be at least {self.threshold:g}"
        return self.score

    async def a_measure(self, test_case: Any, *given: Any, **more: Any) -> float | None:
        """The same; nothing is waited for."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last score passed."""
        return self.success

    @property
    def __name__(self) -> str:
        return f"berrypick {self.measured}"
