"""Measures of the steps and costs of agents."""
