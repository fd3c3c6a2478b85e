"""Traces of agents by OpenInference."""

import json

import berrypick as bp


def span(trace, name, second, kind, **attributes):
    held = {"openinference.span.kind": kind, **{key.replace("__", "."): value for key, value in attributes.items()}}
    listed = [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
              for key, value in held.items()]  # fmt: skip
    return {"traceId": trace, "spanId": name, "startTimeUnixNano": str(int((second - 1) * 1e9)),
            "endTimeUnixNano": str(int(second * 1e9)), "attributes": listed}  # fmt: skip


def tool(trace, name, second, tool, asked, shown):
    return span(trace, name, second, "TOOL", tool__name=tool, input__value=json.dumps(asked), output__value=shown)


def test_spans_of_tools_are_steps(tmp_path):
    """They come in any order, and count in that of time; the tokens of the requests before belong to a step."""
    spans = [
        tool("t1", "d", 9, "Read", {"file_path": "/home/me/repo/src/a.py"}, "     5→x\n     6→y\n"),
        span("t1", "a", 20, "AGENT", input__value="issue: one\nSECRET"),
        tool("t1", "b", 3, "Grep", {"pattern": "x", "cwd": "/home/me/repo"}, "src/b.py:12:x\nsrc/b.py-13-SECRET"),
        span("t1", "c", 6, "LLM", llm__token_count__prompt=70, llm__token_count__completion=5),
        span("t1", "z", 2, "LLM", llm__token_count__prompt=30, llm__token_count__completion=2),
        tool("t1", "e", 7, "Shell", {"command": "ls"}, "SECRET"),
        tool("t1", "f", 11, "Edit", {"file_path": "/home/me/repo/src/a.py"}, "done"),
        tool("t1", "g", 12, "Read", {"file_path": "/home/me/repo/src/a.py"}, "     7→x\n"),
    ]
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": some}]}]}) + "\n"
                            for some in (spans[:3], spans[3:])))  # fmt: skip
    run = bp.read_run(path, "agent-traces(topic_pattern='issue: (.*)',root='repo')")
    assert run.to_records() == [
        {"topic": "one", "doc": "src/b.py", "start_line": 12, "end_line": 13, "rank": 1, "tokens": 32, "seconds": 2,
         "tool": "Grep", "session": "t1", "session_date": "1970-01-01"},
        {"topic": "one", "doc": "src/a.py", "start_line": 5, "end_line": 6, "rank": 2, "tokens": 75, "seconds": 6,
         "tool": "Read", "session": "t1"},
    ]  # fmt: skip
    assert run.notes == ("1 call without a file position: Shell 1",)
    assert run.skipped == {"steps after the first edit, skipped": 1} and "SECRET" not in str(run.to_records())


def test_tools_of_genai_are_the_same_steps(tmp_path):
    """Arguments are a text or an object; the numbers are those of OpenInference."""
    names = {"tool.name": "gen_ai.tool.name", "input.value": "gen_ai.tool.call.arguments",
             "output.value": "gen_ai.tool.call.result", "llm.token_count.prompt": "gen_ai.usage.input_tokens",
             "llm.token_count.completion": "gen_ai.usage.output_tokens"}  # fmt: skip
    operations = {"TOOL": "execute_tool", "LLM": "chat"}
    spans = [
        span("t1", "z", 2, "LLM", llm__token_count__prompt=30, llm__token_count__completion=2),
        tool("t1", "b", 3, "Grep", {"pattern": "x", "cwd": "/home/me/repo"}, "src/b.py:12:x"),
        tool("t1", "d", 9, "Read", {"file_path": "/home/me/repo/src/a.py"}, "     5→x\n     6→y\n"),
    ]
    renamed = []
    for one in spans:
        held = []
        for pair in one["attributes"]:
            if pair["key"] == "openinference.span.kind":
                operation = operations[pair["value"]["stringValue"]]
                held.append({"key": "gen_ai.operation.name", "value": {"stringValue": operation}})
            elif pair["key"] == "input.value" and one["spanId"] == "d":
                asked = {"key": "file_path", "value": {"stringValue": "/home/me/repo/src/a.py"}}
                held.append({"key": names["input.value"], "value": {"kvlistValue": {"values": [asked]}}})
            else:
                held.append({"key": names[pair["key"]], "value": pair["value"]})
        renamed.append({**one, "attributes": held})
    found = []
    for number, some in enumerate((spans, renamed)):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": some}]}]}) + "\n")
        run = bp.read_run(path, "agent-traces(root='repo')")
        found.append(run.to_records())
    assert found[0] == found[1] and len(found[0]) == 2 and found[0][0]["tokens"] == 32
