"""Empty lists of results are read in every shape in which lists of results are read."""

import json
from itertools import product

import pandas
import polars
import pytest
from many_cases import each

import berrypick as bp

TEXT = "Cut the old canes in autumn."
DOCUMENTS = {"guide.md": f"{TEXT} Pick raspberries when dry."}
ASKED = {"q1": "When are canes cut?", "q9": "Who is the king?"}
TRUTH = [
    {"topic": "q1", "question": ASKED["q1"], "doc": "guide.md", "start": 0, "end": 28},
    {"topic": "q9", "question": ASKED["q9"], "answer": None},
]
PLACE = {"doc": "guide.md", "start": 0, "end": 28}
FOUND = {"charR": 1.0, "Abstained": 1.0, "Answered": 1.0}
SILENT = {"charR": 0.0, "Abstained": 1.0, "Answered": 0.0}
#: Names of lists of results, and what is in them.
OF_OBJECTS = (
    "results", "retrieved", "docs", "retrieved_docs", "retrieved_documents", "hits", "chunks", "retrieved_chunks",
    "passages", "retrieved_passages", "nodes", "retrieved_nodes",
)  # fmt: skip
OF_TEXTS = ("contexts", "retrieved_contexts", "retrieval_context")
LISTS = [*product(OF_OBJECTS, [PLACE]), *product(OF_TEXTS, [TEXT])]
CARRIERS = ("list", "pandas", "polars", "json", "indented", "jsonl", "parquet")
#: What a topic has in a dictionary by topic.
BY_TOPIC = {
    "places": [PLACE],
    "texts with scores": [{"text": TEXT, "doc": "guide.md", "score": 0.9}],
    "texts": [TEXT],
    "documents of LangChain": [{"page_content": TEXT, "metadata": {"source": "guide.md"}}],
    "hits of Elasticsearch": {"hits": {"hits": [
        {"_id": "7", "_score": 9.1, "_source": {"source": "guide.md", "start_index": 0, "text": TEXT}}]}},
    "spans with scores": {"guide.md#0-28": 1.0},
}  # fmt: skip
#: Responses of stores that found nothing.
NOTHING_FOUND = {
    "Pinecone": {"matches": [], "namespace": ""},
    "Qdrant": {"points": []},
    "Qdrant by HTTP": {"result": {"points": []}, "status": "ok", "time": 0.001},
    "Qdrant search": {"result": [], "status": "ok", "time": 0.001},
    "Elasticsearch": {"took": 2, "hits": {"total": {"value": 0, "relation": "eq"}, "hits": []}},
    "Chroma": {"ids": [[]], "documents": [[]], "metadatas": [[]], "distances": [[]]},
    "Weaviate": {"objects": []},
    "Weaviate GraphQL": {"data": {"Get": {"Doc": []}}},
    "Milvus": [[]],
    "Vespa": {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}},
    "Meilisearch": {"hits": [], "query": "king", "processingTimeMs": 1},
    "Solr": {"responseHeader": {"status": 0}, "response": {"numFound": 0, "docs": []}},
    "Typesense": {"found": 0, "hits": []},
    "Bedrock": {"retrievalResults": []},
    "LlamaIndex": {"source_nodes": []},
}


def written(folder, value, carrier):
    """A value in a file of JSON; rows also as lines."""
    path = folder / f"run.{carrier}"
    if carrier == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in value))
    else:
        path.write_text(json.dumps(value, indent=2 if carrier == "indented" else None))
    return path


def carried(folder, rows, carrier):
    if carrier == "list":
        return rows
    if carrier == "pandas":
        return pandas.DataFrame(rows)
    if carrier == "polars":
        return polars.DataFrame(rows)
    if carrier == "parquet":
        pandas.DataFrame(rows).to_parquet(folder / "run.parquet")
        return folder / "run.parquet"
    return written(folder, rows, carrier)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    path = tmp_path_factory.mktemp("truth") / "truth.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TRUTH))
    return path


def values(truth, run):
    [found] = bp.evaluate(truth, run, "charR Abstained Answered", documents=DOCUMENTS).mean().values()
    return found


@each(["name", "item", "carrier", "first", "asks"],
      [(*one, *more) for one, *more in product(LISTS, CARRIERS, (False, True), ("topic", "question"))])  # fmt: skip
def test_lists_of_any_name(tmp_path, truth, name, item, carrier, first, asks):
    """An empty list behind a filled one and before it; topics by name and by question."""
    key = (lambda topic: topic) if asks == "topic" else ASKED.get
    rows = [{asks: key("q1"), name: [item]}, {asks: key("q9"), name: []}]
    assert values(truth, carried(tmp_path, rows[::-1] if first else rows, carrier)) == FOUND


@each(["name", "carrier"], [(name, carrier) for (name, _), carrier in product(LISTS, CARRIERS)])
def test_lists_that_are_all_empty(tmp_path, truth, name, carrier):
    rows = [{"question": asked, name: []} for asked in ASKED.values()]
    assert values(truth, carried(tmp_path, rows, carrier)) == SILENT


@each(["kind", "empty", "first", "carrier", "asks"],
      [*product(BY_TOPIC, ([], {}), (False, True), ("python", "json", "indented"), ("topic", "question"))])  # fmt: skip
def test_dictionaries_by_topic(tmp_path, truth, kind, empty, first, carrier, asks):
    one, none = ("q1", "q9") if asks == "topic" else ASKED.values()
    run = {none: empty, one: BY_TOPIC[kind]} if first else {one: BY_TOPIC[kind], none: empty}
    assert values(truth, run if carrier == "python" else written(tmp_path, run, carrier)) == FOUND


@each(["empty", "carrier"], [*product(([], {}), ("python", "json", "indented"))])
def test_dictionaries_of_nothing(tmp_path, truth, empty, carrier):
    run = {"q1": empty, "q9": empty}
    assert values(truth, run if carrier == "python" else written(tmp_path, run, carrier)) == SILENT


@each(["store", "carrier"], [*product(NOTHING_FOUND, ("python", "json", "indented"))])
def test_responses_without_hits(tmp_path, truth, store, carrier):
    run = dict.fromkeys(("q1", "q9"), NOTHING_FOUND[store])
    assert values(truth, run if carrier == "python" else written(tmp_path, run, carrier)) == SILENT


@each(["store"], [*NOTHING_FOUND])
def test_lines_with_responses_without_hits(tmp_path, truth, store):
    rows = [{"topic": topic, "response": NOTHING_FOUND[store]} for topic in ASKED]
    assert values(truth, written(tmp_path, rows, "jsonl")) == SILENT


def test_lists_side_by_side(truth):
    run = [{"topic": "q1", "doc": ["guide.md"], "start": [0], "end": [28]},
           {"topic": "q9", "doc": [], "start": [], "end": []}]  # fmt: skip
    assert values(truth, run) == FOUND


def test_frames_by_topic(truth):
    frame = pandas.DataFrame([PLACE])
    assert values(truth, {"q1": frame, "q9": frame.iloc[:0]}) == FOUND


def test_empty_lists_of_several_runs(truth):
    """The empty list belongs to the run that states it."""
    rows = [
        {"run": "a", "topic": "q1", "results": [PLACE]}, {"run": "a", "topic": "q9", "results": []},
        {"run": "b", "topic": "q1", "results": []}, {"run": "b", "topic": "q9", "results": [PLACE]},
    ]  # fmt: skip
    found = bp.evaluate(truth, rows, "charR Abstained").mean()
    assert found == {"a": {"charR": 1.0, "Abstained": 1.0}, "b": {"charR": 0.0, "Abstained": 0.0}}


def test_the_truth_may_judge_documents(tmp_path):
    truth = {"q1": {"a": 1}, "q9": None}
    rows = [{"topic": "q1", "results": [{"doc": "a", "text": "Cut.", "score": 1.0}]}, {"topic": "q9", "results": []}]
    for carrier in ("list", "json", "jsonl"):
        results = bp.evaluate(truth, carried(tmp_path, rows, carrier), "RR Abstained")
        assert [*results.mean().values()] == [{"RR": 1.0, "Abstained": 1.0}]


def test_a_list_that_is_null_is_refused(tmp_path, truth):
    """null says that something failed, not that nothing was found."""
    for name, item in (("results", PLACE), ("contexts", TEXT)):
        rows = [{"question": ASKED["q1"], name: [item]}, {"question": ASKED["q9"], name: None}]
        with pytest.raises(bp.InputError):
            values(truth, written(tmp_path, rows, "jsonl"))
    with pytest.raises(bp.UsageError):
        values(truth, {"q1": [PLACE], "q9": None})


# --- two lists for one topic ------------------------------------------------------------------------------------------


@each(["name", "item", "carrier"], [(*one, carrier) for one, carrier in product(LISTS, CARRIERS)])
def test_two_lists_for_one_question_are_refused(tmp_path, truth, name, item, carrier):
    """White space does not make another question of it; places are lines, or entries in one line."""
    rows = [{"question": ASKED["q1"], name: [item]}, {"question": ASKED["q9"], name: []},
            {"question": f" {ASKED['q1']}\t", name: [item]}]  # fmt: skip
    with pytest.raises(bp.InputError) as refused:
        values(truth, carried(tmp_path, rows, carrier))
    lines = {"indented": None, "jsonl": "line 1 and line 3", "parquet": "line 1 and line 3"}
    places = lines.get(carrier, "entry 1 and entry 3")
    assert f"{ASKED['q1']!r} has two lists of results: {places or 'line '}" in str(refused.value)


@each(["carrier"], ["json", "indented", "jsonl"])
def test_two_samples_for_one_question_are_refused(tmp_path, truth, carrier):
    rows = [{"user_input": ASKED[name], "retrieved_contexts": [TEXT]} for name in ("q1", "q9", "q1")]
    with pytest.raises(bp.InputError, match=r"'When are canes cut\?' has two lists of results: (entry|line) "):
        values(truth, written(tmp_path, rows, carrier))


def test_every_prompt_of_promptfoo_is_a_run(tmp_path, truth):
    """Each of two prompts asks both questions; the second finds nothing."""
    rows = [
        {"provider": {"id": "rag"}, "promptIdx": prompt, "vars": {"topic": topic, "question": asked},
         "response": {"output": "..", "metadata": {"context": [TEXT] if (prompt, topic) == (0, "q1") else []}}}
        for prompt in (0, 1) for topic, asked in ASKED.items()
    ]  # fmt: skip
    run = written(tmp_path, {"results": {"results": rows}}, "json")
    found = bp.evaluate(truth, run, "charR Abstained Answered", documents=DOCUMENTS).mean()
    assert found == {"rag prompt 1": FOUND, "rag prompt 2": SILENT}
    run = written(tmp_path, {"results": {"results": [*rows[:2], rows[0]]}}, "json")
    with pytest.raises(bp.InputError, match="'q1' has two lists of results: entry 1 and entry 3"):
        values(truth, run)


def test_two_responses_for_one_topic_are_refused(tmp_path, truth):
    rows = [{"topic": topic, "response": {"source_nodes": []}} for topic in ("q1", "q9", "q1")]
    with pytest.raises(bp.InputError, match=r"run.jsonl:3: 'q1' has two lists of results: line 1 and line 3"):
        values(truth, written(tmp_path, rows, "jsonl"))


@each(["row", "again"], [
    ({"id": "q1", "output": [{"provenance": [{"wikipedia_id": "7", "start_paragraph_id": 1, "end_paragraph_id": 1}]}]},
     {"id": "q1", "output": [{"provenance": []}]}),
    ({"task_id": "q1", "contexts": [{"document_id": "a", "score": 1.0}]}, {"task_id": "q1", "contexts": []}),
    ({"id": 1, "evidence": {"7": {"sentences": [1], "label": "SUPPORT"}}}, {"id": 1, "evidence": {}}),
])  # fmt: skip
def test_two_predictions_for_one_topic_are_refused(tmp_path, row, again):
    other = {name: "q2" if name in ("id", "task_id") else value for name, value in row.items()}
    with pytest.raises(bp.InputError, match="has two lists of results: line 1 and line 3"):
        bp.read_run(written(tmp_path, [row, other, again], "jsonl"))


def test_keys_that_are_one_topic_are_refused():
    with pytest.raises(bp.InputError, match="two keys are topic 1"):
        bp.evaluate({"1": {"a": 1}}, {1: {"a": 1.0}, "1": {"b": 1.0}}, "RR")
    with pytest.raises(bp.InputError, match="two keys are topic 1"):
        bp.evaluate({"1": {"a": 1}}, {1: [{"doc": "a"}], "1": []}, "RR")


def test_flat_rows_of_one_question_are_one_list(tmp_path, truth):
    rows = [{"question": ASKED["q1"], "doc": "guide.md", "start": 0, "end": 14},
            {"question": f"{ASKED['q1']}  ", "doc": "guide.md", "start": 14, "end": 28}]  # fmt: skip
    for carrier in CARRIERS:
        assert values(truth, carried(tmp_path, rows, carrier)) == FOUND
    pandas.DataFrame(rows).to_csv(tmp_path / "run.csv", index=False)
    assert values(truth, tmp_path / "run.csv") == FOUND
