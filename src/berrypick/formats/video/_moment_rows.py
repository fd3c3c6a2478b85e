"""What readers of moments share: rows of a truth or a run, and what is left out of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berrypick.formats.base import Problems
from berrypick.formats.navigation.document_lengths import add_length

Row = tuple[int, str, dict[str, Any]]

_POINT = "moments without length, which no result can hit: their topics have no target"
_REVERSED = "moments that end before they start: their topics have no target"
_BEHIND = "moments that start after the end of their video: their topics have no target"
_TURNED = "results that end before they start, which hit nothing"


def is_number(value: Any) -> bool:
    """Return whether a value is a number that seconds can be."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 2**53


def is_window(value: Any, sizes: tuple[int, ...] = (2,)) -> bool:
    """Return whether a value is a list of so many numbers."""
    return isinstance(value, list) and len(value) in sizes and all(map(is_number, value))


class Moments:
    """The relevant moments of a file, with the lengths of its videos."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self.lengths: dict[str, float] = {}

    def length(self, video: str, seconds: Any, line: int, text: str) -> float | None:
        """Keep how long a video is, where that is said; return it."""
        if seconds is None:
            return None
        if not is_number(seconds) or seconds <= 0:
            self._problems.report("duration must be a number of seconds above 0", line, text)
            return None
        add_length(self.lengths, video, float(seconds), line, text, self._problems)
        return float(seconds)

    def rows(self, line: int, text: str, names: dict[str, Any], start: float, end: float) -> Iterator[Row]:
        """Yield the row of a moment; one that no result can hit is counted, and its topic has nothing judged."""
        length = self.lengths.get(str(names.get("doc")))
        why = _POINT if end == start else _REVERSED if end < start else ""
        if not why and length is not None and start >= length:
            why = _BEHIND
        if why:
            self._problems.count(why)
            kept = {name: value for name, value in names.items() if name != "doc"}
            yield line, text, {**kept, "judged": False}
        else:
            yield line, text, {**names, "start": start, "end": end}


def predicted_rows(
    line: int, text: str, topic: str, windows: list[tuple[str, list[Any]]], problems: Problems
) -> Iterator[Row]:
    """Yield the results of a topic in their order: a video and start, end and perhaps score for each."""
    if not windows:
        yield line, text, {"topic": topic, "results": []}
    for rank, (video, (start, end, *score)) in enumerate(windows, start=1):
        if end < start:
            problems.count(_TURNED)
            end = start
        more = {"score": score[0]} if score else {}
        yield line, text, {"topic": topic, "doc": video, "start": start, "end": end, "rank": rank, **more}
