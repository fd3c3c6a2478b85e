"""Times in video files."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m(?!s))?(?:(?P<s>\d+(?:\.\d+)?)s)?(?:(?P<ms>\d+(?:\.\d+)?)ms)?\Z")


def minutes_seconds(word: str) -> int | None:
    """MediaEval: ``17.10`` is 17 minutes 10 seconds, ``21.4`` 21 minutes 4 seconds, ``20`` 20 minutes; else None."""
    minutes, _, seconds = word.partition(".")
    if not minutes.isascii() or not minutes.isdigit() or (seconds and not (seconds.isascii() and seconds.isdigit())):
        return None
    value = int(seconds) if seconds else 0
    return int(minutes) * 60 + value if value < 60 and len(minutes) < 10 else None


def in_minutes_seconds(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}.{whole % 60:02d}"


def clock(word: str) -> float | None:
    """TREC 2001: ``1m1.5s``, ``0h12m51s``, ``500ms`` in seconds; None if it is no time."""
    match = _CLOCK.match(word.strip())
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(match[key] or 0) for key in ("h", "m", "s", "ms"))
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def as_clock(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{rest:.12g}s"
