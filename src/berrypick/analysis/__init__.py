"""Explanations, comparison, gates, trust, assumptions, simulation, sweeps, fitted user models."""
