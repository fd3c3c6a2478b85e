"""User models estimated from logs: `berrypick fit`."""
