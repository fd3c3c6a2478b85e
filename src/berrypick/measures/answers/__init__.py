"""Measures of sufficient answers, nuggets and abstention."""
