"""Evaluators in the shape of Haystack, LlamaIndex and LangSmith, used as those libraries use them."""

from __future__ import annotations

import datetime
import inspect
import math
import socket
import uuid

import pytest

import berrypick as bp

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick when dry."
CUT, PICK = TEXT.index("Cut"), TEXT.index("Pick")
#: For each question what is relevant and what is found, as (start, end); the last one has no answer.
RELEVANT = [[(CUT, PICK)], [(0, 10), (PICK, PICK + 10)], []]
FOUND = [[(CUT, CUT + 14), (0, 9)], [(PICK, PICK + 10)], [(0, 9)]]
CHAR_R = [14 / (PICK - CUT), 0.5, math.nan]

WHY = "{}: make test GROUPS='rag integrations' installs it"


def same(found, expected):
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_):
        raise OSError("an evaluator asked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def span_dicts(lists):
    return [[{"doc": "d", "start": a, "end": b} for a, b in some] for some in lists]


# Haystack


@pytest.fixture
def haystack():
    return pytest.importorskip("haystack", reason=WHY.format("haystack-ai"))


def haystack_documents(haystack, lists):
    return [
        [haystack.Document(content=TEXT[a:b], meta={"source_id": "d", "split_idx_start": a}) for a, b in some]
        for some in lists
    ]


def test_a_component_of_haystack(haystack):
    from berrypick.haystack import RetrievalEvaluator

    found, relevant = haystack_documents(haystack, FOUND), haystack_documents(haystack, RELEVANT)
    done = RetrievalEvaluator("charR@5").run(ground_truth_documents=relevant, retrieved_documents=found)
    same(done["individual_scores"], CHAR_R)
    same(done["score"], (CHAR_R[0] + 0.5) / 2)
    assert RetrievalEvaluator("charR@5").run(span_dicts(RELEVANT), found)["score"] == done["score"]
    quotes = [[TEXT[a:b] for a, b in some] for some in RELEVANT]
    documents = {"d": TEXT}
    assert RetrievalEvaluator("charR@5", documents=documents).run(quotes, found)["score"] == done["score"]
    nothing = RetrievalEvaluator("charR@5").run([[]], [[found[0][0]]])
    assert math.isnan(nothing["score"]) and [math.isnan(score) for score in nothing["individual_scores"]] == [True]


def test_in_a_pipeline_that_is_saved_and_loaded(haystack, tmp_path):
    from haystack.components.evaluators import DocumentRecallEvaluator
    from haystack.evaluation import EvaluationRunResult

    from berrypick.haystack import RetrievalEvaluator

    (tmp_path / "d.txt").write_text(TEXT, encoding="utf-8")
    pipeline = haystack.Pipeline()
    pipeline.add_component("characters", RetrievalEvaluator("charR@5", documents=str(tmp_path), topics="judged"))
    pipeline.add_component("documents", DocumentRecallEvaluator())
    known = "allowed_modules" in inspect.signature(haystack.Pipeline.loads).parameters  # from Haystack 3 on
    allowed = {"allowed_modules": ["berrypick.haystack"]} if known else {}
    again = haystack.Pipeline.loads(pipeline.dumps(), **allowed)
    found, relevant = haystack_documents(haystack, FOUND[:2]), haystack_documents(haystack, RELEVANT[:2])
    for one in (found, relevant):
        for documents in one:
            for document in documents:
                document.meta["source_id"] = "d.txt"
    inputs = {"ground_truth_documents": relevant, "retrieved_documents": found}
    done = again.run({"characters": inputs, "documents": inputs})
    assert set(done["documents"]) == set(done["characters"])
    report = EvaluationRunResult("one", {"question": ["a", "b"]}, done).aggregated_report()
    assert dict(zip(report["metrics"], report["score"], strict=True))["characters"] == done["characters"]["score"]
    assert done["characters"]["individual_scores"] == pytest.approx(CHAR_R[:2])


def test_what_haystack_is_given_wrongly_fails_at_once(haystack):
    from berrypick.haystack import RetrievalEvaluator

    with pytest.raises(bp.UsageError, match="one measure; add a component for each"):
        RetrievalEvaluator("charR@5 IoU@5")
    with pytest.raises(bp.UsageError, match="charR"):
        RetrievalEvaluator("charRR@5")
    with pytest.raises(bp.UsageError, match="no option 'usr'"):
        RetrievalEvaluator("charR@5", usr="hierarchy")
    with pytest.raises(bp.UsageError, match="different lengths, 1 and 2"):
        RetrievalEvaluator("charR@5").run([[]], [[], []])


# LlamaIndex


@pytest.fixture
def retriever():
    pytest.importorskip("llama_index.core", reason=WHY.format("llama-index-core"))
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

    class Found(BaseRetriever):
        """Finds what FOUND says for a question, which is a number."""

        def _retrieve(self, query_bundle):
            source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="d")}
            return [
                NodeWithScore(
                    node=TextNode(text=TEXT[a:b], start_char_idx=a, end_char_idx=b, relationships=source),
                    score=1 / rank,
                )
                for rank, (a, b) in enumerate(FOUND[int(query_bundle.query_str)], start=1)
            ]

    return Found()


def test_an_evaluator_of_llama_index(retriever):
    from berrypick.llama_index import RetrievalEvaluator

    evaluator = RetrievalEvaluator("charR@5 IoU@5", retriever=retriever)
    for number, expected in enumerate(CHAR_R):
        ids = [f"d#{a}-{b}" for a, b in RELEVANT[number]]
        done = evaluator.evaluate(str(number), expected_ids=ids)
        assert done.expected_ids == ids and done.retrieved_texts == [TEXT[a:b] for a, b in FOUND[number]]
        assert list(done.metric_vals_dict) == ["charR@5", "IoU@5"]
        same(done.metric_vals_dict["charR@5"], expected)


def test_texts_names_of_documents_and_post_processors(retriever):
    from llama_index.core.postprocessor import SimilarityPostprocessor

    from berrypick.llama_index import RetrievalEvaluator

    made = RetrievalEvaluator.from_metric_names(["charR@5"], retriever=retriever, documents={"d": TEXT})
    quotes = [TEXT[a:b] for a, b in RELEVANT[0]]
    assert made.evaluate("0", expected_ids=["x"], expected_texts=quotes).metric_vals_dict == {"charR@5": CHAR_R[0]}
    assert RetrievalEvaluator("RR", retriever).evaluate("0", ["d"]).metric_vals_dict == {"RR": 1}
    first = RetrievalEvaluator(
        "charP", retriever, node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.9)]
    ).evaluate("0", ["d#0-9"])
    assert first.metric_vals_dict == {"charP": 0} and len(first.retrieved_ids) == 1
    with pytest.raises(bp.UsageError, match="remove mode"):
        made.evaluate("0", ["d"], mode="image")


# LangSmith


def langsmith_results(evaluator, relevant, target):
    langsmith = pytest.importorskip("langsmith", reason=WHY.format("langsmith"))
    now = datetime.datetime.now(datetime.timezone.utc)
    data = [
        langsmith.schemas.Example(
            id=uuid.uuid4(), dataset_id=uuid.uuid4(), created_at=now, inputs={"number": number}, outputs=outputs
        )
        for number, outputs in enumerate(relevant)
    ]
    client = langsmith.Client(api_key="none", api_url="http://127.0.0.1:9", auto_batch_tracing=False)
    done = langsmith.evaluate(target, data=data, evaluators=[evaluator], upload_results=False, client=client)
    by_number = {row["example"].inputs["number"]: row["evaluation_results"]["results"] for row in done}
    return [{one.key: one.score for one in by_number[number]} for number in sorted(by_number)]


@pytest.fixture
def quiet(monkeypatch):
    """LangSmith warns of its own options, and of the server that there is not."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("form", ["objects", "dumped", "dictionaries"])
def test_an_evaluator_of_langsmith(form, quiet):
    core = pytest.importorskip("langchain_core.documents", reason=WHY.format("langchain-core"))
    from langchain_core.load import dumpd

    from berrypick.langsmith import RetrievalEvaluator

    def documents(some):
        made = [core.Document(TEXT[a:b], metadata={"source": "d", "start_index": a}) for a, b in some]
        if form == "objects":
            return made
        return [dumpd(one) if form == "dumped" else one.model_dump() for one in made]

    relevant = [{"documents": documents(some)} for some in RELEVANT]
    found = langsmith_results(
        RetrievalEvaluator("charR@5 IoU@5"), relevant, lambda inputs: {"documents": documents(FOUND[inputs["number"]])}
    )
    assert [list(one) for one in found] == [["charR@5", "IoU@5"]] * 3
    assert found[2]["charR@5"] is None
    assert [one["charR@5"] for one in found[:2]] == pytest.approx(CHAR_R[:2])


def test_other_keys_and_their_messages(quiet):
    pytest.importorskip("langsmith", reason=WHY.format("langsmith"))
    from langsmith.schemas import Example, Run

    from berrypick.langsmith import RetrievalEvaluator

    def evaluated(evaluator, outputs, reference):
        run = Run(id=uuid.uuid4(), name="x", run_type="chain", start_time=datetime.datetime.now(), inputs={},
                  trace_id=uuid.uuid4(), outputs=outputs)  # fmt: skip
        return evaluator.evaluate_run(run, Example(id=uuid.uuid4(), inputs={}, outputs=reference))["results"]

    spans = span_dicts(FOUND)
    evaluator = RetrievalEvaluator("charR@5", retrieved="context", relevant="quotes", documents={"d": TEXT})
    quotes = [TEXT[a:b] for a, b in RELEVANT[0]]
    (one,) = evaluated(evaluator, {"context": spans[0]}, {"quotes": quotes})
    assert one.score == pytest.approx(CHAR_R[0])
    with pytest.raises(bp.UsageError, match="target have no 'context': name the key with retrieved=; there is docs"):
        evaluated(evaluator, {"docs": spans[0]}, {"quotes": quotes})
    with pytest.raises(bp.UsageError, match="example have no 'quotes': name the key with relevant=; there is nothing"):
        evaluated(evaluator, {"context": spans[0]}, None)


# all of them


def test_texts_are_read_once(tmp_path, monkeypatch):
    from berrypick.integrations import topic_lists

    (tmp_path / "d").write_text(TEXT, encoding="utf-8")
    reads = []
    read = topic_lists.read_texts
    monkeypatch.setattr(topic_lists, "read_texts", lambda path: reads.append(path) or read(path))
    evaluator = topic_lists.ListEvaluator("charR@5", {"documents": tmp_path})
    for number in range(2):
        found, relevant = span_dicts(FOUND)[number], [TEXT[a:b] for a, b in RELEVANT[number]]
        assert evaluator.one(relevant, found)["charR@5"] == pytest.approx(CHAR_R[number])
    assert reads == [tmp_path]
