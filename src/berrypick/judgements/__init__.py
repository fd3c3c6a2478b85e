"""Making and keeping truth: adopt, locate, relocate, pool, annotate, agreement."""
