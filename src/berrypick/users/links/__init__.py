"""Readers who follow links between pages, or wander as recorded visitors did."""
