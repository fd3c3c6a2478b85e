"""Opening, limits, lines, JSON, atomic writing, and the problems found in files."""
