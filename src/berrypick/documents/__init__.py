"""Texts of documents: offsets in them, tokens, quotes located and checked."""
