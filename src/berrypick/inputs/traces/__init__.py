"""Spans of traces, and samples of evaluation tools, as rows."""
