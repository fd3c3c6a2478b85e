"""Runs from the objects of retrieval libraries, known by their attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

import berrypick as bp
from berrypick.given.convert import as_truth

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry. Pick dry."
DOCUMENTS = {"garden": TEXT}
CUT, PICK = TEXT.index("Cut"), TEXT.index("Pick")
ROWS = [("1", "garden", 0, 26, 3.0), ("1", "garden", CUT, CUT + 28, 2.0), ("2", "garden", PICK, PICK + 9, 1.5)]
CUTS = "Cut the old canes"
SPANS = {"1": [("garden", CUT, CUT + 28)]}


def content(run: bp.Run) -> list[tuple]:
    return [
        (topic, ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row]))
        for topic, ranking in run.rankings()
        for row in range(len(ranking))
    ]


EXPECTED = [row[:4] for row in ROWS]

# --- objects, as the libraries shape them ---------------------------------------------------------------------------


@dataclass
class Chain:
    page_content: str
    metadata: dict = field(default_factory=dict)


@dataclass
class Node:
    text: str
    start_char_idx: int | None = None
    end_char_idx: int | None = None
    ref_doc_id: str | None = None
    metadata: dict = field(default_factory=dict)


@dataclass
class Scored:
    node: Node
    score: float | None = None


@dataclass
class Hay:
    content: str
    meta: dict = field(default_factory=dict)
    score: float | None = None


SHAPES = {
    "langchain": [Chain(TEXT[a:b], {"source": "garden", "start_index": a}) for _, _, a, b, _ in ROWS],
    "llama_index": [Scored(Node(TEXT[a:b], a, b, "garden"), score) for _, _, a, b, score in ROWS],
    "nodes": [Node(TEXT[a:b], a, b, "garden") for _, _, a, b, _ in ROWS],
    "haystack": [Hay(TEXT[a:b], {"source_id": "garden", "split_idx_start": a}, s) for _, _, a, b, s in ROWS],
    "dictionaries": [{"doc": "garden", "start": a, "end": b} for _, _, a, b, _ in ROWS],
    "pairs": [(Chain(TEXT[a:b], {"source": "garden", "start_index": a}), np.float32(s)) for _, _, a, b, s in ROWS],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_objects_by_their_attributes(shape):
    first, second, third = SHAPES[shape]
    run = bp.run_from_objects({"1": [first, second], "2": [third]}, tag=shape)
    assert content(run) == EXPECTED and run.tag == shape
    assert (run.score is not None) == (shape in ("llama_index", "haystack", "pairs"))


def test_the_order_of_a_list_counts_not_its_scores():
    """Some stores give distances, smaller is better."""
    pairs = [(SHAPES["langchain"][0], 0.1), (SHAPES["langchain"][1], 0.7)]
    assert content(bp.run_from_objects({"1": pairs})) == EXPECTED[:2]


def test_texts_without_offsets_are_located_or_told():
    run = bp.run_from_objects({"1": [TEXT[:26], Chain(TEXT[CUT : CUT + 28])], "2": []}, documents=DOCUMENTS)
    assert content(run) == EXPECTED[:2] and run.notes == ("1 topic has no results",)
    with pytest.raises(bp.InputError, match="only its text") as error:
        bp.run_from_objects({"1": [Chain(TEXT[:26])]})
    assert "add_start_index=True" in str(error.value)
    with pytest.raises(bp.InputError, match="2 of 3 quotes cannot be resolved") as error:
        bp.run_from_objects({"1": ["Pick dry.", "Nowhere.", "Cut"]}, documents=DOCUMENTS)
    assert "topic 1, rank 1: topic 1: the quote occurs in 2 places" in str(error.value)
    assert "topic 1, rank 2: topic 1: the quote is not in any document" in str(error.value)


def test_what_langchain_could_not_find_is_located():
    assert content(
        bp.run_from_objects({"1": [Chain("Cut the", {"source": "garden", "start_index": -1})]}, documents=DOCUMENTS)
    ) == [("1", "garden", CUT, CUT + 7)]


def test_where_the_name_of_the_document_is():
    one = Chain("Cut", {"path": "x/garden", "start_index": CUT})
    assert content(bp.run_from_objects({"1": [one]}, doc="path")) == [("1", "x/garden", CUT, CUT + 3)]
    named = bp.run_from_objects({"1": [one]}, doc=lambda found: found.metadata["path"].partition("/")[2])
    assert content(named) == [("1", "garden", CUT, CUT + 3)]
    assert content(bp.run_from_objects({"1": [one]})) == [("1", "x/garden", CUT, CUT + 3)]
    with pytest.raises(bp.InputError, match="a result names no document"):
        bp.run_from_objects({"1": [Chain("Cut", {"pfad": "x/garden", "start_index": CUT})]})
    with pytest.raises(bp.InputError, match="no 'file' in its metadata"):
        bp.run_from_objects({"1": [one]}, doc="file")


# --- the libraries themselves ---------------------------------------------------------------------------------------

RAG = "{}: pip install 'berrypick[rag]'"


@pytest.mark.slow
def test_real_langchain_documents():
    documents = pytest.importorskip("langchain_core.documents", reason=RAG.format("LangChain"))
    found = [
        documents.Document(page_content=TEXT[a:b], metadata={"source": "garden", "start_index": a})
        for _, _, a, b, _ in ROWS
    ]
    assert content(bp.run_from_objects({"1": found[:2], "2": found[2:]})) == EXPECTED


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_real_llama_index_nodes():
    schema = pytest.importorskip("llama_index.core.schema", reason=RAG.format("LlamaIndex"))
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo

    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="garden")}
    found = [
        schema.NodeWithScore(
            node=schema.TextNode(text=TEXT[a:b], start_char_idx=a, end_char_idx=b, relationships=source), score=score
        )
        for _, _, a, b, score in ROWS
    ]
    run = bp.run_from_objects({"1": found[:2], "2": found[2:]})
    assert content(run) == EXPECTED and run.score.tolist() == [3, 2, 1.5]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_real_haystack_documents():
    haystack = pytest.importorskip("haystack", reason=RAG.format("Haystack"))
    found = [
        haystack.Document(content=TEXT[a:b], meta={"source_id": "garden", "split_idx_start": a}, score=score)
        for _, _, a, b, score in ROWS
    ]
    assert content(bp.run_from_objects({"1": found[:2], "2": found[2:]})) == EXPECTED


def test_langchain_results():
    documents = pytest.importorskip("langchain_core.documents", reason=RAG.format("LangChain"))
    found = documents.Document(page_content=CUTS, metadata={"source": "garden", "start_index": CUT})
    bare = documents.Document(page_content=CUTS)
    assert bp.score("charR@1", SPANS, {"1": [found]}) == 17 / 28
    assert bp.score("charR@1", SPANS, {"1": [(bare, 0.3)]}, documents=DOCUMENTS) == 17 / 28
    assert bp.evaluate(SPANS, {"x": {"1": [found]}, "y": {"1": [bare]}}, "charR", documents=DOCUMENTS).runs == (
        "x",
        "y",
    )
    assert bp.score("charP@1", {"1": [found]}, {"1": [found]}) == 1
    assert bp.score("RR", {"1": {"garden": 1}}, {"1": [found, found]}) == 1
    odd = "\u00e9 \U0001f347 Cut"  # libraries count characters, whatever the others count
    truth = {"1": [documents.Document(page_content="Cut", metadata={"source": "g", "start_index": 4})]}
    for offsets in ("chars", "bytes", "utf16"):
        assert bp.score("IoU@1", truth, truth, documents={"g": odd}, offsets=offsets) == 1
    with pytest.raises(bp.InputError, match="beyond the end"):
        bp.evaluate(truth, {"1": [documents.Document(page_content="Cut", metadata={"source": "g", "start_index": 5})]},
                    "IoU", documents={"g": odd}, offsets="bytes")  # fmt: skip
    with pytest.raises(bp.UsageError, match=r"Document results needs their topics: \{topic: \[results\]\}"):
        bp.evaluate(SPANS, [found], "charR")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_llama_index_and_haystack_results():
    schema = pytest.importorskip("llama_index.core.schema", reason=RAG.format("LlamaIndex"))
    haystack = pytest.importorskip("haystack", reason=RAG.format("Haystack"))
    node = schema.NodeWithScore(node=schema.TextNode(text=CUTS), score=0.5)
    assert bp.score("charR@1", SPANS, {"1": [node]}, documents=DOCUMENTS) == 17 / 28
    assert as_truth({"1": [node]}).topics["1"].quotes[0].grade == 1
    hay = haystack.Document(content=CUTS, meta={"source_id": "garden", "split_idx_start": CUT}, score=0.5)
    assert bp.score("charR@1", SPANS, {"1": [hay]}) == 17 / 28
    for one in (node, hay):
        with pytest.raises(bp.UsageError, match="needs their topics"):
            bp.evaluate(SPANS, [one], "charR")


# --- their texts against their offsets --------------------------------------------------------------------------------

LONG = "".join(f"Line {i} says that {i * i} berries were picked.\n" for i in range(300))
JUDGED = {"q": [{"doc": "d", "start": 1000, "end": 1200}]}


def test_texts_that_stand_elsewhere_are_told():
    chunk = LONG[1000:1200]
    langchain = SimpleNamespace(page_content=chunk, metadata={"source": "d", "start_index": 1500})
    llama = SimpleNamespace(text=chunk, metadata={}, ref_doc_id="d", start_char_idx=1500, end_char_idx=1700)
    haystack = SimpleNamespace(content=chunk, meta={"source_id": "d", "split_idx_start": 1500}, score=1.0)
    told = r"does not match its (text|quote), which is 500 characters earlier"
    for wrong in (langchain, llama, haystack):
        with pytest.raises(bp.InputError, match=told):
            bp.evaluate(JUDGED, {"q": [wrong]}, "charR", documents={"d": LONG})
        with pytest.raises(bp.InputError, match=told):
            bp.evaluate({"q": [wrong]}, {"q": [{"doc": "d", "start": 0, "end": 9}]}, "charR", documents={"d": LONG})


def test_a_title_before_the_text_is_no_part_of_the_span():
    content = "Berries, 1902\n\n" + LONG[1000:1200]
    chunk = SimpleNamespace(page_content=content, metadata={"source": "d", "start_index": 1000})
    results = bp.evaluate(JUDGED, {"q": [chunk]}, "charR charP", documents={"d": LONG})
    assert results.mean()["run"] == {"charR": 1.0, "charP": 1.0}  # not 200 of 215 characters
    assert any("1 text has a prefix, such as a title" in str(note) for note in results.notes)
