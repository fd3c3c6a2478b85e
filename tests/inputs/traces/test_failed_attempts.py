"""Failed attempts in traces: they replace no successful one, and are no empty list."""

import copy
import json

import pytest

import berrypick as bp

TEXTS = {
    "guide.md": "Prune in spring. Old canes are cut after the harvest.",
    "faq.md": "Pick berries when they are dry.",
}
FIRST, SECOND = "When are canes cut?", "When are berries picked?"
GOOD = {"page_content": "Old canes are cut after the harvest.", "metadata": {"source": "guide.md"}}
OTHER = {"page_content": "Pick berries when they are dry.", "metadata": {"source": "faq.md"}}
TRUTH = [
    {"topic": "q1", "question": FIRST, "doc": "guide.md", "start": 17, "end": 53},
    {"topic": "q2", "question": SECOND, "doc": "faq.md", "start": 0, "end": 31},
]
assert TEXTS["guide.md"][17:53] == GOOD["page_content"]


# --- one attempt as each platform records it: a question, documents, the second in which it began, how it ended -------


def openinference(documents):
    found = {}
    for number, one in enumerate(documents or ()):
        found[f"retrieval.documents.{number}.document.content"] = one["page_content"]
        found[f"retrieval.documents.{number}.document.metadata"] = json.dumps(one["metadata"])
    return found


def otlp(question, documents, second, failure, output=True):
    held = {"openinference.span.kind": "RETRIEVER", "input.value": question, **openinference(documents)}
    held |= {"output.value": json.dumps(documents)} if output and documents is not None else {}
    status, events = {"fails": ({"code": 2, "message": "timeout"}, []), "fails, by name": (
        {"code": "STATUS_CODE_ERROR"}, []), "raises": ({}, [{"name": "exception", "attributes": []}]),
        "": ({"code": 1}, [{"name": "exception"}])}[failure]  # fmt: skip
    span = {"traceId": f"t{second}", "spanId": f"s{second}", "name": "search",
            "startTimeUnixNano": f"{second}000000000", "status": status, "events": events,
            "attributes": [{"key": name, "value": {"stringValue": value}} for name, value in held.items()]}  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def phoenix(question, documents, second, failure):
    code, events = {"fails": ("ERROR", []), "raises": ("UNSET", [{"name": "exception", "message": "x"}]),
                    "": ("OK", [])}[failure]  # fmt: skip
    return {"name": "search", "span_kind": "RETRIEVER", "parent_id": None, "status_code": code, "events": events,
            "context": {"trace_id": f"t{second}", "span_id": f"s{second}"},
            "start_time": f"2026-05-01T10:00:{second:02}+00:00",
            "attributes": {"input.value": question, **openinference(documents)}}  # fmt: skip


def phoenix_columns(question, documents, second, failure):
    found = [{"document.content": one["page_content"], "document.metadata": one["metadata"]} for one in documents or ()]
    return {"name": "search", "span_kind": "RETRIEVER", "context.trace_id": f"t{second}",
            "context.span_id": f"s{second}", "status_code": {"fails": "ERROR", "": "OK"}[failure],
            "start_time": f"2026-05-01T10:00:{second:02}+00:00", "attributes.input.value": question,
            **({"attributes.retrieval.documents": found} if found else {})}  # fmt: skip


def langsmith(question, documents, second, failure):
    said = {"fails": {"error": "TimeoutError()", "status": "error"}, "by status": {"error": None, "status": "error"},
            "": {"error": None, "status": "success"}}[failure]  # fmt: skip
    return {"id": f"r{second}", "trace_id": f"r{second}", "name": "search", "run_type": "retriever",
            "start_time": f"2026-05-01T10:00:{second:02}", "inputs": {"query": question},
            "outputs": None if documents is None else {"documents": documents}, **said}  # fmt: skip


def langfuse(question, documents, second, failure, kind="RETRIEVER"):
    said = {"fails": {"level": "ERROR", "statusMessage": "timeout"}, "": {"level": "DEFAULT"}}[failure]
    return {"id": f"o{second}", "traceId": f"t{second}", "type": kind, "name": "search", "input": {"query": question},
            "startTime": f"2026-05-01T10:00:{second:02}.000Z", "output": documents, **said}  # fmt: skip


def langfuse_span(question, documents, second, failure):
    return langfuse(question, documents, second, failure, "SPAN")


def mlflow(question, documents, second, failure):
    said = {"fails": {"status": {"code": "STATUS_CODE_ERROR", "message": "timeout"}},
            "by code": {"status_code": "ERROR"}, "": {"status": {"code": "STATUS_CODE_OK"}}}[failure]  # fmt: skip
    span = {"name": "search", "span_id": "s", "start_time_unix_nano": second, **said, "attributes": {
        "mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": json.dumps({"query": question}),
        "mlflow.spanOutputs": json.dumps(documents)}}  # fmt: skip
    return {"info": {"trace_id": f"t{second}", "state": "OK"}, "data": {"spans": [span]}}


def promptfoo(question, documents, second, failure):
    """In the order of the file; it keeps no times."""
    said = {"fails": {"error": "timeout", "failureReason": 2, "success": False, "response": {"error": "timeout"}},
            "without a response": {"error": "timeout", "success": False},
            "": {"success": False, "error": "assertion failed", "failureReason": 1,
                 "response": {"output": "x", "metadata": {"context": documents}}}}[failure]  # fmt: skip
    return {"vars": {"query": question}, "provider": "rag", **said}


ATTEMPTS = [
    (otlp, "fails"), (otlp, "fails, by name"), (otlp, "raises"), (phoenix, "fails"), (phoenix, "raises"),
    (phoenix_columns, "fails"), (langsmith, "fails"), (langsmith, "by status"), (langfuse, "fails"),
    (langfuse_span, "fails"), (mlflow, "fails"), (mlflow, "by code"), (promptfoo, "fails"),
    (promptfoo, "without a response"),
]  # fmt: skip
SKIPPED = "failed or unfinished retrievals of questions that have a successful one, skipped"
ABSENT = "questions with failed or unfinished retrievals only, absent from the run"


def read(tmp_path, records):
    """The same from a file of lines, a file with one list, and Python."""
    lines, whole = tmp_path / "lines.jsonl", tmp_path / "whole.json"
    lines.write_text("".join(json.dumps(one) + "\n" for one in records))
    whole.write_text(json.dumps(records))
    runs = [bp.read_run(lines), bp.read_run(whole), *bp.read_traces(copy.deepcopy(records)).values()]
    assert len(runs) == 3
    assert len({json.dumps([one.to_records(), dict(one.skipped)], default=str) for one in runs}) == 1
    return runs[0]


def found(run, question):
    return [row["text"] for row in run.to_records() if row["topic"] == question and "text" in row]


@pytest.mark.parametrize(("record", "failure"), ATTEMPTS, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.parametrize("output", [None, []], ids=["no output", "empty list"])
def test_a_failed_retry_replaces_nothing(tmp_path, record, failure, output):
    """Retrieved, then asked again and failed, twice; the second question is answered once."""
    records = [
        record(FIRST, [GOOD], 1, ""),
        record(FIRST, output, 2, failure),
        record(FIRST, output, 3, failure),
        record(SECOND, [OTHER], 4, ""),
    ]
    run = read(tmp_path, records)
    assert found(run, FIRST) == [GOOD["page_content"]] and found(run, SECOND) == [OTHER["page_content"]]
    assert run.skipped == {SKIPPED: 2}


@pytest.mark.parametrize(("record", "failure"), ATTEMPTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_question_without_a_successful_attempt_is_absent(tmp_path, record, failure):
    run = read(
        tmp_path, [record(FIRST, [GOOD], 1, ""), record(SECOND, None, 2, failure), record(SECOND, [], 3, failure)]
    )
    assert run.topics == (FIRST,), "absent, not an empty list"
    assert run.skipped == {ABSENT: 1}


@pytest.mark.parametrize(
    "record", [otlp, phoenix, langsmith, langfuse, langfuse_span, mlflow], ids=lambda one: one.__name__
)
def test_documents_of_a_failed_attempt_do_not_count(tmp_path, record):
    """In a trace of its own, and in the same trace, whose lists are otherwise joined."""
    failed = record(FIRST, [OTHER], 2, "fails")
    assert found(read(tmp_path, [record(FIRST, [GOOD], 1, ""), failed]), FIRST) == [GOOD["page_content"]]
    same = json.loads(json.dumps(failed).replace('"t2"', '"t1"').replace('"trace_id": "r2"', '"trace_id": "r1"'))
    assert found(read(tmp_path, [record(FIRST, [GOOD], 1, ""), same]), FIRST) == [GOOD["page_content"]]


@pytest.mark.parametrize("record", [otlp, phoenix, langsmith, langfuse, mlflow], ids=lambda one: one.__name__)
def test_the_last_successful_attempt_counts(tmp_path, record):
    """By time, wherever they stand in the file."""
    records = [record(FIRST, [OTHER], 10, ""), record(FIRST, None, 11, "fails"), record(FIRST, [GOOD], 9, "")]
    run = read(tmp_path, records)
    assert found(run, FIRST) == [OTHER["page_content"]]
    assert run.skipped == {SKIPPED: 1, "retrievals for a question that was asked again later": 1}


@pytest.mark.parametrize("record", [langsmith, langfuse, mlflow], ids=lambda one: one.__name__)
def test_an_attempt_without_an_output_is_unfinished(tmp_path, record):
    """It does not say that it failed, nor that nothing was found."""
    run = read(tmp_path, [record(FIRST, [GOOD], 1, ""), record(FIRST, None, 2, ""), record(SECOND, None, 3, "")])
    assert found(run, FIRST) == [GOOD["page_content"]] and run.topics == (FIRST,)
    assert run.skipped == {SKIPPED: 1, ABSENT: 1}


@pytest.mark.parametrize("record", [otlp, phoenix, langsmith, langfuse, mlflow], ids=lambda one: one.__name__)
def test_a_successful_empty_list_is_one(tmp_path, record):
    run = read(tmp_path, [record(FIRST, [GOOD], 1, ""), record(FIRST, [], 2, ""), record(SECOND, [], 3, "")])
    assert run.topics == (FIRST, SECOND) and run.size(FIRST) == 0 and run.size(SECOND) == 0
    assert run.skipped == {"retrievals for a question that was asked again later": 1}


def test_a_span_of_openinference_without_documents_is_an_empty_list(tmp_path):
    """It has no attributes for an empty list."""
    run = read(tmp_path, [otlp(FIRST, [GOOD], 1, ""), otlp(SECOND, [], 2, "", output=False)])
    assert run.topics == (FIRST, SECOND) and run.size(SECOND) == 0


@pytest.mark.parametrize(
    ("record", "failure"),
    [one for one in ATTEMPTS if one[0] is not langfuse_span],  # which is not known to retrieve before it did
    ids=lambda value: getattr(value, "__name__", value),
)
def test_where_all_failed_there_is_no_run(tmp_path, record, failure):
    records = [record(FIRST, None, 1, failure), record(SECOND, None, 2, failure)]
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    kind = "samples" if record is promptfoo else "traces"
    for read in (lambda: bp.read_run(tmp_path / "traces.jsonl", kind), lambda: bp.read_traces(records)):
        with pytest.raises(bp.InputError, match="none of 2 retrievals both succeeded"):
            read()


def test_a_failed_attempt_without_a_question_is_no_question():
    silent = {**langsmith(FIRST, None, 2, "fails"), "inputs": {}}
    [run] = bp.read_traces([langsmith(FIRST, [GOOD], 1, ""), silent]).values()
    assert run.skipped == {"retrievals with neither question nor topic": 1}


def test_a_retriever_that_never_succeeded_is_no_run(tmp_path):
    broken = [{**langsmith(FIRST, None, 1, "fails"), "name": "dense"}, langsmith(FIRST, [GOOD], 2, "")]
    runs = bp.read_traces(broken)
    assert [*runs] == ["search"]
    assert runs["search"].skipped == {"failed or unfinished retrievals of a retriever that never succeeded (dense)": 1}


@pytest.mark.parametrize(
    "record", [otlp, phoenix, langsmith, langfuse, mlflow, promptfoo], ids=lambda one: one.__name__
)
def test_the_number(tmp_path, berrypick, record):
    """q1 is retrieved whole: 36 of 36 characters. Its failed retry would have made it 0."""
    records = [record(FIRST, [GOOD], 1, ""), record(FIRST, [], 2, "fails"), record(SECOND, [], 3, "fails")]
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TRUTH))
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text)
    done = berrypick("evaluate", tmp_path / "truth.jsonl", tmp_path / "traces.jsonl", "-m", "charR@5", "--documents",
                     tmp_path / "docs", "--per-topic", "-o", "json")  # fmt: skip
    assert done.code == 0, done.err
    values = {row["topic"]: row["value"] for row in json.loads(done.out)}
    assert values["q1"] == 1.0
    assert f"{SKIPPED}: 1" in done.err and f"{ABSENT}: 1" in done.err
