"""Simulated readers beside exact values."""
