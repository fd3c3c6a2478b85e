"""Logs of readers who moved through documents."""

from __future__ import annotations

import json
from typing import Any, ClassVar, TextIO

from berrypick.data.errors import nearest
from berrypick.data.reading_log import ENDS, ReadingLog
from berrypick.data.words import counted
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.json_lines import Fields, Rows, plain, records

#: The least distance that is told from 0.
LEAST = 1e-6


class ReadingLogFormat(Format):
    """Reading log, JSON Lines: how far readers went through text or video without finding anything relevant.

    ``distance`` counts characters, seconds or tokens. ``end`` says how the stretch ended:

    * ``reached``: the reader got to something relevant at this distance;
    * ``gave_up``: the reader stopped at this distance, of their own accord;
    * ``missed``: something relevant was at this distance, and the reader did not get there;
    * ``censored``: the record stops at this distance for another reason (the document ended, the recording stopped).

    ``session`` (optional) names the person or session; lines without one are sessions of their own. ``visit``
    (optional) joins the lines of one visit to a document, on which a reader has one tolerance: a visit that passed 5
    and 20 characters and gave up after 40 has three lines. ``berrypick fit`` reads such logs.

    Sample::

        {"session": "s1", "visit": "1", "distance": 120, "end": "reached"}
        {"session": "s1", "visit": "1", "distance": 260, "end": "gave_up"}
        {"session": "s2", "distance": 90, "end": "censored"}
    """

    format_name: ClassVar[str] = "reading-log"
    role: ClassVar[Role] = "log"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"distance"',)
    shape: ClassVar[str] = '{"session": "s1", "distance": 120, "end": "gave_up"}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")
    json_names: ClassVar[tuple[str, ...]] = ("session", "visit", "distance", "end")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"distance"' in lines[0] and '"end"' in lines[0]

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> ReadingLog:
        return cls.from_records(records(path, problems), problems, path)

    @classmethod
    def from_records(cls, rows: Rows, problems: Problems, source: str) -> ReadingLog:
        """From objects with the names of the format."""
        found: list[tuple[str, str, float, str]] = []
        for number, text, value in rows:
            fields = Fields(number, text, value, problems)
            session, visit = (fields.name(key) if value.get(key) is not None else "" for key in ("session", "visit"))
            distance, end = fields.number_of("distance"), _end(fields)
            if not fields.good:
                continue
            if distance is None:
                fields.fail("distance is missing")
            elif distance < 0 or 0 < distance < LEAST:
                fields.fail(f"distance {distance:g} is {'below 0' if distance < 0 else f'above 0 and below {LEAST:g}'}")
            else:
                found.append((session, visit, distance, end))
        sessions, visits, distances, ends = zip(*found, strict=True) if found else ((), (), (), ())
        return ReadingLog(sessions, visits, distances, ends, source)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return "" if isinstance(value, ReadingLog) else "it is not a reading log"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for session, visit, distance, end in zip(value.session, value.visit, value.distance, value.end, strict=True):
            line = {"session": session, "visit": visit, "distance": plain(distance), "end": end}
            out.write(json.dumps({k: v for k, v in line.items() if v != ""}, ensure_ascii=False) + "\n")

    @classmethod
    def describe(cls, value: ReadingLog) -> list[str]:
        sessions = len({name for name in value.session if name}) + value.session.count("")
        ends = [f"{value.end.count(end)} {end}" for end in ENDS if end in value.end]
        return [counted(len(value), "stretch", "stretches"), counted(sessions, "session"), *ends]


def _end(fields: Fields) -> str:
    value = fields.value.get("end")
    if isinstance(value, str) and value in ENDS:
        return value
    if value is None:
        fields.fail("end is missing", f"it is one of {', '.join(ENDS)}")
    else:
        fields.fail(f"unknown end {value!r:.40}{nearest(str(value), list(ENDS))}", f"it is one of {', '.join(ENDS)}")
    return ""
