"""Nuggets, and answers with citations."""
