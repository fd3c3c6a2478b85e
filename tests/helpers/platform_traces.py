"""One retrieval in the traces and samples of every platform, for tests that it gives the same digits."""

from __future__ import annotations

import json
from typing import Any

from client_responses import DOCUMENTS, ROWS, SCORES

QUESTION = "When are old canes cut?"


def _typed(value: Any) -> dict[str, Any]:
    kinds = {str: "stringValue", int: "intValue", float: "doubleValue"}
    return {kinds[type(value)]: str(value) if isinstance(value, int) else value}


def otlp(spans: list[dict[str, Any]]) -> dict[str, Any]:
    made = [{**one, "attributes": [{"key": name, "value": _typed(value)} for name, value in one["attributes"].items()]}
            for one in spans]  # fmt: skip
    return {
        "resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "x"}, "spans": made}]}]
    }


def _documents(prefix: str = "retrieval.documents") -> dict[str, Any]:
    """As OpenInference flattens them; ids are those of an index that is gone."""
    found: dict[str, Any] = {}
    for i, (row, score) in enumerate(zip(ROWS, SCORES, strict=True)):
        found |= {
            f"{prefix}.{i}.document.id": f"chunk-{i}",
            f"{prefix}.{i}.document.content": row["text"],
            f"{prefix}.{i}.document.score": score,
            f"{prefix}.{i}.document.metadata": json.dumps({"source": row["source"]}),
        }
    return found


ATTRIBUTES = {
    "openinference.span.kind": "RETRIEVER", "input.value": "canes cut when", **_documents()
}  # fmt: skip
ROOT = {"traceId": "t1", "spanId": "a", "name": "answer", "startTimeUnixNano": "1", "attributes": {
    "openinference.span.kind": "CHAIN", "input.value": json.dumps({"input": QUESTION})}}  # fmt: skip
STEP = {"traceId": "t1", "spanId": "b", "parentSpanId": "a", "name": "retrieve", "startTimeUnixNano": "2",
        "attributes": ATTRIBUTES}  # fmt: skip
NESTED = {"openinference": {"span": {"kind": "RETRIEVER"}}, "input": {"value": QUESTION}, "retrieval": {"documents": [
    {"document": {"id": f"chunk-{i}", "content": row["text"], "metadata": {"source": row["source"]}}}
    for i, row in enumerate(ROWS)]}}  # fmt: skip
LANGSMITH = {"id": "b", "trace_id": "t1", "parent_run_id": "a", "name": "retrieve", "run_type": "retriever",
             "start_time": "2026-05-01T10:00:01", "inputs": {"query": "canes cut when"},
             "outputs": {"documents": DOCUMENTS}, "extra": {"metadata": {}}}  # fmt: skip
CHAIN = {"id": "a", "trace_id": "t1", "parent_run_id": None, "name": "answer", "run_type": "chain",
         "start_time": "2026-05-01T10:00:00", "inputs": {"input": QUESTION}, "outputs": {"output": "x"}}  # fmt: skip
OBSERVATION = {"id": "b", "traceId": "t1", "type": "RETRIEVER", "name": "retrieve", "parentObservationId": None,
               "startTime": "2026-05-01T10:00:01Z", "input": {"query": "canes cut when"},
               "output": DOCUMENTS}  # fmt: skip
MLFLOW = {"info": {"trace_id": "t1", "tags": {}, "trace_metadata": {}}, "data": {"spans": [
    {"name": "answer", "span_id": "a", "parent_span_id": None, "start_time_unix_nano": 1, "attributes": {
        "mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION})}},
    {"name": "retrieve", "span_id": "b", "parent_span_id": "a", "start_time_unix_nano": 2, "attributes": {
        "mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": json.dumps({"query": "canes cut when"}),
        "mlflow.spanOutputs": json.dumps([{**one, "id": str(i)} for i, one in enumerate(DOCUMENTS)])}}]}}  # fmt: skip
TEXTS_FOUND = [row["text"] for row in ROWS]
RAGAS = {"user_input": QUESTION, "retrieved_contexts": TEXTS_FOUND, "reference_contexts": ["x"], "response": "y",
         "reference": "z"}  # fmt: skip
PROMPTFOO = {"vars": {"query": QUESTION}, "provider": {"id": "file://rag.py"}, "success": True, "score": 1,
             "response": {"output": "In autumn.", "metadata": {"context": TEXTS_FOUND}}}  # fmt: skip

#: Values of files; a list of them is written as lines too.
TRACES: dict[str, Any] = {
    "otlp": [otlp([ROOT, STEP])],
    "otlp, line by line": [otlp([STEP]), otlp([ROOT])],
    "phoenix, spans": {"data": [
        {"id": "1", "name": "retrieve", "context": {"trace_id": "t1", "span_id": "b"}, "span_kind": "RETRIEVER",
         "parent_id": "a", "start_time": "2026-05-01T10:00:01", "attributes": ATTRIBUTES},
        {"id": "2", "name": "answer", "context": {"trace_id": "t1", "span_id": "a"}, "span_kind": "CHAIN",
         "parent_id": None, "start_time": "2026-05-01T10:00:00", "attributes": {"input.value": QUESTION}}]},
    "phoenix, nested": [{"name": "retrieve", "span_kind": "RETRIEVER", "parent_id": None, "attributes": NESTED,
                         "context": {"trace_id": "t1", "span_id": "b"}}],
    "phoenix, columns": [{"name": "retrieve", "span_kind": "RETRIEVER", "parent_id": None, "context.trace_id": "t1",
                          "context.span_id": "b", "attributes.input.value": QUESTION,
                          "attributes.retrieval.documents": [
                              {"document.content": row["text"], "document.metadata": {"source": row["source"]}}
                              for row in ROWS]}],
    "langsmith": [CHAIN, LANGSMITH],
    "langsmith, children": [{**CHAIN, "child_runs": [LANGSMITH]}],
    "langfuse": [{"id": "t1", "name": "answer", "input": QUESTION, "output": "In autumn.", "metadata": None,
                  "timestamp": "2026-05-01T10:00:00Z", "observations": [OBSERVATION]}],
    "langfuse, spans": {"data": [{"id": "t1", "input": {"messages": [{"role": "user", "content": QUESTION}]},
                                  "observations": [{**OBSERVATION, "type": "SPAN",
                                                    "output": {"documents": DOCUMENTS}}]}],
                        "meta": {"page": 1}},
    "langfuse, observations": {"data": [{**OBSERVATION, "input": QUESTION}], "meta": {}},
    "mlflow": [MLFLOW],
    "ragas": [RAGAS],
    "ragas, samples": {"samples": [RAGAS]},
    "deepeval": [{"input": QUESTION, "actual_output": "y", "retrieval_context": TEXTS_FOUND, "context": ["x"]}],
    "deepeval, run": {"testCases": [{"name": "t", "input": QUESTION, "actualOutput": "y",
                                     "retrievalContext": TEXTS_FOUND}], "metricsScores": []},
    "promptfoo": {"evalId": "e", "results": {"version": 3, "results": [PROMPTFOO]}, "config": {}},
    "promptfoo, lines": [PROMPTFOO],
    "promptfoo, variable": {"results": {"results": [{"vars": {"question": QUESTION, "context": TEXTS_FOUND},
                                                     "response": {"output": "In autumn."}}]}},
}  # fmt: skip
#: How the names of samples begin, of the above.
OF_SAMPLES = ("ragas", "deepeval", "promptfoo")
