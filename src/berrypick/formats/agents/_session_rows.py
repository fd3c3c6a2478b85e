"""Steps of agents' sessions as rows of a run: places below a root, and costs. No texts.

Every format of sessions makes a :class:`SessionLog` of each file; what counts, and what is counted and left out, is
decided here for all of them.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from berrypick.data.errors import InputError, UsageError, nearest, shorten
from berrypick.data.run import Run
from berrypick.data.words import counted
from berrypick.files.files import members
from berrypick.formats.agents._session_log import EDITS, SessionLog, ToolResult
from berrypick.formats.agents._session_paths import SessionRoot
from berrypick.formats.base import Problems
from berrypick.rows.counted_places import UNIT
from berrypick.rows.run_rows import run_of_rows

#: Tools whose results are lines of files: those that count by default in logs of Claude Code, and a shell.
PLACING, SHELL = ("Read", "Grep"), "Bash"
_OUTSIDE = "results outside the root, skipped"
_AFTER = "steps after the first edit, skipped"
_MOVED = "places in files that were edited before, whose line numbers have moved"
_ORPHANS = "files of subagents without a topic of their own or the file of their session, skipped"
_UNSURE = "stretches that a shell printed, and whose log drops blank lines at the start: they may begin too early"
_UNNAMED = "edits by a shell of files that the command does not name"

#: How sessions may be read; the same for all formats of them.
READING: Mapping[str, str] = {
    "topic_pattern": "a regular expression; its first group is the topic",
    "root": "the root folder of the paths, by name or prefix",
    "until": "edit or end",
    "tools": "the tools whose results count, separated by commas",
}


def checked_options(form: str, options: Mapping[str, Any], usual: tuple[str, ...] = PLACING) -> dict[str, Any]:
    """Options by name, understood; what is wrong is said before anything is read."""
    for name, value in options.items():
        if not isinstance(value, str):
            raise UsageError(f"{form}: {name} must be text, not {value!r:.40}")
    until = options.get("until", "edit")
    if until not in ("edit", "end"):
        raise UsageError(f"{form}: until must be edit or end, not {until!r:.40}")
    tools = tuple(name.strip() for name in str(options.get("tools", ",".join(usual))).split(",") if name.strip())
    for name in tools:
        if name not in (*PLACING, SHELL):
            known = nearest(name, [*PLACING, SHELL]) or f"; they are {', '.join((*PLACING, SHELL))}"
            raise UsageError(f"{form}: {name} returns no file positions{known}")
    pattern = options.get("topic_pattern")
    try:
        compiled = None if pattern is None else re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{form}: {pattern!r:.60} is not a regular expression ({error})") from None
    return {"pattern": compiled, "root": SessionRoot(options.get("root", "")), "until": until, "tools": tools}


def session_files(path: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The file, or the files of a folder with one of these endings."""
    if os.path.isdir(path):
        yield from members(path, lambda name: name.endswith(endings))
    else:
        yield path


def describe_sessions(value: Run) -> list[str]:
    """Counts of a run of sessions, for ``check`` to print."""
    steps = sum(ranking.ranks for _, ranking in value.rankings())
    return [counted(len(value.topics), "session"), counted(steps, "step"), counted(value.size(), "place")]


class SessionRows:
    """Collects the steps of sessions: places and costs, no texts."""

    def __init__(
        self, problems: Problems, pattern: re.Pattern[str] | None, root: SessionRoot, until: str, tools: tuple[str, ...]
    ) -> None:
        self._problems, self._pattern, self._root, self._until, self._tools = problems, pattern, root, until, tools
        self._logs: list[SessionLog] = []
        self._silent: dict[str, int] = {}
        self._outside: dict[str, None] = {}

    def add(self, file: str, read: Callable[[str, Problems, re.Pattern[str] | None], SessionLog | None]) -> None:
        """Add what a parser finds in a file."""
        log = read(file, self._problems, self._pattern)
        if log is None:
            self._problems.count("files without a session, skipped")
        else:
            self.add_log(log)

    def add_log(self, log: SessionLog) -> None:
        self._logs.append(log)

    def run(self, source: str, form: str) -> Run:
        """Return all sessions as a run."""
        rows = list(self.rows(source))
        run = run_of_rows(((1, "", row) for row in rows), self._problems, source)
        return run.changed(format=form, line=None, unit="lines", notes=tuple(self.notes()))

    def rows(self, source: str) -> Iterator[dict[str, Any]]:
        """The places of all sessions by the names of span-run; a session that shows nothing has none."""
        known: dict[str, str] = {}
        for log, parts in self._grouped():
            topic = log.topic if self._pattern is not None else log.session or _stem(log.path)
            if not topic:
                self._problems.count("sessions without a topic that the pattern matches, skipped")
                continue
            if topic in known:
                what = f"topic {shorten(topic, 60)} has two sessions, this one and {known[topic]}"
                remedy = "a run has one session per topic: move the others into another folder"
                raise InputError(what, path=log.path, remedy=remedy)
            known[topic] = log.path
            places = [*self._places(topic, log, parts)]
            yield from places or [{"topic": topic, "results": []}]
        if not known and not self._problems.found:
            what = "no session has a topic" if self._logs else "contains no session"
            remedy = "the first group of topic_pattern, in what the user wrote, is the topic" if self._logs else ""
            raise InputError(what, path=source, remedy=remedy)
        self._refuse_wrong_root(source)

    def _grouped(self) -> Iterator[tuple[SessionLog, list[SessionLog]]]:
        """Each session with the files of its subagents."""
        main = [log for log in self._logs if not log.sidechain]
        owners = {log.session: i for i, log in enumerate(main) if log.session}
        parts: list[list[SessionLog]] = [[log] for log in main]
        for log in self._logs:
            if log.sidechain and log.session in owners:
                parts[owners[log.session]].append(log)
            elif log.sidechain and (log.topic or (self._pattern is None and len(self._logs) == 1)):
                main.append(log)
                parts.append([log])
            elif log.sidechain:
                self._problems.count(_ORPHANS)
        yield from zip(main, parts, strict=True)

    def _places(self, topic: str, log: SessionLog, parts: list[SessionLog]) -> Iterator[dict[str, Any]]:
        edited: set[str] = set()
        costs, step = _Costs(log.started), 0
        origin = _origin(log)
        for part, result in _in_time(parts):
            tokens, seconds = costs.since(part, result)
            counts = (SHELL if result.program else result.tool) in self._tools
            if edited and self._until == "edit":
                self._problems.count(_AFTER) if result.places and counts else None
                continue
            if result.edits and (counts or not result.program):
                edited.update(self._edited(result, log))
                continue
            self._problems.count(_UNNAMED, result.unnamed_edits) if counts and result.unnamed_edits else None
            if not counts or (result.program and not result.placed):
                name = (result.program if counts else "") or result.tool
                self._silent[name] = self._silent.get(name, 0) + (result.tool not in EDITS)
                continue
            found = self._below(result, log)
            self._problems.count(_UNSURE) if found and result.unsure else None
            self._problems.count(_MOVED, moved) if (moved := sum(doc in edited for doc, _, _ in found)) else None
            step += bool(found)
            for i, (doc, first, many) in enumerate(found):
                row: dict[str, Any] = {"topic": topic, "doc": doc, "start": first - 1, "end": first - 1 + many,
                                       UNIT: "lines", "rank": step, "tool": result.program or result.tool}  # fmt: skip
                row |= {"doc_lines": result.doc_lines} if result.doc_lines is not None else {}
                row |= {"session": log.session} if log.session else {}
                yield row | origin | (costs.taken(tokens, seconds) if i == 0 else {})
                origin = {}

    def _edited(self, result: ToolResult, log: SessionLog) -> Iterator[str]:
        for edit in result.edits:
            path = self._root.below(edit, result.folder, log.folder, bool(result.program))
            if path is not None:
                yield path

    def _below(self, result: ToolResult, log: SessionLog) -> list[tuple[str, int, int]]:
        if not result.places:
            self._problems.count(f"results of {result.program or result.tool} without file lines, skipped")
        found = []
        for path, first, many in result.places:
            doc = self._root.below(path, result.folder, log.folder, result.tool != "Read")
            if doc is None:
                self._problems.count(_OUTSIDE)
                self._outside[path] = None
            else:
                found.append((doc, first, many))
        return found

    def _refuse_wrong_root(self, source: str) -> None:
        """A root that no path lies below is misspelt, and would give a run of empty lists."""
        self._all_outside = bool(self._outside) and not self._any_inside()
        if self._all_outside:
            shown = ", ".join(shorten(path, 80) for path in list(self._outside)[:3])
            name = self._root.name or "the working folder of its session"
            raise InputError(f"no result is below {name}", path=source, remedy=f"paths are like {shown}")

    def _any_inside(self) -> bool:
        return any(
            self._root.below(path, result.folder, log.folder, result.tool != "Read") is not None
            for log in self._logs
            for result in log.results
            for path, _, _ in result.places
        )

    def notes(self) -> Iterator[str]:
        silent = {name: count for name, count in self._silent.items() if count}
        if silent:
            most = sorted(silent, key=lambda name: -silent[name])
            shown = ", ".join(f"{shorten(name, 40)} {silent[name]}" for name in most[:6])
            calls = counted(sum(silent.values()), "call")
            yield f"{calls} without a file position: {shown}{', ..' * (len(most) > 6)}"


def _origin(log: SessionLog) -> dict[str, str]:
    """Who left a session, and on which day; on the first row of it."""
    day = None if log.started is None else datetime.datetime.fromtimestamp(log.started, datetime.timezone.utc)
    named = {"agent": log.agent, "agent_version": log.version, "session_date": day.date().isoformat() if day else ""}
    return {name: value for name, value in named.items() if value}


class _Costs:
    """What was spent since the step before, in any file of a session."""

    def __init__(self, started: float | None) -> None:
        self._time = started
        self._tokens: dict[str, float] = {}
        self._left = 0.0
        self._now: float | None = started
        self._has_tokens = False

    def since(self, part: SessionLog, result: ToolResult) -> tuple[float | None, float | None]:
        """Note what was spent up to a result; what the last step has not paid is left for the next."""
        if result.tokens is not None:
            self._has_tokens = True
            self._left += result.tokens - self._tokens.get(part.path, 0.0)
            self._tokens[part.path] = result.tokens
        self._now = result.time if result.time is not None else self._now
        passed = None if self._now is None or self._time is None else max(0.0, self._now - self._time)
        return (self._left if self._has_tokens else None), passed

    def taken(self, tokens: float | None, seconds: float | None) -> dict[str, float]:
        """The costs of a step, which begins the next."""
        self._left, self._time = 0.0, self._now
        named = {"tokens": tokens, "seconds": None if seconds is None else round(seconds, 6)}
        return {name: value for name, value in named.items() if value is not None}


def _in_time(parts: list[SessionLog]) -> Iterable[tuple[SessionLog, ToolResult]]:
    """Results of a session and its subagents in the order of time; each call once, as resumed sessions repeat them."""
    found: list[tuple[float, SessionLog, ToolResult]] = []
    seen: set[str] = set()
    for part in parts:
        time = part.started if part.started is not None else float("inf")
        for result in part.results:
            time = result.time if result.time is not None else time
            if result.call not in seen:
                found.append((time, part, result))
            seen.add(result.call)
    if len(parts) > 1:
        found.sort(key=lambda one: one[0])
    return ((part, result) for _, part, result in found)


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
