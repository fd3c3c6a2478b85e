"""Agents as readers: their sessions as runs, changes as truths, and what a step shows and costs."""
