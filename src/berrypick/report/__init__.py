"""Figures, notebook displays, and the HTML report with its panels."""
