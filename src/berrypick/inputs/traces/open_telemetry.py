"""Spans of OpenTelemetry in whichever form they are exported: their ids, attributes and the names of GenAI.

Forms: OTLP JSON (typed values, ids in hexadecimal or, from protobuf's JSON, in base64), the JSON of the SDK for Python
(ids with 0x), and rows of data frames with a column for each attribute or one column of all.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from berrypick.inputs.traces.words_of import are_documents, question_in, results_in, value_of

#: How deep values are looked into.
DEEPEST = 50
_OPERATION = "gen_ai.operation.name"
_DOCUMENTS = "gen_ai.retrieval.documents"


@dataclass(frozen=True)
class GenAI:
    """What the attributes of GenAI say of a span."""

    kind: str  # 'retrieval' if it retrieves, 'tool', or the operation
    asked: str  # the query of the retrieval
    question: str  # what a model, an agent or a tool was asked
    found: Any  # results, or None


def genai(held: Mapping[str, Any]) -> GenAI | None:
    """The retrieval or other operation that a span records by the names of GenAI; None for any other span.

    A tool retrieves if it has the attribute of a retrieval, or if its result is plainly documents.
    """
    operation = attribute(held, _OPERATION)
    recorded = attribute(held, _DOCUMENTS)
    if not isinstance(operation, str) and recorded is None:
        return None
    kind = operation.lower() if isinstance(operation, str) else "retrieval"
    found = _documents(recorded)
    if found is None and kind == "execute_tool":
        given = results_in(attribute(held, "gen_ai.tool.call.result"))
        found = given if are_documents(given) else None
    asked = attribute(held, "gen_ai.retrieval.query.text")
    said = attribute(held, "gen_ai.tool.call.arguments" if kind == "execute_tool" else "gen_ai.input.messages")
    kind = "retrieval" if found is not None else {"execute_tool": "tool"}.get(kind, kind)
    return GenAI(kind, asked if isinstance(asked, str) else "", question_in(said), found)


def _documents(recorded: Any) -> list[Any] | None:
    """Retrieved documents as hits: an id, a score, and whatever else is recorded. None where they are not readable, as
    JSON that an exporter has cut off."""
    if recorded is None or not isinstance(given := results_in(recorded), list):
        return None
    return [_hit(one) if isinstance(one, Mapping) else one for one in given]


def _hit(document: Mapping[str, Any]) -> Mapping[str, Any]:
    if "id" not in document:
        return document
    source = {str(name): one for name, one in document.items() if name not in ("id", "score") and one is not None}
    score = document.get("score")
    return {"_id": document["id"], "_source": source, **({} if score is None else {"_score": score})}


# --- ids --------------------------------------------------------------------------------------------------------------


def plain_id(given: Any) -> str:
    """The id of a trace or span in hexadecimal; any other text as it is, and '' for zeros, which name none."""
    if isinstance(given, (bytes, bytearray)):
        given = given.hex()
    text = "" if given is None else str(given).strip()
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
        text = text[2:]
    elif re.fullmatch(r"[A-Za-z0-9+/_-]{22}==|[A-Za-z0-9+/_-]{11}=", text):  # 16 or 8 bytes in base64
        try:
            text = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True).hex()
        except binascii.Error:
            return text
    if re.fullmatch(r"[0-9a-fA-F]{16}|[0-9a-fA-F]{32}", text):
        return text.lower() if text.strip("0") else ""
    return text


# --- attributes -------------------------------------------------------------------------------------------------------


def attributes_of(span: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by their names, which may be nested."""
    held = value_of(span.get("attributes"))
    if isinstance(held, (list, tuple)):
        return dict(filter(None, map(_pair, held)))
    if isinstance(held, Mapping):
        return {str(name): typed(one) for name, one in held.items()}
    prefixed = {str(name)[11:]: typed(one) for name, one in span.items() if str(name).startswith("attributes.")}
    return prefixed or {str(name): typed(one) for name, one in span.items() if str(name).startswith("gen_ai.")}


def _pair(one: Any) -> tuple[str, Any] | None:
    """A key and its value: an object of OTLP, or an entry of a map of Arrow."""
    if isinstance(one, Mapping):
        return (str(one["key"]), typed(one.get("value"))) if "key" in one else None
    return (str(one[0]), typed(one[1])) if isinstance(one, (list, tuple)) and len(one) == 2 else None


#: The kinds of a typed value of OTLP, in the JSON of its standard and in that of other writers.
_KINDS = {name.replace("_", ""): name for name in ("string_value", "bool_value", "int_value", "double_value",
                                                   "array_value", "kvlist_value", "bytes_value")}  # fmt: skip


def typed(value: Any, depth: int = 0) -> Any:
    """The plain value of a typed one of OTLP; anything else as it is."""
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return None if depth > DEEPEST else value
    given = {_KINDS.get(str(name).replace("_", "").lower()): one for name, one in value.items() if one is not None}
    if not value or not {*given} <= {*_KINDS.values()} or len(given) != 1:
        return value if value else None
    [(kind, held)] = given.items()
    if kind == "int_value":
        try:
            return int(held)
        except (TypeError, ValueError):
            return None
    if kind == "double_value" and isinstance(held, str):  # NaN and Infinity
        return None
    if kind == "array_value":
        return [typed(one, depth + 1) for one in _values(held)]
    if kind == "kvlist_value":
        pairs = (one for one in _values(held) if isinstance(one, Mapping) and "key" in one)
        return {str(one["key"]): typed(one.get("value"), depth + 1) for one in pairs}
    return held


def _values(held: Any) -> list[Any]:
    given = held.get("values") if isinstance(held, Mapping) else None
    return given if isinstance(given, list) else []


def attribute(held: Mapping[str, Any], name: str) -> Any:
    """The value of a dotted name, be it one name or several inside of each other."""
    if name in held:
        return held[name]
    parts = name.split(".")
    for place in range(1, len(parts)):
        inner = held.get(".".join(parts[:place]))
        if isinstance(inner, Mapping) and (found := attribute(inner, ".".join(parts[place:]))) is not None:
            return found
    return None


def flattened(held: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by their dotted names, also those inside of lists and objects; metadata as they are."""
    flat: dict[str, Any] = {}
    _flatten("", held, flat, 0)
    return flat


def _flatten(name: str, value: Any, into: dict[str, Any], depth: int) -> None:
    if name.endswith("metadata") or depth > DEEPEST or not isinstance(value, (Mapping, list)):
        into[name] = value
        return
    for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
        _flatten(f"{name}.{key}" if name else str(key), one, into, depth + 1)
