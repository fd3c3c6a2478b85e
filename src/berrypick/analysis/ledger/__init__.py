"""Ledgers of looks at a truth: the file, levels of significance that fall with each look, and the history."""
