"""An evaluator for Haystack: a component beside those of ``haystack.components.evaluators``."""

from berrypick.integrations.haystack import RetrievalEvaluator

__all__ = ["RetrievalEvaluator"]
