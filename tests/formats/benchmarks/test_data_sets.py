"""Data sets and responses as people have them: SQuAD, LegalBench-RAG, BEIR, MTEB, vector stores."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import berrypick as bp
from berrypick import formats

CONTEXT = "The raspberry is a berry in name only. It fruits in July."
HEDGE = "Brambles need no care. Pick dry, always."


def squad(**changes: object) -> dict:
    answers = [
        {"text": "raspberry", "answer_start": 4},
        {"text": "The raspberry", "answer_start": 0},
        {"text": "raspberry", "answer_start": 4},
    ]
    questions = [
        {"id": "a1", "question": "What is no berry?", "answers": answers, "is_impossible": False},
        {"id": "a2", "question": "Who picks it?", "answers": [], "is_impossible": True,
         "plausible_answers": [{"text": "July", "answer_start": 52}]},
    ]  # fmt: skip
    brambles = [{"text": "Brambles", "answer_start": 0}]
    hedge = {"context": HEDGE, "document_id": 77, "qas": [{"id": "b1", "question": "What?", "answers": brambles}]}
    article = {"title": "Berries", "paragraphs": [{"context": CONTEXT, "qas": questions}, hedge]}
    return {"version": "v2.0", "data": [article], **changes}


def spans_of(truth: bp.Truth, topic: str) -> list[tuple[str, int, int]]:
    found = truth.topics[topic]
    return [(d, int(s), int(e)) for d, s, e in zip(found.document, found.start, found.end, strict=True)]


def records(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- SQuAD ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 1])
def test_squad_with_several_answers_and_none(files, berrypick, tmp_path, indent):
    path = files(squad_json=json.dumps(squad(), indent=indent))["squad_json"]
    truth = bp.read_truth(path)
    assert truth.format == "squad" and truth.units == "spans" and truth.offsets == "chars"
    assert spans_of(truth, "a1") == [("Berries/0", 4, 13), ("Berries/0", 0, 13)]
    assert spans_of(truth, "b1") == [("77", 0, 8)]
    assert truth.unanswerable == ("a2",)
    assert truth.lengths == {"Berries/0": len(CONTEXT), "77": len(HEDGE)}
    assert truth.skipped == {"exact copies, merged": 1, "plausible answers of questions without an answer, skipped": 1}
    assert dict(bp.read_texts(path)) == {"Berries/0": CONTEXT, "77": HEDGE}
    out, texts = tmp_path / "out.jsonl", tmp_path / "texts.jsonl"
    done = berrypick("convert", path, out, "--documents", texts)
    assert done.code == 0 and f"{texts}: 2 documents" in done.err
    assert {"topic": "a2", "answer": None, "question": "Who picks it?"} in [
        {k: v for k, v in r.items() if k != "doc"} for r in records(out)
    ]
    assert records(texts) == [{"doc": "Berries/0", "text": CONTEXT}, {"doc": "77", "text": HEDGE}]
    run = {"a1": [{"doc": "Berries/0", "start": 0, "end": 13}], "a2": [], "b1": [{"doc": "77", "start": 0, "end": 4}]}
    found = [bp.evaluate(one, run, "charR Abstained", documents=texts).mean()["run"] for one in (path, out)]
    assert found[0] == found[1] == {"charR": 0.75, "Abstained": 1.0}


def test_squad_answers_are_checked_against_their_context(files):
    broken = squad()
    broken["data"][0]["paragraphs"][1]["qas"][0]["answers"][0]["answer_start"] = 3
    path = files(squad_json=json.dumps(broken, indent=1))["squad_json"]
    with pytest.raises(
        bp.InputError, match=r"squad.json:\d+: topic b1: the span 3-11 of 77 does not match its quote"
    ) as error:
        bp.evaluate(path, {"b1": [{"doc": "77", "start": 0, "end": 9}]}, "charR", documents=path)
    line = int(str(error.value).removeprefix(f"{path}:").split(":")[0])
    assert '"b1"' in path.read_text().splitlines()[line - 1]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"data": {"paragraphs": 1}}, "data must be a list"),
        ({"data": [{"title": "x", "paragraphs": [7]}]}, "paragraphs must be a list of objects"),
        ({"data": [{"paragraphs": [{"context": "x", "qas": []}]}]}, "neither a document_id nor a title"),
        ({"data": [{"title": "x", "paragraphs": [{"qas": []}]}]}, "has no context"),
        ({"data": [{"title": "x", "paragraphs": [{"context": "x", "qas": [{"id": "1", "answers": [{"text": "x"}]}]}]}]},
         "has no text or no answer_start"),
    ],
)  # fmt: skip
def test_broken_squad_is_refused(files, change, problem):
    path = files(squad_json=json.dumps({**change, "version": "paragraphs"}))["squad_json"]
    with pytest.raises(bp.InputError, match=problem):
        bp.read_truth(path, "squad")


# --- LegalBench-RAG, BEIR ---------------------------------------------------------------------------------------------


def test_legalbench_rag(files, berrypick, tmp_path):
    corpus = tmp_path / "corpus" / "garden"
    corpus.mkdir(parents=True)
    (corpus / "berries.txt").write_text(CONTEXT)
    tests = [
        {"query": "Which?", "snippets": [{"file_path": "garden/berries.txt", "span": [4, 13], "answer": "raspberry"},
                                         {"file_path": "garden/berries.txt", "span": [39, 57]}]},
        {"query": "None?", "snippets": []},
    ]  # fmt: skip
    path = files(legal_json=json.dumps({"tests": tests}, indent=2))["legal_json"]
    truth = bp.read_truth(path)
    assert truth.format == "legalbench-rag" and spans_of(truth, "0") == [
        ("garden/berries.txt", 4, 13), ("garden/berries.txt", 39, 57)]  # fmt: skip
    assert truth.skipped == {"tests without snippets, skipped": 1}
    run = {"0": [{"doc": "garden/berries.txt", "start": 0, "end": 13}]}
    assert bp.evaluate(path, run, "charR", documents=tmp_path / "corpus").mean()["run"]["charR"] == 9 / 27
    assert berrypick("convert", path, tmp_path / "out.jsonl").code == 0
    assert spans_of(bp.read_truth(tmp_path / "out.jsonl"), "0") == spans_of(truth, "0")
    refused = berrypick("convert", path, tmp_path / "out.jsonl", "--documents", tmp_path / "texts.jsonl")
    assert refused.code == 2 and "has no texts of documents" in refused.err


def test_beir_qrels_and_corpus(files, berrypick, tmp_path):
    written = files(
        qrels_tsv="query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n",
        corpus_jsonl='{"_id": "d1", "title": "T", "text": "one"}\n{"_id": "d2", "text": "two", "metadata": {}}\n',
    )
    truth = bp.read_truth(written["qrels_tsv"])
    assert truth.format == "beir-qrels" and truth.units == "documents"
    assert truth.topics["q1"].document == ("d1", "d2") and truth.topics["q1"].grade.tolist() == [2, 0]
    assert dict(bp.read_texts(written["corpus_jsonl"])) == {"d1": "one", "d2": "two"}
    run = {"q1": {"d1": 2.0}, "q2": {"d1": 1.0}}
    assert bp.evaluate(written["qrels_tsv"], run, "AP").mean()["run"]["AP"] == 0.5
    assert berrypick("convert", written["qrels_tsv"], tmp_path / "out.jsonl").code == 0
    assert records(tmp_path / "out.jsonl")[0] == {"topic": "q1", "doc": "d1", "grade": 2}
    wrong = files(bad_tsv="query-id\tcorpus-id\tscore\nq1\td1\n")["bad_tsv"]
    with pytest.raises(bp.InputError, match=r"bad.tsv:2: expected query-id, corpus-id and score"):
        bp.read_truth(wrong)


# --- dictionaries -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('{"q": {"a": 1, "b": 2.5e-1}, "r": {"a": -1}}', True),
        ('{"q": {\n"a": 1,\n"b": 0\n},\n"r": {}}', True),
        ('{"default": {"test": {"q": {"a": 1}}}}', True),
        ('{"q": {"a": 1', True),
        ('{"q": {' + ", ".join(f'"d{i}": {i}' for i in range(9999)), True),
        ('{"v_1": {"duration": 82.7, "timestamps": [[0, 5]], "sentences": ["x"]}}', False),
        ('{"v_1": {"duration": 82.7, "timestamps": [' + ", ".join("[1, 2]" for _ in range(20000)) + "]}}", False),
        ('{"metadata": {"topic_id": 7}, "responses": []}', False),
        ('{"q": {"a": 1, "b": "x"}}', False),
    ],
)
def test_what_is_a_dictionary_of_numbers(files, text, taken):
    path = files(x_json=text)["x_json"]
    found = [one.name() for one in formats.sniff_all(str(path))]
    assert ("topic-dictionary" in found) == taken


def test_dictionaries_by_topic_are_read_as_in_python(files):
    truth, run = {"q1": {"a": 2, "b": 0}, "q2": {"b": 1}}, {"q1": {"b": 1.0, "a": 1.0}, "q2": {"a": 3.0, "b": 2.5}}
    written = files(truth_json=json.dumps(truth, indent=1), run_json=json.dumps(run))
    assert bp.read_truth(written["truth_json"]).format == "topic-dictionary"
    assert bp.read_run(written["run_json"]).format == "topic-dictionary-run"
    by_file = bp.evaluate(written["truth_json"], {"run": written["run_json"]}, "AP nDCG@10 RR").mean()
    assert by_file == bp.evaluate(truth, run, "AP nDCG@10 RR").mean()
    mteb = {"mteb_model_meta": {"model_name": "m"}, "default": {"test": run}}
    nested = files(mteb_json=json.dumps(mteb))["mteb_json"]
    assert bp.evaluate(truth, {"run": nested}, "AP nDCG@10 RR").mean() == by_file
    spans = files(t_json='{"q": {"d#10-20": 1}}', r_json='{"q": {"d#10-15": 0.5}}')
    assert bp.evaluate(spans["t_json"], {"run": spans["r_json"]}, "charR").mean()["run"]["charR"] == 0.5
    two = files(two_json=json.dumps({"test": run, "dev": run}))["two_json"]
    with pytest.raises(bp.InputError, match="has 2 subsets or splits: test, dev"):
        bp.read_run(two)


# --- vector stores ----------------------------------------------------------------------------------------------------

FOUND = [
    {"source": "hedge", "start_index": 0, "text": HEDGE[:22]},
    {"source": "garden", "start_index": 39, "text": CONTEXT[39:]},
]
PAGES = [{"page_content": one["text"], "metadata": {k: v for k, v in one.items() if k != "text"}} for one in FOUND]
NODES = [
    {
        "_node_content": json.dumps({"start_char_idx": one["start_index"], "text": one["text"]}),
        **dict.fromkeys(("ref_doc_id", "doc_id", "document_id"), one["source"]),
    }
    for one in FOUND
]
RESPONSES = {
    "elasticsearch": {"took": 1, "timed_out": False, "hits": {"total": {"value": 2}, "hits": [
        {"_index": "i", "_id": str(i), "_score": 2.0 - i, "_source": one} for i, one in enumerate(FOUND)]}},
    "opensearch, metadata": {"hits": {"hits": [
        {"_index": "i", "_id": str(i), "_score": None, "_source": {"text": one["text"], "metadata": one}}
        for i, one in enumerate(FOUND)]}},
    "qdrant search": {"result": [{"id": i, "version": 3, "score": 0.9 - i / 10, "payload": one}
                                 for i, one in enumerate(PAGES)], "status": "ok", "time": 0.001},
    "qdrant query": {"result": {"points": [{"id": i, "score": 0.9 - i / 10, "payload": one}
                                           for i, one in enumerate(NODES)]}, "status": "ok"},
    "chroma": {"ids": [["7", "9"]], "distances": [[0.1, 0.4]], "documents": [[one["text"] for one in FOUND]],
               "metadatas": [[{k: v for k, v in one.items() if k != "text"} for one in FOUND]], "embeddings": None},
    "weaviate": {"data": {"Get": {"Chunk": [{**one, "_additional": {"id": str(i), "distance": i / 10}}
                                            for i, one in enumerate(FOUND)]}}},
    "weaviate 4": {"objects": [{"uuid": str(i), "properties": one, "metadata": {"score": 1 - i / 10}}
                               for i, one in enumerate(FOUND)]},
}  # fmt: skip
TEXTS = {"hedge": HEDGE, "garden": CONTEXT}
TRUTH = {"q": [{"doc": "garden", "start": 39, "end": 57}]}


@pytest.mark.parametrize("store", RESPONSES)
def test_responses_of_stores(files, berrypick, tmp_path, store):
    response = RESPONSES[store]
    expected = {"spanRR": 0.5, "charR": 1.0}
    assert bp.evaluate(TRUTH, {"q": response}, "spanRR charR", documents=TEXTS).mean()["run"] == expected
    path = files(hits_json=json.dumps({"q": response}, indent=1))["hits_json"]
    assert formats.sniff(str(path)).name() == "search-hits"
    by_file = bp.evaluate(TRUTH, {"run": path}, "spanRR charR", documents=TEXTS)
    assert by_file.mean()["run"] == expected
    assert berrypick("convert", path, tmp_path / "out.jsonl", "--from", store.split()[0].strip(",")).code == 0
    lines = records(tmp_path / "out.jsonl")
    assert [(line["doc"], line["start"], line["end"]) for line in lines] == [("hedge", 0, 22), ("garden", 39, 57)]
    nothing = {"q": response, "n": {"ids": [[]], "distances": [[]]}}
    both = bp.evaluate({"n": TRUTH["q"], "q": TRUTH["q"]}, nothing, "charR", documents=TEXTS)
    assert both.per_topic()["run"]["charR"] == {"n": 0, "q": 1}


def test_objects_of_stores():
    points = [SimpleNamespace(id=i, score=0.9 - i / 10, payload=one) for i, one in enumerate(PAGES)]
    stored = [
        SimpleNamespace(uuid=i, properties=one, metadata=SimpleNamespace(distance=i / 10, score=None))
        for i, one in enumerate(FOUND)
    ]
    hits = RESPONSES["elasticsearch"]["hits"]["hits"]
    for found in (points, stored, hits):
        assert bp.evaluate(TRUTH, {"q": found}, "spanRR", documents=TEXTS).mean()["run"]["spanRR"] == 0.5


def test_several_runs_of_responses_by_name():
    runs = {"one": {"q": RESPONSES["chroma"]}, "two": {"q": RESPONSES["weaviate"]}}
    assert set(bp.evaluate(TRUTH, runs, "charR", documents=TEXTS).mean()) == {"one", "two"}


def test_hits_without_offsets_are_found_by_their_text():
    bare = [{"_id": str(i), "_source": {"source": one["source"], "text": one["text"]}} for i, one in enumerate(FOUND)]
    assert bp.evaluate(TRUTH, {"q": bare}, "spanRR", documents=TEXTS).mean()["run"]["spanRR"] == 0.5
    whole = {"q": {"garden": 1}}
    assert bp.evaluate(whole, {"q": bare}, "RR").mean()["run"]["RR"] == 0.5


def test_a_response_without_topics_is_refused(files):
    for response in (RESPONSES["elasticsearch"], {"responses": [RESPONSES["elasticsearch"]]}):
        path = files(hits_json=json.dumps(response))["hits_json"]
        with pytest.raises(bp.InputError, match="has responses without their topics"):
            bp.read_run(path)


# --- unknown JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "role", "nearest"),
    [
        ({"frage": "1", "document": "d", "start_offset": 1, "end_offset": 2}, "truth", "span-truth"),
        ({"document": "d", "start": 1, "end": 2, "similarity": 0.5}, "run", "span-run"),
        ({"questions": [{"query": "x", "snippet": [{"file": "a", "span": [1, 2]}]}]}, "truth", "legalbench-rag"),
        ({"paragraphs": [{"context": "x", "qas": []}]}, "truth", "squad"),
    ],
)
def test_unknown_json_is_answered_with_the_nearest_formats(files, record, role, nearest):
    path = files(odd_json=json.dumps(record))["odd_json"]
    with pytest.raises(bp.InputError, match="the nearest formats are") as error:
        formats.read_any(path, role)
    lines = [line for line in str(error.value).splitlines()[3:] if "a golden file" not in line]
    named = [line.split(":")[0].strip() for line in lines]
    assert named[0] == nearest and 1 <= len(named) <= 3
