"""Measures of video segments and highlights."""
