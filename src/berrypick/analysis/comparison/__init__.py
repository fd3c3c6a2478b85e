"""Runs side by side: comparison, gates, differences, saved results."""
