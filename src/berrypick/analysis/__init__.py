"""Analysis of results: comparison, difference, curves, sweeps, synthetic runs."""
