"""Responses of vector stores, search engines, chains and pipelines as rows."""
