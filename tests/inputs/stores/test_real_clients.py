"""Clients that work without a server, used themselves: what they return has the digits of every other carrier."""

import itertools
import json
import warnings
from typing import Any

import pytest
from client_responses import EXPECTED, MEASURES, PLACES, ROWS, TEXTS, TRUTH

import berrypick as bp

RAG = "{} is not installed: pip install --group rag"
#: The nearer to the first, the better.
VECTORS = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]


def module(name: str, package: str = "") -> Any:
    """A package, whose own warnings are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=RAG.format(package or name))


def same(found: Any) -> None:
    results = bp.evaluate(TRUTH, found, MEASURES, documents=TEXTS)
    assert results.mean()["run"] == pytest.approx(EXPECTED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_chroma_in_memory():
    chromadb = module("chromadb")
    client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
    chunks = client.create_collection("chunks", embedding_function=None)
    metadata = [{"source": row["source"], "start_index": row["start_index"]} for row in ROWS]
    texts = [row["text"] for row in ROWS]
    chunks.add(ids=["c0", "c1", "c2"], embeddings=VECTORS, documents=texts, metadatas=metadata)
    found = chunks.query(query_embeddings=[[1.0, 0.0]], n_results=3)
    same({"q": found})
    assert [one["score"] for one in bp.run_from_objects({"q": found})["q"]] == pytest.approx([0, -0.4, -2])
    both = chunks.query(query_embeddings=[[1.0, 0.0], [0.0, 1.0]], n_results=3)
    with pytest.raises(bp.InputError, match="topic q: the response has the answers to 2 queries"):
        bp.run_from_objects({"q": both})
    bare = client.create_collection("texts", embedding_function=None)
    bare.add(ids=["c0", "c1", "c2"], embeddings=VECTORS, documents=texts)  # no metadata: found by the texts
    same({"q": bare.query(query_embeddings=[[1.0, 0.0]], n_results=3)})


@pytest.mark.filterwarnings("ignore")
def test_qdrant_in_memory():
    qdrant = module("qdrant_client", "qdrant-client")
    client = qdrant.QdrantClient(":memory:")
    size = qdrant.models.VectorParams(size=2, distance=qdrant.models.Distance.COSINE)
    client.create_collection("chunks", vectors_config=size)
    points = [qdrant.models.PointStruct(id=i, vector=VECTORS[i], payload=row) for i, row in enumerate(ROWS)]
    client.upsert("chunks", points)
    found = client.query_points("chunks", query=[1.0, 0.0], with_payload=True)
    same({"q": found})
    same({"q": found.points})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lancedb_in_a_folder(tmp_path):
    lancedb = module("lancedb")
    rows = [{"vector": vector, **row} for vector, row in zip(VECTORS, ROWS, strict=True)]
    found = lancedb.connect(tmp_path).create_table("chunks", rows).search([1.0, 0.0]).limit(3)
    for given in (found.to_list(), found.to_arrow(), found.to_pandas(), found.to_polars()):
        same({"q": given})
        run = bp.run_from_objects({"q": given})
        assert [one["score"] for one in run["q"]] == pytest.approx([0, -0.4, -2])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_chunks_of_chonkie():
    chonkie = module("chonkie")
    made = [chonkie.Chunk(text=row["text"], start_index=place[1], end_index=place[2], token_count=3)
            for row, place in zip(ROWS, PLACES, strict=True)]  # fmt: skip
    same({"q": made})
    same({"q": [(chunk, 1.0 - rank) for rank, chunk in enumerate(made)]})
    chunker = chonkie.SentenceChunker(tokenizer="character", chunk_size=40, chunk_overlap=0)
    chunks = list(itertools.chain.from_iterable(chunker.chunk(text) for text in TEXTS.values()))
    run = bp.run_from_objects({"q": chunks}, documents=TEXTS)
    assert {one["doc"] for one in run["q"]} == {*TEXTS}
    assert bp.score("charR", TRUTH, run) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_data_sets_of_hugging_face():
    datasets = module("datasets")
    rows = datasets.Dataset.from_list([{"qid": "q", **row} for row in ROWS])
    lists = datasets.Dataset.from_list([{"qid": "q", "retrieved": ROWS}])
    texts = datasets.Dataset.from_list([{"qid": "q", "retrieved_contexts": [row["text"] for row in ROWS]}])
    for given in (rows, lists, texts):
        same(given)
        same(datasets.DatasetDict({"test": given}))
        same(list(given))
    named = bp.evaluate(TRUTH, {"mine": rows, "other": lists}, MEASURES, documents=TEXTS)
    assert named.runs == ("mine", "other")
    judged = [{"topic": "q", "doc": doc, "start": start, "end": end} for doc, start, end in TRUTH["q"]]
    truth = datasets.DatasetDict({"test": datasets.Dataset.from_list(judged)})
    assert bp.evaluate(truth, rows, MEASURES).mean()["run"] == pytest.approx(EXPECTED)
    for wrong in (
        lambda splits: bp.evaluate(splits, rows, "charR"),
        lambda splits: bp.evaluate(TRUTH, splits, "charR"),
    ):
        with pytest.raises(bp.UsageError, match="one split of a DatasetDict, which has train, test"):
            wrong(datasets.DatasetDict({"train": rows, "test": rows}))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_response_of_llama_index():
    schema = module("llama_index.core.schema", "llama-index-core")
    response = module("llama_index.core.base.response.schema", "llama-index-core")
    files = {name: schema.Document(text=text, metadata={"file_name": name}) for name, text in TEXTS.items()}
    nodes = []
    for rank, (name, start, end) in enumerate(PLACES):
        node = schema.TextNode(text=TEXTS[name][start:end], start_char_idx=start, end_char_idx=end)
        node.relationships[schema.NodeRelationship.SOURCE] = files[name].as_related_node_info()
        node.metadata = {"file_name": name}
        nodes.append(schema.NodeWithScore(node=node, score=1.0 - rank / 10))
    found = response.Response(response="In autumn.", source_nodes=nodes)
    same({"q": found})
    results = bp.evaluate(TRUTH, {"q": found}, MEASURES)
    assert results.mean()["run"] == pytest.approx(EXPECTED)
    assert [one for one in results.notes if "3 results matched by the file name" in str(one)]
    same({"q": [one.to_dict() for one in nodes]})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_a_pipeline_of_haystack_returns():
    haystack = module("haystack", "haystack-ai")
    store = module("haystack.document_stores.in_memory", "haystack-ai").InMemoryDocumentStore()
    retriever = module("haystack.components.retrievers.in_memory", "haystack-ai").InMemoryBM25Retriever(store)
    store.write_documents([haystack.Document(content=TEXTS[name][start:end],
                                             meta={"file_path": name, "split_idx_start": start, "source_id": "0" * 64})
                           for name, start, end in PLACES])  # fmt: skip
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", retriever)
    found = pipeline.run({"retriever": {"query": "old canes"}})
    run = bp.run_from_objects({"q": found}, documents=TEXTS)
    assert (run["q"][0]["doc"], run["q"][0]["start"]) == ("guide.md", 15)
    as_dicts = {"retriever": {"documents": [one.to_dict() for one in found["retriever"]["documents"]]}}
    assert bp.run_from_objects({"q": as_dicts}, documents=TEXTS).to_dict() == run.to_dict()


@pytest.mark.filterwarnings("ignore")
def test_what_a_chain_of_langchain_returns():
    documents = module("langchain_core.documents", "langchain-core")
    runnables = module("langchain_core.runnables", "langchain-core")
    load = module("langchain_core.load", "langchain-core")
    found = [documents.Document(page_content=row["text"], metadata={"source": row["source"],
             "start_index": row["start_index"]}) for row in ROWS]  # fmt: skip
    chain = runnables.RunnablePassthrough.assign(context=lambda _: found).assign(answer=lambda _: "In autumn.")
    result = chain.invoke({"input": "when?"})
    same({"q": result})
    same({"q": {**result, "context": [load.dumpd(one) for one in found]}})


def texts_of(rows: Any = ROWS) -> list[dict[str, Any]]:
    return [{"source": row["source"], "start_index": row["start_index"], "text": row["text"]} for row in rows]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_responses_of_pinecone():
    pinecone = module("pinecone")
    scored = [pinecone.ScoredVector(id=f"c{i}", score=1 - i / 10, values=[], metadata=row)
              for i, row in enumerate(texts_of())]  # fmt: skip
    found = pinecone.QueryResponse(matches=scored, namespace="")
    same({"q": found})
    same({"q": found.matches})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_responses_of_vespa(tmp_path):
    io = module("vespa.io", "pyvespa")
    children = [{"id": f"id:chunks:chunk::{i}", "relevance": 1 - i / 10, "source": "chunks",
                 "fields": {"sddocname": "chunk", "documentid": f"id:chunks:chunk::{i}", **row}}
                for i, row in enumerate(texts_of())]  # fmt: skip
    root = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 3}, "children": children,
            "coverage": {"coverage": 100, "documents": 3, "full": True, "nodes": 1, "results": 1}}  # fmt: skip
    found = io.VespaQueryResponse(json={"root": root}, status_code=200, url="http://localhost", request_body={})
    same({"q": found})
    same({"q": found.hits})
    path = tmp_path / "vespa.json"
    path.write_text(json.dumps({"q": found.get_json()}))
    results = bp.evaluate(TRUTH, path, MEASURES, documents=TEXTS)
    assert results.mean()["vespa"] == pytest.approx(EXPECTED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_grounding_of_gemini(tmp_path):
    """Segments are places in the answer: the text of a chunk says where it is in the documents."""
    types = module("google.genai.types", "google-genai")
    chunks = [types.GroundingChunk(retrieved_context=types.GroundingChunkRetrievedContext(
        title=row["source"], uri=f"gs://b/{row['source']}", text=row["text"])) for row in ROWS]  # fmt: skip
    supports = [types.GroundingSupport(grounding_chunk_indices=[2, 0], segment=types.Segment(
        start_index=1, end_index=3, part_index=0, text="ut"))]  # fmt: skip
    grounding = types.GroundingMetadata(grounding_chunks=chunks, grounding_supports=supports)
    content = types.Content(role="model", parts=[types.Part(text="Cut them.")])
    candidate = types.Candidate(content=content, grounding_metadata=grounding)
    response = types.GenerateContentResponse(candidates=[candidate], model_version="gemini")
    for found in (response, candidate, grounding, chunks):
        same({"q": found})
    path = tmp_path / "gemini.json"
    for by_alias in (True, False):
        dumped = json.loads(response.model_dump_json(by_alias=by_alias, exclude_none=True))
        path.write_text(json.dumps({"q": dumped}))
        results = bp.evaluate(TRUTH, path, MEASURES, documents=TEXTS)
        assert results.mean()["gemini"] == pytest.approx(EXPECTED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_splits_of_hugging_face():
    datasets = module("datasets")
    rows = datasets.Dataset.from_list([{"topic": "q", **row, "score": 1 - i / 10} for i, row in enumerate(texts_of())])
    same(datasets.DatasetDict({"test": rows}))
    with pytest.raises(bp.UsageError, match="which has train, test: give one of them"):
        same(datasets.DatasetDict({"train": rows, "test": rows}))
