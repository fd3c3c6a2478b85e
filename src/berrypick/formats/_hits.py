"""Responses of vector stores and search engines: which they are, and what their hits say by our names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from berrypick.core.finite import is_finite
from berrypick.formats._spans import place_of_name
from berrypick.inputs.fields import TABLE, plain_name

#: Where the fields of a hit are.
_FIELDS = ("_source", "payload", "properties", "metadata", "fields")
_DISTANCES = ("distance", "_distance")
_SCORES = ("score", "_score", "certainty", "similarity")


def hits_in(response: Any) -> list[Mapping[str, Any]] | None:
    """The hits of one response, best first; None if it is no response of a store that is known."""
    if not isinstance(response, Mapping):
        return None
    for path in (("hits", "hits"), ("result", "points"), ("result",), ("points",), ("objects",)):
        found: Any = response
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, list) and all(map(is_hit, found)) and (found or path != ("result",)):
            return found
    if isinstance(response.get("ids"), list) and {"documents", "metadatas", "distances"} & set(response):
        return _of_chroma(response)
    data = response.get("data")
    classes = data.get("Get") if isinstance(data, Mapping) else None
    if isinstance(classes, Mapping) and len(classes) == 1 and isinstance(found := next(iter(classes.values())), list):
        return [_of_weaviate(one) for one in found if isinstance(one, Mapping)]
    return None


def is_hit(value: Any) -> bool:
    """Whether a value is one hit: of Elasticsearch or OpenSearch, Qdrant, or Weaviate."""
    if not isinstance(value, Mapping):
        return False
    if "_id" in value and ({"_score", "_source", "_index"} & set(value)):
        return True
    fields = value.get("payload", value.get("properties"))
    return isinstance(fields, Mapping) and bool({"id", "uuid", "score", "metadata"} & set(value))


def _of_chroma(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Columns, each a list for every query; a response here is for one."""
    count = len(ids := _one_query(response["ids"]))
    columns = {name: _one_query(response.get(name)) for name in ("documents", "metadatas", "distances")}
    rows = {name: values if len(values) == count else [None] * count for name, values in columns.items()}
    return [
        {"id": one, "fields": {"document_text": text, **(metadata or {})}, "distance": distance}
        for one, text, metadata, distance in zip(
            ids, rows["documents"], rows["metadatas"], rows["distances"], strict=True
        )
    ]


def _one_query(column: Any) -> list[Any]:
    if isinstance(column, list) and len(column) == 1 and isinstance(column[0], list):
        return column[0]
    return column if isinstance(column, list) and not any(isinstance(one, list) for one in column) else []


def _of_weaviate(one: Mapping[str, Any]) -> Mapping[str, Any]:
    about = one.get("_additional")
    rest = {name: value for name, value in one.items() if name != "_additional"}
    return {"fields": rest, **(about if isinstance(about, Mapping) else {})}


def hit_fields(hit: Mapping[str, Any]) -> dict[str, Any]:
    """doc, start, end, text and score of a hit, as far as it has them."""
    fields = _flat(hit)
    found = {
        ours: value for ours in ("doc", "start", "end", "length", "text") if (value := _field(fields, ours)) is not None
    }
    identity = hit.get("_id", hit.get("id", hit.get("uuid")))
    if "doc" not in found and identity is not None:
        found.update(place_of_name(str(identity), may_be_span="start" not in found))
    length = found.pop("length", None)
    if "start" in found and "end" not in found and isinstance(found["start"], int):
        size = length if length is not None else len(found["text"]) if isinstance(found.get("text"), str) else None
        found.update({} if size is None else {"end": found["start"] + size})
    score = _score(hit)
    return {**found, **({} if score is None else {"score": score})}


def _flat(hit: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a hit with those of its metadata, and of the node that LlamaIndex keeps as JSON."""
    fields: dict[str, Any] = {}
    for name in _FIELDS:
        if isinstance(part := hit.get(name), Mapping):
            fields = {**part, **fields}
    for name in ("metadata", "meta"):
        if isinstance(inner := fields.get(name), Mapping):
            fields = {**inner, **fields}
    if isinstance(node := fields.get("_node_content"), str):
        try:
            inner = json.loads(node)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, dict):
            fields = {**inner, **fields}
    return fields


def _field(fields: Mapping[str, Any], ours: str) -> Any:
    """The value under the first of the names that a thing has."""
    aliases = TABLE["run"][ours]
    plain = {plain_name(name): value for name, value in fields.items() if isinstance(name, str)}
    names: Sequence[str] = (*aliases.usual, *aliases.other, *(("document_text",) if ours == "text" else ()))
    return next((plain[name] for name in names if plain.get(name) is not None), None)


def _score(hit: Mapping[str, Any]) -> float | None:
    """The score; a distance is one with its sign changed."""
    places = [hit, hit.get("metadata")] if "properties" in hit else [hit]
    for place in places:
        for names, sign in ((_SCORES, 1), (_DISTANCES, -1)):
            for name in names:
                value = place.get(name) if isinstance(place, Mapping) else None
                if isinstance(value, str):
                    value = _number(value)  # Weaviate has scores of keyword search as texts
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    return sign * (float(value) if is_finite(value) else value)
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
