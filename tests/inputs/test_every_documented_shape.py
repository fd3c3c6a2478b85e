"""One retrieval in every shape that the documentation lists: one number, or one refusal whose remedy works when typed.

The shapes are those of docs/how-to/inputs.md, adopt.md, docs/tutorials/traces.md and the pages of the formats. The
numbers come from counting characters (drawn_retrieval).
"""

from __future__ import annotations

import collections
import csv
import dataclasses
import io
import json
import random
import re
import shlex
from types import SimpleNamespace

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from drawn_retrieval import UNANSWERABLE, document_numbers, drawn, numbers
from many_cases import at_length, each

import berrypick as bp

SEEDS = range(at_length(1, 12))
MEASURES = "charR@2 charP@2 spanRR Abstained"
#: How the run names its topics: by id, by question, or by both.
NAMES = ("ids", "questions", "both")
#: What loaders leave in metadata, beside text or offsets.
LEFT = {
    "": {},
    "pages": {"page": 3, "page_label": "iv", "total_pages": 9},
    "loc": {"loc": {"pageNumber": 1, "lines": {"from": 1, "to": 4}}},
}


# --- carriers ---------------------------------------------------------------------------------------------------------


def as_csv(rows, delimiter=","):
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, [*rows[0]], delimiter=delimiter)
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder, name, content):
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


def parquet(rows, folder):
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


#: Whatever is a list of objects.
CARRIERS = {
    "Python": lambda rows, folder: rows,
    "a generator": lambda rows, folder: (row for row in rows),
    "JSON": lambda rows, folder: write(folder, "rows.json", json.dumps(rows)),
    "indented JSON": lambda rows, folder: write(folder, "rows.json", json.dumps(rows, indent=2)),
    "JSON Lines": lambda rows, folder: write(folder, "rows.jsonl", as_lines(rows)),
    "Parquet": parquet,
    "pandas": lambda rows, folder: pandas.DataFrame(rows),
    "polars": lambda rows, folder: polars.DataFrame(rows, infer_schema_length=None),
    "lazy polars": lambda rows, folder: polars.LazyFrame(rows, infer_schema_length=None),
    "Arrow": lambda rows, folder: pyarrow.Table.from_pylist(rows),
}
#: Where every field is a number or a text.
FLAT = {
    **CARRIERS,
    "CSV": lambda rows, folder: write(folder, "rows.csv", as_csv(rows)),
    "CSV with semicolons": lambda rows, folder: write(folder, "rows.csv", as_csv(rows, ";")),
    "CSV with TABs": lambda rows, folder: write(folder, "rows.tsv", as_csv(rows, "\t")),
    "named tuples": lambda rows, folder: [collections.namedtuple("Row", rows[0])(**row) for row in rows],
}
#: Files of a list of objects.
FILES = ("JSON", "indented JSON", "JSON Lines")
#: One JSON value, by topic.
WHOLE = {name: CARRIERS[name] for name in ("Python", "JSON", "indented JSON")}


def evaluated(one, run, truth=None, measures=MEASURES, **options):
    """The means of one run, and its notes."""
    truth = spans_of(one) if truth is None else truth
    results = bp.evaluate(truth, run, measures, documents=dict(one.documents), **options)
    [means] = results.mean().values()
    return means, [str(note) for note in results.notes]


def spans_of(one):
    """The truth as records of spans, with a topic that has no answer."""
    judged = [
        {"topic": topic, "question": one.asked(topic), "doc": doc, "start": start, "end": end}
        for topic, spans in one.relevant.items()
        for doc, start, end in spans
    ]
    return [*judged, {"topic": UNANSWERABLE, "question": one.asked(UNANSWERABLE), "answer": None}]


def named(one, topic, names, key="question"):
    """The fields of an entry or a row that say which topic it is."""
    fields = {"topic": topic, key: one.question(topic)}
    return fields if names == "both" else {"topic": topic} if names == "ids" else {key: fields[key]}


def name_of(one, topic, names):
    return topic if names == "ids" else one.question(topic)


def in_both_orders(seeds):
    """Retrievals whose empty lists come last, and first: the first topic must not decide what a file is."""
    for one in map(drawn, seeds):
        yield one
        yield dataclasses.replace(one, lists=dict(reversed(one.lists.items())))


# --- one result ------------------------------------------------------------------------------------------------------

#: What LlamaIndex calls a document that has no other name.
UUID = "6c1f0a3e-7d0e-4c55-9a52-0d3c7b6f1b11"
#: A result as an object, with what a loader left.
ITEMS = {
    "offsets": lambda c, left: {"doc": c.doc, "start": c.start, "end": c.end, "score": c.score, **left},
    "offsets and text": lambda c, left: {"doc_id": c.doc, "start_char": c.start, "end_char": c.end, "text": c.text,
                                         "score": c.score, **left},
    "start and text": lambda c, left: {"source": c.doc, "start_index": c.start, "content": c.text, **left},
    "text and source": lambda c, left: {"text": c.text, "source": c.doc, "score": c.score, **left},
    "text": lambda c, left: {"chunk": c.text, "similarity": c.score, **left},
    "distance": lambda c, left: {"passage": c.text, "file_path": f"/corpus/{c.doc}", "distance": 1 - c.score, **left},
    "LangChain": lambda c, left: {
        "page_content": c.text, "metadata": {"source": c.doc, "start_index": c.start, **left}},
    "LangChain.js": lambda c, left: {"pageContent": c.text, "metadata": {"source": c.doc, **left}},
    "LlamaIndex": lambda c, left: {"node": {
        "id_": "n", "text": c.text, "start_char_idx": c.start, "end_char_idx": c.end, "class_name": "TextNode",
        "metadata": {"file_name": c.doc, **left}, "relationships": {"1": {"node_id": UUID}}}, "score": c.score},
    "LlamaIndex without scores": lambda c, left: {
        "id_": "n", "text": c.text, "start_char_idx": c.start, "end_char_idx": c.end, "class_name": "TextNode",
        "metadata": {"file_name": c.doc, **left}, "relationships": {"1": {"node_id": UUID}}},
    "Haystack": lambda c, left: {"id": "0" * 64, "content": c.text, "blob": None, "score": c.score,
                                 "meta": {"source_id": c.doc, "split_idx_start": c.start, **left}},
    "chonkie": lambda c, left: {"text": c.text, "start_index": c.start, "end_index": c.end, "token_count": 4, **left},
}  # fmt: skip
LISTS = (
    "results", "retrieved", "docs", "documents", "hits", "nodes", "chunks", "passages", "source_documents",
    "source_nodes", "search_results", "retrieved_docs", "retrieved_documents", "retrieved_chunks",
    "retrieved_passages", "retrieved_nodes", "contexts", "retrieved_contexts", "retrieval_context", "context",
)  # fmt: skip
KEYS = ("question", "query", "user_input", "input")


def lists_of(one, item, left):
    return {topic: [ITEMS[item](chunk, LEFT[left]) for chunk in found] for topic, found in one.lists.items()}


# --- lists of results -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@each("item", ITEMS)
def test_entries_with_a_list_of_results(item, tmp_path):
    """Under names of the list and of the question, and with metadata, that are drawn."""
    for seed in SEEDS:
        one, draw = drawn(seed), random.Random(f"{item} {seed}")
        for carrier, held in CARRIERS.items():
            for names in NAMES:
                name, key, left = draw.choice(LISTS), draw.choice(KEYS), draw.choice([*LEFT])
                entries = [{**named(one, t, names, key), name: f} for t, f in lists_of(one, item, left).items()]
                found, _ = evaluated(one, held(entries, tmp_path))
                assert found == pytest.approx(numbers(one)), (carrier, names, name, key, left)


@pytest.mark.slow
@each("name", LISTS)
def test_every_name_of_the_list(name, tmp_path):
    for seed in SEEDS:
        one, draw = drawn(seed), random.Random(f"{name} {seed}")
        for carrier, held in CARRIERS.items():
            item = draw.choice([*ITEMS])
            entries = [{"topic": topic, name: found} for topic, found in lists_of(one, item, "").items()]
            assert evaluated(one, held(entries, tmp_path))[0] == pytest.approx(numbers(one)), (carrier, item)


def test_saved_nodes_are_in_the_document_they_are_a_part_of():
    """LlamaIndex names it in the relationships of a node whose metadata have no file."""
    for one in map(drawn, SEEDS):
        entries = []
        for topic, found in one.lists.items():
            nodes = [ITEMS["LlamaIndex"](chunk, {}) for chunk in found]
            for chunk, item in zip(found, nodes, strict=True):
                item["node"] |= {"metadata": {}, "relationships": {"1": {"node_id": chunk.doc}}}
            entries.append({"topic": topic, "results": nodes})
        results = bp.evaluate(spans_of(one), entries, MEASURES)  # without documents to look in
        assert results.mean()["run"] == pytest.approx(numbers(one))


@pytest.mark.slow
def test_a_topic_that_entries_do_not_mention_is_absent(tmp_path):
    for one in map(drawn, SEEDS):
        lists = {topic: found for topic, found in lists_of(one, "offsets", "").items() if topic != UNANSWERABLE}
        entries = [{"topic": topic, "results": found} for topic, found in lists.items()]
        for run in (lists, *(held(entries, tmp_path) for held in CARRIERS.values())):
            assert evaluated(one, run)[0] == pytest.approx(numbers(one, abstained=0.0))


def strings(one):
    return {topic: [chunk.text for chunk in found] for topic, found in one.lists.items()}


def columns(one, topic):
    """Lists of the same length, an item for each result."""
    found = one.lists[topic]
    return {
        "doc": [c.doc for c in found],
        "start": [c.start for c in found],
        "end": [c.end for c in found],
        "scores": [c.score for c in found],
    }


def texts_and_scores(one, topic):
    found = one.lists[topic]
    return {"contexts": [c.text for c in found], "score": [c.score for c in found]}


#: Lists of strings, and lists beside each other.
PARALLEL = {
    **{name: lambda one, topic, name=name: {name: strings(one)[topic]} for name in LISTS},
    "places": columns,
    "texts and scores": texts_and_scores,
}


@pytest.mark.slow
@each("shape", PARALLEL)
def test_entries_with_strings_and_with_lists_beside_each_other(shape, tmp_path):
    for seed in SEEDS:
        one, draw = drawn(seed), random.Random(f"{shape} {seed}")
        for carrier, held in CARRIERS.items():
            names = draw.choice(NAMES)
            entries = [{**named(one, topic, names), **PARALLEL[shape](one, topic)} for topic in one.lists]
            assert evaluated(one, held(entries, tmp_path))[0] == pytest.approx(numbers(one)), (carrier, names)


# --- by topic ---------------------------------------------------------------------------------------------------------


def langchain(c, left):
    documents = pytest.importorskip("langchain_core.documents", reason="langchain-core: pip install --group rag")
    return documents.Document(page_content=c.text, metadata={"source": c.doc, "start_index": c.start, **left})


def llama_index(c, left):
    schema = pytest.importorskip("llama_index.core.schema", reason="llama-index-core: pip install --group rag")
    node = schema.TextNode(
        text=c.text, start_char_idx=c.start, end_char_idx=c.end, metadata={"file_name": c.doc, **left}
    )
    return schema.NodeWithScore(node=node, score=c.score)


def haystack(c, left):
    made = pytest.importorskip("haystack", reason="haystack-ai: pip install --group rag")
    return made.Document(content=c.text, score=c.score, meta={"source_id": c.doc, "split_idx_start": c.start, **left})


#: Results in Python alone, in a list for each topic.
OBJECTS = {
    "tuples": lambda c, left: (c.doc, c.start, c.end),
    "tuples with scores": lambda c, left: (c.doc, c.start, c.end, c.score),
    "texts": lambda c, left: c.text,
    "texts with scores": lambda c, left: (c.text, c.score),
    "dictionaries with scores": lambda c, left: (ITEMS["text and source"](c, left), c.score),
    "LangChain": langchain,
    "LangChain with scores": lambda c, left: (langchain(c, left), c.score),
    "LlamaIndex": llama_index,
    "Haystack": haystack,
    "chonkie": lambda c, left: SimpleNamespace(text=c.text, start_index=c.start, end_index=c.end, token_count=4),
}
#: What chains, engines and pipelines return for one question.
CHAINS = {
    "LangChain": lambda items: {"input": "?", "context": items("LangChain"), "answer": "!"},
    "LangChain of old": lambda items: {"query": "?", "result": "!", "source_documents": items("LangChain")},
    "LangChain.js": lambda items: {"question": "?", "context": items("LangChain.js"), "answer": "!"},
    "LlamaIndex": lambda items: {"response": "!", "source_nodes": items("LlamaIndex"), "metadata": {}},
    "Haystack": lambda items: {"retriever": {"documents": items("Haystack")}, "llm": {"replies": ["!"]}},
    "one component of Haystack": lambda items: {"documents": items("Haystack")},
}


@pytest.mark.slow
@each(("item", "left"), [(item, left) for item in ITEMS for left in LEFT], ids="{0[0]} {0[1]}".format)
def test_a_list_by_topic(item, left, tmp_path):
    for one in in_both_orders(SEEDS):
        for carrier, held in WHOLE.items():
            for names in ("ids", "questions"):
                run = {name_of(one, topic, names): found for topic, found in lists_of(one, item, left).items()}
                assert evaluated(one, held(run, tmp_path))[0] == pytest.approx(numbers(one)), (carrier, names)


@pytest.mark.slow
@each(("kind", "left"), [(kind, left) for kind in OBJECTS for left in LEFT], ids="{0[0]} {0[1]}".format)
def test_objects_by_topic(kind, left):
    for one in map(drawn, SEEDS):
        for names in ("ids", "questions"):
            run = {
                name_of(one, topic, names): [OBJECTS[kind](chunk, LEFT[left]) for chunk in found]
                for topic, found in one.lists.items()
            }
            assert evaluated(one, run)[0] == pytest.approx(numbers(one)), names


@pytest.mark.slow
@each("chain", CHAINS)
def test_what_chains_and_pipelines_return(chain, tmp_path):
    """By topic, and line by line with the topic or with the question."""
    for one in in_both_orders(SEEDS):
        for left in LEFT:
            made = {
                topic: CHAINS[chain](lambda item, found=found, left=left: [ITEMS[item](c, LEFT[left]) for c in found])
                for topic, found in one.lists.items()
            }
            for names in ("ids", "questions"):
                run = {name_of(one, topic, names): response for topic, response in made.items()}
                rows = [{**named(one, topic, names), "response": response} for topic, response in made.items()]
                for name, held in WHOLE.items():
                    assert evaluated(one, held(run, tmp_path))[0] == pytest.approx(numbers(one)), (name, names, left)
                for name in FILES:
                    given = CARRIERS[name](rows, tmp_path)
                    assert evaluated(one, given)[0] == pytest.approx(numbers(one)), (name, names, left)


#: What a store keeps of a chunk: fields, what LangChain writes there with what a loader left, or the text alone.
PAYLOADS = {
    "fields": lambda c: {"text": c.text, "source": c.doc, "start_index": c.start},
    "LangChain": lambda c: ITEMS["LangChain"](c, LEFT["pages"]),
    "text": lambda c: {"text": c.text},
}
fields = PAYLOADS["fields"]


def numbered(found):
    return list(enumerate(found))


def citation(c):
    return {"type": "char_location", "cited_text": c.text, "document_index": 0, "document_title": c.doc,
            "start_char_index": c.start, "end_char_index": c.end}  # fmt: skip


#: What stores, search engines and models that cite return for one query.
STORES = {
    "Chroma": lambda found: {"ids": [[str(i) for i, _ in numbered(found)]], "documents": [[c.text for c in found]],
                             "metadatas": [[{"source": c.doc, "start_index": c.start} for c in found]],
                             "distances": [[1 - c.score for c in found]]},
    "Elasticsearch": lambda found: {"took": 1, "timed_out": False, "hits": {"total": {"value": 2}, "hits": [
        {"_index": "i", "_id": str(i), "_score": c.score, "_source": fields(c)} for i, c in numbered(found)]}},
    "inner hits": lambda found: {"took": 1, "hits": {"hits": [
        {"_index": "i", "_id": c.doc, "_score": c.score, "_source": {"name": "x"}, "inner_hits": {"parts": {"hits": {
            "hits": [{"_id": c.doc, "_nested": {"field": "parts", "offset": 0}, "_score": c.score,
                      "_source": {"start": c.start, "text": c.text}}]}}}} for c in found]}},
    "Milvus": lambda found: [[{"id": i, "distance": c.score, "entity": fields(c)} for i, c in numbered(found)]],
    "Milvus by REST": lambda found: {"code": 0, "cost": 6, "data": [
        {"id": i, "distance": c.score, **fields(c)} for i, c in numbered(found)]},
    "Pinecone": lambda found: {"matches": [{"id": str(i), "score": c.score, "values": [], "metadata": fields(c)}
                                           for i, c in numbered(found)], "namespace": "", "usage": {"readUnits": 1}},
    "Qdrant": lambda found: {"result": {"points": [{"id": i, "version": 1, "score": c.score, "payload": fields(c)}
                                                   for i, c in numbered(found)]}, "status": "ok", "time": 0.1},
    "Weaviate": lambda found: {"data": {"Get": {"Chunk": [{**fields(c), "_additional": {"distance": 1 - c.score}}
                                                          for c in found]}}},
    "objects of Weaviate": lambda found: {"objects": [{"properties": fields(c), "metadata": {"score": c.score}}
                                                      for c in found]},
    "Vespa": lambda found: {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": len(found)},
        "coverage": {"full": True}, **({"children": [{"id": str(i), "relevance": c.score, "source": "content",
                                                      "fields": fields(c)} for i, c in numbered(found)]}
                                       if found else {})}},
    "Solr": lambda found: {"responseHeader": {"status": 0}, "response": {"numFound": len(found), "start": 0, "docs": [
        {"id": str(i), **fields(c), "score": c.score} for i, c in numbered(found)]}},
    "Azure AI Search": lambda found: {"@odata.context": "x", "value": [
        {"@search.score": c.score, "id": str(i), **fields(c)} for i, c in numbered(found)]},
    "Typesense": lambda found: {"found": len(found), "out_of": 9, "page": 1, "hits": [
        {"document": {"id": str(i), **fields(c)}, "text_match": 9} for i, c in numbered(found)]},
    "Meilisearch": lambda found: {
        "hits": [{"id": i, **fields(c), "_rankingScore": c.score} for i, c in numbered(found)], "query": "?",
        "processingTimeMs": 1, "limit": 20, "offset": 0},
    "LanceDB": lambda found: [{**fields(c), "vector": [0.1, 0.2], "_distance": 1 - c.score} for c in found],
    "pgvector": lambda found: [{"id": i, "content": c.text, "metadata": {"source": c.doc, "start_index": c.start},
                                "distance": 1 - c.score} for i, c in numbered(found)],
    "Bedrock": lambda found: {"retrievalResults": [
        {"content": {"text": c.text, "type": "TEXT"}, "score": c.score,
         "location": {"type": "S3", "s3Location": {"uri": f"s3://bucket/{c.doc}"}}} for c in found]},
    "OpenAI": lambda found: {"object": "vector_store.search_results.page", "search_query": ["?"], "has_more": False,
        "data": [{"file_id": f"f{i}", "filename": c.doc, "score": c.score, "attributes": {},
                  "content": [{"type": "text", "text": c.text}]} for i, c in numbered(found)]},
    "Anthropic": lambda found: {"id": "m", "type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "!", "citations": [citation(c) for c in found] or None}]},
    "Cohere": lambda found: {"id": "c", "finish_reason": "COMPLETE", "message": {
        "role": "assistant", "content": [], "citations": [
            {"start": 0, "end": 1, "text": "!", "sources": [{"type": "document", "id": f"d{i}", "document": {
                "id": f"d{i}", "title": c.doc, "snippet": c.text}}]} for i, c in numbered(found)]}},
    "Gemini": lambda found: {"candidates": [{"content": {"parts": [{"text": "!"}]}, "groundingMetadata": {
        "groundingChunks": [{"retrievedContext": {"uri": f"gs://b/{c.doc}", "title": c.doc, "text": c.text}}
                            for c in found],
        "groundingSupports": [{"segment": {"endIndex": 1}, "groundingChunkIndices": [0]}] if found else []}}],
        "usageMetadata": {"totalTokenCount": 3}},
}  # fmt: skip


@pytest.mark.slow
@each(("store", "payload"), [(s, p) for s in STORES for p in PAYLOADS], ids="{0[0]}, {0[1]}".format)
def test_responses_of_stores_and_citations(store, payload, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "fields", PAYLOADS[payload])
    for one in in_both_orders(SEEDS):
        for names in ("ids", "questions"):
            run = {name_of(one, topic, names): STORES[store](found) for topic, found in one.lists.items()}
            rows = [
                {**named(one, topic, names), "response": STORES[store](found)} for topic, found in one.lists.items()
            ]
            for name, held in WHOLE.items():
                assert evaluated(one, held(run, tmp_path))[0] == pytest.approx(numbers(one)), (name, names)
            for name in FILES:
                assert evaluated(one, CARRIERS[name](rows, tmp_path))[0] == pytest.approx(numbers(one)), (name, names)


# --- samples and traces -----------------------------------------------------------------------------------------------


def promptfoo(question, found):
    texts = [c.text for c in found]
    return {"vars": {"query": question}, "provider": {"id": "rag"}, "prompt": {"raw": "x"}, "success": True,
            "response": {"output": "!", "metadata": {"context": texts}}}  # fmt: skip


SAMPLES = {
    "ragas": lambda q, found: {"user_input": q, "retrieved_contexts": [c.text for c in found], "response": "!"},
    "ragas of old": lambda q, found: {"question": q, "contexts": [c.text for c in found], "answer": "!",
                                      "ground_truth": "!"},
    "DeepEval": lambda q, found: {"input": q, "actual_output": "!", "retrieval_context": [c.text for c in found]},
    "DeepEval in camel case": lambda q, found: {"input": q, "actualOutput": "!",
                                                "retrievalContext": [c.text for c in found]},
    "promptfoo": promptfoo,
}  # fmt: skip


@each("program", SAMPLES)
def test_samples(program, tmp_path):
    for one in in_both_orders(SEEDS):
        rows = [SAMPLES[program](one.question(topic), found) for topic, found in one.lists.items()]
        for carrier in FILES:
            assert evaluated(one, CARRIERS[carrier](rows, tmp_path))[0] == pytest.approx(numbers(one)), carrier
        if program == "promptfoo":
            whole = {"evalId": "e", "results": {"version": 3, "results": rows}, "config": {}}
            assert evaluated(one, CARRIERS["JSON"](whole, tmp_path))[0] == pytest.approx(numbers(one))


def openinference(found):
    held = {}
    for i, c in numbered(found):
        name = f"retrieval.documents.{i}.document"
        held |= {f"{name}.id": f"c{i}", f"{name}.content": c.text, f"{name}.score": c.score,
                 f"{name}.metadata": json.dumps({"source": c.doc, "start_index": c.start})}  # fmt: skip
    return held


def otlp(i, question, found):
    held = {"openinference.span.kind": "RETRIEVER", "input.value": question, **openinference(found)}
    attributes = [{"key": name, "value": {"doubleValue" if isinstance(value, float) else "stringValue": value}}
                  for name, value in held.items()]  # fmt: skip
    span = {"traceId": f"t{i}", "spanId": f"s{i}", "name": "search", "startTimeUnixNano": f"{i + 1}000000000",
            "status": {"code": 1}, "attributes": attributes}  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def phoenix(i, question, found):
    return {"name": "search", "span_kind": "RETRIEVER", "parent_id": None, "status_code": "OK", "events": [],
            "context": {"trace_id": f"t{i}", "span_id": f"s{i}"}, "start_time": f"2026-05-01T10:00:0{i}+00:00",
            "attributes": {"input.value": question, **openinference(found)}}  # fmt: skip


def phoenix_columns(i, question, found):
    held = [{"document.content": c.text, "document.score": c.score,
             "document.metadata": {"source": c.doc, "start_index": c.start}} for c in found]  # fmt: skip
    return {"name": "search", "span_kind": "RETRIEVER", "context.trace_id": f"t{i}", "context.span_id": f"s{i}",
            "status_code": "OK", "start_time": f"2026-05-01T10:00:0{i}+00:00", "attributes.input.value": question,
            "attributes.retrieval.documents": held}  # fmt: skip


def langsmith(i, question, found):
    return {"id": f"r{i}", "trace_id": f"r{i}", "name": "search", "run_type": "retriever", "error": None,
            "start_time": f"2026-05-01T10:00:0{i}", "inputs": {"query": question},
            "outputs": {"documents": [ITEMS["LangChain"](c, LEFT["pages"]) for c in found]}}  # fmt: skip


def langfuse(i, question, found):
    return {"id": f"o{i}", "traceId": f"t{i}", "type": "RETRIEVER", "name": "search", "input": {"query": question},
            "startTime": f"2026-05-01T10:00:0{i}.000Z", "level": "DEFAULT",
            "output": [ITEMS["LangChain"](c, {}) for c in found]}  # fmt: skip


def langfuse_span(i, question, found):
    """A plain span: documents are texts with a source and a score."""
    return {**langfuse(i, question, found), "type": "SPAN", "name": "retrieve",
            "output": [ITEMS["text and source"](c, {}) for c in found]}  # fmt: skip


def mlflow(i, question, found):
    documents = [ITEMS["LangChain"](c, LEFT["pages"]) for c in found]
    span = {"name": "search", "span_id": "s", "start_time_unix_nano": i, "status": {"code": "STATUS_CODE_OK"},
            "attributes": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": json.dumps({"query": question}),
                           "mlflow.spanOutputs": json.dumps(documents)}}  # fmt: skip
    return {"info": {"trace_id": f"t{i}", "state": "OK"}, "data": {"spans": [span]}}


TRACES = (otlp, phoenix, phoenix_columns, langsmith, langfuse, langfuse_span, mlflow)


@each("platform", TRACES, ids=lambda one: one.__name__)
def test_traces(platform, tmp_path):
    for one in in_both_orders(SEEDS):
        spans = [platform(i, one.question(topic), found) for i, (topic, found) in enumerate(one.lists.items())]
        for name in FILES:
            assert evaluated(one, CARRIERS[name](spans, tmp_path))[0] == pytest.approx(numbers(one)), name
        assert evaluated(one, bp.read_traces(spans))[0] == pytest.approx(numbers(one))


def test_data_frames_of_phoenix(tmp_path):
    for one in map(drawn, SEEDS):
        spans = [phoenix_columns(i, one.question(topic), found) for i, (topic, found) in enumerate(one.lists.items())]
        frame = pandas.DataFrame(spans)
        frame.to_parquet(tmp_path / "spans.parquet")
        for run in (
            frame,
            bp.read_traces(frame),
            tmp_path / "spans.parquet",
            bp.read_traces(tmp_path / "spans.parquet"),
        ):
            assert evaluated(one, run)[0] == pytest.approx(numbers(one))


# --- rows -------------------------------------------------------------------------------------------------------------

ROWS = ("offsets", "offsets and text", "start and text", "text and source", "text", "distance")


def rows_of(one, item, names, left="", ranked=False):
    """A row for each result; loaders leave numbers and texts beside it."""
    beside = {name: value for name, value in LEFT[left].items() if not isinstance(value, dict)}
    return [
        {**named(one, topic, names), **ITEMS[item](chunk, beside), **({"rank": rank} if ranked else {})}
        for topic, found in one.lists.items()
        for rank, chunk in enumerate(found, start=1)
    ]


@pytest.mark.slow
@each("item", ROWS)
def test_rows_with_ranks(item, tmp_path):
    """Topics without rows count as empty lists."""
    for seed in SEEDS:
        one, draw = drawn(seed), random.Random(f"{item} {seed}")
        for carrier, held in FLAT.items():
            for names in NAMES:
                left = draw.choice(["", "pages"])
                run = held(rows_of(one, item, names, left, ranked=True), tmp_path)
                assert evaluated(one, run)[0] == pytest.approx(numbers(one)), (carrier, names, left)


@pytest.mark.slow
@each("item", [item for item in ROWS if item != "start and text"])
def test_rows_go_by_score_and_order_keeps_them(item, tmp_path):
    """The note about the order names the option that keeps the rows as they are."""
    for one in map(drawn, SEEDS):
        for carrier, held in FLAT.items():
            rows = rows_of(one, item, "both")
            found, notes = evaluated(one, held(rows, tmp_path))
            assert found == pytest.approx(numbers(one, one.by_score())), carrier
            typed = options_in(" ".join(note for note in notes if "order" in note))
            assert typed == {"order": "file"}, notes
            assert evaluated(one, held(rows, tmp_path), **typed)[0] == pytest.approx(numbers(one)), carrier


def test_a_dictionary_of_scores_goes_by_score(tmp_path):
    for one in map(drawn, SEEDS):
        spans = {t: {f"{c.doc}#{c.start}-{c.end}": c.score for c in found} for t, found in one.lists.items()}
        for held in WHOLE.values():
            assert evaluated(one, held(spans, tmp_path))[0] == pytest.approx(numbers(one, one.by_score()))


def options_in(text):
    """The first option that a message names, as an argument of Python."""
    return dict(re.findall(r"\b([a-z_]+)='([^']*)'", text)[:1])


# --- whole documents --------------------------------------------------------------------------------------------------


def judged_documents(one):
    return {topic: dict.fromkeys(names, 1) for topic, names in one.relevant_documents().items() if names}


def trec_run(one):
    rows = [(topic, name, score) for topic, found in one.of_documents().items() for name, score in found.items()]
    return "".join(f"{topic} Q0 {name} {i} {score} mine\n" for i, (topic, name, score) in enumerate(rows))


def by_document(one, ranked=False):
    return [
        {"qid": topic, "docno": name, "score": score, **({"rank": rank} if ranked else {})}
        for topic, found in one.of_documents().items()
        for rank, (name, score) in enumerate(found.items(), start=1)
    ]


def hugging_face(one):
    datasets = pytest.importorskip("datasets", reason="datasets: make test installs it")
    return datasets.Dataset.from_list(by_document(one))


def ir_measures(one):
    made = pytest.importorskip("ir_measures", reason="ir-measures: make test installs it")
    return [made.ScoredDoc(row["qid"], row["docno"], row["score"]) for row in by_document(one)]


#: Runs of names: those that are lists, or have ranks, and those that go by score.
LISTED = {
    "strings by topic": lambda one, held: held({t: [*found] for t, found in one.of_documents().items()}),
    "entries with strings": lambda one, held: held(
        [{"topic": t, "results": [*found]} for t, found in one.of_documents().items()]),
    "entries with questions": lambda one, held: held(
        [{"question": one.question(t), "retrieved": [*found]} for t, found in one.of_documents().items()]),
    "entries with objects": lambda one, held: held(
        [{"topic": t, "hits": [{"doc_id": d, "score": s} for d, s in found.items()]}
         for t, found in one.of_documents().items()]),
    "rows with ranks": lambda one, held: held(by_document(one, ranked=True)),
}  # fmt: skip
SCORED = {
    "a dictionary": lambda one, folder: one.of_documents(),
    "JSON": lambda one, folder: write(folder, "run.json", json.dumps(one.of_documents())),
    "TREC": lambda one, folder: write(folder, "mine.run", trec_run(one)),
    "a data set of Hugging Face": lambda one, folder: hugging_face(one),
    "ir_measures": lambda one, folder: ir_measures(one),
    **{f"rows, {name}": lambda one, folder, held=held: held(by_document(one), folder) for name, held in FLAT.items()},
}
#: Truths of whole documents.
JUDGED = {
    "a dictionary": lambda one, folder: judged_documents(one),
    "JSON": lambda one, folder: write(folder, "truth.json", json.dumps(judged_documents(one))),
    "TREC": lambda one, folder: write(folder, "truth.qrels", "".join(
        f"{topic} 0 {name} 1\n" for topic, names in judged_documents(one).items() for name in names)),
    "BEIR": lambda one, folder: write(folder, "test.tsv", "query-id\tcorpus-id\tscore\n" + "".join(
        f"{topic}\t{name}\t1\n" for topic, names in judged_documents(one).items() for name in names)),
    "relevant": lambda one, folder: write(folder, "truth.jsonl", as_lines(
        [{"topic": topic, "relevant": [*names]} for topic, names in judged_documents(one).items()])),
    **{f"rows, {name}": lambda one, folder, held=held: held(
        [{"query_id": topic, "doc_id": name, "relevance": 1}
         for topic, names in judged_documents(one).items() for name in names], folder) for name, held in FLAT.items()},
}  # fmt: skip


def judged_with_questions(one):
    return [
        {"topic": t, "question": one.asked(t), "doc": d} for t, names in judged_documents(one).items() for d in names
    ]


@each("shape", LISTED)
def test_names_of_documents_in_lists(shape, tmp_path):
    for one in map(drawn, SEEDS):
        for carrier, held in (WHOLE if "by topic" in shape else CARRIERS).items():
            run = LISTED[shape](one, lambda value, held=held: held(value, tmp_path))
            for documents in (None, dict(one.documents)):
                if carrier == "a generator":
                    run = LISTED[shape](one, lambda value, held=held: held(value, tmp_path))
                found = bp.evaluate(judged_with_questions(one), {"run": run}, "RR AP", documents=documents).mean()[
                    "run"
                ]
                assert found == pytest.approx(document_numbers(one)), carrier


@pytest.mark.slow
@each("shape", SCORED)
def test_names_of_documents_by_score(shape, tmp_path):
    for one in map(drawn, SEEDS):
        found = bp.evaluate(judged_documents(one), {"run": SCORED[shape](one, tmp_path)}, "RR AP").mean()["run"]
        assert found == pytest.approx(document_numbers(one, scored=True))


@each("shape", JUDGED)
def test_judged_documents(shape, tmp_path):
    for one in map(drawn, SEEDS):
        found = bp.evaluate(JUDGED[shape](one, tmp_path), {"run": one.of_documents()}, "RR AP").mean()["run"]
        assert found == pytest.approx(document_numbers(one, scored=True))


# --- truths -----------------------------------------------------------------------------------------------------------

TEXT_MEASURES = "charR@2 charP@2 spanRR"


def run_of(one, names):
    return {name_of(one, t, names): [(c.doc, c.start, c.end) for c in found] for t, found in one.lists.items()}


def quoted(one):
    """The topic, its question, and its relevant places with their texts."""
    for topic, spans in one.relevant.items():
        if spans:
            yield (
                topic,
                one.asked(topic),
                [(doc, start, end, one.documents[doc][start:end]) for doc, start, end in spans],
            )


def truth_rows(one):
    return [(topic, question, *place) for topic, question, places in quoted(one) for place in places]


def irrelevant(one):
    """A place of each topic that was judged and is not relevant: the first result that meets nothing relevant."""
    for topic, question, places in quoted(one):
        for c in (*one.lists[topic], *one.lists["q1"]):
            if not any(c.doc == doc and c.start < end and start < c.end for doc, start, end, _ in places):
                yield topic, question, c.doc, c.start, c.end, c.text
                break


#: Rows of a truth by spans and by quotes.
TRUTH_ROWS = {
    "spans": lambda t, q, d, s, e, text: {"topic": t, "question": q, "doc": d, "start": s, "end": e},
    "other names": lambda t, q, d, s, e, text: {"query_id": t, "source": d, "char_start": s, "char_end": e},
    "spans with quotes": lambda t, q, d, s, e, text: {"topic": t, "doc": d, "start": s, "end": e, "quote": text},
    "length": lambda t, q, d, s, e, text: {"topic": t, "doc": d, "offset": s, "length": e - s},
    "quotes": lambda t, q, d, s, e, text: {"topic": t, "question": q, "doc": d, "quote": text},
    "quotes alone": lambda t, q, d, s, e, text: {"topic": t, "reference_context": text},
    "questions": lambda t, q, d, s, e, text: {"question": q, "doc": d, "start": s, "end": e},
    "questions and quotes": lambda t, q, d, s, e, text: {"question": q, "evidence": text},
}
#: By name of the grade, what says that a row is relevant, and that it is not.
GRADES = {
    "grade": (1, 0), "relevance": (2, 0), "rel": ("1", "0"), "relevant": (True, False), "is_relevant": ("yes", "no"),
    "relevance_label": ("Relevant", "Irrelevant"), "label": ("relevant", "not relevant"), "labels": (1, 0),
    "judgement": ("POSITIVE", "NEGATIVE"), "judgment": (1.0, 0.0), "is_selected": (1, 0),
    "is_supporting": ("support", "not_support"), "is_positive": ("true", "false"),
}  # fmt: skip


@pytest.mark.slow
@each("kind", TRUTH_ROWS)
def test_rows_of_a_truth(kind, tmp_path):
    names = "questions" if kind.startswith("questions") else "ids"
    for one in map(drawn, SEEDS):
        rows = [TRUTH_ROWS[kind](*row) for row in truth_rows(one)]
        for carrier, held in FLAT.items():
            found, _ = evaluated(one, run_of(one, names), held(rows, tmp_path), TEXT_MEASURES)
            assert found == pytest.approx(numbers(one, abstained=None)), carrier


@pytest.mark.slow
@each("name", GRADES)
def test_rows_that_are_not_relevant(name, tmp_path):
    yes, no = GRADES[name]
    for seed in SEEDS:
        one, draw = drawn(seed), random.Random(f"{name} {seed}")
        for carrier, held in FLAT.items():
            kind = draw.choice(["spans", "quotes", "questions"])
            rows = [{**TRUTH_ROWS[kind](*row), name: yes} for row in truth_rows(one)]
            rows += [{**TRUTH_ROWS[kind](*row), name: no} for row in irrelevant(one)]
            run = run_of(one, "questions" if kind == "questions" else "ids")
            found, _ = evaluated(one, run, held(rows, tmp_path), TEXT_MEASURES)
            assert found == pytest.approx(numbers(one, abstained=None)), (carrier, kind)


#: Dictionaries by topic; None says that there is no answer.
TRUTHS = {
    "tuples": lambda one: {t: [*spans] or None for t, spans in one.relevant.items()},
    "spans of documents": lambda one: {
        t: {d: [(s, e) for doc, s, e in spans if doc == d] for d, _, _ in spans} or None
        for t, spans in one.relevant.items()},
    "names": lambda one: {t: {f"{d}#{s}-{e}": 1 for d, s, e in spans} or None for t, spans in one.relevant.items()},
    "quotes": lambda one: {t: [one.documents[d][s:e] for d, s, e in spans] or None
                           for t, spans in one.relevant.items()},
    "dictionaries": lambda one: {t: [{"doc": d, "start": s, "end": e} for d, s, e in spans] or None
                                 for t, spans in one.relevant.items()},
    "records": spans_of,
}  # fmt: skip


@each("kind", TRUTHS)
def test_dictionaries_of_a_truth(kind):
    for one in map(drawn, SEEDS):
        assert evaluated(one, run_of(one, "ids"), TRUTHS[kind](one))[0] == pytest.approx(numbers(one))


def by_question(one):
    """The question, its relevant places, and one that is not relevant."""
    other = {topic: place for topic, *place in irrelevant(one)}
    return [(question, places, other[topic][1:]) for topic, question, places in quoted(one)]


def of_columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


#: Golden files as other programs keep them.
GOLDEN = {
    "ragas": lambda rows: [{"user_input": q, "reference_contexts": [p[3] for p in places], "reference": "!"}
                           for q, places, _ in rows],
    "DeepEval": lambda rows: [{"input": q, "context": [p[3] for p in places], "expected_output": "!"}
                              for q, places, _ in rows],
    "LangSmith": lambda rows: [{"id": f"e{i}", "inputs": {"question": q}, "outputs": {
        "answer": "!", "contexts": [p[3] for p in places]}} for i, (q, places, _) in enumerate(rows)],
    "Langfuse": lambda rows: {"data": [{"id": f"i{i}", "datasetName": "d", "status": "ACTIVE", "input": {"query": q},
        "expectedOutput": {"evidence": [{"quote": p[3], "file_name": p[0]} for p in places]}}
        for i, (q, places, _) in enumerate(rows)], "meta": {"page": 1}},
    "LlamaIndex": lambda rows: {"queries": {f"q{i}": q for i, (q, _, _) in enumerate(rows)},
        "corpus": {f"n{i}-{j}": p[3] for i, (_, places, _) in enumerate(rows) for j, p in enumerate(places)},
        "relevant_docs": {f"q{i}": [f"n{i}-{j}" for j, _ in enumerate(places)]
                          for i, (_, places, _) in enumerate(rows)}, "mode": "text"},
    "LlamaIndex, labelled": lambda rows: {"examples": [
        {"query": q, "reference_contexts": [p[3] for p in places], "reference_answer": "!"} for q, places, _ in rows]},
    "Haystack": lambda rows: {"run_name": "r", "inputs": {
        "questions": [q for q, _, _ in rows], "ground_truth_documents": [
            [{"id": "f0", "content": p[3], "meta": {"file_path": p[0]}} for p in places] for _, places, _ in rows]}},
    "MS MARCO": lambda rows: [{"query": q, "query_id": i, "passages": {
        "is_selected": [*(1 for _ in places), 0], "passage_text": [*(p[3] for p in places), other[3]]}}
        for i, (q, places, other) in enumerate(rows)],
    "objects with relevant": lambda rows: [{"question": q, "contexts": [
        *({"text": p[3], "relevant": True} for p in places), {"text": other[3], "relevant": False}]}
        for q, places, other in rows],
    "labels beside contexts": lambda rows: [
        {"question": q, "contexts": [*(p[3] for p in places), other[3]], "labels": [*(1 for _ in places), 0]}
        for q, places, other in rows],
    "lists of quotes": lambda rows: [{"question": q, "quotes": [p[3] for p in places]} for q, places, _ in rows],
}  # fmt: skip


@pytest.mark.slow
@each("program", GOLDEN)
def test_golden_files(program, tmp_path):
    """Through adopt, and as the truth of an evaluation."""
    for one in map(drawn, SEEDS):
        golden = GOLDEN[program](by_question(one))
        carriers = WHOLE if isinstance(golden, dict) else {name: CARRIERS[name] for name in (*WHOLE, "JSON Lines")}
        for carrier, held in carriers.items():
            adopted = bp.adopt(held(golden, tmp_path), documents=dict(one.documents))
            for truth in (adopted, held(golden, tmp_path)):
                found, _ = evaluated(one, run_of(one, "questions"), truth, TEXT_MEASURES)
                assert found == pytest.approx(numbers(one, abstained=None)), (carrier, type(truth))


#: Files of benchmarks and of programs for annotation.
ANNOTATED = {
    "legalbench.json": lambda one: json.dumps({"tests": [
        {"query": q, "snippets": [{"file_path": d, "span": [s, e], "answer": text} for d, s, e, text in places]}
        for _, q, places in quoted(one)]}),
    "w3c.json": lambda one: json.dumps([
        {"type": "Annotation", "body": [{"type": "TextualBody", "purpose": "tagging", "value": f"topic:{t}"},
                                        {"type": "TextualBody", "purpose": "assessing", "value": "relevant"}],
         "target": {"source": d, "selector": [{"type": "TextPositionSelector", "start": s, "end": e},
                                              {"type": "TextQuoteSelector", "exact": text}]}}
        for t, _, d, s, e, text in truth_rows(one)]),
    "doccano.jsonl": lambda one: as_lines(
        {"text": one.documents[d], "label": [[s, e, "relevant"]], "topic": t, "doc": d}
        for t, _, d, s, e, _ in truth_rows(one)),
    "prodigy.jsonl": lambda one: as_lines(
        {"text": one.documents[d], "topic": t, "doc": d, "spans": [{"start": s, "end": e, "label": "relevant"}],
         "answer": "accept"} for t, _, d, s, e, _ in truth_rows(one)),
    "label-studio.json": lambda one: json.dumps([
        {"id": i, "data": {"text": one.documents[d], "topic": t, "doc": d}, "annotations": [{"result": [
            {"type": "labels", "from_name": "label", "to_name": "text",
             "value": {"start": s, "end": e, "text": text, "labels": ["relevant"]}}]}]}
        for i, (t, _, d, s, e, text) in enumerate(truth_rows(one))]),
}  # fmt: skip


@each("name", ANNOTATED)
def test_files_of_annotations(name, tmp_path):
    for one in map(drawn, SEEDS):
        names = "questions" if name.startswith("legalbench") else "ids"
        truth = write(tmp_path, name, ANNOTATED[name](one))
        found, _ = evaluated(one, run_of(one, names), truth, TEXT_MEASURES)
        assert found == pytest.approx(numbers(one, abstained=None))


# --- refusals, and their remedies -------------------------------------------------------------------------------------


def refused(one, run, truth=None, measures=MEASURES, **options):
    """The message of a refusal."""
    with pytest.raises(bp.BerrypickError) as error:
        evaluated(one, run, truth, measures, **options)
    return str(error.value)


def test_offsets_within_a_section(tmp_path):
    """The first remedy is to trust the text."""
    for one in map(drawn, SEEDS):
        for held in CARRIERS.values():
            lists = lists_of(one, "offsets and text", "")
            for item in (item for found in lists.values() for item in found):
                item["start_char"], item["end_char"] = item["start_char"] + 1, item["end_char"] + 1
            entries = [{"topic": topic, "results": found} for topic, found in lists.items()]
            message = refused(one, held(entries, tmp_path))
            offered = next(line for line in message.splitlines() if options_in(line))
            assert options_in(offered) == {"text_mismatch": "locate"}, message
            found, _ = evaluated(one, held(entries, tmp_path), **options_in(offered))
            assert found == pytest.approx(numbers(one))


def test_texts_of_other_documents(tmp_path):
    """They are at the end of the lists, where they change nothing that is measured here."""
    for one in map(drawn, SEEDS):
        lists = {t: [*found, *(f"{t} other text {i}" for i in range(4) if found)] for t, found in strings(one).items()}
        for held in WHOLE.values():
            message = refused(one, held(lists, tmp_path))
            assert options_in(message) == {"unplaced": "irrelevant"}, message
            found, _ = evaluated(one, held(lists, tmp_path), **options_in(message))
            assert found == pytest.approx(numbers(one))


@pytest.mark.slow
@each("name", ["score", "rating", "target", "gold", "verdict"])
def test_a_field_that_may_be_the_grade(name, tmp_path):
    for one in map(drawn, SEEDS):
        rows = [{**TRUTH_ROWS["spans"](*row), name: 1} for row in truth_rows(one)]
        rows += [{**TRUTH_ROWS["spans"](*row), name: 0} for row in irrelevant(one)]
        for held in FLAT.values():
            run = run_of(one, "ids")
            message = refused(one, run, held(rows, tmp_path), TEXT_MEASURES)
            offered = options_in(message)
            assert offered == {"fields": f"grade={name}"}, message
            found, _ = evaluated(one, run, held(rows, tmp_path), TEXT_MEASURES, **offered)
            assert found == pytest.approx(numbers(one, abstained=None))


def test_whole_documents_against_spans(tmp_path):
    for one in map(drawn, SEEDS):
        run = {topic: [*found] for topic, found in one.of_documents().items()}
        message = refused(one, run, measures="charR@1")
        assert "whole_documents=True" in message
        shares = [
            sum(end - start for doc, start, end in spans if doc in run[topic][:1]) / sum(e - s for _, s, e in spans)
            for topic, spans in one.relevant.items()
            if spans
        ]
        found, _ = evaluated(one, run, measures="charR@1", whole_documents=True)
        assert found == pytest.approx({"charR@1": sum(shares) / len(shares)})


def test_texts_without_documents():
    for one in map(drawn, SEEDS):
        with pytest.raises(bp.BerrypickError, match="documents="):
            bp.evaluate(spans_of(one), strings(one), MEASURES)


def test_a_question_of_two_topics(tmp_path):
    """The refusal names them; the topic in the run tells them apart."""
    for one in map(drawn, SEEDS):
        truth = [{**row, "question": "Which?"} if row["topic"] in ("q1", "q2") else row for row in spans_of(one)]
        entries = [{"question": "Which? " if topic in ("q1", "q2") else one.question(topic), "results": found}
                   for topic, found in lists_of(one, "offsets", "").items()]  # fmt: skip
        told = [{"topic": topic, **entry} for topic, entry in zip(one.lists, entries, strict=True)]
        for carrier, held in CARRIERS.items():
            message = refused(one, held([entries[0], *entries[2:]], tmp_path), truth)
            assert "q1" in message and "q2" in message and "q3" not in message, (carrier, message)
            message = refused(one, held(entries, tmp_path), truth)
            assert "two lists of results" in message and "give each the topic" in message, (carrier, message)
            assert evaluated(one, held(told, tmp_path), truth)[0] == pytest.approx(numbers(one)), carrier


def test_two_lists_for_one_question(tmp_path):
    for one in map(drawn, SEEDS):
        entries = [{"question": one.question(t), "results": f} for t, f in lists_of(one, "offsets", "").items()]
        for carrier, held in CARRIERS.items():
            message = refused(one, held([*entries, entries[0]], tmp_path))
            assert re.search(r"two lists of results: (entry 1 and entry 5|line \d+ and line \d+)", message), (
                carrier,
                message,
            )
            assert evaluated(one, held(entries, tmp_path))[0] == pytest.approx(numbers(one)), carrier


def write_documents(one, folder):
    (folder / "texts").mkdir(exist_ok=True)
    for name, text in one.documents.items():
        write(folder / "texts", name, text)


def value_of(done):
    assert done.code == 0, done.err
    return [row["value"] for row in json.loads(done.out) if row["topic"] == "all"]


def test_a_golden_file_that_has_to_be_guessed(tmp_path, monkeypatch, berrypick):
    """Contexts beside an answer and a ground truth may be what was retrieved: the message has the command to type."""
    monkeypatch.chdir(tmp_path)
    for one in map(drawn, SEEDS):
        write_documents(one, tmp_path)
        golden = [{"question": q, "contexts": [p[3] for p in places], "answer": "!", "ground_truth": "!"}
                  for q, places, _ in by_question(one)]  # fmt: skip
        write(tmp_path, "golden.json", json.dumps(golden))
        entries = [{"question": one.question(t), "results": f} for t, f in lists_of(one, "offsets", "").items()]
        write(tmp_path, "run.json", json.dumps(entries))
        command = ("evaluate", "golden.json", "run.json", "--documents", "texts", "-m", "charR@2", "-o", "json")
        done = berrypick(*command)
        assert done.code == 2 and done.out == "", done.err
        [typed] = re.findall(r"berrypick (adopt .*)", json.loads(done.err.splitlines()[-1])["error"]["message"])
        adopted = berrypick(*shlex.split(typed))
        assert adopted.code == 0, adopted.err
        truth = shlex.split(typed)[shlex.split(typed).index("--output") + 1]
        found = value_of(berrypick("evaluate", truth, *command[2:]))
        assert found == pytest.approx([numbers(one)["charR@2"]])
