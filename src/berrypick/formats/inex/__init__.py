"""Assessments and submissions of INEX."""
