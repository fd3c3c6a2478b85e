"""Judging: pools, the page on which a person judges, agreement, abstention."""
