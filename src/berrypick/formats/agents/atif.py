"""Trajectories in the Agent Trajectory Interchange Format (ATIF) as a run: a step that shows lines is a rank."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.files.files import head
from berrypick.files.json_files import load
from berrypick.formats.agents._session_log import (
    UNANSWERED,
    SessionLog,
    ToolResult,
    edits_of,
    first_topic,
    shell_result,
    text_result,
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
from berrypick.formats.agents._shell_reading import ShellReader, patched_files
from berrypick.formats.base import Format, Problems, Role

_ENDINGS = (".json", ".json.gz")
_VERSION = re.compile(r"ATIF-v1\.[0-7]")
#: Arguments by which a tool that is given a path changes the file.
_CHANGES = frozenset({"old_string", "new_string", "old_str", "new_str", "content", "contents", "file_text", "edits",
                      "new_source", "insert_line", "diff", "patch", "replacement"})  # fmt: skip
#: Commands of editors that take a path beside them.
_EDITOR = frozenset({"view", "create", "str_replace", "insert", "undo_edit"})
_COPIED = "steps of copied context, skipped"
_MISSING = "references to trajectories of subagents that are not there"
_LOOSE = "observations without their call, skipped"


class Atif(Format):
    """Trajectories of agents in ATIF v1.0 to v1.7, a JSON file or a folder of them: a step that shows lines is a rank.

    Tools are recognised by their arguments. ``command`` or ``cmd`` is a shell: a command that says without doubt which
    lines of a file it prints points to them (``cat``, ``head``, ``tail``, ``sed -n 'A,Bp'``, ``nl -ba``, ``grep -n``,
    ``rg -n``, with pipes that only cut lines). ``file_path`` or ``path`` is a file that is read, by the numbers before
    its lines, or changed, where there is a text to put into it; with ``pattern`` it is a search. Lines are counted from
    what was shown. Paths count from ``root``.

    Steps of subagents stand at the step that refers to them, whether they are in ``subagent_trajectories`` or in a file
    beside this one. Copied context is skipped and counted. The topic is what ``topic_pattern`` finds in a message of
    the user, else the id of the session. Options as in claude-session.

    Costs of a step: ``tokens`` since the step before (prompt without what was cached, and completion) and ``seconds``.
    No text of a session is kept.

    Sample::

        {"schema_version": "ATIF-v1.6", "session_id": "s1", "agent": {"name": "a", "version": "1"}, "steps": [
         {"step_id": 1, "source": "user", "message": "Fix the bug."},
         {"step_id": 2, "source": "agent", "message": "", "metrics": {"prompt_tokens": 90, "completion_tokens": 7},
          "tool_calls": [{"tool_call_id": "c1", "function_name": "bash",
            "arguments": {"command": "sed -n '3,4p' a.py"}}],
          "observation": {"results": [{"source_call_id": "c1", "content": "x = 1\\ny = 2\\n"}]}}]}
    """

    format_name: ClassVar[str] = "atif"
    role: ClassVar[Role] = "run"
    states_empty_lists: ClassVar[bool] = True
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ("ATIF-v",)
    shape: ClassVar[str] = '{"schema_version": "ATIF-v1.6", "session_id": "..", "agent": {..}, "steps": [..]}'
    json_names: ClassVar[tuple[str, ...]] = ("schema_version", "session_id", "agent", "steps")
    reading: ClassVar[Mapping[str, str]] = READING

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return re.search(r'"schema_version":\s*"ATIF-v', "\n".join(lines)) is not None

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        first = next(session_files(path, _ENDINGS), None)
        return first is not None and cls.sniff(head(first))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        checked = checked_options(cls.format_name, options, (*PLACING, SHELL))
        sessions = SessionRows(problems, **checked)
        folder = _Folder(path, problems)
        for file in folder.own():
            value = folder.loaded(file)
            if value is not None:
                sessions.add_log(_Trajectory(file, folder, problems, checked["pattern"]).read(value))
        return sessions.run(path, cls.format_name)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return describe_sessions(value)


class _Folder:
    """The files that belong together, and which of them others refer to."""

    def __init__(self, path: str, problems: Problems) -> None:
        self._path, self._problems = path, problems
        self._top = os.path.realpath(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        self._ids: dict[str, str] = {}
        self._referred: set[str] = set()

    def own(self) -> list[str]:
        """The files of sessions: those that no other trajectory refers to."""
        files = list(session_files(self._path, _ENDINGS))
        for file in files if len(files) > 1 else ():
            value = self.loaded(file, counted=False)
            for name in ("trajectory_id", "session_id"):
                if value is not None and isinstance(value.get(name), str):
                    self._ids.setdefault(value[name], file)
        for file in files if len(files) > 1 else ():
            value = self.loaded(file, counted=False)
            for reference in _references(value) if value is not None else ():
                found = self.found(reference, file)
                if found is not None and found != file:
                    self._referred.add(os.path.realpath(found))
        return [file for file in files if os.path.realpath(file) not in self._referred]

    def loaded(self, file: str, counted: bool = True) -> dict[str, Any] | None:
        own = self._problems if file == self._path else Problems(file, self._problems.strict, self._problems.limit)
        value, _ = load(file, own)
        if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
            self._problems.count("files without a trajectory, skipped") if counted else None
            return None
        version = value.get("schema_version")
        if not isinstance(version, str) or not _VERSION.fullmatch(version):
            remedy = "ATIF-v1.0 to ATIF-v1.7 are read; convert the trajectory to one of them"
            raise InputError(f"schema_version is {str(version)!r:.40}", path=file, remedy=remedy)
        return value

    def found(self, reference: Mapping[str, Any], file: str) -> str | None:
        """The file that a reference means; never one outside of the folder that was given."""
        given = reference.get("trajectory_path")
        if isinstance(given, str) and given and "\0" not in given:
            for base in (os.path.dirname(file), self._top):
                place = os.path.realpath(os.path.join(base, given))
                if os.path.commonpath([place, self._top]) == self._top and os.path.isfile(place):
                    return place
        for name in ("trajectory_id", "session_id"):
            known = self._ids.get(str(reference.get(name)))
            if known is not None and known != file:
                return known
        return None


def _references(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """References of all steps to subagents, and to the trajectory that continues this one."""
    for step in _mappings(value.get("steps")):
        for result in _results(step):
            yield from _mappings(result.get("subagent_trajectory_ref"))
    for inner in _mappings(value.get("subagent_trajectories")):
        yield from _references(inner)
    if isinstance(later := value.get("continued_trajectory_ref"), str):
        yield {"trajectory_path": later}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _results(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _mappings(_mapping(step.get("observation")).get("results"))


class _Trajectory:
    """A trajectory with all that it refers to, as one log."""

    def __init__(self, file: str, folder: _Folder, problems: Problems, pattern: re.Pattern[str] | None) -> None:
        self.log = SessionLog(file, sidechain=False)
        self._folder, self._problems, self._pattern = folder, problems, pattern
        self._shell, self._tokens = ShellReader(), None
        self._entered: set[int | str] = {os.path.realpath(file)}
        self._spent: float | None = None

    def read(self, value: Mapping[str, Any]) -> SessionLog:
        agent, extra = _mapping(value.get("agent")), _mapping(value.get("extra"))
        self.log.session = str(value.get("session_id") or value.get("trajectory_id") or "")
        self.log.agent, self.log.version = str(agent.get("name") or ""), str(agent.get("version") or "")
        folders = _mapping(agent.get("extra")).get("cwds")  # of Harbor; one that was never left says where all ran
        given = extra.get("cwd") or (folders[0] if isinstance(folders, list) and len(folders) == 1 else "")
        self.log.folder = given if isinstance(given, str) else ""
        self._walk(value, self.log.path, main=True)
        return self.log

    def _walk(self, value: Mapping[str, Any], file: str, main: bool, depth: int = 0) -> None:
        inner = _mappings(value.get("subagent_trajectories"))
        for step in _mappings(value.get("steps")):
            if step.get("is_copied_context") is True:
                self._problems.count(_COPIED)
                continue
            time = time_of(step.get("timestamp"))
            self.log.started = self.log.started if self.log.started is not None else time
            if main and step.get("source") == "user" and self._pattern is not None and not self.log.topic:
                self.log.topic = first_topic(step.get("message"), self._pattern)
            self._spend(_mapping(step.get("metrics")))
            calls = {str(call.get("tool_call_id")): call for call in _mappings(step.get("tool_calls"))}
            whole = _mapping(_mapping(step.get("extra")).get("metadata")) if len(calls) == 1 else {}
            for result in _results(step):
                self._result(result, calls, time, whole)
                for reference in _mappings(result.get("subagent_trajectory_ref")):
                    self._refer(reference, inner, file, value, depth)
            self._unanswered(step, calls, time)
        later = value.get("continued_trajectory_ref")
        if isinstance(later, str) and depth < 50:
            self._refer({"trajectory_path": later}, [], file, value, depth, main)

    def _refer(
        self,
        reference: Mapping[str, Any],
        inner: list[Mapping[str, Any]],
        file: str,
        parent: Mapping[str, Any],
        depth: int,
        main: bool = False,
    ) -> None:
        """Go through a trajectory where a step refers to it, each once."""
        found = next((one for one in inner if _is_meant(one, reference, parent)), None)
        place: str | None = file
        if found is None:
            place = self._folder.found(reference, file)
            found = self._folder.loaded(place) if place is not None else None
        key: int | str = id(found) if place == file else os.path.realpath(place or "")
        if found is None or place is None or depth >= 50:
            self._problems.count(_MISSING)
        elif key not in self._entered:
            self._entered.add(key)
            self._walk(found, place, main, depth + 1)

    def _spend(self, metrics: Mapping[str, Any]) -> None:
        names = ("prompt_tokens", "completion_tokens", "cached_tokens")
        prompt, completion, cached = (_number(metrics.get(name)) for name in names)
        if prompt is not None or completion is not None:
            now = max(0.0, (prompt or 0.0) - (cached or 0.0)) + (completion or 0.0)
            self._spent = (self._spent or 0.0) + now

    def _unanswered(self, step: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]], time: float | None) -> None:
        """Count edits without a result; whatever else has none may have changed files too."""
        results = _results(step)
        named = {str(result.get("source_call_id")) for result in results}
        if not calls or (len(calls) == 1 and "None" in named):
            return
        for name, call in calls.items():
            if name in named:
                continue
            self._shell.forget()
            asked = _mapping(call.get("arguments"))
            kind = _kind(asked)
            edits = _patched(asked) if kind == "patch" else edits_of(kind, asked)
            if edits:
                self._problems.count(UNANSWERED)
                folder = self.log.folder
                self.log.results.append(ToolResult(name, "Edit", (), folder, time, self._spent, edits=edits))

    def _result(
        self,
        result: Mapping[str, Any],
        calls: Mapping[str, Mapping[str, Any]],
        time: float | None,
        whole: Mapping[str, Any],
    ) -> None:
        name = result.get("source_call_id")
        if name is None and len(calls) == 1:
            name = next(iter(calls))
        call = calls.get(str(name))
        if call is None:
            self._problems.count(_LOOSE) if result.get("content") else None
            return
        asked, tool = _mapping(call.get("arguments")), str(call.get("function_name") or "")
        text, identity = _text(result.get("content")), f"{len(self.log.results)} {name}"
        moved = asked.get("cwd") or asked.get("workdir")
        folder = moved if isinstance(moved, str) else self.log.folder
        extra = _mapping(result.get("extra"))
        failed = any(one.get("is_error") is True or one.get("exit_code") not in (None, 0) for one in (extra, whole))
        known = _kind(asked)
        if known == "patch":
            self._shell.forget()
            edits = () if failed else _patched(asked)
            self.log.results.append(ToolResult(identity, tool, (), folder, time, self._spent, edits=edits))
        elif failed or not known:
            self._shell.forget()
            self.log.results.append(ToolResult(identity, known or tool, (), folder, time, self._spent))
        else:
            given = {**asked, "cwd": folder}
            known_folder = isinstance(moved, str)
            places, edits, of_shell = text_result(known, given, text, self._shell, known_folder)
            if of_shell is not None:
                self.log.results.append(shell_result(of_shell, tool, identity, folder, time, self._spent))
            else:
                found = ToolResult(identity, known, tuple(places), folder, time, self._spent, edits=edits)
                self.log.results.append(found)


def _is_meant(one: Mapping[str, Any], reference: Mapping[str, Any], parent: Mapping[str, Any]) -> bool:
    """Whether an embedded trajectory is the one; a session id that parent and subagent share says nothing."""
    if isinstance(wanted := reference.get("trajectory_id"), str):
        return one.get("trajectory_id") == wanted
    wanted = reference.get("session_id")
    return isinstance(wanted, str) and wanted != parent.get("session_id") and one.get("session_id") == wanted


def _kind(asked: Mapping[str, Any]) -> str:
    """What a tool does, by its arguments: '' where they do not say it."""
    path = asked.get("file_path") or asked.get("path") or asked.get("notebook_path")
    if any(isinstance(one, str) and one.lstrip().startswith("*** Begin Patch") for one in asked.values()):
        return "patch"
    command = asked.get("command")
    if isinstance(command, str) and command in _EDITOR and isinstance(path, str):
        return "Read" if asked["command"] == "view" else "Edit"
    if "command" in asked or "cmd" in asked:
        return SHELL
    if "pattern" in asked:
        return "Grep"
    if not isinstance(path, str):
        return ""
    return "Edit" if _CHANGES & asked.keys() else "Read"


def _patched(asked: Mapping[str, Any]) -> tuple[str, ...]:
    patch = next((str(one) for one in asked.values() if "*** Begin Patch" in str(one)), "")
    return tuple(patched_files(patch))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text") or "") for part in _mappings(content))
