"""Resampling, intervals, paired tests, corrections for many comparisons, rank correlation."""
