"""bp.read_traces: runs from traces, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from berrypick.data.errors import InputError, UsageError
from berrypick.data.run import Run
from berrypick.files.files import file_name
from berrypick.files.strict_json import strict_json
from berrypick.formats import by_name, sniff
from berrypick.formats.base import Problems
from berrypick.formats.traces.traces_format import Retrievals, Traces
from berrypick.inputs.frames import frame_rows, is_frame
from berrypick.inputs.traces.retrieval import Retrieval, retrievers, run_of, told_apart
from berrypick.inputs.traces.samples import response_in, samples_in
from berrypick.inputs.traces.spans import Span, each_once, retrievals_of, retrieved_documents, spans_in
from berrypick.inputs.traces.trace_columns import are_retrieved_documents
from berrypick.rows.clients import fields_of

WHERE = "the traces"


def read_traces(source: Any, format: str | None = None) -> dict[str, Run]:
    """Read what retrievers returned in traces or samples, a run for each retriever.

    Parameters
    ----------
    source : str, path, data frame, or iterable
        A file of traces or samples; or the objects or dictionaries that the clients of LangSmith, Langfuse, Phoenix and
        MLflow return, or their data frame; or the spans of OpenTelemetry's SDK for Python.
    format : str, optional
        The format of a file: traces, samples or client-results; by default it is detected.

    Returns
    -------
    dict of str to Run
        The name of a retriever to its run. Topics are named by a field, else by the question.

    Examples
    --------
    >>> import berrypick as bp
    >>> documents = [{"page_content": "Cut old canes.", "metadata": {"source": "guide", "start_index": 8}}]
    >>> step = {"id": "1", "run_type": "retriever", "name": "search", "inputs": {"query": "When?"},
    ...         "outputs": {"documents": documents}}
    >>> runs = bp.read_traces([step])
    >>> runs["search"]["When?"]
    Ranking(1 result: guide#8-22)
    """
    if isinstance(source, (str, PathLike)):
        path = file_name(source)
        chosen = by_name(format, "run") if format else sniff(path, "run")
        if not issubclass(chosen, Retrievals):
            raise UsageError(f"{path} has no traces: its format is {chosen.name()}")
        problems = Problems(path)
        found = chosen.retrievals(path, problems)
    else:
        path, problems = WHERE, Problems(WHERE)
        found = _of_objects(source, problems)
    if not found and path == WHERE:
        raise InputError("contain no retrieved documents", path=path, remedy=f"expected {Traces.shape}")
    runs = {}
    for kind, some in retrievers(found, problems, f"expected {Traces.shape}").items():
        own = Problems(path)
        name = kind or "run"
        runs[name] = run_of(some, own, "" if path == WHERE else path, Traces.format_name, name)
        runs[name] = runs[name].changed(skipped={**problems.counts, **own.counts}, missing="absent")
    return runs


def _of_objects(source: Any, problems: Problems) -> list[Retrieval]:
    """Of dictionaries, of what clients return, and of the rows of a data frame."""
    if is_frame(source):
        values: list[Any] = list(frame_rows(_with_index(source)))
    elif isinstance(source, Mapping) or not isinstance(source, Iterable) or fields_of(source) is not None:
        values = [source]
    else:
        values = list(source)
    spans: list[Span] = []
    found: list[Retrieval] = []
    rows: list[tuple[int, Mapping[str, Any]]] = []
    for number, value in enumerate(values, start=1):
        plain = _plain(value)
        if isinstance(plain, Mapping) and are_retrieved_documents(plain):
            rows.append((number, plain))
            continue
        if isinstance(plain, Mapping) and isinstance(plain.get("trace"), (str, Mapping)):  # mlflow.search_traces
            plain = _plain(plain["trace"])
        if (some := spans_in(plain, number)) is not None:
            spans += some
        elif (samples := samples_in(plain, number)) is not None:
            found += samples
        elif isinstance(plain, Mapping) and (one := response_in(plain, number)) is not None:
            found.append(one)
        else:
            raise InputError(f"{type(value).__name__} is not a trace of a known kind", path=WHERE, line=number)
    return [*retrievals_of(each_once(spans, problems)), *retrieved_documents(rows), *told_apart(found, Problems(WHERE))]


def _with_index(frame: Any) -> Any:
    """A frame of pandas with the names of its index as columns: Phoenix has the ids of spans there."""
    names = [name for name in getattr(getattr(frame, "index", None), "names", ()) if isinstance(name, str)]
    missing = [name for name in names if name not in frame.columns]
    return frame.reset_index(level=missing) if missing else frame


def _plain(value: Any, depth: int = 0) -> Any:
    """Dictionaries and lists of what a client returned."""
    from berrypick.inputs.traces.words_of import value_of

    value = value_of(value)
    if depth > 60:
        raise InputError("a trace is nested too deeply, or holds itself", path=WHERE)
    if isinstance(value, Mapping):
        return {str(name): _plain(one, depth + 1) if not isinstance(one, str) else one for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, depth + 1) if not isinstance(one, str) else one for one in value]
    if callable(made := getattr(value, "to_dict", None)) and hasattr(value, "data"):  # MLflow
        return _plain(made(), depth + 1)
    if callable(made := getattr(value, "to_json", None)) and hasattr(value, "get_span_context"):  # OpenTelemetry's SDK
        times = {"start_time": value.start_time, "end_time": value.end_time}  # its JSON cuts nanoseconds off
        return {**strict_json(made(indent=None), nan=True), **times}
    fields = fields_of(value)
    return value if fields is None else _plain(dict(fields), depth + 1)
