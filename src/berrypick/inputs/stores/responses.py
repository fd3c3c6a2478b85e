"""Responses of vector stores and search engines: the hits that they hold for one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from berrypick.data.errors import InputError
from berrypick.inputs.stores.hits import Hit, is_hit, is_match
from berrypick.inputs.stores.stores import Answer, Several, failed, of_store, of_store_hit
from berrypick.rows.clients import fields_of, plain

#: Where responses keep their hits.
_PATHS = (
    ("hits", "hits"),
    ("result", "hits"),
    ("result", "points"),
    ("result",),
    ("points",),
    ("matches",),
    ("objects",),
)
#: Where they keep groups of hits.
_GROUPS = (("result", "groups"), ("groups",))
_COLUMNS = ("documents", "metadatas", "distances")
_ONE_EACH = "give each query's response to its own topic: {topic: response}"


def answer_in(value: Any) -> Answer | None:
    """The answer that a response or a list of hits holds; None if the value is neither.

    A response to several queries, one that says that it failed, and one that contradicts itself are an InputError.
    """
    if isinstance(value, (list, tuple)):
        return _of_list(value)
    response = fields_of(value)
    if response is None or not response:
        return None
    _refuse_failed(response)
    for path in _PATHS:
        found = _at(response, path)
        said = isinstance(found, (list, tuple)) and (found or path != ("result",) or "status" in response)
        if said and (hits := _hits(found, path == ("matches",))) is not None:
            return Answer(hits, _is_partial(response))
    for path in _GROUPS:
        groups = _at(response, path)
        if isinstance(groups, list) and all(isinstance(_at(one, ("hits",)), list) for one in groups):
            hits = _hits([hit for one in groups for hit in _at(one, ("hits",))])
            return None if hits is None else Answer(hits)
    if isinstance(found := response.get("responses"), list) and found:
        return _only(found, "responses")
    if isinstance(found := response.get("result"), list) and found and all(map(is_answer, found)):
        return _only(found, "responses")
    if isinstance(response.get("ids"), list) and {*_COLUMNS} & set(response):
        return Answer(_of_chroma(response))
    if not _MARKS.isdisjoint(response) and (found := of_store(plain(response))) is not None:
        return _only(found.responses, "responses") if isinstance(found, Several) else found
    return _of_weaviate(response)


#: Names of which a response of one of the further stores has some.
_MARKS = frozenset({"root", "responseHeader", "response", "value", "found", "hits", "results", "code", "data", "output",
                    "retrievalResults", "citations", "content", "message", "candidates", "groundingChunks",
                    "grounding_chunks", "groundingMetadata", "grounding_metadata"})  # fmt: skip


def is_answer(value: Any) -> bool:
    """Whether a value is a response or a list of hits, be it one that is refused."""
    try:
        return answer_in(value) is not None
    except InputError:
        return True


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        fields = fields_of(value)
        value = None if fields is None else fields.get(name)
    return value


def _hits(found: Sequence[Any], matches: bool = False) -> list[Hit] | None:
    """A list in which everything is a hit; the first is looked at before all are made plain."""
    known = is_match if matches else is_hit
    first = fields_of(found[0]) if found else None
    if found and not known(first):
        known_store = isinstance(first, Mapping) and of_store_hit(plain(first)) is not None
        return _store_hits(found) if known_store else None
    hits = [plain(one) for one in found]
    return hits if all(map(known, hits)) else None


def _store_hits(found: Sequence[Any]) -> list[Hit] | None:
    hits = [of_store_hit(fields) if isinstance(fields := plain(one), Mapping) else None for one in found]
    return None if None in hits else [hit for hit in hits if hit is not None]


def _of_list(found: Sequence[Any]) -> Answer | None:
    """Hits; or lists of hits or responses, one for each query, of which there may be one."""
    if not found or isinstance(found[0], (str, int, float)):
        return None
    if isinstance(found[0], (list, tuple)):  # Milvus
        lists = all(isinstance(one, list) and _hits(one) is not None for one in found)
        return _only(found, "lists of hits") if lists else None
    hits = _hits(found)
    if hits is not None:
        return Answer(hits)
    return _only(found, "responses") if is_answer(found[0]) else None


def _only(found: Sequence[Any], what: str) -> Answer | None:
    if len(found) > 1:
        raise InputError(f"{len(found)} {what} are given for one topic", remedy=_ONE_EACH)
    return Answer([]) if isinstance(found[0], (list, tuple)) and not found[0] else answer_in(found[0])


def _refuse_failed(response: Mapping[str, Any]) -> None:
    """Errors of Elasticsearch and OpenSearch, Qdrant, and Weaviate."""
    status = response.get("status")
    said = response.get("error") if isinstance(status, int) else status
    if isinstance(response.get("data"), (Mapping, type(None))) and isinstance(response.get("errors"), list):
        said = response["errors"]
    if said and (isinstance(said, Mapping) or said is response.get("error") or said is response.get("errors")):
        raise failed(said)


def _is_partial(response: Mapping[str, Any]) -> bool:
    failed = _at(response, ("_shards", "failed"))
    return response.get("timed_out") is True or (isinstance(failed, int) and failed > 0)


def _of_chroma(response: Mapping[str, Any]) -> list[Hit]:
    """Columns, each a list for every query."""
    nested = {name: response[name] for name in ("ids", *_COLUMNS) if isinstance(response.get(name), list)}
    queries = {name: len(column) for name, column in nested.items() if column and isinstance(column[0], list)}
    if queries and max(queries.values()) > 1:
        what = f"the response has the answers to {max(queries.values())} queries, and is given for one topic"
        raise InputError(what, remedy=_ONE_EACH)
    columns = {name: column[0] if name in queries else column for name, column in nested.items()}
    count = len(columns["ids"])
    for name, column in columns.items():
        if len(column) != count or (name in queries) != ("ids" in queries):
            raise InputError(f"the response has {count} ids and {len(column)} {name}", remedy="give it as it came")
    rows = {name: columns.get(name) or [None] * count for name in _COLUMNS}
    hits: list[Hit] = []
    for one, text, metadata, distance in zip(columns["ids"], *rows.values(), strict=True):
        if not isinstance(metadata, (Mapping, type(None))):
            raise InputError(f"the metadata of {one} is {metadata!r:.40}", remedy="metadata are a dictionary")
        fields = {**(metadata or {}), **({} if text is None else {"text": text})}
        hits.append({"id": one, "metadata": fields, "distance": distance})
    return hits


def _of_weaviate(response: Mapping[str, Any]) -> Answer | None:
    """What GraphQL returns: the objects of a class."""
    classes = _at(response, ("data", "Get"))
    lists: list[Any] = list(classes.values()) if isinstance(classes, Mapping) else [None]
    if not all(isinstance(found, list) and all(isinstance(one, Mapping) for one in found) for found in lists):
        return None
    if len(lists) != 1:
        what = f"the response has the answers to {len(lists)} queries, and is given for one topic"
        raise InputError(what, remedy=_ONE_EACH)
    return Answer([_of_class(one) for one in lists[0]])


def _of_class(one: Mapping[str, Any]) -> Hit:
    about = one.get("_additional")
    rest = {name: value for name, value in one.items() if name != "_additional"}
    return {"properties": rest, **(about if isinstance(about, Mapping) else {})}
