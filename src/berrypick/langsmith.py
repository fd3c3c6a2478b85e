"""An evaluator for LangSmith."""

from berrypick.integrations.langsmith import RetrievalEvaluator

__all__ = ["RetrievalEvaluator"]
