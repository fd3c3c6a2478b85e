"""The best list for each topic, with a proved bound: `berrypick ideal`."""
