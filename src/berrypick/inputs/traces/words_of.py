"""The question in what was put in, and the results in what came out, in the many shapes in which both are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from berrypick.data.errors import InputError
from berrypick.files.strict_json import strict_json
from berrypick.inputs.stores.chains import is_document, retrieved_in
from berrypick.inputs.stores.responses import answer_in
from berrypick.rows.fields import LISTS, QUESTIONS, TABLE, ours_of, plain_name

#: Names of questions in what is put into chains, beside those of the table.
_ASKED = (*QUESTIONS[:-1], "prompt", "text", "content", "message", "messages", "inputs", "request", "kwargs", "args",
          "parts")  # fmt: skip
#: Names under which what came out holds results.
_GIVEN = (*LISTS["run"], "documents", "context", "contexts", "retrieved_contexts", "retrieval_context",
          "source_documents", "sources", "chunks", "nodes", "passages", "output", "outputs", "response",
          "result")  # fmt: skip
#: How deep values are looked into.
_DEEPEST = 6


def value_of(text: Any) -> Any:
    """A value that is recorded as JSON text; anything else as it is."""
    if isinstance(text, str) and text[:1] in '{["' and text[-1:] in '}]"':
        try:
            return strict_json(text)
        except (ValueError, RecursionError):
            return text
    return text


def question_in(value: Any, depth: int = 0) -> str:
    """The text of the question in what was put in; '' if there is none to be seen."""
    value = value_of(value)
    if isinstance(value, str) or depth > _DEEPEST:
        return value if isinstance(value, str) else ""
    if isinstance(value, list):
        asked = [one for one in value if isinstance(one, Mapping) and _is_user(one)]
        if asked or len(value) == 1:
            return question_in((asked or value)[-1], depth + 1)
        return ""
    if not isinstance(value, Mapping):
        return ""
    plain = {plain_name(str(name)): held for name, held in value.items()}
    for name in _ASKED:
        if plain.get(name) is not None and (found := question_in(plain[name], depth + 1)):
            return found
    texts = [held for held in value.values() if isinstance(held, str)]
    return texts[0] if len(texts) == 1 else ""


def _is_user(message: Mapping[str, Any]) -> bool:
    return "user" in (message.get("role"), message.get("type")) or "human" in (message.get("role"), message.get("type"))


def topic_in(*held: Any) -> str:
    """The topic that a field names; '' if none does."""
    for value in map(value_of, held):
        if isinstance(value, Mapping):
            for name, one in value.items():
                last = plain_name(str(name).rpartition(".")[2])
                if last in TABLE["run"]["topic"].usual and isinstance(one, (str, int)) and not isinstance(one, bool):
                    return str(one)
    return ""


def results_in(value: Any, depth: int = 0) -> Any:
    """The results in what came out, a list or a response; None if there are none to be seen."""
    value = value_of(value)
    if isinstance(value, list):
        held = [value_of(one) for one in value]
        if len(held) == 1 and isinstance(held[0], list):
            return results_in(held[0], depth + 1)
        return held if all(isinstance(one, (str, Mapping)) for one in held) else None
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    try:
        if answer_in(value) is not None:
            return value
        if (found := retrieved_in(value)) is not None:
            return found
    except InputError:
        return value  # which says what is wrong with it where it is read
    plain = {plain_name(str(name)): one for name, one in value.items()}
    for name in _GIVEN:
        if plain.get(name) is not None and (held := results_in(plain[name], depth + 1)) is not None:
            return held
    return None


def are_documents(found: Any) -> bool:
    """Whether results are plainly documents, not any list of texts or objects."""
    return isinstance(found, list) and bool(found) and all(is_document(one) or _is_passage(one) for one in found)


def _is_passage(value: Any) -> bool:
    """Whether an object is a text with its source, its place or its score; messages have a role."""
    if not isinstance(value, Mapping) or "role" in value:
        return False
    names = {ours_of(str(name), "run") for name, held in value.items() if held is not None}
    metadata = any(isinstance(value.get(name), Mapping) for name in ("metadata", "meta"))
    return "text" in names and (metadata or not names.isdisjoint(("doc", "score", "distance", "start", "rank")))
