"""Spans of OpenTelemetry's GenAI conventions as runs, in every form in which they are exported."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.errors import BerrypickError, InputError
from berrypick.inputs.traces.open_telemetry import plain_id

DOCUMENTS = {"guide.md": "Cut old canes. Pick dry.", "faq.md": "Water in July. Mulch in May."}
#: 14 of 14 characters for q1 at rank 2; q2 found nothing.
TRUTH = {"When are canes cut?": [("guide.md", 0, 14)], "When do I water?": [("faq.md", 0, 14)]}
FOUND = [
    {"id": "c-7", "score": 0.9, "content": "Pick dry."},
    {"id": "c-3", "score": 0.4, "content": "Cut old canes.", "metadata": {"source": "guide.md", "page": 3}},
]
TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"


def attributes(documents: Any, question: str = "When are canes cut?") -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "handbook",
        "gen_ai.retrieval.query.text": question,
        "gen_ai.retrieval.documents": documents,
    }


def recorded(structured: bool = True) -> tuple[list[Any], str]:
    """Two retrievals below an agent, as the SDK keeps them and as it prints them."""
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="pip install --group integrations")
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    memory, printed = InMemorySpanExporter(), io.StringIO()
    provider = trace.TracerProvider()
    for exporter in (memory, ConsoleSpanExporter(out=printed)):
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    made = (lambda held: held) if structured else json.dumps
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "a long story"}]}])
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": messages}
    with tracer.start_as_current_span("invoke_agent", attributes=agent):
        for documents, question in ((FOUND, "When are canes cut?"), ([], "When do I water?")):
            with tracer.start_as_current_span("retrieval handbook", attributes=attributes(made(documents), question)):
                pass
    return list(memory.get_finished_spans()), printed.getvalue()


def check(runs: Any) -> None:
    """Runs of traces, or the traces themselves."""
    results = bp.evaluate(TRUTH, runs, "charR spanRR", documents=DOCUMENTS)
    assert results.runs == ("retrieval handbook",)
    assert results.per_topic()["retrieval handbook"]["charR"] == {"When are canes cut?": 1.0, "When do I water?": 0.0}
    assert results.per_topic()["retrieval handbook"]["spanRR"] == {"When are canes cut?": 0.5, "When do I water?": 0.0}


def ids(run: bp.Run) -> set[tuple[str, str]]:
    return {(step.trace, step.span) for step in run.of_topics.traces.values()}


@pytest.mark.slow
@pytest.mark.parametrize("structured", [True, False])
def test_every_export_of_the_sdk_is_the_same_run(tmp_path: Path, structured: bool) -> None:
    spans, printed = recorded(structured)
    lines = "".join(span.to_json(indent=None) + "\n" for span in spans)
    encoded = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.trace_encoder").encode_spans(spans)
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter

    exporter = FileSpanExporter(tmp_path / "exported.jsonl")
    exporter.export(spans)
    exporter.shutdown()
    files = {
        "printed.json": printed,
        "spans.jsonl": lines,
        "list.json": json.dumps([json.loads(line) for line in lines.splitlines()], indent=1),
        "protobuf.json": json.dumps(MessageToDict(encoded)),
        "names.json": json.dumps(MessageToDict(encoded, preserving_proto_field_name=True)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    known = {(f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}") for span in spans[:2]}
    for source in (spans, *(str(tmp_path / name) for name in (*files, "exported.jsonl"))):
        runs = bp.read_traces(source)
        check(runs)
        assert ids(runs["retrieval handbook"]) == known, source


@pytest.mark.slow
def test_frames_of_spans(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    spans, _ = recorded()
    plain = [json.loads(span.to_json()) for span in spans]
    normalised = pandas.json_normalize(plain)
    assert "attributes.gen_ai.retrieval.documents" in normalised
    columns = [{"trace_id": one["context"]["trace_id"], "span_id": one["context"]["span_id"], "name": one["name"],
                **one["attributes"]} for one in plain]  # fmt: skip
    texts = [{"trace_id": one["context"]["trace_id"], "span_id": one["context"]["span_id"], "name": one["name"],
              "attributes": json.dumps(one["attributes"])} for one in plain]  # fmt: skip
    frames = [normalised, pandas.DataFrame(plain), pandas.DataFrame(columns), pandas.DataFrame(texts),
              polars.DataFrame(texts)]  # fmt: skip
    for frame in frames:
        check(bp.read_traces(frame))
        check(frame)
        with pytest.raises(InputError, match="read_traces"):
            bp.Run.from_frame(frame)
    check(list(spans))
    for number, frame in enumerate((normalised, pandas.DataFrame(columns), pandas.DataFrame(texts))):
        path = str(tmp_path / f"{number}.parquet")
        frame.to_parquet(path)
        check(bp.read_traces(path))


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(one) for one in value]} if value else {}}
    return {"kvlistValue": {"values": [{"key": name, "value": typed(one)} for name, one in value.items()]}}


def span(held: dict[str, Any], **more: Any) -> dict[str, Any]:
    listed = [{"key": name, "value": typed(value)} for name, value in held.items()]
    return {"traceId": TRACE, "spanId": SPAN, "name": "retrieval handbook", "attributes": listed, **more}


def only(source: Any) -> bp.Run:
    [run] = bp.read_traces(source).values()
    return run


def test_documents_are_judged_by_their_ids() -> None:
    found = [{"id": "faq.md", "score": 0.9}, {"id": "guide.md", "score": 0.4}]
    run = only([otlp(span(attributes(found)))])
    assert bp.score("RR", {"When are canes cut?": {"guide.md": 1}}, run) == 0.5


def test_places_beside_an_id_are_read() -> None:
    found = [
        {"id": "c-3", "score": 0.4, "doc": "guide.md", "start": 0, "end": 14},
        {"id": "guide.md#15-24", "score": 0.2},
    ]
    run = only([otlp(span(attributes(found)))])
    assert [row["doc"] for row in run["When are canes cut?"]] == ["guide.md", "guide.md"]
    assert bp.score("charR@1", {"When are canes cut?": [("guide.md", 7, 21)]}, run) == 0.5


def test_the_query_of_the_retrieval_names_the_topic_before_the_input_of_the_agent() -> None:
    outer = span({"gen_ai.operation.name": "invoke_agent", "input.value": "When do I water?"}, spanId="aa" * 8)
    inner = span(attributes(FOUND), parentSpanId="aa" * 8)
    assert only([otlp(outer, inner)]).topics == ("When are canes cut?",)
    silent = {name: value for name, value in attributes(FOUND).items() if "query" not in name}
    assert only([otlp(outer, span(silent, parentSpanId="aa" * 8))]).topics == ("When do I water?",)
    messages = [{"role": "user", "parts": [{"type": "text", "content": "Which soil?"}]}]
    outer = span({"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": messages}, spanId="aa" * 8)
    assert only([otlp(outer, span(silent, parentSpanId="aa" * 8))]).topics == ("Which soil?",)


@pytest.mark.parametrize("result", [FOUND, json.dumps(FOUND), json.dumps({"documents": FOUND})])
def test_tools_that_return_documents_retrieve(result: Any) -> None:
    arguments = json.dumps({"query": "When are canes cut?"})
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
            "gen_ai.tool.call.arguments": arguments, "gen_ai.tool.call.result": result}  # fmt: skip
    other = {**tool, "gen_ai.tool.call.result": "It is 20 degrees.", "gen_ai.tool.name": "weather"}
    run = only(
        [otlp(span(tool, name="execute_tool search"), span(other, spanId="bb" * 8, name="execute_tool weather"))]
    )
    assert run.tag == "execute_tool search"
    assert bp.score("charR", {"When are canes cut?": [("guide.md", 0, 14)]}, run, documents=DOCUMENTS) == 1.0


def test_tools_have_the_attribute_of_retrievals_too() -> None:
    held = {**attributes(FOUND), "gen_ai.operation.name": "execute_tool"}
    assert only([otlp(span(held))]).size() == 2


def test_a_span_that_is_exported_again_counts_once() -> None:
    twice = [otlp(span(attributes(FOUND))), otlp(span(attributes(FOUND), spanId=SPAN.upper()))]
    run = only(twice)
    assert run.size() == 2 and run.skipped == {"spans exported twice with the same id, read once": 1}


def test_a_failed_export_of_a_span_replaces_no_successful_one() -> None:
    failed = span(attributes([]), status={"code": 2})
    for order in ([span(attributes(FOUND)), failed], [failed, span(attributes(FOUND))]):
        assert only([otlp(*order)]).size() == 2


def test_a_failed_attempt_replaces_no_successful_one() -> None:
    later = span(attributes([]), spanId="cc" * 8, traceId="dd" * 16, status={"code": "STATUS_CODE_ERROR"},
                 startTimeUnixNano="9")  # fmt: skip
    run = only([otlp(span(attributes(FOUND), startTimeUnixNano="5"), later)])
    assert run.size() == 2 and sum(run.skipped.values()) == 1


@pytest.mark.parametrize("documents", ['[{"id": "guide.md", "sco', "", {"a": 1}, [1, 2], None])
def test_unreadable_documents_are_no_empty_list(documents: Any) -> None:
    held = {name: value for name, value in attributes(documents, "When do I water?").items() if value is not None}
    run = only([otlp(span(attributes(FOUND)), span(held, spanId="cc" * 8, traceId="dd" * 16))])
    assert run.topics == ("When are canes cut?",)
    assert run.skipped == {"questions with failed or unfinished retrievals only, absent from the run": 1}


def test_retrievals_without_documents_are_named() -> None:
    held = {name: value for name, value in attributes(None).items() if value is not None}
    with pytest.raises(InputError, match="none of 1 retrieval both succeeded and recorded documents"):
        bp.read_traces([otlp(span(held))])


def test_ids_are_the_same_in_every_form() -> None:
    raw = bytes.fromhex(TRACE)
    forms = (
        TRACE,
        TRACE.upper(),
        f"0x{TRACE}",
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode(),
        raw,
    )
    assert {plain_id(form) for form in forms} == {TRACE}
    assert [plain_id(one) for one in ("0" * 16, "0" * 32, None, "", "t1", "tr-00=")] == ["", "", "", "", "t1", "tr-00="]


@given(st.one_of(st.binary(min_size=8, max_size=8), st.binary(min_size=16, max_size=16)).filter(any))
def test_any_id(raw: bytes) -> None:
    assert plain_id(base64.b64encode(raw).decode()) == plain_id("0x" + raw.hex()) == raw.hex()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["key", "value", "values", "stringValue", "arrayValue", "kvlistValue", "intValue",
                                       "id", "score", "text", "attributes"]), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(VALUES, VALUES, VALUES)
def test_wrong_types_are_an_error_or_counted(documents: Any, listed: Any, name: Any) -> None:
    operation = {"key": "gen_ai.operation.name", "value": {"stringValue": "retrieval"}}
    recorded = {"key": "gen_ai.retrieval.documents", "value": documents}
    for held in ([operation, recorded], [operation, {"key": recorded["key"], "value": typed("[]")}, listed], listed,
                 {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": documents}):  # fmt: skip
        try:
            bp.read_traces([otlp({"traceId": name, "spanId": name, "name": name, "attributes": held})])
        except BerrypickError:
            continue


def test_deep_values_are_cut_off() -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(200):
        value = {"arrayValue": {"values": [value]}}
    held = span(attributes([]))
    held["attributes"][-1]["value"] = value
    with pytest.raises(InputError):
        bp.read_traces([otlp(held)])
