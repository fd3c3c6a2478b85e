"""Files of traces and of samples, as runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.files.files import head, is_parquet
from berrypick.files.json_files import load, load_each
from berrypick.files.strict_json import strict_json
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_run import SpanRun
from berrypick.inputs.traces.retrieval import Retrieval, retrievers, run_of, told_apart
from berrypick.inputs.traces.samples import samples_in
from berrypick.inputs.traces.spans import Span, each_once, retrievals_of, retrieved_documents, spans_in
from berrypick.inputs.traces.trace_columns import are_retrieved_documents, are_trace_columns
from berrypick.rows.fields import plain_name
from berrypick.rows.json_lines import records
from berrypick.rows.table_files import parquet_records


class Retrievals(Format):
    """A subclass says which retrievals a file holds; those of each retriever are a run."""

    role: ClassVar[Role] = "run"
    states_empty_lists: ClassVar[bool] = True

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        """What a file holds."""
        raise NotImplementedError(f"{cls.__name__} has no method retrievals")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        """The run of the first retriever; results of others are counted."""
        kinds = cls._retrievers(path, problems)
        first = next(iter(kinds), "")
        for kind in [*kinds][1:]:
            problems.count(f"retrievals of another retriever ({kind})", len(kinds[kind]))
        return run_of(kinds.get(first, []), problems, path, cls.format_name)

    @classmethod
    def split(cls, path: str) -> list[Run]:
        """A run for each retriever, called by its name where there are several."""
        problems = Problems(path)
        kinds = cls._retrievers(path, problems)
        made = []
        for kind, some in kinds.items():
            own = Problems(path)
            run = run_of(some, own, path, cls.format_name, kind if len(kinds) > 1 else "")
            made.append(run.changed(skipped={**problems.counts, **own.counts}))
        return made

    @classmethod
    def _retrievers(cls, path: str, problems: Problems) -> dict[str, list[Retrieval]]:
        return retrievers(cls.retrievals(path, problems), problems, f"expected {cls.shape}")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return SpanRun.describe(value)


class Traces(Retrievals):
    """Traces of OpenTelemetry (GenAI or OpenInference), Phoenix, LangSmith, Langfuse or MLflow, as JSON or JSON Lines.

    Data frames of Phoenix (``get_spans_dataframe``, ``get_retrieved_documents``) and of spans are read as Parquet, too.
    OpenTelemetry: OTLP JSON with ids in hexadecimal or base64, and the JSON or console output of its SDK for Python.

    What retrievers returned is a run; where spans of several names retrieve, each name is one. A topic is named by a
    field (topic, query_id, qid or question_id in attributes, metadata, tags or inputs; LangSmith's
    reference_example_id), else by what was asked: the input of the outermost step, which is matched with the questions
    of the truth. Retrievals without a question are counted. Ids of chunks mean nothing where no document has them:
    texts are looked up in the documents.

    A question that was asked several times counts as its last successful retrieval answered it. Status ERROR, an error,
    level ERROR, or an exception without documents make a retrieval a failed one; without an output it is unfinished.
    Neither replaces a successful one. Both are counted, and a question that has no other retrieval is absent from the
    run.

    Spans of the kinds RETRIEVER and RERANKER retrieve. Input documents of a RERANKER are the stage before its output.
    So do plain spans and tools of Langfuse whose output has
    documents (texts with a source, a place, a score or metadata), or whose name has ``retriev`` or ``rerank`` in it.
    Of GenAI, spans with ``gen_ai.operation.name`` retrieval do, and tools (``execute_tool``) that return documents in
    ``gen_ai.retrieval.documents`` or ``gen_ai.tool.call.result``; ``gen_ai.retrieval.query.text`` is the question. A
    span that does not record its documents, or not as valid JSON, is an unfinished one. A span exported twice counts
    once.

    Sample::

        {"id": "r1", "name": "search", "run_type": "retriever", "start_time": "2026-05-01T10:00:00", "trace_id": "t1",
         "inputs": {"query": "When are canes cut?"}, "extra": {"metadata": {"topic": "q1"}},
         "outputs": {"documents": [
           {"page_content": "Cut old canes.", "metadata": {"source": "guide.md", "start_index": 100}},
           {"page_content": "Pick dry.", "metadata": {"source": "faq.md", "start_index": 0}}]}}
    """

    format_name: ClassVar[str] = "traces"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = (
        '"resourceSpans', '"resource_spans', '"run_type', '"observations', '"parentObservationId',
        '"parent_observation_id', '"traceId', '"mlflow.spanType', '"openinference.span.kind', '"span_kind',
        '"context.trace_id', '"retrieval.documents', '"sessionId"', '"trace_metadata', '"request_metadata',
        '"gen_ai.', '"trace_state',
    )  # fmt: skip
    aliases: ClassVar[tuple[str, ...]] = (
        "otlp",
        "genai",
        "openinference",
        "phoenix",
        "langsmith",
        "langfuse",
        "mlflow",
    )
    shape: ClassVar[str] = '{"run_type": "retriever", "inputs": {"query": "When?"}, "outputs": {"documents": [...]}}'
    json_names: ClassVar[tuple[str, ...]] = ("resourceSpans", "run_type", "traceId", "attributes", "observations")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines)
        return text.lstrip("\ufeff \t\n")[:1] in ("{", "[") and any(
            all(f'"{name}' in text for name in names) for names in _MARKS
        )

    @classmethod
    def sniff_columns(cls, names: list[str]) -> bool:
        return are_trace_columns(names)

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        spans: list[Span] = []
        rows: list[tuple[int, Mapping[str, Any]]] = []
        for line, value in values_in(path, problems):
            if isinstance(value, Mapping) and are_retrieved_documents(value):
                rows.append((line, value))
            elif (found := spans_in(value, line)) is None:
                problems.report("is not a trace of a known kind", line, shown(value), f"expected {cls.shape}")
            else:
                spans += found
        return [*retrievals_of(each_once(spans, problems)), *retrieved_documents(rows)]


#: Names that traces have near their start.
_MARKS = (
    ("resourceSpans",), ("resource_spans",), ("run_type", "inputs"), ("run_type", "trace_id"),
    ("run_type", "start_time"), ("observations", "input"), ('timestamp"', 'output"', 'sessionId"', 'release"'),
    ("info", "trace_metadata"), ("info", "request_metadata"),
    ("parentObservationId",), ("parent_observation_id",), ("traceId", "startTime", "type"), ("mlflow.spanType",),
    ("openinference.span.kind",),
    ("span_kind", "attributes"), ("context.trace_id",), ("retrieval.documents",), ("gen_ai.operation.name",),
    ("context", "trace_id", "trace_state", "attributes"),
)  # fmt: skip


class Samples(Retrievals):
    """Samples of ragas, DeepEval or promptfoo, as JSON: questions with the texts that were retrieved for them.

    ``user_input`` with ``retrieved_contexts``, ``input`` with ``retrieval_context``, and results of promptfoo, whose
    contexts stand in the metadata or the output of the response, or were given as the variable ``context``. The texts
    are looked up in the documents. A topic is named by a field of the sample or its metadata, else by the question, or
    by an ``id`` beside it that is a topic of the truth. Two samples for one question are an error. Providers of
    promptfoo are a run each; where there are several prompts, each prompt of a provider is one.

    Sample::

        [{"user_input": "When are canes cut?", "retrieved_contexts": ["Cut old canes.", "Pick dry."]},
         {"user_input": "Which soil?", "retrieved_contexts": []}]
    """

    format_name: ClassVar[str] = "samples"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = (
        '"retrieved_contexts"', '"retrieval_context"', '"retrievalContext"', '"contexts"', '"vars"',
    )  # fmt: skip
    before: ClassVar[tuple[str, ...]] = ("span-run",)
    aliases: ClassVar[tuple[str, ...]] = ("ragas", "deepeval", "promptfoo")
    shape: ClassVar[str] = '[{"user_input": "When?", "retrieved_contexts": ["Cut old canes."]}]'
    json_names: ClassVar[tuple[str, ...]] = ("user_input", "retrieved_contexts", "input", "retrieval_context", "vars")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines)
        marks = (("retrieved_contexts", "user_input"), ("retrieval_context", "input"), ("retrievalContext", "input"),
                 ("contexts", "question"), ("vars", "response"))  # fmt: skip
        return text.lstrip("\ufeff \t\n")[:1] in ("{", "[") and any(
            all(f'"{name}"' in text for name in names) for names in marks
        )

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        found: list[Retrieval] = []
        for line, value in values_in(path, problems):
            try:
                samples = samples_in(value, line)
            except InputError as error:
                problems.report(error.what.template, line, shown(value), error.remedy.template)
                continue
            if samples is None:
                problems.report("is not a sample of a known kind", line, shown(value), f"expected {cls.shape}")
            else:
                found += samples
        return told_apart(found, problems)


# --- values of files --------------------------------------------------------------------------------------------------


def parsed(text: str) -> Any:
    try:
        return strict_json(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def values_in(path: str, problems: Problems) -> Iterator[tuple[int, Any]]:
    """The objects of a file with their lines: lines of JSON, the items of a list, one value, or rows of Parquet."""
    if is_parquet(path):
        yield from parquet_records(path)
        return
    first = next(iter(head(path)), "")
    if isinstance(parsed(first), dict):
        for number, _, value in records(path, problems):
            yield number, value
        return
    if first.strip() == "{":  # one object or, as the SDK of OpenTelemetry prints them, several one after the other
        yield from load_each(path, problems)
        return
    value, source = load(path, problems)
    if isinstance(value, list):
        for one in value:
            yield source.line_of_object(one), one
    elif value is not None:
        yield 1, value


def shown(value: Any) -> str:
    names = ", ".join(plain_name(str(name)) for name in list(value)[:8]) if isinstance(value, Mapping) else ""
    return f"{{{names}}}" if names else json.dumps(value)[:80]
