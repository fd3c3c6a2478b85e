"""Measures as the programs of benchmarks compute them: KILT, SciFact, FEVER."""
