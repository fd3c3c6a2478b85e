"""Simulated readers beside exact values, `berrypick simulate`; and a panel on what reach alone proves."""
