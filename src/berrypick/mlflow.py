"""A scorer for MLflow."""

from berrypick.integrations.mlflow import RetrievalScorer

__all__ = ["RetrievalScorer"]
