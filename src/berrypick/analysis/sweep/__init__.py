"""Chunkers and retrievers swept over their settings."""
