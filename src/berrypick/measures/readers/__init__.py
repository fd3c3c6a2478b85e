"""Measures of what a reader sees and spends: EPRUM, PRUM, effort-precision, tolerance to irrelevance."""
