"""Formats of TREC: documents and passages."""
