"""Adopt: any golden file and the texts of the documents to a truth of spans."""
