"""Tolerance to irrelevance: the reader who gives up after so much of nothing, and what is measured with it."""
