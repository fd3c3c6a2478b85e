"""Python objects to truths and runs: data frames, records, results of stores, traces, framework objects."""
