"""Simulated readers beside exact values: `berrypick simulate`."""
