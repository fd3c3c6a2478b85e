"""What follows from results: comparison, stability, synthetic runs, the papers' experiments."""
