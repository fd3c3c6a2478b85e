"""Agents as readers: their sessions as runs, changes as truths, and user models learnt from them."""
