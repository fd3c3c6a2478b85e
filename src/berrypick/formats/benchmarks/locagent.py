"""Issues with what was changed for them, and what a localiser returns: LocAgent, at three levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import entries, identified
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Rows

#: Gold by level: the name in ``changes`` of a changed file. Files have their own name.
_CHANGED = {"modules": "edited_modules", "functions": "edited_entities"}
#: Results by level.
_FOUND = {"files": "found_files", "modules": "found_modules", "functions": "found_entities"}
_GOLD = ("gt_files", "gt_file_changes", "file_changes", "edit_functions")


class LocAgentTruth(TruthRecords):
    """Issues with the files that were changed, one JSON object per line: ``instance_id`` and its gold.

    Gold is ``meta_data`` with ``gt_files`` or ``gt_file_changes``, as in LocAgent's outputs, or ``file_changes``, as in
    its gold files, or ``edit_functions``, as in Loc-Bench. The topic is ``instance_id``, the documents are the files.
    For an issue without gold nothing is judged. The field ``functions`` of the topic says whether there is a gold
    function (``some``, ``none``), where the file says so. The levels module and function read the same
    file as locagent-modules and locagent-functions.

    Sample::

        {"instance_id": "jam-7", "file_changes": [{"file": "jam/pot.py"}]}
        {"instance_id": "jam-8", "file_changes": [{"file": "jam/lid.py"}, {"file": "jam/pot.py"}]}
    """

    format_name: ClassVar[str] = "locagent"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"gt_files"', '"gt_file_changes"', '"file_changes"', '"edit_functions"')
    before: ClassVar[tuple[str, ...]] = ("patch",)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "meta_data": {"gt_files": ["jam/pot.py"]}}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "meta_data", "file_changes", "gt_file_changes", "gt_files")
    level: ClassVar[str] = "files"
    at_level: ClassVar[Mapping[str, str]] = {"module": "locagent-modules", "function": "locagent-functions"}

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _is_gold(lines) and any(f'"{one}"' in lines[0] for one in ("file", "gt_files", "edit_functions"))

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in entries(path, problems, "instance_id"):
            if not identified(value, "instance_id", number, text, problems):
                continue
            found = _gold(value, cls.level, number, text, problems)
            if found is None:
                continue
            about = {"topic": value["instance_id"], **_functions(value)}
            if not found:
                problems.count(f"issues without gold {cls.level}, not judged")
                yield number, text, {**about, "judged": False}
            for name in dict.fromkeys(found):
                yield number, text, {**about, "doc": name}


class LocAgentModules(LocAgentTruth):
    """Issues with the modules that were changed, one JSON object per line: ``instance_id`` and its gold.

    Files as in locagent. The documents are ``edited_modules``: classes and functions of the top level, as
    ``jam/pot.py:Pot``. It is chosen by name where a file names files too.

    Sample::

        {"instance_id": "jam-7", "file_changes": [{"changes": {"edited_modules": ["jam/pot.py:Pot"]}}]}
        {"instance_id": "jam-8", "file_changes": [{"changes": {"edited_modules": ["jam/lid.py:close"]}}]}
    """

    format_name: ClassVar[str] = "locagent-modules"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"edited_modules"',)
    before: ClassVar[tuple[str, ...]] = ("patch",)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "file_changes": [{"changes": {"edited_modules": ["pot.py:Pot"]}}]}'
    level: ClassVar[str] = "modules"
    at_level: ClassVar[Mapping[str, str]] = {"function": "locagent-functions"}

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _is_gold(lines) and not LocAgentTruth.sniff(lines) and '"edited_modules"' in lines[0]


class LocAgentFunctions(LocAgentTruth):
    """Issues with the functions that were changed, one JSON object per line: ``instance_id`` and its gold.

    Files as in locagent. The documents are ``edited_entities`` or ``edit_functions``, as ``jam/pot.py:Pot.boil``. It is
    chosen by name where a file names files too.

    Sample::

        {"instance_id": "jam-7", "file_changes": [{"changes": {"edited_entities": ["jam/pot.py:Pot.boil"]}}]}
        {"instance_id": "jam-8", "file_changes": [{"changes": {"edited_entities": ["jam/lid.py:close"]}}]}
    """

    format_name: ClassVar[str] = "locagent-functions"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"edited_entities"',)
    before: ClassVar[tuple[str, ...]] = ("patch",)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "file_changes": [{"changes": {"edited_entities": ["p.py:f"]}}]}'
    level: ClassVar[str] = "functions"
    at_level: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        sniffed = LocAgentTruth.sniff(lines) or LocAgentModules.sniff(lines)
        return _is_gold(lines) and not sniffed and '"edited_entities"' in lines[0]


class LocAgentRun(RunRecords):
    """Files that a localiser returns, one JSON object per line: ``instance_id`` and ``found_files``, the best first.

    Topics and documents as in locagent. The levels module and function read the same file as
    locagent-modules-run and locagent-functions-run.

    Sample::

        {"instance_id": "jam-7", "found_files": ["jam/pot.py", "jam/lid.py"]}
        {"instance_id": "jam-8", "found_files": []}
    """

    format_name: ClassVar[str] = "locagent-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"found_files"',)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "found_files": ["jam/pot.py"]}'
    json_names: ClassVar[tuple[str, ...]] = ("instance_id", "found_files", "found_modules", "found_entities")
    level: ClassVar[str] = "files"
    at_level: ClassVar[Mapping[str, str]] = {"module": "locagent-modules-run", "function": "locagent-functions-run"}

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        """The first level there is, from files to functions."""
        names = {*line_names(lines[0])}
        first = next((level for level, name in _FOUND.items() if name in names), "")
        return "instance_id" in names and first == cls.level

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        name = _FOUND[cls.level]
        for number, text, value in entries(path, problems, "instance_id"):
            if not identified(value, "instance_id", number, text, problems):
                continue
            found = value.get(name)
            if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
                problems.report(f"{name} must be a list of names", number, text)
                continue
            if not found:
                yield number, text, {"topic": value["instance_id"], "results": []}
            for one in found:
                yield number, text, {"topic": value["instance_id"], "doc": one}


class LocAgentModulesRun(LocAgentRun):
    """Modules that a localiser returns, one JSON object per line: ``instance_id`` and ``found_modules``.

    As locagent-run. It is chosen by name where a file has ``found_files`` too.

    Sample::

        {"instance_id": "jam-7", "found_modules": ["jam/pot.py:Pot", "jam/lid.py:close"]}
        {"instance_id": "jam-8", "found_modules": []}
    """

    format_name: ClassVar[str] = "locagent-modules-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"found_modules"',)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "found_modules": ["jam/pot.py:Pot"]}'
    level: ClassVar[str] = "modules"
    at_level: ClassVar[Mapping[str, str]] = {"function": "locagent-functions-run"}


class LocAgentFunctionsRun(LocAgentRun):
    """Functions that a localiser returns, one JSON object per line: ``instance_id`` and ``found_entities``.

    As locagent-run. It is chosen by name where a file has ``found_files`` or ``found_modules`` too.

    Sample::

        {"instance_id": "jam-7", "found_entities": ["jam/pot.py:Pot.boil", "jam/lid.py:close"]}
        {"instance_id": "jam-8", "found_entities": []}
    """

    format_name: ClassVar[str] = "locagent-functions-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"found_entities"',)
    shape: ClassVar[str] = '{"instance_id": "jam-7", "found_entities": ["jam/pot.py:Pot.boil"]}'
    level: ClassVar[str] = "functions"
    at_level: ClassVar[Mapping[str, str]] = {}


def _is_gold(lines: list[str]) -> bool:
    return "instance_id" in line_names(lines[0]) and any(f'"{name}"' in lines[0] for name in _GOLD)


def _held(value: Mapping[str, Any]) -> dict[str, Any]:
    inside = value.get("meta_data")
    return {**(inside if isinstance(inside, Mapping) else {}), **value}


def _functions(value: Mapping[str, Any]) -> dict[str, str]:
    """Whether an issue has a gold function, as a field of its topic; LocAgent's program leaves out those without."""
    held = _held(value)
    name = next((one for one in _GOLD if one != "gt_files" and isinstance(held.get(one), list)), None)
    found = None if name is None else any(_names(held[name], name, "functions"))
    return {} if found is None else {"functions": "some" if found else "none"}


def _gold(value: Mapping[str, Any], level: str, number: int, text: str, problems: Problems) -> list[str] | None:
    """The names of one level; None and a problem if the gold is none."""
    held = _held(value)
    name = next((one for one in _GOLD if held.get(one) is not None), None)
    if name is None:
        problems.report(f"has no gold: none of {', '.join(_GOLD)}", number, text)
        return None
    if name == "gt_files" and level != "files" and held.get("gt_file_changes") is not None:
        name = "gt_file_changes"
    found = list(_names(held[name], name, level))
    if not isinstance(held[name], list) or not all(isinstance(one, str) and one for one in found):
        problems.report(f"{name} does not say which {level} were changed", number, text)
        return None
    return found


def _names(given: Any, name: str, level: str) -> Iterator[Any]:
    """The names of a level, None for each place where it should stand and does not."""
    for one in given if isinstance(given, list) else ():
        if name == "gt_files":
            yield one if level == "files" else None
        elif name == "edit_functions":
            yield _of_function(one, level)
        elif not isinstance(one, Mapping):
            yield None
        elif level == "files":
            yield one.get("file")
        else:
            changes = one.get("changes")
            yield from (changes.get(_CHANGED[level]) or []) if isinstance(changes, Mapping) else [None]


def _of_function(given: Any, level: str) -> str | None:
    """What a function's name, ``path:Class.method``, says at a level."""
    if not isinstance(given, str) or ":" not in given:
        return None
    path, _, name = given.partition(":")
    return {"files": path, "modules": f"{path}:{name.partition('.')[0]}", "functions": given}[level]
