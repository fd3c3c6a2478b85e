"""Sessions of Codex as a run: a command that shows lines of files is a step."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from berrypick.data.run import Run
from berrypick.files.files import head
from berrypick.files.strict_json import strict_json
from berrypick.formats.agents._session_log import (
    BROKEN,
    SessionLog,
    ToolResult,
    Unanswered,
    edits_of,
    first_topic,
    session_records,
    shell_result,
    time_of,
)
from berrypick.formats.agents._session_rows import (
    PLACING,
    READING,
    SHELL,
    SessionRows,
    checked_options,
    describe_sessions,
    session_files,
)
from berrypick.formats.agents._shell_output import unwrapped
from berrypick.formats.agents._shell_reading import ShellReader, patched_files
from berrypick.formats.base import Format, Problems, Role

_KINDS = ("session_meta", "response_item", "event_msg", "turn_context")
_UNWRAPPED = "outputs of shells in an unknown form, skipped"


class CodexSession(Format):
    """Sessions of Codex (rollouts), a file of JSON Lines or a folder of them: each step of the agent is a rank.

    A shell command (``shell``, ``shell_command``, ``exec_command``) that says without doubt which lines of a file it
    prints is a step, in the order of time; it points to these lines. These are ``cat``, ``head``, ``tail``, ``sed -n
    'A,Bp'``, ``nl -ba``, ``grep -n`` and ``rg -n``, with pipes that only cut lines, after ``cd DIR &&``. Lines are
    counted from the output; a command that fails, or still runs, shows nothing. ``apply_patch``, ``sed -i`` and
    redirections into a file are edits. Other commands are counted by program. Files of subagents count where they
    happened, by the thread that started them. Options as in claude-session.

    Costs of a step: ``tokens`` since the step before (the difference of ``total_token_usage``: input that was not
    cached, and output) and ``seconds``. No text of a session is kept.

    Sample::

        {"timestamp": "2026-01-05T10:00:00Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/repo"}}
        {"timestamp": "2026-01-05T10:00:02Z", "type": "response_item", "payload": {"type": "function_call", "name": "shell_command", "arguments": "{\\"command\\": \\"sed -n '3,4p' a.py\\"}", "call_id": "c1"}}
        {"timestamp": "2026-01-05T10:00:03Z", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "Exit code: 0\\nWall time: 0.1 seconds\\nOutput:\\nx = 1\\ny = 2\\n"}}
    """  # noqa: E501 - records are long lines

    format_name: ClassVar[str] = "codex-session"
    role: ClassVar[Role] = "run"
    states_empty_lists: ClassVar[bool] = True
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"payload"',)
    shape: ClassVar[str] = '{"timestamp": "..", "type": "response_item", "payload": {..}}'
    json_names: ClassVar[tuple[str, ...]] = ("timestamp", "type", "payload")
    reading: ClassVar[Mapping[str, str]] = READING

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and any(
            '"payload"' in line and re.search(rf'"type":\s*"({"|".join(_KINDS)})"', line) is not None for line in lines
        )

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        first = next(session_files(path, (".jsonl", ".jsonl.gz")), None)
        return first is not None and cls.sniff(head(first))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        sessions = SessionRows(problems, **checked_options(cls.format_name, options, (*PLACING, SHELL)))
        for file in session_files(path, (".jsonl", ".jsonl.gz")):
            sessions.add(file, read_rollout)
        return sessions.run(path, cls.format_name)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return describe_sessions(value)


def read_rollout(path: str, problems: Problems, pattern: re.Pattern[str] | None) -> SessionLog | None:
    """Read one file; None if it holds no record of a session."""
    rollout = _Rollout(SessionLog(path, sidechain=False, agent="codex"), problems, pattern)
    for record in session_records(path, problems):
        if record is None:
            rollout.forget()
            continue
        payload = record.get("payload")
        if not isinstance(payload, Mapping):
            problems.count(BROKEN)
        elif record.get("type") in _KINDS:
            rollout.add(str(record["type"]), payload, record.get("timestamp"))
    rollout.end()
    return rollout.log if rollout.known else None


class _Rollout:
    """A log that grows record by record."""

    def __init__(self, log: SessionLog, problems: Problems, pattern: re.Pattern[str] | None) -> None:
        self.log, self.known = log, False
        self._problems, self._pattern = problems, pattern
        self._shell, self._spent, self._folder = ShellReader(), _Spent(), ""
        self._calls = Unanswered[_Call]()
        #: Results whose request has not been counted yet: its count comes before or after the result.
        self._uncounted: list[int] = []

    def add(self, kind: str, payload: Mapping[str, Any], timestamp: Any) -> None:
        time = time_of(timestamp)
        self.log.started = self.log.started if self.log.started is not None else time
        if kind == "session_meta" and not self.known:
            self._begin(payload)
        self.known = True
        if kind == "turn_context" or (kind == "session_meta" and not self._folder):
            self._folder = str(payload.get("cwd") or self._folder)
            self.log.folder = self.log.folder or self._folder
        elif kind == "event_msg" and payload.get("type") == "token_count":
            self._count(payload.get("info"))
        elif kind == "event_msg" and payload.get("type") == "user_message":
            self._find_topic(payload.get("message"))
        elif kind == "response_item":
            self._item(payload, time)

    def forget(self) -> None:
        """Forget what a lost record may have changed."""
        self._shell.forget()

    def end(self) -> None:
        self._calls.add_edits(self.log, self._problems, _changes)

    def _begin(self, payload: Mapping[str, Any]) -> None:
        self.log.session, self.log.version = str(payload.get("id") or ""), str(payload.get("cli_version") or "")
        source: Any = payload.get("source")
        for name in ("subagent", "thread_spawn"):
            source = source.get(name) if isinstance(source, Mapping) else None
        if isinstance(source, Mapping) and isinstance(parent := source.get("parent_thread_id"), str):
            self.log.session, self.log.sidechain = parent, True

    def _find_topic(self, content: Any) -> None:
        if self._pattern is not None and not self.log.topic:
            self.log.topic = first_topic(content, self._pattern)

    def _count(self, info: Any) -> None:
        usage = info.get("total_token_usage") if isinstance(info, Mapping) else None
        if not isinstance(usage, Mapping) or not self._spent.add(usage):
            return
        for at in self._uncounted:
            self.log.results[at] = replace(self.log.results[at], tokens=self._spent.total)
        self._uncounted.clear()

    def _item(self, payload: Mapping[str, Any], time: float | None) -> None:
        kind, name = payload.get("type"), str(payload.get("call_id") or payload.get("id") or "")
        if kind == "message" and payload.get("role") == "user":
            self._find_topic(payload.get("content"))
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            call = _call(payload, self._folder, self._spent.counts)
            self._calls.add(name, call, self.log, self._shell)
        elif kind in ("function_call_output", "custom_tool_call_output") and (answered := self._calls.pop(name)):
            if answered.counts == self._spent.counts:
                self._uncounted.append(len(self.log.results))
            self.log.results.append(self._result(name, answered, _text(payload.get("output")), time))

    def _result(self, name: str, call: _Call, text: str, time: float | None) -> ToolResult:
        output, tokens = unwrapped(text), self._spent.total
        if call.patch is not None:
            self._shell.forget()
            failed = text.startswith("apply_patch verification failed") or (output is not None and output.code != 0)
            edits = () if failed else tuple(_joined(call.folder, one) for one in patched_files(call.patch))
            return ToolResult(name, "apply_patch", (), call.folder, time, tokens, edits=edits)
        if call.command is None or output is None:
            self._problems.count(_UNWRAPPED) if call.command is not None else None
            self._shell.forget()
            return ToolResult(name, call.tool, (), call.folder, time, tokens)
        return shell_result(self._shell.read(call.command, output), call.tool, name, call.folder, time, tokens)


class _Call:
    """A call: the command of a shell or a patch, and how many counts of tokens came before it."""

    def __init__(self, tool: str, folder: str, counts: int) -> None:
        self.tool, self.folder, self.counts = tool, folder, counts
        self.command: str | Sequence[str] | None = None
        self.patch: str | None = None


def _call(payload: Mapping[str, Any], folder: str, counts: int) -> _Call:
    call = _Call(str(payload.get("name") or "shell"), folder, counts)
    asked: Any = payload.get("action") if payload.get("type") == "local_shell_call" else payload.get("arguments")
    if payload.get("type") == "custom_tool_call":
        asked = {"input": payload.get("input")}
    try:
        asked = strict_json(asked) if isinstance(asked, str) else asked
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, Mapping):
        return call
    if call.tool == "apply_patch":
        call.patch = str(asked.get("input") or asked.get("patch") or "")
        return call
    moved = asked.get("workdir") or asked.get("working_directory")
    call.folder = _joined(folder, moved) if isinstance(moved, str) else folder
    command = asked.get("command", asked.get("cmd"))
    words = isinstance(command, list) and all(isinstance(one, str) for one in command)
    call.command = command if isinstance(command, str) or words else None
    return call


def _changes(call: _Call) -> tuple[str, ...]:
    """Files that a call changes if it succeeds."""
    if call.patch is not None:
        return tuple(_joined(call.folder, one) for one in patched_files(call.patch))
    return edits_of("", {"command": call.command})


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if folder else path


def _text(output: Any) -> str:
    """The text of an output, which may be in parts."""
    if isinstance(output, Mapping):
        output = output.get("content", output.get("body"))
    if isinstance(output, list):
        output = "\n".join(str(one.get("text") or "") for one in output if isinstance(one, Mapping))
    return output if isinstance(output, str) else ""


class _Spent:
    """Tokens so far, from running totals: a total that was seen before adds nothing, one that falls starts again."""

    def __init__(self) -> None:
        self.total: float | None = None
        self.counts = 0
        self._before = 0.0
        self._seen: tuple[float, ...] | None = None

    def add(self, usage: Mapping[str, Any]) -> bool:
        """Add a running total; False if it is the one before again."""
        found = [usage.get(name) for name in ("input_tokens", "cached_input_tokens", "output_tokens")]
        given = tuple(float(one) if isinstance(one, (int, float)) and one >= 0 else 0.0 for one in found)
        if given == self._seen:
            return False
        now = max(0.0, given[0] - given[1]) + given[2]
        self.total = (self.total or 0.0) + (now - self._before if now >= self._before else now)
        self._seen, self._before, self.counts = given, now, self.counts + 1
        return True
