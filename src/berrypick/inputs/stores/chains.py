"""What was retrieved, inside of what chains, engines and pipelines return.

LangChain: ``{"input": .., "context": [documents], "answer": ..}``, ``source_documents``, tool messages with documents
(also of LangChain.js, with ``pageContent``);
LlamaIndex: a response with ``source_nodes``; Haystack: ``{"retriever": {"documents": [..]}, ..}``, and answers with
documents. Known by shape, as objects and as the JSON that they become.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from berrypick.data.errors import InputError
from berrypick.inputs.stores.hits import is_hit
from berrypick.rows.clients import fields_of
from berrypick.rows.fields import QUESTIONS

#: Where results of LangChain have their documents.
_KEPT = ("context", "source_documents", "documents", "retrieved_documents", "docs")
#: Names of what was asked and answered, of which results of chains have some.
_SAID = frozenset({*QUESTIONS[:-1], "answer", "result", "response", "output", "chat_history", "replies"})


def retrieved_in(value: Any) -> list[Any] | None:
    """The results in what a chain, an engine or a pipeline returned for one topic; None if it is nothing of the
    kind."""
    fields = _fields(value)
    if fields is None:
        return None
    if isinstance(nodes := fields.get("source_nodes"), (list, tuple)):
        return list(nodes)
    if (documents := _of_chain(fields)) is not None:
        return documents
    if (documents := _of_messages(fields.get("messages"))) is not None:
        return documents
    if "documents" in fields and set(fields) <= _OF_COMPONENTS:  # Haystack: what one component returned
        return _of_component(fields)
    return _of_pipeline(fields)


def _fields(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, (str, bytes, list, tuple)):
        return None
    if hasattr(value, "source_nodes"):
        return {"source_nodes": value.source_nodes}
    return fields_of(value)


def is_document(value: Any) -> bool:
    """Whether a value is a document or node of a library, or the dictionary that it becomes."""
    if isinstance(value, Mapping):
        held = value.get("kwargs") if "lc" in value else value
        if not isinstance(held, Mapping):
            return False
        node = isinstance(held.get("node"), Mapping) and "text" in held["node"]
        haystack = "content" in held and bool({"meta", "id", "blob"} & set(held))
        return "page_content" in held or "pageContent" in held or node or haystack or is_hit(held)
    return any(hasattr(value, name) for name in ("page_content", "start_char_idx", "node")) or (
        hasattr(value, "content") and hasattr(value, "meta")
    )


def _documents(value: Any) -> list[Any] | None:
    """A list of documents, be it empty."""
    if not isinstance(value, (list, tuple)) or not all(map(is_document, value)):
        return None
    return list(value)


def _of_chain(fields: Mapping[str, Any]) -> list[Any] | None:
    names = {str(name) for name in fields}
    if not names & _SAID:
        return None
    held = {name: found for name in _KEPT if (found := _documents(fields.get(name))) is not None}
    filled = [name for name, found in held.items() if found]
    if len(filled) > 1 and any(held[name] != held[filled[0]] for name in filled):
        remedy = f"give one of them: {{topic: result[{filled[0]!r}]}}"
        raise InputError(f"a result has several lists of documents: {', '.join(filled)}", remedy=remedy)
    return held[filled[0]] if filled else next(iter(held.values()), None)


def _of_messages(messages: Any) -> list[Any] | None:
    """Documents that tools returned beside their messages to a model."""
    if not isinstance(messages, (list, tuple)):
        return None
    found = [artifact for one in messages if (artifact := _documents(_artifact(one))) is not None]
    return [document for some in found for document in some] if found else None


def _artifact(message: Any) -> Any:
    return message.get("artifact") if isinstance(message, Mapping) else getattr(message, "artifact", None)


def _of_pipeline(fields: Mapping[str, Any]) -> list[Any] | None:
    """The documents of the one component that returned some; where several did, a person must say which."""
    parts = {str(name): part for name, part in fields.items() if isinstance(part, Mapping)}
    if not parts or len(parts) != len(fields):
        return None
    held = {
        name: found
        for name, part in parts.items()
        if part and set(part) <= _OF_COMPONENTS and (found := _of_component(part)) is not None
    }
    if len(held) > 1:
        lists = [found for found in held.values() if found]
        if any(found != lists[0] for found in lists):
            example = next(iter(held))
            remedy = f"give those of one: {{topic: result[{example!r}]['documents']}}"
            raise InputError(f"several components return documents: {', '.join(held)}", remedy=remedy)
    return next((found for found in held.values() if found), next(iter(held.values()), None))


#: What components of retrieval pipelines return beside documents.
_OF_COMPONENTS = frozenset({"documents", "answers", "replies", "meta", "query", "scores"})


def _of_component(part: Mapping[str, Any]) -> list[Any] | None:
    if (found := _documents(part.get("documents"))) is not None:
        return found
    return next(iter(_answered(part.get("answers"))), None)


def _answered(answers: Any) -> Iterator[list[Any]]:
    for one in answers if isinstance(answers, (list, tuple)) else ():
        fields = fields_of(one)
        if fields is not None and (found := _documents(fields.get("documents"))) is not None:
            yield found
