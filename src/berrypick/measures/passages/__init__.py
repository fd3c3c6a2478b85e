"""Measures of passages in articles, as INEX and TREC Genomics have them."""
