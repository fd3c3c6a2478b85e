"""Spans of traces as the platforms export them, and the retrievals among them.

Known by shape: OTLP JSON and spans of OpenTelemetry with the names of OpenInference, exports of Phoenix, runs of
LangSmith, traces and observations of Langfuse, traces of MLflow.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.files.problems import Problems
from berrypick.inputs.traces.open_telemetry import attributes_of, flattened, genai, plain_id
from berrypick.inputs.traces.retrieval import Retrieval
from berrypick.inputs.traces.words_of import are_documents, question_in, results_in, topic_in, value_of
from berrypick.rows.counted_places import COUNTED
from berrypick.rows.fields import PAGE_NAMES, counts, ours_of

#: Kinds of spans whose output are results, in lower case.
_RETRIEVES = ("retriever", "reranker", "retrieval")
#: Lists around traces.
_AROUND = ("data", "runs", "traces", "spans", "observations", "items")
_DEEPEST = 50


@dataclass(frozen=True)
class Span:
    """One step of a trace."""

    trace: str
    span: str
    parent: str
    name: str
    kind: str
    topic: str
    question: str
    found: Any  # results, or None
    time: str
    line: int
    failed: bool = False
    silent: bool = False  # it says nothing of its output: OpenInference has no attributes for an empty list
    end: str = ""  # when it ended
    asked: str = ""  # the query that it records as its own, which goes before what outer steps were asked
    given: Any = None  # documents that a reranker was given, or None

    @property
    def retrieves(self) -> bool:
        """Whether results came out of it: its kind says so, or they are plainly documents."""
        return self.found is not None and (self.kind in _RETRIEVES or (not self.kind and are_documents(self.found)))


#: What is counted of spans that an exporter wrote more than once.
AGAIN = "spans exported twice with the same id, read once"


def each_once(spans: Iterable[Span], problems: Problems) -> list[Span]:
    """Spans without those whose ids another one has: exporters repeat a batch that they could not confirm. The last one
    counts, but one that failed or has no output replaces none that retrieved."""
    kept: dict[tuple[str, str] | int, Span] = {}
    for place, one in enumerate(spans):
        key = (one.trace, one.span) if one.trace and one.span else place
        before = kept.get(key)
        if before is not None:
            problems.count(AGAIN)
        if before is None or (one.retrieves and not one.failed) or not before.retrieves or before.failed:
            kept[key] = one
    return list(kept.values())


def retrievals_of(spans: Sequence[Span]) -> Iterator[Retrieval]:
    """The retrievals among spans. What was asked is what the outermost step says; a topic may be named by any.

    An attempt that failed, or has no output, is one too: it says which question has no list.
    """
    known = {(one.trace, one.span): one for one in spans}
    names = {one.name for one in spans if one.retrieves and not one.failed}
    for one in spans:
        failed = _is_failed_attempt(one, names)
        empty = one.silent and one.name in names
        if not failed and not one.retrieves and not empty:
            continue
        way = list(_upwards(one, known))
        topic = next((step.topic for step in way if step.topic), "")
        question = one.asked or next((step.question for step in reversed(way) if step.question), "")
        found, unread = ([], ()) if failed or empty else _left_to_text(one.found)
        given = None if one.given is None or failed else _left_to_text(one.given)[0]
        yield Retrieval(
            topic, question, found, one.line, one.name, one.trace, one.span, one.time, unread, failed=failed,
            end=one.end, given=given,
        )  # fmt: skip


def _is_failed_attempt(span: Span, names: Collection[str]) -> bool:
    """Whether a retrieval failed or has no output; ``names`` are those of spans that retrieved something.

    A span whose kind says nothing may have retrieved under the same name elsewhere.
    """
    if span.kind in _RETRIEVES:
        unrecorded = span.found is None and not span.silent
        return span.failed or (unrecorded and (span.name in names or span.kind == "retrieval"))
    return span.failed and (span.retrieves or (span.kind in ("", "span", "tool") and span.name in names))


def retrieved_documents(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[Retrieval]:
    """The retrievals whose documents are rows, in the order of the rows; a span or a trace and a question are one."""
    held: dict[tuple[str, str, str], tuple[int, list[dict[str, Any]]]] = {}
    for line, row in rows:
        key = _text(row.get("context.trace_id")), _text(row.get("context.span_id")), question_in(row.get("input"))
        metadata = value_of(row.get("document_metadata"))
        one = {"content": row["document"], "score": row.get("document_score")}
        one |= {"metadata": metadata} if isinstance(metadata, Mapping) else {}
        held.setdefault(key, (line, []))[1].append(_document(one))
    for (trace, span, question), (line, documents) in held.items():
        found, unread = _left_to_text(documents)
        yield Retrieval("", question, found, line, "", trace, span, "", unread)


def _left_to_text(found: Any) -> tuple[Any, tuple[str, ...]]:
    """Documents without pages, lines and the like in their metadata, and the names of these: a trace cannot be changed
    any more, and the text of a document says where it is."""
    if not isinstance(found, list):
        return found, ()
    unread: dict[str, None] = {}
    kept = []
    for one in found:
        where = _metadata_of(one)
        if isinstance(metadata := one.get(where) if where else None, Mapping):
            ours = {name: ours_of(str(name), "run") for name in metadata if metadata[name] is not None}
            pages = () if {"box", "x0"} & {*ours.values()} else PAGE_NAMES  # a box says where, as offsets do
            names = [name for name in ours if counts(str(name)) or ours[name] in (*COUNTED, *pages)]
            unread.update(dict.fromkeys(map(str, names)))
            one = {**one, where: {name: value for name, value in metadata.items() if name not in names}}
        kept.append(one)
    return kept, tuple(unread)


def _metadata_of(one: Any) -> str:
    """Where a document that has a text keeps its metadata; '' for anything else."""
    if not isinstance(one, Mapping):
        return ""
    if one.get("page_content"):
        return "metadata"
    source = one.get("_source")
    texts = isinstance(source, Mapping) and any(
        held and ours_of(str(name), "run") == "text" for name, held in source.items()
    )
    return "_source" if texts else ""


def _upwards(span: Span, known: Mapping[tuple[str, str], Span]) -> Iterator[Span]:
    seen = set[str]()
    step: Span | None = span
    while step is not None and step.span not in seen:
        yield step
        seen.add(step.span)
        above = known.get((step.trace, step.parent)) if step.parent else None
        step = above or (known.get((step.trace, "")) if step.span else None)  # the trace itself


def spans_in(value: Any, line: int = 1, depth: int = 0) -> Iterator[Span] | None:
    """The spans in one value of an export; None if it is none."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    names = set(value)
    if names & {"resourceSpans", "resource_spans"}:
        return _otlp(value, line)
    if "run_type" in names and "inputs" in names:
        return _langsmith(value, line, depth)
    if isinstance(value.get("info"), Mapping) and isinstance(value.get("data"), Mapping):
        return _mlflow(value, line)
    if "id" in names and ("observations" in names or names >= {"timestamp", "input", "output"}):
        return _langfuse_trace(value, line)
    if "type" in names and names & {"traceId", "trace_id"} and names & {"startTime", "start_time"}:
        return iter([_observation(value, line)])
    if _has_attributes(value):
        return iter([_open_telemetry(value, line)])
    around = next((value[name] for name in _AROUND if isinstance(value.get(name), list)), None)
    if around is None:
        return None
    found = [spans_in(one, line, depth + 1) for one in around]
    return None if None in found else (span for some in found if some is not None for span in some)


def _has_attributes(value: Mapping[str, Any]) -> bool:
    """Whether a value is a span of OpenTelemetry: attributes of it stand in one place, or each by its name."""
    named = any(str(name).startswith(("attributes.", "gen_ai.")) for name in value)
    return named or isinstance(value_of(value.get("attributes")), (Mapping, list, tuple))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


# --- OpenTelemetry, OpenInference, Phoenix ----------------------------------------------------------------------------


def _otlp(value: Mapping[str, Any], line: int) -> Iterator[Span]:
    for resource in _list(value, "resourceSpans", "resource_spans"):
        for scope in _list(resource, "scopeSpans", "scope_spans"):
            for span in _list(scope, "spans"):
                if isinstance(span, Mapping):
                    yield _open_telemetry(span, line)


def _list(value: Any, *names: str) -> list[Any]:
    held = next((value[name] for name in names if name in value), None) if isinstance(value, Mapping) else None
    return held if isinstance(held, list) else []


def _open_telemetry(span: Mapping[str, Any], line: int) -> Span:
    held = attributes_of(span)
    flat, said = flattened(held), genai(held)
    context = span.get("context") if isinstance(span.get("context"), Mapping) else {}
    assert isinstance(context, Mapping)

    def first(*names: str) -> str:
        return next(
            (_text(one) for name in names for one in (span.get(name), context.get(name)) if one is not None), ""
        )

    kind = _text(flat.get("openinference.span.kind") or flat.get("mlflow.spanType") or span.get("span_kind")).lower()
    kind = said.kind if said is not None and kind not in _RETRIEVES else kind
    documents: Any = _documents(flat, _DOCUMENT)
    if documents is None and said is not None:
        documents = said.found
    if documents is None and kind in _RETRIEVES:
        documents = results_in(flat.get("output.value"))
    return Span(
        plain_id(first("traceId", "trace_id", "context.trace_id")),
        plain_id(first("spanId", "span_id", "context.span_id")),
        plain_id(first("parentSpanId", "parent_span_id", "parent_id", "parentId")),
        first("name"),
        kind,
        topic_in(flat, flat.get("metadata")),
        question_in(flat.get("input.value"))
        or _text(flat.get("reranker.query"))
        or ("" if said is None else said.question),
        documents,
        first("startTimeUnixNano", "start_time_unix_nano", "start_time"),
        line,
        _has_failed(span, documents) or bool(flat.get("error.type") and not documents),
        documents is None and said is None and kind in _RETRIEVES and flat.get("output.value") in (None, ""),
        first("endTimeUnixNano", "end_time_unix_nano", "end_time"),
        "" if said is None else said.asked,
        _documents(flat, _GIVEN),
    )


def _has_failed(span: Mapping[str, Any], found: Any) -> bool:
    """Whether a span of OpenTelemetry or MLflow reports an error; an exception counts where nothing says it is fine."""
    status = span.get("status")
    held = status if isinstance(status, Mapping) else {"code": status}
    names = ("code", "status_code")
    codes = [*(held.get(name) for name in names), *(span.get(name) for name in ("status_code", "statusCode"))]
    said = {str(code).upper().rpartition(".")[2].removeprefix("STATUS_CODE_") for code in codes if code is not None}
    if said & {"ERROR", "2"}:
        return True
    events = value_of(span.get("events"))
    raised = any(isinstance(one, Mapping) and one.get("name") == "exception" for one in _items(events))
    return raised and not found and not said & {"OK", "1"}


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


#: retrieval.documents.0.document.content; of Phoenix's columns, documents.0.document.content under retrieval
_DOCUMENT = re.compile(r"(?:retrieval\.documents|reranker\.output_documents)\.(\d+)\.(?:document\.)?(\w+)(?:\.(.+))?")
_GIVEN = re.compile(r"reranker\.input_documents\.(\d+)\.(?:document\.)?(\w+)(?:\.(.+))?")


def _documents(flat: Mapping[str, Any], names: re.Pattern[str]) -> list[dict[str, Any]] | None:
    """The documents of a retriever by their numbers; None if it has none."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in flat.items():
        match = names.fullmatch(name)
        if match is None or len(match[1]) > 9:
            continue
        one = found.setdefault(int(match[1]), {})
        if match[2] == "metadata":
            held = {match[3]: value} if match[3] else value_of(value)
            one.setdefault("metadata", {}).update(held if isinstance(held, Mapping) else {})
        else:
            one[match[2]] = value
    return [_document(found[number]) for number in sorted(found)] if found else None


def _document(one: dict[str, Any]) -> dict[str, Any]:
    """As LangChain has it; the id is that of a chunk in an index that may be gone."""
    metadata, score = one.get("metadata") or {}, one.get("score")
    scored = {"score": score} if isinstance(score, (int, float)) and not isinstance(score, bool) else {}
    return {"page_content": one.get("content") or "", "metadata": {**metadata, **scored}}


# --- LangSmith, Langfuse, MLflow --------------------------------------------------------------------------------------


def _langsmith(run: Mapping[str, Any], line: int, depth: int) -> Iterator[Span]:
    extra = run.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else None
    kind, inputs = _text(run.get("run_type")).lower(), run.get("inputs")
    trace = _text(run.get("trace_id") or run.get("id"))
    yield Span(
        trace,
        _text(run.get("id")),
        _text(run.get("parent_run_id")),
        _text(run.get("name")),
        kind,
        topic_in(metadata, inputs) or _text(run.get("reference_example_id")),
        question_in(inputs),
        results_in(run.get("outputs")) if kind in _RETRIEVES else None,
        _text(run.get("start_time")),
        line,
        bool(run.get("error")) or _text(run.get("status")).lower() == "error",
        end=_text(run.get("end_time")),
    )
    for child in _list(run, "child_runs"):
        yield from spans_in(child, line, depth + 1) or ()


def _langfuse_trace(trace: Mapping[str, Any], line: int) -> Iterator[Span]:
    name = _text(trace.get("id"))
    topic = topic_in(trace.get("metadata"), trace.get("input"))
    found = None if "observations" in trace else results_in(trace.get("output"))  # in an export without the steps
    kind = "retriever" if are_documents(found) else "trace"
    question = question_in(trace.get("input"))
    yield Span(
        name, "", "", _text(trace.get("name")), kind, topic, question, found, _text(trace.get("timestamp")), line
    )
    for one in _list(trace, "observations"):
        if isinstance(one, Mapping):
            yield _observation({"traceId": name, **one}, line)


def _observation(one: Mapping[str, Any], line: int) -> Span:
    """Spans and tools retrieve where documents came out of them, or where their name says so."""
    kind, name = _text(one.get("type")).lower(), _text(one.get("name"))
    found = results_in(one.get("output")) if kind in (*_RETRIEVES, "span", "tool", "chain") else None
    empty = kind in ("span", "tool") and found == []  # of a search, if the same span found something elsewhere
    if kind not in _RETRIEVES:
        named = kind in ("span", "tool") and found is not None and _SAYS_SO.search(name) is not None
        retrieves = named or (are_documents(found) and kind != "chain")
        kind, found = ("retriever", found) if retrieves else (kind, None)
    return Span(
        _text(one.get("traceId") or one.get("trace_id")),
        _text(one.get("id")),
        _text(one.get("parentObservationId") or one.get("parent_observation_id")),
        name,
        kind,
        topic_in(one.get("metadata"), one.get("input")),
        question_in(one.get("input")),
        found,
        _text(one.get("startTime") or one.get("start_time")),
        line,
        _text(one.get("level")).rpartition(".")[2].upper() == "ERROR",
        empty,
        _text(one.get("endTime") or one.get("end_time")),
    )


#: Names of plain spans that retrieve.
_SAYS_SO = re.compile(r"retriev|rerank", re.IGNORECASE)


def _in_context(span: Mapping[str, Any]) -> Any:
    context = span.get("context")
    return context.get("span_id") if isinstance(context, Mapping) else None


def _mlflow(trace: Mapping[str, Any], line: int) -> Iterator[Span]:
    info, data = trace["info"], trace["data"]
    name = _text(info.get("trace_id") or info.get("request_id"))
    tags = topic_in(info.get("tags"), info.get("trace_metadata"), info.get("request_metadata"))
    yield Span(name, "", "", "", "trace", tags, question_in(data.get("request")), None, "", line)
    for span in _list(data, "spans"):
        if not isinstance(span, Mapping) or not isinstance(attributes := span.get("attributes"), Mapping):
            continue
        held = {str(key): value_of(one) for key, one in attributes.items()}
        kind = _text(held.get("mlflow.spanType")).lower()
        inputs = held.get("mlflow.spanInputs")
        found = results_in(held.get("mlflow.spanOutputs")) if kind in _RETRIEVES else None
        yield Span(
            name,
            _text(span.get("span_id") or _in_context(span)),
            _text(span.get("parent_span_id") or span.get("parent_id")),
            _text(span.get("name")),
            kind,
            topic_in(held, inputs),
            question_in(inputs),
            found,
            _text(span.get("start_time_unix_nano") or span.get("start_time")),
            line,
            _has_failed(span, found),
            end=_text(span.get("end_time_unix_nano") or span.get("end_time")),
        )
