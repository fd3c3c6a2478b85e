"""Hits of vector stores and search engines: what they say by our names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from berrypick.data.errors import InputError
from berrypick.data.parameters import is_finite
from berrypick.files.strict_json import strict_json
from berrypick.rows.counted_places import COUNTED, DETAILS, UNIT
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError, names_of
from berrypick.rows.field_values import checked_length
from berrypick.rows.fields import PAGE_NAMES, TABLE, plain_name, unread_note
from berrypick.rows.json_lines import place_of_name
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.made_names import file_names, is_made

Hit = Mapping[str, Any]
#: The key under which :func:`hit_fields` has the names of fields that it did not read.
UNREAD = "unread"
#: Where the fields of a hit are.
_FIELDS = ("_source", "payload", "properties", "entity", "metadata", "fields")
_DISTANCES = ("distance", "_distance")
_SCORES = ("score", "_score", "certainty", "similarity")
#: All that a match of Pinecone has.
_MATCH = {"id", "score", "values", "sparse_values", "sparseValues", "metadata"}
#: The key under which an inner hit has the document of the hit around it.
_DOCUMENT = "_document"


def is_hit(value: Any) -> bool:
    """Whether a value is one hit: of Elasticsearch or OpenSearch, Qdrant, Weaviate, Milvus, or Pinecone."""
    if not isinstance(value, Mapping):
        return False
    names = set(value)
    if "_id" in names and names & {"_score", "_source", "_index"}:
        return True
    if names >= {"distance", "entity"} or names >= {"id", "score", "payload"}:
        return isinstance(value.get("entity", value.get("payload")), (Mapping, type(None)))
    fields = value.get("payload", value.get("properties"))
    if isinstance(fields, Mapping):
        return bool(names & {"id", "uuid", "score", "metadata"})
    return is_match(value) and bool(names & {"values", "metadata"})


def is_match(value: Any) -> bool:
    """Whether a value is a match of Pinecone."""
    return isinstance(value, Mapping) and {"id", "score"} <= set(value) <= _MATCH


def hit_fields(hit: Hit) -> dict[str, Any]:
    """doc, start, end (or a length in its place), text and score of a hit, as far as it has them.

    ``unread`` has the names of its other fields. Where a start has neither end nor length, the end follows from the
    text: whoever knows what offsets count adds it.
    """
    fields = payload(hit)
    found, unread = _ours(fields)
    if "doc" not in found:
        found.update(_identity(hit, "start" not in found))
        if hit.get(_DOCUMENT) is None:
            found["doc_else"] = ()  # an id of the store, which may not be that of a document
    elif is_made(found["doc"]) and (files := file_names(fields)):
        found["doc_else"] = files
        unread = [name for name in unread if fields.get(name) not in files]
    if not isinstance(text := found.get("text", ""), str):
        what = f"holds {len(text)} texts" if isinstance(text, list) else f"must be a text, not {text!r:.40}"
        raise InputError(f"text {what}", remedy="a hit has one text, and one place")
    if "start" not in found or found.get("end") is not None or found.get("text"):
        if "length" in found:
            unread.append("length")  # of the document, in minutes, or what the text says too
        found.pop("length", None)
    elif "length" in found:
        try:
            checked_length(found["length"])
        except FieldError as error:
            raise InputError(error.what, remedy=error.remedy) from None
    if hit.get("highlight"):
        unread.append("highlight")
    score = _score(hit)
    return {**found, **({} if score is None else {"score": score}), UNREAD: unread}


def _ours(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Fields by our names, and the names of the others."""
    reader = FieldParser("run", ends=False, metadata=True)
    try:
        rows = reader.read({str(name): value for name, value in fields.items()})
    except FieldError as error:
        raise InputError(error.what, remedy=error.remedy) from None
    if len(rows) > 1:
        raise InputError("a hit holds several texts", remedy="a hit has one text, and one place")
    wanted = ["doc", "start", "end", "length", "text", UNIT, *DETAILS, *PAGE_NAMES, PAGE_FIELDS]
    if plain_name(names_of(rows[0]).get("doc", "")) == "title":
        wanted.remove("doc")  # a hit has an id, which is a better name
    return {name: rows[0][name] for name in wanted if rows[0].get(name) is not None}, list(reader.unread)


def _identity(hit: Hit, may_be_span: bool) -> dict[str, Any]:
    """The document of a hit that names none: that of the hit around it, else the hit's own id."""
    if hit.get(_DOCUMENT) is not None:
        return {"doc": hit[_DOCUMENT]}
    own = [hit[name] for name in ("_id", "id", "uuid") if hit.get(name) is not None]
    if not own and "entity" in hit:  # Milvus calls the id as its field is called
        own = [value for name, value in hit.items() if name not in ("entity", "distance", "highlight", "offset")][:1]
    if own and isinstance(own[0], (Mapping, list)):
        raise InputError(f"the id of a hit is {own[0]!r:.60}", remedy="an id is a text or a number")
    return place_of_name(str(own[0]), may_be_span) if own else {}


def payload(hit: Hit) -> dict[str, Any]:
    """The fields of a hit with those of its metadata, and of the node that LlamaIndex keeps as JSON."""
    fields: dict[str, Any] = {}
    for name in _FIELDS:
        part = hit.get(name)
        if name == "metadata" and "properties" in hit:
            continue  # Weaviate has scores there
        if isinstance(part, Mapping):
            listed = name == "fields" and {"_id", "_nested"} & set(hit)
            fields = {**(_of_fields(part, hit) if listed else part), **fields}
    for name in ("metadata", "meta"):
        if isinstance(inner := fields.get(name), Mapping):
            fields = {**inner, **{other: value for other, value in fields.items() if other != name}}
    if isinstance(node := fields.get("_node_content"), str):
        try:
            inner = strict_json(node)
        except (ValueError, RecursionError):
            inner = None
        if not isinstance(inner, dict):
            raise InputError("the _node_content of a hit is not a JSON object", remedy="give the hit unchanged")
        known = ("start_char_idx", "end_char_idx", "text", "ref_doc_id")
        fields = {**{name: inner[name] for name in known if name in inner}, **fields}
    return fields


def _of_fields(part: Mapping[str, Any], hit: Hit) -> dict[str, Any]:
    """Fields of Elasticsearch, each a list of its values; those of a nested object, and of metadata, have its name
    before theirs."""
    nested = hit.get("_nested")
    path = str(nested.get("field", "")) if isinstance(nested, Mapping) else ""
    inside = part.get(path)
    if isinstance(inside, list) and len(inside) == 1 and isinstance(inside[0], Mapping):
        part = {**{name: value for name, value in part.items() if name != path}, **inside[0]}
    found: dict[str, Any] = {}
    for name, value in part.items():
        own = str(name).removeprefix(f"{path}.").removeprefix("metadata.")
        found[own] = value[0] if isinstance(value, list) and len(value) == 1 else value
    return found


# --- hits inside of hits ----------------------------------------------------------------------------------------------


def results_of(hit: Hit) -> list[Hit]:
    """The hits that a hit stands for: its inner hits by their ranks, or itself where it has none."""
    inner = list(_by_rank(hit.get("inner_hits")))
    if not inner:
        return [hit]
    document = _document(hit)
    found = [{_DOCUMENT: document, **one} if _is_part(one, hit) else one for one in inner]
    results = [result for one in found for result in results_of(one)]
    for one in results:
        if ({"_nested", "_routing"} & set(one) or "_id" not in one) and not _has_place(one):
            unread = unread_note(_ours(payload(one))[1])  # what says where, but is not read, is an error of its own
            raise InputError(
                f"an inner hit of {document} has neither offsets nor text, and would count as the whole document"
                + (unread and f"; {unread}"),
                remedy="let inner_hits return them, in _source or in fields",
            )
    if _has(hit, "start") and not any(_has(one, "start") for one in results):
        raise InputError(
            f"a hit in {document} has offsets, and none of its inner hits has",
            remedy="remove inner_hits, or let them return offsets",
        )
    return results


def _document(hit: Hit) -> Any:
    """The document of a hit; nothing else of the outer hit is read."""
    own = _value(payload(hit), "doc")
    return _identity(hit, may_be_span=False).get("doc") if own is None else own


def _has(hit: Hit, ours: str) -> bool:
    return _value(payload(hit), ours) not in (None, "")


def _has_place(hit: Hit) -> bool:
    return any(_has(hit, ours) for ours in ("start", "text", *COUNTED, *PAGE_NAMES))


def _value(fields: Mapping[str, Any], ours: str) -> Any:
    """The value under the first of the names that a thing has."""
    aliases = TABLE["run"][ours]
    plain = {plain_name(name): value for name, value in fields.items() if isinstance(name, str)}
    names = [name for name in aliases.all if name != "title"]  # a hit has an id, which is a better name
    return next((plain[name] for name in names if plain.get(name) is not None), None)


def _by_rank(given: Any) -> Iterator[Hit]:
    """Inner hits by rank; where several lists have the same rank, in the order of the lists."""
    if given is None:
        return
    lists = [_inner(one) for one in given.values()] if isinstance(given, Mapping) else [None]
    if any(one is None for one in lists):
        raise InputError("the inner_hits of a hit are not lists of hits", remedy="give the response unchanged")
    for same_rank in zip_longest(*(found or () for found in lists)):
        yield from (one for one in same_rank if one is not None)


def _inner(given: Any) -> Sequence[Hit] | None:
    held = given.get("hits") if isinstance(given, Mapping) else None
    found = held.get("hits") if isinstance(held, Mapping) else None
    return found if isinstance(found, list) and all(isinstance(one, Mapping) for one in found) else None


def _is_part(inner: Hit, outer: Hit) -> bool:
    """Whether an inner hit has the document of the outer one: a nested object, a child, whatever has a place. Others
    are documents that ``collapse`` has put together."""
    return (
        "_nested" in inner
        or "_routing" in inner
        or inner.get("_id") in (None, outer.get("_id"))
        or _has(inner, "start")
    )


# --- scores -----------------------------------------------------------------------------------------------------------


def _score(hit: Hit) -> float | None:
    """The score; a distance is one with its sign changed. That of Milvus is either, as its metric says."""
    if "entity" in hit:
        return None
    places = [hit, hit.get("metadata")] if "properties" in hit else [hit]
    for place in places:
        for names, sign in ((_SCORES, 1), (_DISTANCES, -1)):
            for name in names:
                value: Any = place.get(name) if isinstance(place, Mapping) else None
                if isinstance(value, str):
                    value = _number(value)  # Weaviate has scores of keyword search as texts
                if _is_number(value):
                    return sign * (float(value) if is_finite(value) else value)
    return None


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (bool, str))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
