"""Times in video files."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from berrypick.files.line_words import whole_number
from berrypick.formats.base import Problems

_CLOCK = re.compile(
    r"(?:(?P<h>[0-9]+)h)?(?:(?P<m>[0-9]+)m(?!s))?(?:(?P<s>[0-9]+(?:\.[0-9]+)?)s)?(?:(?P<ms>[0-9]+(?:\.[0-9]+)?)ms)?\Z"
)
#: Seconds that no video has: above this, numbers of 64 bits are not exact to the millisecond.
_BEYOND = 2.0**43


def minutes_seconds(word: str) -> int | None:
    """MediaEval: ``17.10`` is 17 minutes 10 seconds, ``21.4`` 21 minutes 4 seconds, ``20`` 20 minutes; else None."""
    minutes, _, seconds = word.partition(".")
    whole, rest = whole_number(minutes), whole_number(seconds or "0")
    return whole * 60 + rest if whole is not None and rest is not None and rest < 60 and len(minutes) < 10 else None


def read_segment(
    start: str, end: str, shortest: int, problems: Problems, number: int, text: str
) -> tuple[int, int] | None:
    """Start and end of a segment in seconds; None, and a problem of its line, where they are none."""
    first, last = minutes_seconds(start), minutes_seconds(end)
    if first is None or last is None:
        problems.report("a time is not minutes.seconds", number, text, "17.10 is 17 minutes and 10 seconds")
        return None
    if last < first + shortest:
        problems.report("the segment ends before it starts", number, text, rule="range")
        return None
    return first, last


def in_minutes_seconds(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}.{whole % 60:02d}"


def whole_seconds(values: Any) -> bool:
    """Whether times can be written in minutes and seconds."""
    return bool((np.asarray(values) == np.floor(values)).all())


def clock(word: str) -> float | None:
    """TREC 2001: ``1m1.5s``, ``0h12m51s``, ``500ms`` in seconds; None if it is no time."""
    match = _CLOCK.match(word.strip())
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(match[key] or 0) for key in ("h", "m", "s", "ms"))
    found = hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    return found if found < _BEYOND else None


def as_clock(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{rest:.12g}s"
