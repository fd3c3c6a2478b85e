"""Scores of traces as OpenTelemetry events in a file."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from platform_traces import QUESTION

import berrypick as bp
from berrypick.integrations.otlp_scores import nanoseconds

TRACES = ("5b8efff798038103d269b633813fc60c", "00000000000000000000000000000abc")
SPANS = ("eee19b7ec3c1b174", "00000000000000a1")
TRUTH = {QUESTION: {"guide.md": 1}, "Which soil?": {"faq.md": 1}}


def span(place: int, question: str, **more: Any) -> dict[str, Any]:
    held = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": question,
        "gen_ai.retrieval.documents": [{"id": "faq.md", "score": 0.9}, {"id": "guide.md", "score": 0.4}],
    }
    return {"name": "retrieval kb", "trace_id": TRACES[place], "span_id": SPANS[place], "attributes": held, **more}


def results(*spans: dict[str, Any]) -> bp.Results:
    return bp.evaluate(TRUTH, bp.read_traces(list(spans)), "RR P@1")


FIRST, SECOND = (
    span(0, QUESTION, endTimeUnixNano="1795023664871960115"),
    span(1, "Which soil?", end_time="2026-05-01T10:00:01.5Z"),
)


def records(path: Path) -> list[dict[str, Any]]:
    exports = [json.loads(line) for line in path.read_text().splitlines()]
    return [one for export in exports for resource in export["resourceLogs"]
            for scope in resource["scopeLogs"] for one in scope["logRecords"]]  # fmt: skip


def said(record: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in record["attributes"]}


def test_an_event_for_every_trace_and_measure(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    scored = results(FIRST, SECOND)
    assert str(scored.write_back(str(path))) == "4 scores of 2 traces written"
    found = records(path)
    assert {one["eventName"] for one in found} == {"gen_ai.evaluation.result"}
    assert {(one["traceId"], one["spanId"], one["timeUnixNano"]) for one in found} == {
        (TRACES[0], SPANS[0], "1795023664871960115"),
        (TRACES[1], SPANS[1], "1777629601500000000"),
    }
    values = {
        (one["traceId"], said(one)["gen_ai.evaluation.name"]): said(one)["gen_ai.evaluation.score.value"]
        for one in found
    }
    assert values == {(TRACES[0], "RR"): 0.5, (TRACES[0], "P@1"): 0.0, (TRACES[1], "RR"): 1.0, (TRACES[1], "P@1"): 1.0}
    assert all(set(said(one)) == {"gen_ai.evaluation.name", "gen_ai.evaluation.score.value",
                                  "gen_ai.evaluation.explanation"} for one in found)  # fmt: skip
    signature = str(scored.topic_rows[0].signature)
    assert said(found[0])["gen_ai.evaluation.explanation"] == signature
    before = path.read_bytes()
    scored.write_back(path)  # a path, and no clock: the same file
    assert path.read_bytes() == before


@pytest.mark.slow
def test_opentelemetry_parses_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    results(FIRST, SECOND).write_back(path)
    collector = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")
    json_logs = pytest.importorskip("opentelemetry.proto_json.logs.v1.logs")
    from google.protobuf.json_format import Parse

    for line, record in zip(path.read_text().splitlines(), records(path), strict=True):
        [resource] = json_logs.LogsData.from_dict(json.loads(line)).resource_logs
        [parsed] = resource.scope_logs[0].log_records
        assert (parsed.trace_id.hex(), parsed.span_id.hex()) == (record["traceId"], record["spanId"])
        for name in ("traceId", "spanId"):  # protobuf's own JSON has bytes in base64
            line = line.replace(record[name], base64.b64encode(bytes.fromhex(record[name])).decode())
        request = Parse(line, collector.ExportLogsServiceRequest())
        [known] = request.resource_logs[0].scope_logs[0].log_records
        assert known.trace_id.hex() == record["traceId"] and known.event_name == record["eventName"]
        assert str(known.time_unix_nano) == record["timeUnixNano"] and known.severity_number == 9
        assert {one.key for one in known.attributes} == set(said(record))


def test_spans_without_an_end_have_no_time(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    done = results(span(0, QUESTION)).write_back(path)
    assert str(done) == "2 scores of 1 trace written; 1 topic without a trace; 2 scores without a time"
    assert all("timeUnixNano" not in one for one in records(path))


def test_traces_of_other_platforms_are_refused_or_counted(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    other = span(1, "Which soil?", trace_id="t1", span_id="b")
    with pytest.raises(bp.UsageError, match="32 and 16 hexadecimal digits"):
        results(other).write_back(path)
    assert not path.exists()
    assert "2 scores without an OpenTelemetry id skipped" in str(results(FIRST, other).write_back(path))
    assert {one["traceId"] for one in records(path)} == {TRACES[0]}


def test_a_file_that_cannot_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(bp.InputError, match="does not exist"):
        results(FIRST).write_back(tmp_path / "none" / "scores.jsonl")
    with pytest.raises(bp.UsageError, match="do not come from traces"):
        bp.evaluate(TRUTH, {QUESTION: {"faq.md": 1}}, "RR").write_back(tmp_path / "scores.jsonl")
    assert not list(tmp_path.iterdir())


def test_times() -> None:
    day = 20574 * 86400 * 10**9  # 2026-05-01
    cases = {
        "2026-05-01T00:00:00Z": day,
        "2026-05-01 00:00:00": day,
        "2026-05-01T02:00:00.000000001+02:00": day + 1,
        "2026-05-01T00:00:00.123456789123Z": day + 123456789,
        "1795023664871960115": 1795023664871960115,
        "0": None, "": None, "soon": None, "2026-13-01T00:00:00Z": None, "-5": None, "1e9": None,
    }  # fmt: skip
    assert {text: nanoseconds(text) for text in cases} == cases
