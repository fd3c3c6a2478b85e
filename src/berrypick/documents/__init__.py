"""Texts of documents: tokens, offsets, finding quotes; structure and index of XML; words on pages."""
