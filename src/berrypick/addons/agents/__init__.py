"""Agents as readers: their sessions as runs, what these cost, and user models learnt from them."""
