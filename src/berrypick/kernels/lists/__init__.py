"""Ideal lists: the best that can be made of candidates, searched, bounded and certified."""
