"""One retrieval as every client, model, chain and store returns it, as JSON: for tests that it gives the same digits.

Shapes are those of the documentation of each service, with texts of our own.
"""

from __future__ import annotations

import uuid
from typing import Any

GUIDE = "Plant in rows. Cut old canes in autumn. Pick the berries dry. Freeze what is left."
FAQ = "Which soil? Any soil will do. When to prune? After the harvest, to the ground."
TEXTS = {"guide.md": GUIDE, "faq.md": FAQ}
TRUTH = {"q": [("guide.md", 40, 61), ("faq.md", 12, 29)]}
#: What is retrieved, best first; scores fall.
PLACES = [("guide.md", 15, 39), ("faq.md", 12, 40), ("guide.md", 40, 50)]
SCORES = [0.9, 0.6, 0.3]
ROWS = [{"source": doc, "start_index": start, "text": TEXTS[doc][start:end]} for doc, start, end in PLACES]
MEASURES = "charR@5 charP@2 spanRR IoU@3"
#: By hand: 10 of 21 and 17 of 17 relevant characters are found, and of the first 24 + 28 characters 17 are relevant.
EXPECTED = {"charR@5": 27 / 38, "charP@2": 17 / 52, "spanRR": 1 / 2, "IoU@3": 27 / (62 + 38 - 27)}


def _rows(*more: Any) -> Any:
    return list(zip(ROWS, SCORES, *more, strict=True))


def anthropic(row: Any, place: Any) -> dict[str, Any]:
    return {"type": "char_location", "cited_text": row["text"], "document_index": 0, "document_title": place[0],
            "start_char_index": place[1], "end_char_index": place[2], "file_id": None}  # fmt: skip


HITS = [{"_index": "i", "_id": str(i), "_score": score, "_source": row} for i, (row, score) in enumerate(_rows())]
DOCUMENTS = [
    {"page_content": row["text"], "metadata": {"source": row["source"], "start_index": row["start_index"]}}
    for row in ROWS
]
NODES = [
    {"node": {"id_": str(uuid.UUID(int=i)), "text": row["text"], "start_char_idx": row["start_index"],
              "end_char_idx": row["start_index"] + len(row["text"]), "metadata": {"file_name": row["source"]},
              "relationships": {"1": {"node_id": str(uuid.UUID(int=hash(row["source"]) % 2**64)), "node_type": "4"}},
              "class_name": "TextNode"}, "score": score, "class_name": "NodeWithScore"}
    for i, (row, score) in enumerate(_rows())
]  # fmt: skip
HAYSTACK = [
    {"id": f"{i:064x}", "content": row["text"], "blob": None, "score": score, "embedding": None,
     "meta": {"source_id": f"{i + 10:064x}", "file_path": row["source"], "split_idx_start": row["start_index"],
              "page_number": 1, "_split_overlap": [{"doc_id": "x", "range": [0, 3]}]}}
    for i, (row, score) in enumerate(_rows())
]  # fmt: skip
FLAT = [{"id": i, **row} for i, row in enumerate(ROWS)]
BEDROCK = [
    {"content": {"text": row["text"], "type": "TEXT"}, "score": score,
     "location": {"type": "S3", "s3Location": {"uri": f"s3://bucket/docs/{row['source']}"}},
     "metadata": {"x-amz-bedrock-kb-chunk-id": f"1%3A{score}", "x-amz-bedrock-kb-document-page-number": 1.0}}
    for row, score in _rows()
]  # fmt: skip
OPENAI = [
    {"file_id": f"file-{i}", "filename": row["source"], "score": score, "attributes": {}, "text": row["text"]}
    for i, (row, score) in enumerate(_rows())
]

#: As JSON, so that each goes through a file as well.
RESPONSES: dict[str, Any] = {
    "elasticsearch": {"took": 3, "timed_out": False, "_shards": {"total": 1, "failed": 0},
                      "hits": {"total": {"value": 3}, "max_score": 0.9, "hits": HITS}},
    "opensearch": {"took": 3, "timed_out": False, "hits": {"hits": [{"_index": "i", "_id": "doc", "_score": 0.9,
        "_source": {"name": "x"}, "inner_hits": {"chunks": {"hits": {"hits": HITS}}}}]}},
    "pinecone": {"matches": [{"id": str(i), "score": score, "values": [], "metadata": row}
                             for i, (row, score) in enumerate(_rows())], "namespace": "", "usage": {"readUnits": 1}},
    "pinecone, integrated": {"result": {"hits": [{"_id": str(i), "_score": score, "fields": row}
                                                 for i, (row, score) in enumerate(_rows())]}, "usage": {}},
    "milvus": [[{"id": i, "distance": score, "entity": row} for i, (row, score) in enumerate(_rows())]],
    "milvus, rest": {"code": 0, "cost": 6, "data": [{"id": i, "distance": score, **row}
                                                    for i, (row, score) in enumerate(_rows())]},
    "weaviate": {"data": {"Get": {"Chunk": [{**row, "_additional": {"id": str(uuid.UUID(int=i)), "distance": 1 - score}}
                                            for i, (row, score) in enumerate(_rows())]}}},
    "vespa": {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 3}, "coverage": {"full": True},
        "children": [{"id": f"id:ns:chunk::{i}", "relevance": score, "source": "content",
                      "fields": {"sddocname": "chunk", "documentid": f"id:ns:chunk::{i}", **row}}
                     for i, (row, score) in enumerate(_rows())]}},
    "vespa, hits": [{"id": f"id:ns:chunk::{i}", "relevance": score, "source": "content", "fields": row}
                    for i, (row, score) in enumerate(_rows())],
    "solr": {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": 3, "start": 0, "docs": [
        {"id": str(i), **{name: [value] for name, value in row.items()}, "score": score, "_version_": 17}
        for i, (row, score) in enumerate(_rows())]}},
    "solr, grouped": {"responseHeader": {"status": 0}, "grouped": {"lang": {"matches": 3, "groups": [
        {"groupValue": "en", "doclist": {"docs": [{**row, "score": score} for row, score in _rows()]}}]}}},
    "azure": {"@odata.context": "https://x/$metadata", "@odata.count": 3, "value": [
        {"@search.score": 0.03, "@search.rerankerScore": 2 + score, "@search.captions": [], "id": str(i), **row}
        for i, (row, score) in enumerate(_rows())]},
    "azure, rows": [{"@search.score": score, "@search.reranker_score": None, "@search.highlights": None,
                     "chunk_id": str(i), **row} for i, (row, score) in enumerate(_rows())],
    "typesense": {"found": 3, "out_of": 9, "page": 1, "search_time_ms": 1, "search_cutoff": False, "hits": [
        {"document": {"id": str(i), **row}, "highlights": [], "text_match": 578730123365187705,
         "vector_distance": 1 - score} for i, (row, score) in enumerate(_rows())]},
    "typesense, several": {"results": [{"found": 3, "grouped_hits": [{"group_key": ["x"], "hits": [
        {"document": {"id": str(i), **row}, "text_match": 578730123365187705} for i, row in enumerate(ROWS)]}]}]},
    "meilisearch": {"hits": [{"id": i, **row, "_rankingScore": score, "_formatted": {"start_index": "3"}}
                             for i, (row, score) in enumerate(_rows())],
                    "query": "when?", "processingTimeMs": 1, "limit": 20, "offset": 0, "estimatedTotalHits": 3},
    "pgvector": [{"id": i, "content": row["text"], "metadata": {"source": row["source"], "start_index":
                  row["start_index"]}, "distance": 1 - score} for i, (row, score) in enumerate(_rows())],
    "lancedb": [{**row, "vector": [0.1, 0.2], "_distance": 1 - score} for row, score in _rows()],
    "chroma": {"ids": [["0", "1", "2"]], "distances": [[0.1, 0.4, 0.7]], "embeddings": None, "included": [],
               "documents": [[row["text"] for row in ROWS]], "uris": None, "data": None,
               "metadatas": [[{"source": row["source"], "start_index": row["start_index"]} for row in ROWS]]},
    "bedrock": {"ResponseMetadata": {"HTTPStatusCode": 200}, "retrievalResults": BEDROCK},
    "bedrock, generated": {"output": {"text": "In autumn."}, "sessionId": "s", "citations": [
        {"generatedResponsePart": {"textResponsePart": {"text": "In", "span": {"start": 0, "end": 2}}},
         "retrievedReferences": BEDROCK[:2]}, {"retrievedReferences": BEDROCK[1:]}]},
    "openai": {"id": "resp_1", "object": "response", "status": "completed", "error": None, "output": [
        {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["when?"], "results": OPENAI},
        {"type": "message", "content": [{"type": "output_text", "text": "x", "annotations": [
            {"type": "file_citation", "index": 9, "file_id": "file-0", "filename": "guide.md"}]}]}]},
    "openai, store": {"object": "vector_store.search_results.page", "search_query": ["when?"], "has_more": False,
        "data": [{**{name: value for name, value in one.items() if name != "text"},
                  "content": [{"type": "text", "text": one["text"]}]} for one in OPENAI]},
    "anthropic": {"id": "msg_1", "type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "In autumn", "citations": [anthropic(ROWS[0], PLACES[0])]},
        {"type": "text", "text": " dry", "citations": [anthropic(ROWS[1], PLACES[1]), anthropic(ROWS[0], PLACES[0])]},
        {"type": "text", "text": ".", "citations": None},
        {"type": "text", "text": "x", "citations": [anthropic(ROWS[2], PLACES[2])]}]},
    "anthropic, results": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x",
        "citations": [{"type": "search_result_location", "cited_text": row["text"], "source": row["source"],
                       "title": "x", "search_result_index": 0, "start_block_index": 0, "end_block_index": 1}
                      for row in ROWS]}]},
    "cohere": {"id": "c1", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [], "citations": [
        {"start": 0, "end": 9, "text": "In autumn", "type": "TEXT_CONTENT", "sources": [
            {"type": "document", "id": "doc:0", "document": {"id": "doc:0", "title": row["source"],
                                                             "snippet": row["text"]}}]} for row in ROWS]}},
    "cohere, before": {"text": "In autumn", "generation_id": "g", "documents": [
        {"id": f"doc_{i}", "title": row["source"], "text": row["text"]} for i, row in enumerate(ROWS)],
        "citations": [{"start": 0, "end": 2, "text": "In", "document_ids": ["doc_0", "doc_1"]},
                      {"start": 3, "end": 9, "text": "autumn", "document_ids": ["doc_1", "doc_2"]}]},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "x"}], "role": "model"}, "groundingMetadata": {
        "groundingChunks": [{"retrievedContext": {"uri": f"gs://b/{row['source']}", "title": row["source"],
                                                  "text": row["text"]}} for row in ROWS],
        "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 2}, "groundingChunkIndices": [0]}]}}],
        "usageMetadata": {"totalTokenCount": 3}},
    "langchain": {"input": "when?", "context": DOCUMENTS, "answer": "In autumn."},
    "langchain, sources": {"query": "when?", "result": "In autumn.", "source_documents": DOCUMENTS},
    "langchain, serialised": {"question": "when?", "answer": "x", "documents": [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "document", "Document"], "kwargs": one}
        for one in DOCUMENTS]},
    "langchain, tools": {"messages": [{"type": "human", "content": "when?"},
                                      {"type": "tool", "content": "..", "artifact": DOCUMENTS}]},
    "llama-index": {"response": "In autumn.", "source_nodes": NODES, "metadata": {}},
    "llama-index, nodes": NODES,
    "haystack": {"retriever": {"documents": HAYSTACK}, "llm": {"replies": ["In autumn."], "meta": [{}]}},
    "haystack, answer": {"answer_builder": {"answers": [{"data": "In autumn.", "query": "when?", "documents": HAYSTACK,
                                                         "meta": {}}]}},
    "haystack, flat": [{**{name: value for name, value in one.items() if name != "meta"}, **one["meta"]}
                       for one in HAYSTACK],
    "chonkie": [{"text": row["text"], "start_index": row["start_index"], "end_index": place[2], "token_count": 4}
                for row, place in zip(ROWS, PLACES, strict=True)],
    "texts": [row["text"] for row in ROWS],
}  # fmt: skip
