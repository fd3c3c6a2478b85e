"""Files of traces and of samples, as runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.addons.traces.retrieval import Retrieval, by_kind, run_of
from berrypick.addons.traces.samples import samples_in
from berrypick.addons.traces.spans import Span, retrievals_of, spans_in
from berrypick.core.errors import InputError
from berrypick.core.run import Run
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.io.files import head
from berrypick.formats.io.json_files import JsonSource, load
from berrypick.formats.io.json_lines import records
from berrypick.formats.io.strict_json import strict_json
from berrypick.formats.span_run import SpanRun
from berrypick.inputs.fields import plain_name


class Retrievals(Format):
    """A subclass says which retrievals a file holds; those of each retriever are a run."""

    role: ClassVar[Role] = "run"

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        """What a file holds."""
        raise NotImplementedError(f"{cls.__name__} has no method retrievals")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        """The run of the first retriever; results of others are counted."""
        kinds = by_kind(cls._found(path, problems))
        first = next(iter(kinds), "")
        for kind in [*kinds][1:]:
            problems.count(f"retrievals of another retriever ({kind})", len(kinds[kind]))
        return run_of(kinds.get(first, []), problems, path, cls.format_name)

    @classmethod
    def split(cls, path: str) -> list[Run]:
        """A run for each retriever, called by its name where there are several."""
        problems = Problems(path)
        kinds = by_kind(cls._found(path, problems))
        made = []
        for kind, some in kinds.items():
            own = Problems(path)
            run = run_of(some, own, path, cls.format_name, kind if len(kinds) > 1 else "")
            made.append(run.changed(skipped={**problems.counts, **own.counts}))
        return made

    @classmethod
    def _found(cls, path: str, problems: Problems) -> list[Retrieval]:
        found = cls.retrievals(path, problems)
        if not found and not problems.found:
            problems.report("holds nothing that was retrieved", 1, remedy=f"expected {cls.shape}")
        return found

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return SpanRun.describe(value)


class Traces(Retrievals):
    """Traces of OpenTelemetry (OTLP with OpenInference), Phoenix, LangSmith, Langfuse or MLflow, as JSON or JSON Lines.

    What retrievers returned is a run; where spans of several names retrieve, each name is one. A topic is named by a
    field (topic, query_id, qid or question_id in attributes, metadata, tags or inputs; LangSmith's
    reference_example_id), else by what was asked: the input of the outermost step, which is matched with the questions
    of the truth. A question that was asked several times counts as it was answered last; retrievals without a question
    are counted. Ids of chunks mean nothing where no document has them: texts are looked up in the documents.

    Spans of the kinds RETRIEVER and RERANKER retrieve, and observations of Langfuse with documents in their output.

    Sample::

        {"id": "r1", "name": "search", "run_type": "retriever", "start_time": "2026-05-01T10:00:00", "trace_id": "t1",
         "inputs": {"query": "When are canes cut?"}, "extra": {"metadata": {"topic": "q1"}},
         "outputs": {"documents": [
           {"page_content": "Cut old canes.", "metadata": {"source": "guide.md", "start_index": 100}},
           {"page_content": "Pick dry.", "metadata": {"source": "faq.md", "start_index": 0}}]}}
    """

    format_name: ClassVar[str] = "traces"
    aliases: ClassVar[tuple[str, ...]] = ("otlp", "openinference", "phoenix", "langsmith", "langfuse", "mlflow")
    shape: ClassVar[str] = '{"run_type": "retriever", "inputs": {"query": "When?"}, "outputs": {"documents": [...]}}'
    json_names: ClassVar[tuple[str, ...]] = ("resourceSpans", "run_type", "traceId", "attributes", "observations")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines)
        return text.lstrip("\ufeff \t\n")[:1] in ("{", "[") and any(
            all(f'"{name}' in text for name in names) for names in _MARKS
        )

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        spans: list[Span] = []
        for line, value in values_in(path, problems):
            found = spans_in(value, line)
            if found is None:
                problems.report("is no trace of a known kind", line, shown(value), f"expected {cls.shape}")
            else:
                spans += found
        return list(retrievals_of(spans))


#: Names that traces have near their start.
_MARKS = (
    ("resourceSpans",), ("resource_spans",), ("run_type", "inputs"), ("observations", "input"),
    ("parentObservationId",), ("parent_observation_id",), ("traceId", "startTime", "type"), ("mlflow.spanType",),
    ("openinference.span.kind",),
    ("span_kind", "attributes"), ("context.trace_id",), ("retrieval.documents",),
)  # fmt: skip


class Samples(Retrievals):
    """Samples of ragas, DeepEval or promptfoo, as JSON: questions with the texts that were retrieved for them.

    ``user_input`` with ``retrieved_contexts``, ``input`` with ``retrieval_context``, and results of promptfoo, whose
    contexts stand in the metadata or the output of the response, or were given as the variable ``context``. The texts
    are looked up in the documents. A topic is named by a field of the sample or its metadata, else by the question.
    Providers of promptfoo are a run each.

    Sample::

        [{"user_input": "When are canes cut?", "retrieved_contexts": ["Cut old canes.", "Pick dry."]},
         {"user_input": "Which soil?", "retrieved_contexts": []}]
    """

    format_name: ClassVar[str] = "samples"
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
                problems.report("is no sample of a known kind", line, shown(value), f"expected {cls.shape}")
            else:
                found += samples
        return found


# --- values of files --------------------------------------------------------------------------------------------------


def parsed(text: str) -> Any:
    try:
        return strict_json(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def values_in(path: str, problems: Problems) -> Iterator[tuple[int, Any]]:
    """The objects of a file with their lines: lines of JSON, the items of a list, or one value."""
    first = next(iter(head(path)), "")
    if isinstance(parsed(first), dict):
        for number, _, value in records(path, problems):
            yield number, value
        return
    value, source = load(path, problems)
    if isinstance(value, list):
        for one in value:
            yield line_of(one, source), one
    elif value is not None:
        yield 1, value


def line_of(value: Any, source: JsonSource) -> int:
    """Where an object stands: where the first of its texts does."""
    texts = [one for one in value.values() if isinstance(one, str)] if isinstance(value, dict) else []
    return source.line_of(texts[0]) if texts else source.line


def shown(value: Any) -> str:
    names = ", ".join(plain_name(str(name)) for name in list(value)[:8]) if isinstance(value, Mapping) else ""
    return f"{{{names}}}" if names else json.dumps(value)[:80]
