"""One session of an agent, written as each agent writes it."""

import datetime
import json
from dataclasses import dataclass

REPO = "/home/me/repo"
CODEX = ("shell", "shell_json", "shell_command", "exec_command")


@dataclass(frozen=True)
class Step:
    """A shell command, what it printed, and what the request for it cost."""

    command: str
    output: str = ""
    code: int = 0
    prompt: int = 100
    cached: int = 0
    completion: int = 10


def _time(second):
    return (
        datetime.datetime(2026, 1, 5, 10, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=second)
    ).isoformat()


def claude(path, issue, steps):
    records = [{"type": "user", "message": {"role": "user", "content": issue}, "timestamp": _time(0), "version": "2.1"}]
    for i, step in enumerate(steps, 1):
        use = {"type": "tool_use", "id": f"c{i}", "name": "Bash", "input": {"command": step.command}}
        usage = {
            "input_tokens": step.prompt - step.cached,
            "cache_read_input_tokens": step.cached,
            "output_tokens": step.completion,
        }
        message = {"role": "assistant", "id": f"m{i}", "content": [use], "usage": usage}
        records.append({"type": "assistant", "message": message, "timestamp": _time(2 * i - 1)})
        shown = {"type": "tool_result", "tool_use_id": f"c{i}", "content": step.output}
        fields = {"stdout": step.output, "stderr": "", "interrupted": False, "isImage": False}
        if step.code:
            shown |= {"is_error": True}
            fields = f"Error: Exit code {step.code}\n{step.output}"
        records.append(
            {
                "type": "user",
                "message": {"role": "user", "content": [shown]},
                "toolUseResult": fields,
                "timestamp": _time(2 * i),
            }
        )
    path.write_text("".join(json.dumps({"sessionId": "s1", "cwd": REPO, **one}) + "\n" for one in records))
    return path, "claude-session", {"tools": "Read,Grep,Bash"}


def atif_value(issue, steps, version="ATIF-v1.7"):
    found = [{"step_id": 1, "source": "user", "message": issue, "timestamp": _time(0)}]
    for i, step in enumerate(steps, 1):
        call = {"tool_call_id": f"c{i}", "function_name": "bash", "arguments": {"command": step.command}}
        metrics = {"prompt_tokens": step.prompt, "cached_tokens": step.cached, "completion_tokens": step.completion}
        result = {
            "source_call_id": f"c{i}",
            "content": f"<returncode>{step.code}</returncode>\n<output>\n{step.output}</output>",
        }
        found.append(
            {
                "step_id": i + 1,
                "source": "agent",
                "message": "",
                "timestamp": _time(2 * i),
                "tool_calls": [call],
                "metrics": metrics,
                "observation": {"results": [result]},
            }
        )
    return {
        "schema_version": version,
        "session_id": "s1",
        "agent": {"name": "mini", "version": "1.2"},
        "steps": found,
        "extra": {"cwd": REPO},
    }


def atif(path, issue, steps):
    path.write_text(json.dumps(atif_value(issue, steps)))
    return path, "atif", {}


def wrapped(tool, step):
    """The output of a command, as Codex's tools wrap it."""
    if tool == "shell_json":
        return json.dumps({"output": step.output, "metadata": {"exit_code": step.code, "duration_seconds": 0.1}})
    if tool == "exec_command":
        chunk = "Chunk ID: a1b2c3\nWall time: 0.1000 seconds"
        return f"{chunk}\nProcess exited with code {step.code}\nOriginal token count: 9\nOutput:\n{step.output}"
    return f"Exit code: {step.code}\nWall time: 0.1 seconds\nOutput:\n{step.output}"


def codex(path, issue, steps, tool="shell_command", count_first=True):
    def line(kind, second, payload):
        return json.dumps({"timestamp": _time(second), "type": kind, "payload": payload}) + "\n"

    text = [line("session_meta", 0, {"id": "s1", "cwd": REPO, "cli_version": "0.50.0", "source": "exec"})]
    text.append(
        line(
            "response_item", 0, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": issue}]}
        )
    )
    total = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0}
    for i, step in enumerate(steps, 1):
        asked = {"cmd": step.command} if tool == "exec_command" else {"command": step.command, "workdir": REPO}
        if tool.startswith("shell") and tool != "shell_command":
            asked["command"] = ["bash", "-lc", step.command]
        name = "shell" if tool == "shell_json" else tool
        text.append(
            line(
                "response_item",
                2 * i - 1,
                {"type": "function_call", "name": name, "arguments": json.dumps(asked), "call_id": f"c{i}"},
            )
        )
        total = {
            "input_tokens": total["input_tokens"] + step.prompt,
            "cached_input_tokens": total["cached_input_tokens"] + step.cached,
            "output_tokens": total["output_tokens"] + step.completion,
        }
        count = line("event_msg", 2 * i, {"type": "token_count", "info": {"total_token_usage": total}})
        shown = line(
            "response_item", 2 * i, {"type": "function_call_output", "call_id": f"c{i}", "output": wrapped(tool, step)}
        )
        text += [count, count, shown] if count_first else [shown, count, count]
    path.write_text("".join(text))
    return path, "codex-session", {}


def traces(path, issue, steps):
    def span(name, second, kind, **attributes):
        held = {"openinference.span.kind": kind, **{key.replace("__", "."): value for key, value in attributes.items()}}
        listed = [
            {"key": key, "value": {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}}
            for key, one in held.items()
        ]
        nanos = int(datetime.datetime.fromisoformat(_time(0)).timestamp()) + second
        return {
            "traceId": "s1",
            "spanId": name,
            "startTimeUnixNano": f"{nanos}000000000",
            "endTimeUnixNano": f"{nanos}000000000",
            "attributes": listed,
        }

    spans = [span("a", 0, "AGENT", input__value=issue)]
    for i, step in enumerate(steps, 1):
        spans.append(
            span(
                f"m{i}",
                2 * i - 1,
                "LLM",
                llm__token_count__prompt=step.prompt,
                llm__token_count__completion=step.completion,
                llm__token_count__prompt_details__cache_read=step.cached,
            )
        )
        spans.append(
            span(
                f"c{i}",
                2 * i,
                "TOOL",
                tool__name="shell",
                input__value=json.dumps({"command": step.command, "cwd": REPO}),
                output__value=wrapped("shell_command", step),
            )
        )
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    return path, "agent-traces", {"tools": "Read,Grep,Bash"}


def contextbench(path, topic, places):
    """What was looked at, step by step: (file, first line, last line)."""
    steps = [{"spans": {file: [{"start": a, "end": b}]}} for file, a, b in places]
    path.write_text(json.dumps({"instance_id": topic, "traj_data": {"pred_steps": steps}}) + "\n")
    return path, "contextbench-run", None
