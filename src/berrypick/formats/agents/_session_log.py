"""What happened in one file of a session of Claude Code, record by record: results of tools, edits, costs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from berrypick.files.files import lines
from berrypick.files.strict_json import strict_json
from berrypick.formats.agents._printed_lines import (
    Place,
    before_reminder,
    grep_lines,
    numbered_lines,
    without_reminders,
)
from berrypick.formats.agents._shell_output import text_output, uncut
from berrypick.formats.agents._shell_reading import ShellOutput, ShellReader, ShellResult
from berrypick.formats.base import Problems

EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
BROKEN = "broken lines of sessions, skipped"
UNANSWERED = "edits whose result is missing, which may have happened"


@dataclass(frozen=True)
class ToolResult:
    """What a tool showed: lines of files (first, and how many), by path; ``edits`` are the files that it changed.

    ``program`` is that of a shell command; ``placed`` whether it says which lines it printed.
    """

    call: str
    tool: str
    places: tuple[Place, ...]
    folder: str
    time: float | None
    tokens: float | None
    doc_lines: int | None = None
    edits: tuple[str, ...] = ()
    program: str = ""
    placed: bool = True
    unsure: bool = False
    unnamed_edits: int = 0


@dataclass(frozen=True)
class _Call:
    """A call of a tool, and the working folder at that time: a command may change it."""

    tool: str
    asked: Mapping[str, Any]
    folder: str


@dataclass
class SessionLog:
    """One file: who it belongs to, its topic, and the results of tools in the order of time."""

    path: str
    session: str = ""
    topic: str = ""
    folder: str = ""
    started: float | None = None
    sidechain: bool = True
    #: The program that wrote the log, and its version.
    agent: str = ""
    version: str = ""
    results: list[ToolResult] = field(default_factory=list)


def read_log(path: str, problems: Problems, pattern: re.Pattern[str] | None) -> SessionLog | None:
    """Read one file; None if it holds no record of a session. A broken line is counted, and the session goes on."""
    log, calls, spent = SessionLog(path, agent="claude-code"), Unanswered[_Call](), _Spent()
    shell = ShellReader()
    known = False
    for record in session_records(path, problems):
        if record is None:
            shell.forget()
            continue
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
            continue
        known = True
        _begin(log, record)
        content = message.get("content")
        if pattern is not None and not log.topic and record["type"] == "user":
            log.topic = first_topic(content, pattern)
        spent.add(message)
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, Mapping):
                continue
            if part.get("type") == "tool_use" and isinstance(part.get("input"), Mapping):
                folder = str(record.get("cwd") or log.folder)
                calls.add(str(part.get("id")), _Call(str(part.get("name")), part["input"], folder), log, shell)
            elif part.get("type") == "tool_result" and (call := calls.pop(str(part.get("tool_use_id")))):
                log.results.append(_result(record, part, call, log, spent.total, shell))
    calls.add_edits(log, problems, lambda call: edits_of(call.tool, call.asked))
    return log if known else None


class _HasFolder(Protocol):
    @property
    def folder(self) -> str: ...


_C = TypeVar("_C", bound=_HasFolder)


class Unanswered(Generic[_C]):
    """Calls whose result has not come yet, and where they stand among the results of a log.

    The result of an edit may have been torn off. Lines that were shown later may then have other numbers, so that the
    edit counts.
    """

    def __init__(self) -> None:
        self._calls: dict[str, tuple[_C, int]] = {}

    def add(self, name: str, call: _C, log: SessionLog, shell: ShellReader) -> None:
        if self._calls:
            shell.forget()  # one of the others may have changed a file
        self._calls[name] = call, len(log.results)

    def pop(self, name: str) -> _C | None:
        found = self._calls.pop(name, None)
        return None if found is None else found[0]

    def add_edits(self, log: SessionLog, problems: Problems, edits: Callable[[_C], tuple[str, ...]]) -> None:
        for name, (call, at) in reversed(self._calls.items()):
            if (changed := edits(call)) and at < len(log.results):
                problems.count(UNANSWERED)
                log.results.insert(at, ToolResult(name, "Edit", (), call.folder, None, None, edits=changed))


def edits_of(tool: str, asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Files that a call changes if it succeeds."""
    if tool in EDITS:
        return _edited(asked)
    command = asked.get("command", asked.get("cmd"))
    if not (isinstance(command, str) or _is_words(command)):
        return ()
    return ShellReader().read(command, ShellOutput("", None)).edits


def session_records(path: str, problems: Problems) -> Iterator[dict[str, Any] | None]:
    """Yield the records of a file, and None for a broken line, which is counted."""
    for _, text in lines(path, problems, errors="replace"):
        if not text.strip():
            continue
        try:
            value = strict_json(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
        else:
            problems.count(BROKEN)
            yield None


def _begin(log: SessionLog, record: Mapping[str, Any]) -> None:
    log.session = log.session or str(record.get("sessionId") or "")
    log.folder = log.folder or str(record.get("cwd") or "")
    log.version = log.version or str(record.get("version") or "")
    log.started = log.started if log.started is not None else time_of(record.get("timestamp"))
    log.sidechain = log.sidechain and record.get("isSidechain") is True


def first_topic(content: Any, pattern: re.Pattern[str]) -> str:
    """What the pattern finds in a message of the user."""
    parts = content if isinstance(content, list) else [{"text": content}]
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str) and (found := pattern.search(text)):
            return (found[1] if pattern.groups else found[0]) or ""
    return ""


class _Spent:
    """Tokens of all requests so far: what was written, and what was read and not in the cache.

    The records of one request repeat its numbers, which grow while it is written.
    """

    def __init__(self) -> None:
        self._requests: dict[str, float] = {}

    def add(self, message: Mapping[str, Any]) -> None:
        usage = message.get("usage")
        if isinstance(usage, Mapping):
            names = ("input_tokens", "cache_creation_input_tokens", "output_tokens")
            found = [usage.get(name) for name in names]
            now = sum(value for value in found if isinstance(value, (int, float)))
            key = str(message.get("id") or len(self._requests))
            self._requests[key] = max(now, self._requests.get(key, 0.0))

    @property
    def total(self) -> float | None:
        return sum(self._requests.values()) if self._requests else None


def time_of(given: Any) -> float | None:
    """Seconds of a date as ISO 8601 has it; None for anything else."""
    try:
        return datetime.datetime.fromisoformat(str(given).replace("Z", "+00:00")).timestamp() if given else None
    except (ValueError, OverflowError, OSError):
        return None


def _result(
    record: Mapping[str, Any],
    part: Mapping[str, Any],
    call: _Call,
    log: SessionLog,
    tokens: float | None,
    shell: ShellReader,
) -> ToolResult:
    tool, asked = call.tool, call.asked
    shown, failed = record.get("toolUseResult"), part.get("is_error") is True
    folder = str(record.get("cwd") or log.folder)
    identity, time = str(part["tool_use_id"]), time_of(record.get("timestamp"))
    if tool == "Bash":
        found = shell.read(str(asked.get("command") or ""), _shell_output(shown, part, failed))
        return shell_result(found, tool, identity, call.folder, time, tokens)
    places: list[Place] = []
    length: int | None = None
    edits: tuple[str, ...] = ()
    if tool in EDITS and not failed:
        edits = _edited(asked)
        shell.forget()
    elif tool == "Read" and not failed:
        places, length = _read(shown, part, asked)
    elif tool == "Grep" and not failed:
        places = _grep(shown, part, asked, folder)
    return ToolResult(identity, tool, tuple(places), folder, time, tokens, length, edits)


def shell_result(
    found: ShellResult, tool: str, call: str, folder: str, time: float | None, tokens: float | None
) -> ToolResult:
    """Make a result of what a shell showed and changed."""
    return ToolResult(
        call, tool, found.places, folder, time, tokens, None, found.edits,
        found.program, found.placed, found.unsure, found.unnamed_edits,
    )  # fmt: skip


def _shell_output(shown: Any, part: Mapping[str, Any], failed: bool) -> ShellOutput:
    """What a command printed. Claude Code drops blank lines at both ends; a command in the background has no output."""
    fields = shown if isinstance(shown, Mapping) else {}
    printed = fields.get("stdout")
    text = printed if isinstance(printed, str) else before_reminder(_whole_text(part))
    running = bool(fields.get("interrupted") or fields.get("backgroundTaskId") or fields.get("isImage"))
    whole, cut = uncut(text)
    errors = isinstance(printed, str) and bool(fields.get("stderr"))
    code = 1 if failed or running else None if errors or not isinstance(printed, str) else 0
    return ShellOutput(whole, code, cut, trimmed=not text.startswith("\n") and not text.endswith("\n"))


def _edited(asked: Mapping[str, Any]) -> tuple[str, ...]:
    path = str(asked.get("file_path") or asked.get("notebook_path") or asked.get("path") or "")
    return (path,) if path else ()


def text_result(
    tool: str, asked: Mapping[str, Any], shown: str, shell: ShellReader, in_known_folder: bool
) -> tuple[list[Place], tuple[str, ...], ShellResult | None]:
    """Lines that the text of a result shows, files that the tool changed, and for a shell what it did."""
    part = {"content": shown}
    if tool in EDITS:
        shell.forget()
        return [], _edited(asked), None
    if tool == "Read":
        return _read(None, part, asked)[0], (), None
    if tool == "Grep":
        return _grep(None, part, asked, str(asked.get("cwd") or "")), (), None
    command = asked.get("command", asked.get("cmd"))
    if command is None or not (isinstance(command, str) or _is_words(command)):
        shell.forget()
        return [], (), None
    return [], (), shell.read(command, text_output(shown), in_known_folder)


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _read(shown: Any, part: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[list[Place], int | None]:
    """The lines of a file; by their numbers in the text of the result where nothing else says it."""
    file = shown.get("file") if isinstance(shown, Mapping) else None
    if isinstance(file, Mapping) and (many := _count(file.get("numLines"))):
        path = str(file.get("filePath") or asked.get("file_path") or "")
        first = _count(file.get("startLine")) or 1  # offset 0 is the first line too
        return [(path, first, many)], _count(file.get("totalLines"))
    if isinstance(shown, Mapping) and "file" in shown:
        return [], None  # an image, a notebook, an empty file
    given = asked.get("file_path") or asked.get("path")
    return numbered_lines(_text(part), given) if isinstance(given, str) else [], None


def _grep(shown: Any, part: Mapping[str, Any], asked: Mapping[str, Any], folder: str) -> list[Place]:
    """The lines that a search printed."""
    text = shown.get("content") if isinstance(shown, Mapping) else None
    if isinstance(shown, Mapping) and shown.get("mode") not in (None, "content"):
        return []
    return grep_lines(without_reminders(text) if isinstance(text, str) else _text(part), asked, folder)


def _text(part: Mapping[str, Any]) -> str:
    """What a tool printed, without the reminders that were added for the model."""
    return without_reminders(_whole_text(part))


def _whole_text(part: Mapping[str, Any]) -> str:
    content = part.get("content")
    if isinstance(content, str):
        return content
    texts = [one.get("text") for one in content if isinstance(one, Mapping)] if isinstance(content, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31 else None
