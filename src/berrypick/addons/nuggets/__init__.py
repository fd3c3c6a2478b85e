"""Nuggets that answers are to state, answers with citations, and what was retrieved against what was said."""
