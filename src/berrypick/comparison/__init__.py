"""Runs side by side: statistics, comparison, gates, differences, saved results."""
