"""Measures of readers who go on with some probability, or for some time: the C/W/L framework, time-biased gain,
and the answer seen against reading."""
