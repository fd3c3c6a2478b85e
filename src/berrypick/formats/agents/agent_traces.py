"""Traces of agents by OpenInference as a run: spans of tools that show lines of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.data.run import Run
from berrypick.files.strict_json import strict_json
from berrypick.formats.agents._session_log import SessionLog, ToolResult, first_topic, shell_result, text_result
from berrypick.formats.agents._session_rows import READING, SessionRows, checked_options, describe_sessions
from berrypick.formats.agents._shell_reading import ShellReader
from berrypick.formats.base import Format, Problems, Role
from berrypick.inputs.traces.open_telemetry import typed
from berrypick.rows.json_lines import records

_KIND = "openinference.span.kind"
_CACHED = "llm.token_count.prompt_details.cache_read"
_TOKENS = ("llm.token_count.prompt", "llm.token_count.completion")
#: Names of OpenTelemetry's GenAI conventions, and what OpenInference calls the same.
_GENAI = {
    "gen_ai.tool.name": "tool.name", "gen_ai.tool.call.arguments": "input.value",
    "gen_ai.tool.call.result": "output.value", "gen_ai.input.messages": "input.value",
    "gen_ai.usage.input_tokens": "llm.token_count.prompt", "gen_ai.usage.output_tokens": "llm.token_count.completion",
}  # fmt: skip
_OPERATIONS = {"execute_tool": "TOOL", "chat": "LLM", "generate_content": "LLM", "text_completion": "LLM"}


class AgentTraces(Format):
    """Traces of agents by OpenInference or OpenTelemetry GenAI as OTLP JSON, one export a line: tools are steps.

    A span of kind TOOL whose ``tool.name`` is Read or Grep, with its arguments in ``input.value`` and what it showed in
    ``output.value`` (lines with their numbers, or ``path:line:``), points to these lines; so does a span
    ``execute_tool`` of GenAI (``gen_ai.tool.name``, ``.call.arguments``, ``.call.result``). The topic is what
    ``topic_pattern`` finds in an ``input.value`` of the trace, else the id of the trace. Tokens are those of the spans
    of kind LLM so far: prompt without what was in the cache, and completion. A span with the status ERROR shows and edits nothing. Options as in claude-session.

    Sample::

        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t1", "spanId": "a", "endTimeUnixNano": "2000000000", "attributes": [{"key": "openinference.span.kind", "value": {"stringValue": "TOOL"}}, {"key": "tool.name", "value": {"stringValue": "Grep"}}, {"key": "input.value", "value": {"stringValue": "{}"}}, {"key": "output.value", "value": {"stringValue": "src/a.py:12:x"}}]}]}]}]}
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t2", "spanId": "b", "endTimeUnixNano": "3000000000", "attributes": [{"key": "openinference.span.kind", "value": {"stringValue": "TOOL"}}, {"key": "tool.name", "value": {"stringValue": "Grep"}}, {"key": "input.value", "value": {"stringValue": "{}"}}, {"key": "output.value", "value": {"stringValue": "src/b.py:3:y"}}]}]}]}]}
    """  # noqa: E501 - exports are long lines

    format_name: ClassVar[str] = "agent-traces"
    role: ClassVar[Role] = "run"
    states_empty_lists: ClassVar[bool] = True
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"TOOL"', '"execute_tool"')
    before: ClassVar[tuple[str, ...]] = ("traces",)
    shape: ClassVar[str] = '{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "..", "attributes": [..]}]}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("resourceSpans", "scopeSpans", "spans", "attributes")
    reading: ClassVar[Mapping[str, str]] = READING

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "".join(lines)
        return (
            lines[0].lstrip().startswith("{")
            and '"resourceSpans"' in text
            and ('"TOOL"' in text or ('"execute_tool"' in text and ('"Read"' in text or '"Grep"' in text)))
            and ('"RETRIEVER"' not in text and '"gen_ai.retrieval.' not in text)
        )

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        checked = checked_options(cls.format_name, options)
        sessions = SessionRows(problems, **checked)
        for log in _logs(path, problems, checked["pattern"]):
            sessions.add_log(log)
        return sessions.run(path, cls.format_name)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return describe_sessions(value)


def _logs(path: str, problems: Problems, pattern: Any) -> Iterator[SessionLog]:
    """A log for each trace, its spans in the order in which they ended."""
    traces: dict[str, list[tuple[float, str, dict[str, Any]]]] = {}
    for number, text, value in records(path, problems):
        for span in _spans(value, number, text, problems):
            traces.setdefault(str(span.get("traceId")), []).append((_seconds(span), str(span.get("spanId")), span))
    for trace, held in traces.items():
        log, tokens, known = SessionLog(path, session=trace, sidechain=False), 0.0, False
        shell = ShellReader()
        for time, name, span in sorted(held, key=lambda one: one[0]):
            found = _attributes(span)
            kind = found.get(_KIND)
            log.topic = log.topic or (first_topic(found.get("input.value"), pattern) if pattern is not None else "")
            counts = [found[key] for key in _TOKENS if isinstance(found.get(key), (int, float))]
            if kind == "LLM" and counts:
                cached = found.get(_CACHED)
                kept = cached if isinstance(cached, (int, float)) else 0
                known, tokens = True, tokens + max(0.0, float(sum(counts) - kept))
            elif kind == "TOOL":
                spent = tokens if known else None
                log.results.append(_result(found, f"{trace} {name}", time, spent, _has_failed(span), shell))
        started = [_seconds(span, "startTimeUnixNano") for _, _, span in held if span.get("startTimeUnixNano")]
        log.started = min(started, default=None)
        yield log


def _spans(value: Mapping[str, Any], number: int, text: str, problems: Problems) -> Iterator[dict[str, Any]]:
    try:
        for resource in value["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                yield from (span for span in scope["spans"] if isinstance(span, dict))
    except (KeyError, TypeError):
        problems.report("resourceSpans must hold scopeSpans with spans", number, text)


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """Names to values, of whatever kind."""
    found: dict[str, Any] = {}
    listed = span.get("attributes")
    for one in listed if isinstance(listed, list) else ():
        value = one.get("value") if isinstance(one, Mapping) else None
        if isinstance(value, Mapping) and value:
            kind, held = next(iter(value.items()))
            whole = kind == "intValue" and isinstance(held, str) and held.lstrip("-").isdigit() and len(held) < 19
            found[str(one.get("key"))] = int(held) if whole else typed(value) if kind in _LISTS else held
    if isinstance(operation := found.get("gen_ai.operation.name"), str):
        named = {ours: found[name] for name, ours in _GENAI.items() if name in found}
        found = {**named, _KIND: _OPERATIONS.get(operation, operation), **found}
    return found


_LISTS = ("arrayValue", "kvlistValue")


def _seconds(span: Mapping[str, Any], name: str = "endTimeUnixNano") -> float:
    given = str(span.get(name) or "0")
    return int(given) / 1e9 if given.isdigit() and len(given) < 25 else 0.0


def _has_failed(span: Mapping[str, Any]) -> bool:
    """Whether the status of a span is an error, as a number or by its name."""
    status = span.get("status")
    return isinstance(status, Mapping) and status.get("code") in (2, "2", "STATUS_CODE_ERROR")


def _result(
    found: Mapping[str, Any], call: str, time: float, tokens: float | None, failed: bool, shell: ShellReader
) -> ToolResult:
    tool = str(found.get("tool.name") or "")
    asked: Any = found.get("input.value")
    try:
        asked = strict_json(asked) if isinstance(asked, str) else asked
    except (ValueError, RecursionError):
        asked = None
    given = asked if isinstance(asked, Mapping) else {}
    folder = str(given.get("cwd") or given.get("workdir") or "")
    if failed:
        return ToolResult(call, tool, (), folder, time, tokens, placed=False)
    shown = str(found.get("output.value") or "")
    places, edits, of_shell = text_result(tool, given, shown, shell, bool(folder))
    if of_shell is not None:
        return shell_result(of_shell, tool, call, folder, time, tokens)
    return ToolResult(call, tool, tuple(places), folder, time, tokens, None, edits)
