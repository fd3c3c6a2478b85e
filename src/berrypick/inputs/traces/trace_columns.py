"""Tables of traces, by the names of their columns: they are not tables of results."""

from __future__ import annotations

from collections.abc import Collection

#: Names of which every table of spans has one.
_OF_SPANS = frozenset({"span_kind", "trace_id", "traceId", "context.trace_id", "context", "gen_ai.operation.name"})


def are_trace_columns(names: Collection[str]) -> bool:
    """Whether each row is a span of a trace, or a document that a span retrieved."""
    held = {*names}
    attributes = "attributes" in held or any(name.startswith(("attributes.", "gen_ai.")) for name in held)
    spans = attributes and not _OF_SPANS.isdisjoint(held)
    langfuse = {"type", "input", "output"} <= held and not {"traceId", "trace_id"}.isdisjoint(held)
    return spans or langfuse or are_retrieved_documents(held)


def are_retrieved_documents(names: Collection[str]) -> bool:
    """Whether each row is one document of a retrieval, as ``get_retrieved_documents`` of Phoenix returns them."""
    return {"input", "document"} <= {*names} and not {"document_score", "document_metadata"}.isdisjoint(names)
