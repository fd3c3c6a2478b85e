"""Best lists on arrays and small problem values: search, bounds, certificates."""
