"""The step of a trace that a list of results comes from."""

from __future__ import annotations

from typing import NamedTuple


class TraceStep(NamedTuple):
    """The ids of a trace and of the step of it that retrieved, and when that step ended."""

    trace: str
    span: str
    end: str = ""  # nanoseconds since 1970, or a date with a time of day; '' where nothing says it
