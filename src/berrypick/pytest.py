"""Retrieval in tests: a plugin for pytest."""

from berrypick.integrations.pytest import assert_retrieval, berrypick_truth, pytest_addoption

__all__ = ["assert_retrieval", "berrypick_truth", "pytest_addoption"]
