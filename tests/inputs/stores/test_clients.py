"""What clients of stores, models that cite, chains and frames return: the same retrieval has the same digits."""

import uuid
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest
from client_responses import (
    DOCUMENTS,
    EXPECTED,
    HAYSTACK,
    MEASURES,
    NODES,
    PLACES,
    RESPONSES,
    ROWS,
    SCORES,
    TEXTS,
    TRUTH,
)
from many_cases import each

import berrypick as bp


def places(run: Any) -> list[tuple[Any, ...]]:
    return [(one["doc"], one["start"], one["end"]) for one in run["q"]]


@pytest.mark.slow
@each("carrier", RESPONSES)
def test_the_same_retrieval_has_the_same_digits(carrier):
    given = {"q": RESPONSES[carrier]}
    assert places(bp.run_from_objects(given, documents=TEXTS)) == PLACES
    results = bp.evaluate(TRUTH, given, MEASURES, documents=TEXTS)
    assert results.mean()["run"] == pytest.approx(EXPECTED)
    by_name = bp.evaluate(TRUTH, {"mine": given}, MEASURES, documents=TEXTS)
    assert by_name.mean()["mine"] == results.mean()["run"]


# --- objects, rows and frames -----------------------------------------------------------------------------------------

Row = namedtuple("Row", "id content source start_index distance")


def as_objects(value: Any) -> Any:
    """Dictionaries with names that are identifiers as objects."""
    if isinstance(value, list):
        return [as_objects(one) for one in value]
    if isinstance(value, dict) and value and all(name.isidentifier() for name in value):
        return SimpleNamespace(**{name: as_objects(one) for name, one in value.items()})
    return value


def objects() -> dict[str, Any]:
    rows = [Row(i, one["text"], one["source"], one["start_index"], 1 - score)
            for i, (one, score) in enumerate(zip(ROWS, SCORES, strict=True))]  # fmt: skip
    chunks = [SimpleNamespace(text=row["text"], start_index=place[1], end_index=place[2], token_count=3, context=None)
              for row, place in zip(ROWS, PLACES, strict=True)]  # fmt: skip
    named = ("openai", "openai, store", "anthropic", "cohere", "bedrock", "gemini", "meilisearch")
    return {
        "rows of a database": rows,
        "chunks of chonkie": chunks,
        "pyvespa": SimpleNamespaceWith(json=RESPONSES["vespa"], url="http://x"),
        "pysolr": SimpleNamespaceWith(raw_response=RESPONSES["solr"], docs=[]),
        "a chain": {"input": "when?", "context": [SimpleNamespace(**one) for one in DOCUMENTS], "answer": "x"},
        **{name: as_objects(RESPONSES[name]) for name in named},
    }


class SimpleNamespaceWith:
    """An object of a client whose class says nothing."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@each("kind", objects())
def test_objects_have_the_same_digits(kind):
    results = bp.evaluate(TRUTH, {"q": objects()[kind]}, MEASURES, documents=TEXTS)
    assert results.mean()["run"] == pytest.approx(EXPECTED)


def frames() -> dict[str, dict[str, list[Any]]]:
    """Columns of data frames that hold the lists of a topic in one cell."""
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    return {
        "objects": {"qid": ["q"], "retrieved": [ROWS], "latency": [0.3]},
        "parallel lists": {"query_id": ["q"], "doc": [columns["source"]], "start": [columns["start_index"]],
                           "text": [columns["text"]], "score": [SCORES]},
        "texts": {"topic": ["q"], "retrieved_contexts": [columns["text"]]},
    }  # fmt: skip


@each("kind", ["objects", "parallel lists", "texts"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "records"])
def test_lists_in_cells_have_the_same_digits(kind, library):
    columns = frames()[kind]
    if library == "records":
        run: Any = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    else:
        module = pytest.importorskip(library)
        run = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    results = bp.evaluate(TRUTH, run, MEASURES, documents=TEXTS)
    assert results.mean()["run"] == pytest.approx(EXPECTED)


def test_lists_of_names_and_what_does_not_fit():
    truth = [{"topic": "q", "relevant": ["guide.md"]}, {"topic": "r", "relevant": ["faq.md", "guide.md"]}]
    run = [{"topic": "q", "retrieved": ["faq.md", "guide.md"]}, {"topic": "r", "retrieved": []}]
    results = bp.evaluate(truth, run, "RR")
    assert results.per_topic()["run"]["RR"] == {"q": 0.5, "r": 0.0}
    with pytest.raises(bp.InputError, match="lists of different lengths: 2 doc, 1 start"):
        bp.evaluate(TRUTH, [{"topic": "q", "doc": ["a", "b"], "start": [1], "end": [2]}], "charR")
    with pytest.raises(bp.InputError, match="several lists of results: retrieved, docs"):
        bp.evaluate(TRUTH, [{"topic": "q", "retrieved": ["a"], "docs": ["b"]}], "RR")


# --- which document ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "given"), [("nodes", NODES), ("documents", HAYSTACK)])
def test_ids_that_a_library_made_give_way_to_the_file_name(name, given, tmp_path):
    """With the documents, and without them by what was judged; both say so."""
    for options in ({"documents": TEXTS}, {}):
        results = bp.evaluate(TRUTH, {"q": given}, MEASURES, **options)
        assert results.mean()["run"] == pytest.approx(EXPECTED)
        assert [one for one in results.notes if "3 results matched by the file name of the document" in str(one)]


def test_ids_that_are_known_stay():
    """A truth and documents may be called by ids."""
    name = str(uuid.UUID(int=7))
    node = {**NODES[0]["node"], "relationships": {"1": {"node_id": name}}, "metadata": {"file_name": "guide.md"}}
    truth = {"q": [(name, 15, 39)]}
    for options in ({"documents": {name: TEXTS["guide.md"], "guide.md": TEXTS["guide.md"]}}, {}):
        assert bp.evaluate(truth, {"q": [{"node": node, "score": 1.0}]}, "charR", **options).mean()["run"]["charR"] == 1


def test_ids_of_chunks_are_no_obstacle():
    """A hit that names no document is found by its text, and that is said."""
    hits = [{"_id": f"chunk-{i}", "_score": score, "_source": {"text": row["text"]}}
            for i, (row, score) in enumerate(zip(ROWS, SCORES, strict=True))]  # fmt: skip
    results = bp.evaluate(TRUTH, {"q": hits}, MEASURES, documents=TEXTS)
    assert results.mean()["run"] == pytest.approx(EXPECTED)
    assert [one for one in results.notes if "3 results found by their text, in any document" in str(one)]


def test_chunks_without_a_document_need_one_that_has_their_text_there():
    chunk = {"text": "old", "start_index": 19, "end_index": 22}
    again = {**TEXTS, "copy.md": TEXTS["guide.md"]}
    with pytest.raises(bp.InputError, match="several documents have the quote at this offset"):
        bp.run_from_objects({"q": [chunk]}, documents=again)
    with pytest.raises(bp.InputError, match="does not match its quote"):
        bp.run_from_objects({"q": [{**chunk, "start_index": 3, "end_index": 6}]}, documents=TEXTS)


# --- what is refused --------------------------------------------------------------------------------------------------

REFUSED = {
    "vespa failed": ({"root": {"id": "toplevel", "relevance": 1.0, "errors": [{"code": 4}]}}, "the search failed"),
    "vespa groups": ({"root": {"relevance": 1.0, "children": [{"id": "group:root:0", "children": []}]}}, "groups"),
    "solr failed": ({"responseHeader": {"status": 400}, "error": {"msg": "undefined field"}}, "the search failed"),
    "meilisearch failed": ({"message": "Index not found", "code": "index_not_found", "type": "x"}, "search failed"),
    "milvus failed": ({"code": 1100, "message": "collection not found"}, "the search failed"),
    "typesense, two": ({"results": [RESPONSES["typesense"], RESPONSES["typesense"]]}, "2 responses are given"),
    "gemini, two": ({"candidates": [{"groundingMetadata": {}}, {"groundingMetadata": {}}]}, "2 responses are given"),
    "openai without results": ({"object": "response", "output": [{"type": "file_search_call", "results": None}]},
                               "does not hold the results"),
    "openai, several texts": ({"object": "vector_store.search_results.page", "data": [
        {"file_id": "f", "content": [{"text": "a"}, {"text": "b"}]}]}, "holds 2 texts"),
    "gemini, nothing": ({"candidates": [{"groundingMetadata": {"groundingChunks": [{"image": {}}]}}]}, "no document"),
    "two components": ({"bm25": {"documents": HAYSTACK[:1]}, "dense": {"documents": HAYSTACK[1:]}},
                       "several components return documents: bm25, dense"),
    "two lists": ({"answer": "x", "context": DOCUMENTS[:1], "source_documents": DOCUMENTS[1:]}, "several lists"),
}  # fmt: skip


@each("what", REFUSED)
def test_what_cannot_be_understood_is_refused(what):
    given, match = REFUSED[what]
    with pytest.raises(bp.InputError, match=match):
        bp.run_from_objects({"q": given}, documents=TEXTS)


PARTIAL = {
    "vespa": {**RESPONSES["vespa"], "root": {**RESPONSES["vespa"]["root"], "coverage": {"full": False}}},
    "solr": {**RESPONSES["solr"], "responseHeader": {"status": 0, "partialResults": True}},
    "azure": {**RESPONSES["azure"], "@odata.nextLink": "https://x"},
    "typesense": {**RESPONSES["typesense"], "search_cutoff": True},
    "openai, store": {**RESPONSES["openai, store"], "has_more": True},
    "bedrock": {**RESPONSES["bedrock"], "nextToken": "t"},
}


@each("store", PARTIAL)
def test_incomplete_responses_are_noted(store):
    run = bp.run_from_objects({"q": PARTIAL[store]}, documents=TEXTS)
    assert [note for note in run.notes if note.startswith("1 response incomplete")]


EMPTY = {
    "vespa": {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}},
    "solr": {"responseHeader": {"status": 0}, "response": {"numFound": 0, "docs": []}},
    "azure": {"@odata.context": "x", "value": []},
    "typesense": {"found": 0, "hits": [], "page": 1},
    "meilisearch": {"hits": [], "processingTimeMs": 1},
    "bedrock": {"retrievalResults": []},
    "openai": {"object": "response", "output": []},
    "anthropic": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "I do not know."}]},
    "cohere": {"finish_reason": "COMPLETE", "message": {"role": "assistant", "content": []}},
    "gemini": {"candidates": [{"content": {}}], "modelVersion": "g"},
    "langchain": {"input": "?", "context": [], "answer": "x"},
    "llama-index": {"response": "x", "source_nodes": []},
    "haystack": {"retriever": {"documents": []}},
}


@each("store", EMPTY)
def test_nothing_found_is_an_empty_list(store):
    assert list(bp.run_from_objects({"q": EMPTY[store], "r": ["Plant in rows."]}, documents=TEXTS)["q"]) == []


def test_responses_without_topics_are_refused_by_name():
    for name in ("vespa", "solr", "azure", "typesense", "openai", "anthropic", "langchain", "haystack", "llama-index"):
        with pytest.raises(bp.UsageError, match="needs their topics"):
            bp.evaluate(TRUTH, RESPONSES[name], "charR", documents=TEXTS)


def test_what_is_cited_again_is_counted():
    run = bp.run_from_objects({"q": RESPONSES["anthropic"]})
    assert [note for note in run.notes if note.startswith("1 citation repeated within an answer")]
