"""An evaluator for LlamaIndex: a ``RetrieverEvaluator`` that looks into documents.

from berrypick.llama_index import RetrievalEvaluator

RetrievalEvaluator("charR@5 IoU@5", retriever=retriever).evaluate("refund?", expected_ids=["terms.md#100-300"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berrypick.data.errors import UsageError
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.integrations.topic_lists import ListEvaluator

if TYPE_CHECKING:  # the library may not be installed
    from typing import Any as RetrieverEvaluator

    PrivateAttr: Any
    RetrievalEvalMode: Any
    RetrievalEvalResult: Any
    RetrievalMetricResult: Any
else:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.evaluation import RetrievalEvalResult, RetrieverEvaluator
    from llama_index.core.evaluation.retrieval.base import RetrievalEvalMode
    from llama_index.core.evaluation.retrieval.metrics_base import RetrievalMetricResult

__all__ = ["RetrievalEvaluator"]


class RetrievalEvaluator(RetrieverEvaluator):
    """Measures of berrypick on what a retriever finds.

    ``expected_ids`` name documents (``ref_doc_id`` of nodes) or parts of them, ``terms.md#100-300``. Where there are
    ``expected_texts``, they count instead, and are looked up in ``documents``. The other options are those of
    :func:`berrypick.evaluate`. A score is NaN where it is undefined, as where nothing is expected.
    """

    _evaluate: ListEvaluator = PrivateAttr()

    def __init__(
        self, measures: MeasuresGiven, retriever: Any, node_postprocessors: Any = None, **options: Any
    ) -> None:
        fields = {"metrics": [], "retriever": retriever, "node_postprocessors": node_postprocessors}
        super().__init__(**fields)
        self._evaluate = ListEvaluator(measures, options)

    @classmethod
    def from_metric_names(cls, metric_names: list[str], **kwargs: Any) -> RetrievalEvaluator:
        """As the constructor."""
        return cls(metric_names, **kwargs)

    async def aevaluate(
        self,
        query: str,
        expected_ids: list[str] | None = None,
        expected_texts: list[str] | None = None,
        mode: Any = RetrievalEvalMode.TEXT,
        **kwargs: Any,
    ) -> Any:
        """Retrieve, and compute the measures."""
        if mode != RetrievalEvalMode.TEXT:
            raise UsageError("berrypick evaluates the retrieval of text: remove mode")
        nodes = await self.retriever.aretrieve(query)
        for processor in self.node_postprocessors or ():
            nodes = processor.postprocess_nodes(nodes, query_str=query)
        found = self._evaluate.one(expected_texts or dict.fromkeys(expected_ids or (), 1), nodes)
        scores = {name: float("nan") if value is None else value for name, value in found.items()}
        return RetrievalEvalResult(
            query=query,
            expected_ids=list(expected_ids or ()),
            expected_texts=expected_texts,
            retrieved_ids=[node.node.node_id for node in nodes],
            retrieved_texts=[node.text for node in nodes],
            mode=mode,
            metric_dict={name: RetrievalMetricResult(score=score) for name, score in scores.items()},
        )

    def evaluate(
        self,
        query: str,
        expected_ids: list[str] | None = None,
        expected_texts: list[str] | None = None,
        mode: Any = RetrievalEvalMode.TEXT,
        **kwargs: Any,
    ) -> Any:
        """Retrieve, and compute the measures."""
        return super().evaluate(query, expected_ids or [], expected_texts, mode, **kwargs)
