"""Measures of text that results point to, counted once, and of targets hit."""
