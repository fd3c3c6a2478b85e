"""Panels of the HTML report."""
