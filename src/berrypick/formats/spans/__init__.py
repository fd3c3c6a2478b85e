"""Spans as JSON Lines, CSV and Parquet."""
