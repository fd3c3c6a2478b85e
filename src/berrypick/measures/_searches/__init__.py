"""Searches for ideal lists on behalf of measures."""
