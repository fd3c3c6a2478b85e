"""Measures of agents: what their steps show and cost."""
