"""Traces and samples: what systems retrieved for real questions, as runs; and scores back to where traces are kept."""
