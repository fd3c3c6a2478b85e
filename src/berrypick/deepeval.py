"""A metric for DeepEval."""

from berrypick.integrations.deepeval import RetrievalMetric

__all__ = ["RetrievalMetric"]
