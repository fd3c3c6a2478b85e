"""Responses of further stores and of models that cite: each as hits with the names that Elasticsearch gives them.

A response is known by names that no other one has. What it says of its document, its place, its text and its score is
brought to ``_id``, ``_score`` or ``distance``, and ``_source``; whatever else stands in a hit stays in its source, so
that it is read, refused or noted as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.errors import InputError, shorten

Hit = Mapping[str, Any]
#: What is said where a response reports an error.
AGAIN = "search again; a topic that without results has an empty list"


@dataclass(frozen=True)
class Answer:
    """What a store says to one query: its hits, best first."""

    hits: list[Hit]
    is_partial: bool = False  # the search timed out, or parts of the index did not answer
    #: Citations of what an answer cites before, which are not results again.
    repeated: int = 0


@dataclass(frozen=True)
class Several:
    """Responses to several queries, of which a topic has one."""

    responses: Sequence[Any]


Found = Answer | Several | None


def of_store(response: Mapping[str, Any]) -> Found:
    """The hits of a response of one of the stores and models below; None if it is of none of them."""
    for read in _READERS:
        if (found := read(response)) is not None:
            return found
    return None


def of_store_hit(hit: Hit) -> Hit | None:
    """One hit of these stores that is given without its response; None for any other value."""
    names = set(hit)
    if is_azure(hit):
        return of_azure(hit)
    if {"relevance", "fields"} <= names and isinstance(hit["fields"], Mapping):
        return _of_vespa(hit)
    if isinstance(hit.get("document"), Mapping) and names & _OF_TYPESENSE:
        return _of_typesense(hit)
    if _is_meilisearch(hit):
        return _of_meilisearch(hit)
    if any(isinstance(hit.get(kind), Mapping) for kind in _GROUNDING) and names <= {*_GROUNDING}:
        return _of_gemini(hit)
    if isinstance(hit.get("location"), Mapping) and isinstance(_inside(hit, "content", "text"), str):
        return _of_bedrock(hit)
    if "file_id" in names and names & {"filename", "file_name"} and names & {"content", "text"}:
        return _of_openai(hit)
    return None


_OF_TYPESENSE = {"text_match", "vector_distance", "highlights", "highlight", "hybrid_search_info"}


def failed(what: Any) -> InputError:
    """The error of a response that says that there was one."""
    return InputError(f"the response says that the search failed: {shorten(str(what), 120)}", remedy=AGAIN)


def _objects(value: Any) -> list[Mapping[str, Any]] | None:
    """A list of objects; None for anything else."""
    if isinstance(value, (list, tuple)) and all(isinstance(one, Mapping) for one in value):
        return list(value)
    return None


def _inside(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _hit(name: Any, score: Any, source: Mapping[str, Any], score_name: str = "_score") -> Hit:
    made: dict[str, Any] = {"_source": source, "_index": None}
    if name is not None:
        made["_id"] = name
    return made if score is None else {**made, score_name: score}


def _without(source: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in source.items() if name not in names}


# --- search engines ---------------------------------------------------------------------------------------------------


def _vespa(response: Mapping[str, Any]) -> Found:
    """Hits are the children of the root. A document is called by the part of its id that a person chose."""
    root = response.get("root")
    if not isinstance(root, Mapping) or not (_of_root(root) or {"relevance", "coverage", "errors"} & set(root)):
        return None
    if errors := root.get("errors"):
        raise failed(errors)
    children = _objects(root.get("children", []))
    if children is None or any("children" in one for one in children):
        raise InputError("the response of Vespa holds groups, not hits", remedy="remove the grouping")
    return Answer([_of_vespa(one) for one in children], _inside(root, "coverage", "full") is False)


def _of_root(root: Mapping[str, Any]) -> bool:
    """Whether what is left of a root, without its relevance and coverage, is still one of Vespa."""
    children = _objects(root.get("children", [])) or []
    hits = bool(children) and all("relevance" in one and isinstance(one.get("fields"), Mapping) for one in children)
    counts = "totalCount" in (_inside(root, "fields") or ())
    return hits or (not children and (counts or root.get("id") == "toplevel" or root == {"children": []}))


def _of_vespa(one: Mapping[str, Any]) -> Hit:
    name, fields = one.get("id"), one.get("fields")
    if isinstance(name, str) and name.startswith("id:") and "::" in name:
        name = name.partition("::")[2]
    source = _without(fields, "documentid", "sddocname") if isinstance(fields, Mapping) else {}
    return _hit(name, one.get("relevance"), source)


def _solr(response: Mapping[str, Any]) -> Found:
    """Documents; fields with several values are lists, mostly of one."""
    header = response.get("responseHeader")
    found = response.get("response")
    known = isinstance(found, Mapping) and {"docs", "numFound"} <= set(found)
    if not isinstance(header, Mapping) and not known:
        return None
    if response.get("error") or _inside(header, "status"):
        raise failed(response.get("error") or header)
    if known:
        documents = _objects(_inside(found, "docs"))
    else:
        lists = [_inside(group, "doclist", "docs") for one in _values(response.get("grouped"))
                 for group in _objects(_inside(one, "groups")) or [{"doclist": _inside(one, "doclist")}]]  # fmt: skip
        documents = _objects([one for some in lists for one in some or ()]) if lists else None
    if documents is None:
        return None
    partial = _inside(header, "partialResults") is True
    return Answer([_of_solr(one) for one in documents], partial)


def _values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else []


def _of_solr(one: Mapping[str, Any]) -> Hit:
    source = {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in one.items()}
    return _hit(source.get("id"), source.get("score"), _without(source, "id", "score", "_version_"))


def _azure(response: Mapping[str, Any]) -> Found:
    if not any(str(name).startswith(("@odata.", "@search.")) for name in response):
        return None
    if (rows := _objects(response.get("value"))) is None:
        return None
    part = any(str(name) in ("@odata.nextLink", "@search.nextPageParameters") for name in response)
    coverage = response.get("@search.coverage")
    return Answer([of_azure(one) for one in rows], part or (isinstance(coverage, (int, float)) and coverage < 100))


def is_azure(value: Any) -> bool:
    """Whether a value is one result of Azure AI Search."""
    return isinstance(value, Mapping) and "@search.score" in value


def of_azure(one: Mapping[str, Any]) -> Hit:
    """A result; where it was ranked again, that is its score."""
    about = {str(name): value for name, value in one.items() if str(name).startswith("@")}
    again = next((about[name] for name in _RERANKED if about.get(name) is not None), None)
    score = about.get("@search.score") if again is None else again
    return _hit(one.get("id"), score, _without(one, "id", *about))


_RERANKED = ("@search.rerankerScore", "@search.reranker_score", "@search.rerankerBoostedScore")


def _typesense(response: Mapping[str, Any]) -> Found:
    """Hits or groups of them. A text match is a number of 64 bits that only orders, and no score."""
    if "found" not in response or not {"hits", "grouped_hits"} & set(response):
        return None
    hits = _objects(response.get("hits")) if "hits" in response else None
    if hits is None and (groups := _objects(response.get("grouped_hits"))) is not None:
        hits = _objects([hit for group in groups for hit in group.get("hits") or ()])
    if hits is None or not all(isinstance(one.get("document"), Mapping) for one in hits):
        return None
    return Answer([_of_typesense(one) for one in hits], response.get("search_cutoff") is True)


def _of_typesense(one: Mapping[str, Any]) -> Hit:
    source, fused = one["document"], _inside(one, "hybrid_search_info", "rank_fusion_score")
    far = one.get("vector_distance") if fused is None else None
    name = "_score" if far is None else "distance"
    return _hit(source.get("id"), fused if far is None else far, _without(source, "id"), name)


def _meilisearch(response: Mapping[str, Any]) -> Found:
    hits = _objects(response.get("hits"))
    timed = {"processingTimeMs", "processing_time_ms"} & set(response)
    if hits is None or not (timed or (set(response) == {"hits"} and all(map(_is_meilisearch, hits)))):
        return None
    return Answer([_of_meilisearch(one) for one in hits], response.get("degraded") is True)


_RANKED = ("_rankingScore", "_semanticScore")


def _is_meilisearch(one: Mapping[str, Any]) -> bool:
    return any(name in one for name in _RANKED)


def _of_meilisearch(one: Mapping[str, Any]) -> Hit:
    """A hit: its document, and what the search says of it under names that begin with an underscore."""
    score = next((one[name] for name in _RANKED if one.get(name) is not None), None)
    about = [str(name) for name in one if str(name).startswith("_")]
    return _hit(one.get("id"), score, _without(one, "id", *about))


def _several(response: Mapping[str, Any]) -> Found:
    """Searches of Typesense and Meilisearch for several queries at once."""
    results = _objects(response.get("results"))
    if not results or not all("hits" in one or "grouped_hits" in one for one in results):
        return None
    return Several(results)


def _milvus(response: Mapping[str, Any]) -> Found:
    """What the REST service of Milvus returns: fields beside the distance, which may be either, and is no score."""
    found = _objects(response.get("data"))
    if response.get("code") not in (0, 200) or found is None or not all("distance" in one for one in found):
        return None
    return Answer([_hit(one.get("id"), None, _without(one, "id", "distance")) for one in found])


def _error(response: Mapping[str, Any]) -> Found:
    """Errors of Meilisearch, Milvus and Typesense."""
    said = response.get("message") if "message" in response else response.get("error")
    if isinstance(said, str) and "code" in response and set(response) <= {"message", "error", "code", "type", "link"}:
        raise failed(said)
    return None


# --- services that search files ---------------------------------------------------------------------------------------


def _bedrock(response: Mapping[str, Any]) -> Found:
    """What a knowledge base retrieves, or what an answer made from it cites."""
    if (found := _objects(response.get("retrievalResults"))) is not None:
        return Answer([_of_bedrock(one) for one in found], response.get("nextToken") is not None)
    citations = _objects(response.get("citations"))
    if citations is None or not any("retrievedReferences" in one for one in citations):
        return None
    return _cited(_of_bedrock(one) for some in citations for one in _objects(some.get("retrievedReferences")) or ())


def _of_bedrock(one: Mapping[str, Any]) -> Hit:
    place = one.get("location")
    inner = next((held for held in _values(place) if isinstance(held, Mapping)), {})
    name = next((inner[key] for key in ("uri", "url", "id") if inner.get(key) is not None), None)
    metadata = one.get("metadata")
    own = metadata if isinstance(metadata, Mapping) else {}
    source = {key: value for key, value in own.items() if not str(key).startswith("x-amz-bedrock-kb-")}
    name = own.get("x-amz-bedrock-kb-source-uri") if name is None else name
    text = {"text": one["content"]["text"]} if isinstance(_inside(one, "content", "text"), str) else {}
    return _hit(None, one.get("score"), {**source, **({} if name is None else {"doc": name}), **text})


def _openai(response: Mapping[str, Any]) -> Found:
    """Results of searches in files: of a vector store, or of the calls in an answer."""
    if str(response.get("object", "")).startswith("vector_store.search_results"):
        found = _objects(response.get("data"))
        return None if found is None else Answer([_of_openai(one) for one in found], response.get("has_more") is True)
    output = _objects(response.get("output"))
    if output is None or not (response.get("object") == "response" or any(map(_is_call, output))):
        return None
    if response.get("error"):
        raise failed(response["error"])
    calls = [one for one in output if _is_call(one)]
    if any(one.get("results") is None for one in calls):
        remedy = 'ask for them with include=["file_search_call.results"]'
        raise InputError("the response does not hold the results of its search in files", remedy=remedy)
    return Answer([_of_openai(one) for call in calls for one in _objects(call["results"]) or ()])


def _is_call(one: Mapping[str, Any]) -> bool:
    return one.get("type") == "file_search_call"


def _of_openai(one: Mapping[str, Any]) -> Hit:
    attributes, content = one.get("attributes"), _objects(one.get("content"))
    own = dict(attributes) if isinstance(attributes, Mapping) else {}
    texts = [one["text"]] if isinstance(one.get("text"), str) else [part.get("text") for part in content or ()]
    if len(texts) > 1:
        raise InputError(f"a result holds {len(texts)} texts", remedy="a hit has one text, and one place")
    name = own.pop("doc", None) or one.get("filename") or one.get("file_name")
    found = {**own, **({"doc": name} if name else {}), **({"text": texts[0]} if texts else {})}
    return _hit(one.get("file_id"), one.get("score"), found)


# --- models that cite -------------------------------------------------------------------------------------------------


def _anthropic(response: Mapping[str, Any]) -> Found:
    """Citations in the blocks of a message, in their order."""
    blocks = _objects(response.get("content"))
    if blocks is None or response.get("role") != "assistant" or response.get("type") != "message":
        return None
    citations = [one for block in blocks for one in _objects(block.get("citations")) or ()]
    return _cited(map(_of_anthropic, citations))


def _of_anthropic(one: Mapping[str, Any]) -> Hit:
    """Characters of plain text are offsets; pages and blocks are not, and their text is looked up."""
    name = next((one[key] for key in ("document_title", "source", "url", "title") if one.get(key) is not None), None)
    source: dict[str, Any] = {} if name is None else {"doc": name}
    if one.get("type") == "char_location":
        source |= {"start": one.get("start_char_index"), "end": one.get("end_char_index")}
    if isinstance(one.get("cited_text"), str):
        source["text"] = one["cited_text"]
    if len(source) < 2 and "text" not in source:
        raise InputError(f"a citation of type {one.get('type')} has neither offsets nor text", remedy=_AS_IT_CAME)
    return _hit(None, None, source)


_AS_IT_CAME = "give the response unchanged"


def _cohere(response: Mapping[str, Any]) -> Found:
    """Documents that an answer cites, in the order of the citations; their offsets are those of the answer."""
    message = response.get("message")
    if isinstance(message, Mapping) and message.get("role") == "assistant" and "finish_reason" in response:
        citations = _objects(message.get("citations") or [])
        sources = [one for some in citations or () for one in _objects(some.get("sources")) or ()]
        return _cited(_of_cohere(one.get("document"), one.get("id")) for one in sources)
    citations, documents = _objects(response.get("citations") or []), _objects(response.get("documents") or [])
    if citations is None or documents is None or "generation_id" not in response:
        return None
    known = {one.get("id"): one for one in documents}
    names = [name for one in citations for name in one.get("document_ids") or ()]
    return _cited(_of_cohere(known.get(name), name) for name in names)


def _of_cohere(document: Any, name: Any) -> Hit:
    fields = dict(document) if isinstance(document, Mapping) else {}
    inner = fields.pop("data", None)
    fields |= inner if isinstance(inner, Mapping) else {}
    own = fields.pop("id", None)
    if "title" in fields and "doc" not in fields:
        fields["doc"] = fields.pop("title")
    return _hit(name if own is None else own, None, fields)


def _gemini(response: Mapping[str, Any]) -> Found:
    """The chunks that an answer is grounded on. Segments of supports are places in the answer, not in documents."""
    if (about := _grounding(response)) is not None:
        return _of_grounding(about)
    candidates = _objects(response.get("candidates"))
    if not candidates or not {"usageMetadata", "usage_metadata", "modelVersion", "model_version"} & set(response):
        named = [one for one in candidates or () if {"groundingMetadata", "grounding_metadata"} & set(one)]
        if not named:
            return None
        candidates = named
    assert candidates is not None
    if len(candidates) > 1:
        return Several([{**response, "candidates": [one]} for one in candidates])
    return _of_grounding(candidates[0].get("groundingMetadata") or candidates[0].get("grounding_metadata") or {})


def _grounding(response: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a response is grounded on that is only a part of one: a candidate, or its grounding."""
    names = set(response)
    if names & {"groundingChunks", "grounding_chunks"}:
        return response
    held = response.get("groundingMetadata") or response.get("grounding_metadata")
    known = names & {"groundingMetadata", "grounding_metadata"} and "candidates" not in names
    return (held if isinstance(held, Mapping) else {}) if known else None


def _of_grounding(about: Mapping[str, Any]) -> Answer | None:
    chunks = _objects(about.get("groundingChunks") or about.get("grounding_chunks") or [])
    return None if chunks is None else _cited(map(_of_gemini, chunks))


#: What a chunk may be of.
_GROUNDING = ("retrievedContext", "retrieved_context", "web", "maps", "image")


def _of_gemini(chunk: Mapping[str, Any]) -> Hit:
    held: Mapping[str, Any] = next((chunk[kind] for kind in _GROUNDING if isinstance(chunk.get(kind), Mapping)), {})
    text = held.get("text") or _inside(held, "ragChunk", "text") or _inside(held, "rag_chunk", "text")
    name = held.get("uri") or held.get("title") if chunk.get("web") else held.get("title") or held.get("uri")
    source = {**({"doc": name} if name else {}), **({"text": text} if text else {})}
    if not source:
        raise InputError(f"a grounding chunk names no document: {shorten(str(dict(chunk)), 60)}", remedy=_AS_IT_CAME)
    return _hit(None, None, source)


def _cited(hits: Iterator[Hit]) -> Answer:
    """Citations in order; what is cited again is the same result, and counted."""
    kept: dict[str, Hit] = {}
    count = 0
    for hit in hits:
        count += 1
        kept.setdefault(repr(sorted(hit["_source"].items(), key=lambda item: str(item[0]))), hit)
    return Answer(list(kept.values()), repeated=count - len(kept))


_READERS: tuple[Callable[[Mapping[str, Any]], Found], ...] = (
    _vespa, _solr, _azure, _typesense, _meilisearch, _several, _milvus, _error,
    _bedrock, _openai, _anthropic, _cohere, _gemini,
)  # fmt: skip
