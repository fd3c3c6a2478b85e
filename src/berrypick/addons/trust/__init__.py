"""How far rankings of runs can be trusted: `berrypick correlate`, `stability` and `power`."""
