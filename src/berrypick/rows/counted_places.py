"""Places that count lines or seconds, by fields of their own: start_line and end_line, start_time and end_time.

Lines count from 1 and include the last one in files; inside they are half open from 0 like all offsets, so that lengths
are numbers of lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Literal

from berrypick.rows.layouts import LayoutError

#: The key of rows by our names that says what start and end count, where fields say so.
UNIT = "_unit"
#: Our names of such fields, and of what they are called elsewhere.
LINES: Mapping[str, tuple[str, ...]] = {
    "start_line": ("start_line", "line_start"),
    "end_line": ("end_line", "line_end"),
    "line": ("line", "line_no", "line_number"),
}
SECONDS: Mapping[str, tuple[str, ...]] = {
    "start_time": ("start_time", "start_sec", "start_seconds"),
    "end_time": ("end_time", "end_sec", "end_seconds"),
    "ts": ("ts",),
}
COUNTED = (*LINES, *SECONDS)
#: What rows of a run say of their step beside the place: costs, whether it was used, and where it comes from.
COSTS = ("tokens", "seconds", "lines", "latency", "cost")
DETAILS = (*COSTS, "used", "doc_lines", "tool", "session", "agent", "agent_version", "session_date")
#: Of these, numbers and texts.
DETAIL_NUMBERS = (*COSTS, "doc_lines")
DETAIL_TEXTS = ("tool", "session", "agent", "agent_version", "session_date")
_LARGEST = 2**53
_WORDS = {"lines": "by lines", "seconds": "by seconds", "": "by characters"}


def in_one_unit(row: MutableMapping[str, Any], called: MutableMapping[str, str], role: str) -> None:
    """Make start and end of the fields of a row that count lines or seconds; what says two things is an error."""
    if row.get("lines") is not None and not _is_cost(row, role):
        what = f"{called.get('lines', 'lines')} cannot be read as a position in lines"
        raise LayoutError(what, "give start_line and end_line, from 1, both included")
    there = [name for name in COUNTED if row.get(name) is not None]
    if there:
        unit = _one_unit(row, called, there)
        start, end = _lines(row, called) if unit == "lines" else _seconds(row, called)
        first, last = there[0], there[-1]
        row["start"], row["end"], row[UNIT] = start, end, unit
        called["start"], called["end"] = called.get(first, first), called.get(last, last)
        if unit == "lines":
            _check_text(row, called, int(end - start))
    for name in COUNTED:
        row.pop(name, None)
        called.pop(name, None)


def _is_cost(row: Mapping[str, Any], role: str) -> bool:
    return role == "run" and _is_number(row["lines"])


def _one_unit(row: Mapping[str, Any], called: Mapping[str, str], there: Sequence[str]) -> Literal["lines", "seconds"]:
    units = {"lines" if name in LINES else "seconds": name for name in there}
    if row.get("start") is not None or row.get("end") is not None:
        units[""] = "start" if row.get("start") is not None else "end"
    if len(units) > 1:
        (one, first), (other, second), *_ = units.items()
        names = f"{called.get(first, first)} and {called.get(second, second)}"
        what = f"{names} are both positions, {_WORDS[one]} and {_WORDS[other]}"
        raise LayoutError(what, "remove one of them, the same in truth and runs")
    return "lines" if "lines" in units else "seconds"


def _lines(row: Mapping[str, Any], called: Mapping[str, str]) -> tuple[int, int]:
    if row.get("line") is not None:
        if other := next((name for name in ("start_line", "end_line") if row.get(name) is not None), ""):
            what = f"{called.get('line', 'line')} and {called.get(other, other)} are both positions"
            raise LayoutError(what, "keep start_line and end_line, or line alone")
        number = _whole(row, called, "line")
        return number - 1, number
    if row.get("end_line") is None or row.get("start_line") is None:
        missing = "end_line" if row.get("end_line") is None else "start_line"
        raise LayoutError(f"{missing} is missing", "give start_line and end_line; line alone is one line")
    start, end = _whole(row, called, "start_line"), _whole(row, called, "end_line")
    if end < start:
        what = f"{called.get('end_line', 'end_line')} {end} is before {called.get('start_line', 'start_line')} {start}"
        raise LayoutError(what, "lines count from 1, and both are included")
    return start - 1, end


def _whole(row: Mapping[str, Any], called: Mapping[str, str], name: str) -> int:
    value = row[name]
    if not _is_number(value) or not 1 <= value <= _LARGEST or not float(value).is_integer():
        what = f"{called.get(name, name)} must be a whole number of at least 1, not {value!r:.40}"
        raise LayoutError(what, "lines count from 1, and both are included")
    return int(value)


def _seconds(row: Mapping[str, Any], called: Mapping[str, str]) -> tuple[float, float]:
    if (given := row.get("ts")) is not None:
        if other := next((name for name in ("start_time", "end_time") if row.get(name) is not None), ""):
            what = f"{called.get('ts', 'ts')} and {called.get(other, other)} are both positions"
            raise LayoutError(what, "keep start_time and end_time, or ts alone")
        start, end = _pair(given, called.get("ts", "ts"))
    else:
        if row.get("start_time") is None or row.get("end_time") is None:
            missing = "end_time" if row.get("end_time") is None else "start_time"
            raise LayoutError(f"{missing} is missing", "give start_time and end_time, in seconds")
        start, end = (_second(row[name], called.get(name, name)) for name in ("start_time", "end_time"))
    if start < 0 or end < start:
        names = "ts" if given is not None else called.get("end_time", "end_time")
        raise LayoutError(
            f"{names}: {start:g} to {end:g} is not a valid time range", "a time range starts at 0 or later"
        )
    return start, end


def _pair(given: Any, name: str) -> tuple[float, float]:
    """Two seconds, as a list or as the text of one in a table."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, (list, tuple)) or len(given) != 2 or not all(map(_is_number, given)):
        raise LayoutError(f"{name} must be two numbers of seconds, [start, end]", "or give start_time and end_time")
    return _second(given[0], name), _second(given[1], name)


def _second(value: Any, name: str) -> float:
    if not _is_number(value) or not abs(value) <= _LARGEST:
        what = f"{name} must be a number of seconds, not {value!r:.40}"
        raise LayoutError(what, f"give seconds from the start of the recording, or remove {name}")
    return float(value) if isinstance(value, float) else int(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_text(row: Mapping[str, Any], called: Mapping[str, str], lines: int) -> None:
    """A text beside lines has no more lines than they are; blank ones may have been stripped. Only a line feed ends a
    line, as in documents."""
    for name in ("text", "quote"):
        text = row.get(name)
        if isinstance(text, str) and (many := 1 + text.strip("\r\n").count("\n")) > lines:
            there = called.get(name, name)
            what = f"{there} has {many} lines, and the place {lines}"
            raise LayoutError(what, "lines count from 1, and start_line and end_line are both included")
