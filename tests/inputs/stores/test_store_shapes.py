"""Responses and traces in the shape that current clients and exports return: each gives the same numbers.

Two questions: the first finds an irrelevant text before the relevant one, the second finds nothing. So charR@1 is 0,
and charR@2 is (1 + 0) / 2. Shapes of clients that the tests do not install are plain data, as the clients of these
versions return them.
"""

import copy
import json

import pytest

import berrypick as bp

TEXTS = {
    "guide.md": "Prune in spring. Old canes are cut after the harvest.",
    "faq.md": "Pick berries when they are dry.",
}
FIRST, SECOND = "When are canes cut?", "Which soil?"
DRY, CANES = TEXTS["faq.md"], TEXTS["guide.md"][17:]
TRUTH = [
    {"topic": "q1", "question": FIRST, "doc": "guide.md", "start": 17, "end": 53},
    {"topic": "q2", "question": SECOND, "doc": "guide.md", "start": 0, "end": 16},
]
assert CANES == "Old canes are cut after the harvest."


def same(run):
    results = bp.evaluate(TRUTH, run, "charR@1 charR@2", documents=TEXTS)
    assert [*results.mean().values()] == [{"charR@1": 0.0, "charR@2": 0.5}]
    return results


def same_in_files(value, tmp_path):
    """As one line of JSON, and with line breaks."""
    for indent in (None, 2):
        (tmp_path / "run.json").write_text(json.dumps(value, indent=indent))
        same(tmp_path / "run.json")


# --- stores -----------------------------------------------------------------------------------------------------------

FIELDS = [{"source": "faq.md", "text": DRY}, {"source": "guide.md", "text": CANES}]


def vespa(children, **root):
    """pyvespa 1.2, VespaQueryResponse.json; an empty response has no children."""
    cover = {"coverage": 100, "documents": 3, "full": True, "nodes": 1, "results": 1, "resultsFull": 1}
    whole = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": len(children)}, "coverage": cover, **root}
    return {"root": {**whole, **({"children": children} if children else {})}}


def meilisearch(hits, **more):
    """meilisearch 0.43, Index.search(.., {"showRankingScore": True})."""
    return {
        "hits": hits,
        "query": "x",
        "processingTimeMs": 1,
        "limit": 20,
        "offset": 0,
        "estimatedTotalHits": 2,
        **more,
    }


def gemini(chunks, supports=()):
    """google-genai 3.3, GenerateContentResponse as JSON; segments are places in the answer."""
    grounding = {"groundingChunks": chunks, "groundingSupports": list(supports), "retrievalQueries": ["canes"]}
    answer = {"parts": [{"text": "After the harvest, when they are dry."}], "role": "model"}
    candidate = {"content": answer, "finishReason": "STOP", "groundingMetadata": grounding if chunks else {}}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1}, "modelVersion": "gemini-2.5-pro"}


VESPA = [
    {"id": f"id:chunk:chunk::{number}", "relevance": 0.9 - number / 10, "source": "content",
     "fields": {"sddocname": "chunk", "documentid": f"id:chunk:chunk::{number}", **fields}}
    for number, fields in enumerate(FIELDS)
]  # fmt: skip
MEILISEARCH = [{"id": number, **fields, "_rankingScore": 0.9 - number / 10} for number, fields in enumerate(FIELDS)]
CHUNKS = [
    {"retrievedContext": {"title": "faq.md", "uri": "gs://bucket/faq.md", "text": DRY}},
    {
        "retrievedContext": {
            "title": "guide.md",
            "ragChunk": {"text": CANES, "pageSpan": {"firstPage": 1, "lastPage": 2}},
        }
    },
]
SUPPORTS = [
    {"segment": {"endIndex": 17, "text": "After the harvest"}, "groundingChunkIndices": [1], "confidenceScores": [0.9]},
    {"segment": {"startIndex": 19, "endIndex": 36, "text": "when they are dry"}, "groundingChunkIndices": [0, 1]},
]
GEMINI = gemini(CHUNKS, SUPPORTS)
PINECONE = [
    {"id": f"c{number}", "score": 0.9 - number / 10, "values": [], "metadata": fields}
    for number, fields in enumerate(FIELDS)
]


def snake(value):
    """As model_dump of pydantic has it."""
    if isinstance(value, list):
        return [snake(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): snake(one) for name, one in value.items()}


STORES = {
    "vespa": (vespa(VESPA), vespa([])),
    "vespa, with timing": ({**vespa(VESPA), "timing": {"querytime": 0.1}}, {**vespa([]), "timing": {}}),
    "vespa, root and children": ({"root": {"children": VESPA}}, {"root": {"id": "toplevel"}}),
    "vespa, only children": ({"root": {"children": VESPA}}, {"root": {"children": []}}),
    "vespa, hits": (VESPA, []),
    "meilisearch": (meilisearch(MEILISEARCH), meilisearch([])),
    "meilisearch 1.12": (meilisearch(MEILISEARCH, requestUid="u"), meilisearch([], requestUid="v")),
    "meilisearch, hits in an object": ({"hits": MEILISEARCH}, {"hits": []}),
    "meilisearch, hits": (MEILISEARCH, []),
    "gemini": (GEMINI, gemini([])),
    "gemini, model_dump": (snake({"sdkHttpResponse": None, **GEMINI}), snake({"sdkHttpResponse": None, **gemini([])})),
    "gemini, candidate": (GEMINI["candidates"][0], gemini([])["candidates"][0]),
    "gemini, grounding": (GEMINI["candidates"][0]["groundingMetadata"], {"groundingChunks": []}),
    "gemini, chunks": (CHUNKS, []),
    "pinecone": ({"matches": PINECONE, "namespace": "n", "usage": {"readUnits": 5}}, {"matches": [], "namespace": "n"}),
    "pinecone, matches": (PINECONE, []),
}


@pytest.mark.parametrize("store", STORES)
def test_a_response_gives_the_same_numbers(store, tmp_path):
    found, nothing = STORES[store]
    run = {"q1": found, "q2": nothing}
    same(copy.deepcopy(run))
    same_in_files(run, tmp_path)
    same({"q2": nothing, "q1": found})


def test_segments_of_gemini_are_no_places():
    """Places in the answer would be 0 to 17 and 19 to 36 of some document."""
    found = bp.run_from_objects({"q1": GEMINI}, documents=TEXTS).to_records()
    assert [(row["doc"], row["start"], row["end"]) for row in found] == [("faq.md", 0, 31), ("guide.md", 17, 53)]


class Struct:
    """As msgspec.Struct, of which the classes of the Pinecone client (10.2) are."""

    __struct_fields__ = ()
    __struct_encode_fields__ = ()

    def __init__(self, *values):
        for name, value in zip(self.__struct_fields__, values, strict=True):
            setattr(self, name, value)


class ScoredVector(Struct):
    __struct_fields__ = ("id", "score", "values", "sparse_values", "metadata")
    __struct_encode_fields__ = ("id", "score", "values", "sparseValues", "metadata")


class QueryResponse(Struct):
    __struct_fields__ = ("matches", "namespace", "usage", "scan_factor", "response_info")
    __struct_encode_fields__ = ("matches", "namespace", "usage", "scanFactor", "responseInfo")


def test_objects_of_the_pinecone_client():
    matches = [ScoredVector(one["id"], one["score"], [], None, one["metadata"]) for one in PINECONE]
    same({"q1": QueryResponse(matches, "n", None, None, None), "q2": QueryResponse([], "n", None, None, None)})
    same({"q1": matches, "q2": []})


# --- libraries --------------------------------------------------------------------------------------------------------

NAMED = [
    {"id": "a" * 64, "content": DRY, "meta": {"source": "faq.md"}, "score": 0.9},
    {"id": "b" * 64, "content": CANES, "meta": {"source": "guide.md"}, "score": 0.8},
]
JAVASCRIPT = [
    {"pageContent": DRY, "metadata": {"source": "faq.md", "loc": {"lines": {"from": 1, "to": 1}}}},
    {"pageContent": CANES, "metadata": {"source": "guide.md", "loc": {"pageNumber": 1, "lines": {"from": 1, "to": 1}}}},
]


def haystack():
    """Documents of Haystack with what each shape of them is as JSON."""
    made = pytest.importorskip("haystack", reason="haystack-ai is not installed: pip install --group rag")
    documents = [made.Document(content=DRY, meta={"source": "faq.md"}, score=0.9),
                 made.Document(content=CANES, meta={"source": "guide.md"}, score=0.8)]  # fmt: skip
    return documents, [one.to_dict() for one in documents], [one.to_dict(flatten=False) for one in documents]


def test_documents_of_haystack_per_question(tmp_path):
    objects, flat, nested = haystack()
    for first, second in (("q1", "q2"), (FIRST, SECOND)):
        same({first: {"documents": objects}, second: {"documents": []}})
        same({first: {"retriever": {"documents": objects}}, second: {"retriever": {"documents": []}}})
        for documents in (flat, nested, NAMED):
            run = {first: {"documents": documents}, second: {"documents": []}}
            same(run)
            same_in_files(run, tmp_path)
            same({second: {"documents": []}, first: {"documents": documents}})


def test_documents_of_haystack_in_a_list_of_questions(tmp_path):
    _, flat, nested = haystack()
    for documents in (flat, nested, NAMED):
        run = [{"question": FIRST, "documents": documents}, {"question": SECOND, "documents": []}]
        for given in (run, run[::-1]):
            same(given)
            same_in_files(given, tmp_path)
            (tmp_path / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in given))
            same(tmp_path / "run.jsonl")


def test_a_pipeline_without_its_topic_is_refused():
    """The name of its component is no topic of the truth."""
    with pytest.raises(bp.BerrypickError, match="answers none of the 2 judged topics"):
        bp.evaluate(TRUTH, {"retriever": {"documents": NAMED}}, "charR@1", documents=TEXTS)
    with pytest.raises(bp.BerrypickError, match="needs their topics"):
        bp.evaluate(TRUTH, {"documents": NAMED}, "charR@1", documents=TEXTS)


def test_documents_of_langchain_js(tmp_path):
    scored = [[one, score] for one, score in zip(JAVASCRIPT, (0.9, 0.8), strict=True)]  # similaritySearchWithScore
    for found in (JAVASCRIPT, scored):
        run = {"q1": found, "q2": []}
        assert "unread: loc" in " ".join(map(str, same(run).notes))
        same_in_files(run, tmp_path)
    for name in ("context", "source_documents"):
        chain = [{"question": FIRST, name: JAVASCRIPT, "answer": "x"}, {"question": SECOND, name: [], "answer": "y"}]
        same_in_files(chain, tmp_path)
        (tmp_path / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in chain))
        same(tmp_path / "run.jsonl")


# --- Langfuse ---------------------------------------------------------------------------------------------------------


def observation(number, question, output, **more):
    """Langfuse 3, GET /api/public/observations and the export of the page of observations."""
    return {
        "id": f"o{number}",
        "traceId": f"t{number}",
        "type": "SPAN",
        "name": "retrieval",
        "startTime": f"2026-05-01T10:00:0{number}.000Z",
        "endTime": None,
        "completionStartTime": None,
        "model": None,
        "modelParameters": None,
        "input": question,
        "version": None,
        "metadata": {},
        "output": output,
        "usage": None,
        "level": "DEFAULT",
        "statusMessage": None,
        "parentObservationId": None,
        **more,
    }


def trace(number, question, held):
    """Langfuse 3, GET /api/public/traces/{id}."""
    answer = observation(
        9, [{"role": "user", "content": "x"}], {"role": "assistant", "content": "y"}, type="GENERATION"
    )
    prompt = observation(8, {"a": 1}, [{"role": "system", "content": "y"}], name="prompt")
    return {
        "id": f"t{number}",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "name": "rag",
        "input": {"query": question},
        "output": "x",
        "sessionId": None,
        "release": None,
        "version": None,
        "userId": None,
        "metadata": {},
        "tags": [],
        "public": False,
        "environment": "default",
        "htmlPath": "/x",
        "latency": 1,
        "totalCost": 0,
        "observations": [answer, prompt, held],
        "scores": [],
    }


PASSAGES = [{"text": DRY, "source": "faq.md", "score": 0.9}, {"text": CANES, "source": "guide.md", "score": 0.8}]
LANGCHAIN = [{"page_content": one["text"], "metadata": {"source": one["source"]}} for one in PASSAGES]
OUTPUTS = {
    "texts with sources": (PASSAGES, []),
    "LangChain": (LANGCHAIN, []),
    "content and metadata": ([{"content": one["text"], "metadata": {"source": one["source"]}} for one in PASSAGES], []),
    "texts": ([DRY, CANES], []),
    "under documents": ({"documents": LANGCHAIN}, {"documents": []}),
    "under results": ({"results": PASSAGES}, {"results": []}),
    "JSON in a string": (json.dumps(PASSAGES), "[]"),
}


@pytest.mark.parametrize("kind", ["SPAN", "RETRIEVER"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_exports_of_langfuse(output, kind, tmp_path):
    found, nothing = OUTPUTS[output]
    spans = [observation(1, {"query": FIRST}, found, type=kind), observation(2, {"query": SECOND}, nothing, type=kind)]
    traces = [
        trace(number, question, {**held, "input": "canes"})
        for number, (question, held) in enumerate(zip((FIRST, SECOND), spans, strict=True), start=1)
    ]
    for exported in (spans, traces):
        same(bp.read_traces(copy.deepcopy(exported)))
        same_in_files(exported, tmp_path)
        same_in_files({"data": exported, "meta": {"page": 1, "totalItems": 2}}, tmp_path)
        (tmp_path / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in exported))
        same(tmp_path / "run.jsonl")


def test_spans_with_another_name_retrieve_where_documents_come_out():
    """The name says nothing; that the second found nothing is known because the first found documents."""
    spans = [observation(1, FIRST, PASSAGES, name="step"), observation(2, SECOND, [], name="step")]
    same(bp.read_traces([*spans, observation(3, "x", [], name="other"), observation(4, "y", ["z"], name="keywords")]))


# --- Phoenix ----------------------------------------------------------------------------------------------------------


def phoenix_frames():
    """arize-phoenix-client 3.5: get_spans_dataframe, and get_retrieved_documents, each with its index."""
    pandas = pytest.importorskip("pandas")
    documents = [
        {
            "document.content": one["text"],
            "document.score": one["score"],
            "document.metadata": {"source": one["source"]},
        }
        for one in PASSAGES
    ]
    rows = [
        ("a", "t1", None, "answer", "CHAIN", FIRST, "OK", None),
        ("b", "t1", "a", "search", "RETRIEVER", "canes", "OK", documents),
        ("c", "t2", None, "search", "RETRIEVER", FIRST, "ERROR", None),
        ("d", "t3", None, "search", "RETRIEVER", SECOND, "OK", None),
    ]
    spans = pandas.DataFrame(
        [
            {
                "name": name,
                "span_kind": kind,
                "parent_id": parent,
                "start_time": pandas.Timestamp(f"2026-05-01T10:00:0{i}Z"),
                "status_code": status,
                "end_time": pandas.Timestamp("2026-05-01T10:01:00Z"),
                "status_message": "",
                "events": [],
                "context.span_id": span,
                "context.trace_id": trace,
                "attributes.input.value": question,
                "attributes.openinference.span.kind": kind,
                "attributes.retrieval.documents": found,
            }
            for i, (span, trace, parent, name, kind, question, status, found) in enumerate(rows)
        ]
    )
    retrieved = pandas.DataFrame(
        [
            {
                "context.span_id": "b",
                "document_position": i,
                "context.trace_id": "t1",
                "input": FIRST,
                "document": one["text"],
                "document_score": one["score"],
                "document_metadata": {"source": one["source"]},
            }
            for i, one in enumerate(PASSAGES)
        ]
    )
    return spans.set_index("context.span_id", drop=False), retrieved.set_index(["context.span_id", "document_position"])


def test_data_frames_of_phoenix_and_their_parquet(tmp_path, berrypick):
    pytest.importorskip("pyarrow")
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TRUTH))
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text)
    for frame in phoenix_frames():
        path = tmp_path / "spans.parquet"
        frame.reset_index(drop="context.span_id" in frame.columns).to_parquet(path)
        for runs in (frame, bp.read_traces(frame), path, bp.read_traces(path)):
            same(runs)
        done = berrypick("evaluate", tmp_path / "truth.jsonl", path, "-m", "charR@2", "--documents",
                         tmp_path / "docs", "-o", "json")  # fmt: skip
        assert done.code == 0, done.err
        assert [row["value"] for row in json.loads(done.out) if row["topic"] == "all"] == [0.5]
        with pytest.raises(bp.InputError, match=r"(?s)holds spans of traces.*bp.read_traces\(frame\)"):
            bp.Run.from_frame(frame)


def test_polars_and_arrow_read_the_parquet(tmp_path):
    pyarrow, polars = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("polars")
    for frame in phoenix_frames():
        frame.to_parquet(tmp_path / "spans.parquet")
        same(bp.read_traces(polars.read_parquet(tmp_path / "spans.parquet")))
        same(bp.read_traces(pyarrow.read_table(tmp_path / "spans.parquet")))
