"""Benchmarks of evidence, memory and localisation, as their owners publish them."""
