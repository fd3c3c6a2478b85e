"""A metric for ragas."""

from berrypick.integrations.ragas import RetrievalMetric

__all__ = ["RetrievalMetric"]
