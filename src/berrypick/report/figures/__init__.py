"""Figures for papers and notebooks."""
