"""Readers who move forward in a document and give up: tolerance to irrelevance."""
