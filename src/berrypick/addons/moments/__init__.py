"""Moments of videos for a query: formats of data sets, highlights, and the rules of their programs."""
