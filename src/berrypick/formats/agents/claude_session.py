"""Sessions of Claude Code as a run: a step is a rank that points to the lines that it showed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.data.run import Run
from berrypick.files.files import head
from berrypick.formats.agents._session_log import read_log
from berrypick.formats.agents._session_rows import (
    READING,
    SessionRows,
    checked_options,
    describe_sessions,
    session_files,
)
from berrypick.formats.base import Format, Problems, Role

_ENDINGS = (".jsonl", ".jsonl.gz")


class ClaudeSession(Format):
    """Sessions of Claude Code, a file of JSON Lines or a folder of them (gzip is fine): each step of an agent is a rank.

    A result of Read or Grep that shows lines of files is a step, in the order of time; it points to these lines. The
    files of subagents count where they happened, by their session. Read by: ``topic_pattern``, a regular expression
    whose first group, searched in what the user wrote, is the topic (else the id of the session is); ``root``, the name
    of a folder, or a prefix, below which paths count (else the working folder of the session); ``until``, ``edit``
    (default: up to the first edit of a file below the root) or ``end``; ``tools``, ``Read,Grep`` by default:
    ``Read,Grep,Bash`` adds what a shell printed, where the command says without doubt which lines these are.

    Grep shows lines in its content mode, unless line numbers are switched off: a number behind the name of a file may
    then be anything. Text inside system reminders is not output. Only a line feed ends a line.

    Each step has costs: ``tokens`` of all requests since the step before (written, and read without being in the
    cache) and ``seconds``. No text of a session is kept. What is left out is counted: broken lines, results outside of
    the root, steps after the edit, tools that show nothing that can be placed.

    Sample::

        {"type": "user", "sessionId": "s1", "cwd": "/repo", "message": {"role": "user", "content": "Fix the bug."}}
        {"type": "assistant", "sessionId": "s1", "cwd": "/repo", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/repo/a.py"}}]}}
        {"type": "user", "sessionId": "s1", "cwd": "/repo", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]}, "toolUseResult": {"file": {"filePath": "/repo/a.py", "startLine": 1, "numLines": 40, "totalLines": 90}}}
    """  # noqa: E501 - records are long lines

    format_name: ClassVar[str] = "claude-session"
    role: ClassVar[Role] = "run"
    states_empty_lists: ClassVar[bool] = True
    marks: ClassVar[tuple[str, ...]] = ('"sessionId"',)
    shape: ClassVar[str] = '{"type": "user", "sessionId": "..", "cwd": "..", "message": {..}}'
    json_names: ClassVar[tuple[str, ...]] = ("type", "sessionId", "cwd", "message", "toolUseResult")
    reading: ClassVar[Mapping[str, str]] = READING

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return any(_is_record(line) for line in lines)

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        first = next(session_files(path, _ENDINGS), None)
        return first is not None and cls.sniff(head(first))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        sessions = SessionRows(problems, **checked_options(cls.format_name, options))
        for file in session_files(path, _ENDINGS):
            sessions.add(file, read_log)
        return sessions.run(path, cls.format_name)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return describe_sessions(value)


def _is_record(line: str) -> bool:
    """Whether a line, which may be cut, is a record of a session."""
    known = line.lstrip().startswith("{") and '"sessionId"' in line
    return known and '"message"' in line and re.search(r'"type":\s*"(user|assistant)"', line) is not None
