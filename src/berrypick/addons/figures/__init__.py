"""Figures for papers and notebooks: `berrypick plot`, and the method `plot` of results and comparisons."""
