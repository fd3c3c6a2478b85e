"""How far rankings of runs can be trusted: correlation, stability, power."""
