"""Measures of readers who go on with some probability, or for some time: C/W/L, time-biased gain, coverage."""
