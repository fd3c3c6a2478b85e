"""Scores back to the traces that they are of, by the client that a person passes in; there is no network of our own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.data.words import counted
from berrypick.files.files import atomic_writer, file_name

#: What scores are said to come from.
SOURCE = "berrypick"


@dataclass(frozen=True)
class TraceScore:
    """One number of one trace."""

    trace: str
    span: str
    end: str  # when the step ended that is scored
    name: str
    value: float
    signature: str

    @property
    def id(self) -> str:
        """The same for the same number, so that a score that is written again takes the place of the one before."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"berrypick:{self.trace}:{self.span}:{self.name}"))


@dataclass(frozen=True)
class WrittenBack:
    """What was written to traces, and what was not."""

    scores: int
    traces: int
    undefined: int  # numbers without a value
    untraced: int  # topics of the results that no trace is of
    unlinked: int = 0  # scores whose trace has no id of OpenTelemetry, which a file cannot link
    untimed: int = 0  # written scores whose step does not say when it ended

    def __str__(self) -> str:
        rest = [
            *([f"{counted(self.undefined, 'undefined value')} skipped"] if self.undefined else []),
            *([f"{counted(self.untraced, 'topic')} without a trace"] if self.untraced else []),
            *([f"{counted(self.unlinked, 'score')} without an OpenTelemetry id skipped"] if self.unlinked else []),
            *([f"{counted(self.untimed, 'score')} without a time"] if self.untimed else []),
        ]
        return "; ".join([f"{counted(self.scores, 'score')} of {counted(self.traces, 'trace')} written", *rest])


def write_back(results: Results, client: Any) -> WrittenBack:
    """Write the score of every trace to where the traces are kept.

    Each topic that was evaluated from a trace gets a score for each measure, at the step that retrieved. The signature
    of the number goes along as its comment. A score that is written again takes the place of the one before, but for
    MLflow, which keeps both.

    Parameters
    ----------
    results : Results
        Of runs that were read from traces, by ``bp.evaluate(truth, traces, ...)``.
    client : object or path
        A ``langsmith.Client``, a ``langfuse.Langfuse``, a ``phoenix.client.Client``, or the module ``mlflow``; or the
        name of a file, for events ``gen_ai.evaluation.result`` of OpenTelemetry as OTLP JSON Lines.

    Returns
    -------
    WrittenBack
        How many scores were written, and what was left out.

    Examples
    --------
    >>> import berrypick as bp
    >>> step = {"id": "1", "trace_id": "t", "run_type": "retriever", "inputs": {"query": "When?"},
    ...         "outputs": {"documents": [{"page_content": "Cut.", "metadata": {"source": "guide", "start_index": 0}}]}}
    >>> results = bp.evaluate({"When?": [("guide", 0, 4)]}, bp.read_traces([step]), "charR")
    >>> class Client:
    ...     def create_score(self, **score):
    ...         print(score["trace_id"], score["name"], score["value"])
    >>> print(bp.write_back(results, Client()))
    t charR 1.0
    1 score of 1 trace written
    """
    write = None if isinstance(client, (str, PathLike)) else _writer(client)
    scores = list(_scores(results))
    if not any(facts.traces for facts in results.run_facts.values()):
        raise UsageError(
            "the results do not come from traces: evaluate what bp.read_traces returns, or a file of traces"
        )
    written = [one for one in scores if one is not None]
    topics = {topic for facts in results.run_facts.values() for topic in facts.traces}
    untraced = sum(topic not in topics for topic in results.topics)
    rest = (len(scores) - len(written), untraced)
    if write is None:
        return _to_file(written, file_name(client), rest)
    for number, one in enumerate(written):
        try:
            write(one)
        except Exception as error:  # whatever a client raises
            done = f"{counted(number, 'score')} of {len(written)} written"
            why = f"{type(error).__name__}: {error}"
            raise UsageError(f"{type(client).__name__} refused the score {one.name} of trace {one.trace} "
                             f"({why}); {done}") from error  # fmt: skip
    if callable(flush := getattr(client, "flush", None)):
        flush()
    return WrittenBack(len(written), len({one.trace for one in written}), *rest)


def _to_file(scores: Sequence[TraceScore], path: str, rest: tuple[int, int]) -> WrittenBack:
    """Write events of OpenTelemetry; what none of its ids names cannot be linked, and is counted."""
    from berrypick.integrations.otlp_scores import log_line, names_span, nanoseconds

    linked = [one for one in scores if names_span(one.trace, one.span)]
    if scores and not linked:
        one = scores[0]
        raise UsageError(
            f"{path}: OpenTelemetry links scores by trace and span ids of 32 and 16 hexadecimal digits; no trace has "
            f"these (trace {one.trace[:40]!r}, span {one.span[:40]!r}). Pass the client of your platform instead"
        )
    with atomic_writer(path) as out:
        out.writelines(log_line(one) for one in linked)
    untimed = sum(nanoseconds(one.end) is None for one in linked)
    traces = len({one.trace for one in linked})
    return WrittenBack(len(linked), traces, *rest, len(scores) - len(linked), untimed)


def _scores(results: Results) -> Iterator[TraceScore | None]:
    """A score for every number of a topic that has a trace; None where it is undefined."""
    several = len(results.runs) > 1
    for row in results.topic_rows:
        step = results.run_facts[row.run].traces.get(row.topic)
        if step is None:
            continue
        name = f"{row.measure} ({row.run})" if several else row.measure
        yield None if row.value is None else TraceScore(*step, name, row.value, str(row.signature))


def _writer(client: Any) -> Callable[[TraceScore], Any]:
    """How a client takes a score, known by its methods."""
    if callable(getattr(client, "create_feedback", None)):
        return lambda one: client.create_feedback(
            one.span or one.trace, one.name, score=one.value, value=one.value, comment=one.signature,
            feedback_id=one.id, source_info={"name": SOURCE}, **({"trace_id": one.trace} if one.trace else {}),
        )  # fmt: skip
    if callable(getattr(client, "create_score", None)):
        return lambda one: client.create_score(
            name=one.name, value=one.value, trace_id=one.trace, comment=one.signature, score_id=one.id,
            data_type="NUMERIC", **({"observation_id": one.span} if one.span else {}),
        )  # fmt: skip
    spans = getattr(client, "spans", None)
    if callable(getattr(spans, "add_span_annotation", None)):
        return lambda one: spans.add_span_annotation(  # type: ignore[union-attr]
            span_id=one.span, annotation_name=one.name, annotator_kind="CODE", score=one.value,
            explanation=one.signature, identifier=SOURCE, sync=True,
        )  # fmt: skip
    if callable(getattr(client, "log_feedback", None)):
        source = client.entities.AssessmentSource(source_type="CODE", source_id=SOURCE)
        return lambda one: client.log_feedback(
            trace_id=one.trace, name=one.name, value=one.value, rationale=one.signature, source=source
        )
    raise UsageError(
        f"{type(client).__name__} is not a client for scores: expected a langsmith.Client, a langfuse.Langfuse, "
        "a phoenix.client.Client, the module mlflow, or the name of a file"
    )
