"""Adopt: any golden file, or a truth of quotes, and the texts of the documents to a truth of spans; how quotes are
found in texts, and spans in later versions of them."""
