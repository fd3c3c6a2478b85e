"""An evaluator for LlamaIndex: a ``RetrieverEvaluator`` that looks into documents."""

from berrypick.integrations.llama_index import RetrievalEvaluator

__all__ = ["RetrievalEvaluator"]
