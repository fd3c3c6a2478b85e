"""ContextBench: the context that a change needs, and what agents looked at step by step."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, ClassVar

from berrypick.files.files import is_parquet
from berrypick.files.strict_json import strict_json
from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.json_lines import Rows, records, span_fields

_TEXT = re.compile(r"file:\s*(?P<file>.+?)[,;\s]+start_line:\s*(?P<start>\d+)[,;\s]+end_line:\s*(?P<end>\d+)")
#: The lines that begin a block, before the source that it shows.
_BLOCK = re.compile(r"^[ \t]*context(\d{1,6}):[ \t]*\r?$", re.MULTILINE)
_NAMED = re.compile(r"[ \t]*(file|start_line|end_line):[ \t]*(.*?)[ \t]*\r?")
_OUTSIDE = "paths outside the repository, skipped"
_WITHOUT = "instances without gold context, skipped"
#: Where images of benchmarks keep the repository.
_ROOTS = re.compile(r"/(?:workspace/[^/]+|testbed)/")
_TOPICS = ("instance_id", "original_inst_id", "inst_id", "topic")


class ContextBenchGold(TruthRecords):
    """The gold context of ContextBench, Parquet as published or JSON Lines: ``instance_id`` and ``gold_context``.

    ``gold_context`` is JSON, a list of ``{"file", "start_line", "end_line"}`` or a text of it; lines of text
    ``file: .. start_line: .. end_line: ..``; or blocks of text, ``context0:`` with file, start_line and end_line on
    lines of their own and the source behind them. Paths below ``/workspace/NAME/``, ``/testbed/`` or the name of the
    repository (``repo``) are paths inside of it; others are left out and counted. A run may name a topic by
    ``original_inst_id`` too.

    Sample::

        {"instance_id": "t1", "gold_context": [{"file": "a.py", "start_line": 3, "end_line": 9}]}
        {"instance_id": "t2", "gold_context": "file: b.py start_line: 1 end_line: 4"}
    """

    format_name: ClassVar[str] = "contextbench"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"gold_context"',)
    before: ClassVar[tuple[str, ...]] = ("patch",)
    shape: ClassVar[str] = '{"instance_id": "t1", "gold_context": [{"file": "a.py", "start_line": 3, "end_line": 9}]}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "gold_context")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"gold_context"' in lines[0]

    @classmethod
    def sniff_columns(cls, names: list[str]) -> bool:
        return "gold_context" in names and not {*_TOPICS}.isdisjoint(names)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        return span_fields(_gold_rows(path, problems), FieldParser("truth"), problems)


class ContextBenchRun(RunRecords):
    """What agents looked at in ContextBench, JSON Lines: ``traj_data.pred_steps``, each with ``spans`` by file.

    A step is a rank that points to all spans of it: ``{"a.py": [{"start": 3, "end": 9}]}``, lines from 1, both
    included. A step without spans shows nothing and is counted.

    Sample::

        {"instance_id": "t1", "traj_data": {"pred_steps": [{"spans": {"a.py": [{"start": 3, "end": 9}]}}]}}
        {"instance_id": "t2", "traj_data": {"pred_steps": [{"spans": {"b.py": [{"start": 1, "end": 4}]}}]}}
    """

    format_name: ClassVar[str] = "contextbench-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"pred_steps"',)
    shape: ClassVar[str] = '{"instance_id": "t1", "traj_data": {"pred_steps": [{"spans": {"a.py": [..]}}]}}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "traj_data", "pred_steps", "spans")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"traj_data"' in lines[0] and '"pred_steps"' in lines[0]

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        return span_fields(_step_rows(path, problems), FieldParser("run"), problems)


def _topic(value: Mapping[str, Any], number: int, text: str, problems: Problems) -> str:
    found = next((value[name] for name in _TOPICS if isinstance(value.get(name), (str, int))), None)
    if found is None:
        problems.report("instance_id is missing", number, text)
    return "" if found is None else str(found)


def _gold_rows(path: str, problems: Problems) -> Rows:
    for number, text, value in _rows(path, problems):
        topic = _topic(value, number, text, problems)
        places = _gold(value.get("gold_context"))
        if places is None:
            problems.report("gold_context must be a list of file, start_line and end_line", number, text)
        elif not places:
            problems.count(_WITHOUT)
        other = value.get("original_inst_id")
        called = {"question": other} if isinstance(other, str) and other not in ("", topic) else {}
        for place in places or () if topic else ():
            doc = _inside(place.get("file"), problems, value.get("repo"))
            if doc is not None:
                row = {"topic": topic, "doc": doc, "start_line": place.get("start_line")}
                yield number, text, {**row, "end_line": place.get("end_line"), **called}


def _rows(path: str, problems: Problems) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    if not is_parquet(path):
        yield from records(path, problems)
        return
    from berrypick.rows.table_files import parquet_records

    for number, value in parquet_records(path):
        yield number, str(value.get("instance_id", ""))[:80], value


def _blocks(given: str) -> list[Mapping[str, Any]] | None:
    """Places of blocks of text; None if a block does not begin with its place. A line of the source that looks like
    the next block has another number, or nothing of a place behind it."""
    found: list[Mapping[str, Any]] = []
    starts = list(_BLOCK.finditer(given))
    first = int(starts[0][1])
    for start in starts:
        if int(start[1]) != first + len(found):
            continue
        lines = [line for line in given[start.end() : start.end() + _HEAD].split("\n") if line.strip()][:3]
        named = takewhile(lambda match: match is not None, map(_NAMED.fullmatch, lines))
        place = {one[1]: one[2].strip("'\"`") for one in named if one is not None}
        if found and not place:
            continue
        if set(place) != {"file", "start_line", "end_line"}:
            return None
        if not all(place[name].isdecimal() and len(place[name]) < 10 for name in ("start_line", "end_line")):
            return None
        found.append({**place, "start_line": int(place["start_line"]), "end_line": int(place["end_line"])})
    return found


#: Characters in which a block says its place.
_HEAD = 10_000


def _gold(given: Any) -> list[Mapping[str, Any]] | None:
    """Places as JSON, or as lines of text."""
    if isinstance(given, str):
        try:
            given = strict_json(given)
        except (ValueError, RecursionError):
            if _BLOCK.match(given.lstrip()):
                return _blocks(given)
            lines = [line for line in given.split("\n") if line.strip()]
            found = [_TEXT.search(line) for line in lines]
            if not lines or not all(found):
                return None
            return [
                {"file": one["file"], "start_line": int(one["start"]), "end_line": int(one["end"])}
                for one in found
                if one is not None
            ]
    good = isinstance(given, list) and all(isinstance(one, Mapping) for one in given)
    return given if good else None


def _inside(path: Any, problems: Problems, repository: Any = None) -> str | None:
    """A path below the repository; None for any other, which is counted."""
    plain = posixpath.normpath(path.replace("\\", "/")) if isinstance(path, str) and path else ""
    if root := _ROOTS.match(plain):
        plain = plain[root.end() :]
    elif isinstance(repository, str) and repository:
        name = repository.removesuffix(".git").strip("/").rpartition("/")[2]
        plain = plain.removeprefix(f"/{name}/")
    if not plain or posixpath.isabs(plain) or plain.startswith("..") or re.match(r"[A-Za-z]:/", plain):
        problems.count(_OUTSIDE)
        return None
    return plain


def _step_rows(path: str, problems: Problems) -> Rows:
    for number, text, value in records(path, problems):
        topic = _topic(value, number, text, problems)
        held = value.get("traj_data")
        steps = held.get("pred_steps") if isinstance(held, Mapping) else None
        if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
            problems.report("traj_data.pred_steps must be a list of steps", number, text)
            continue
        rows = [row for i, step in enumerate(steps, start=1) for row in _spans(step, i, number, text, problems)]
        yield from ((number, text, {"topic": topic, **row}) for row in rows or [{"results": []}])


def _spans(step: Mapping[str, Any], rank: int, number: int, text: str, problems: Problems) -> Iterator[dict[str, Any]]:
    spans = step.get("spans") or {}
    good = isinstance(spans, Mapping) and all(
        isinstance(held, list) and all(isinstance(one, Mapping) for one in held) for held in spans.values()
    )
    if not good:
        problems.report(f"spans of step {rank} must be lists of start and end, by file", number, text)
        return
    if not any(spans.values()):
        problems.count("steps without file lines, skipped")
    for file, held in spans.items():
        doc = _inside(file, problems)
        for one in held if doc is not None else ():
            yield {"doc": doc, "start_line": one.get("start"), "end_line": one.get("end"), "rank": rank}
