"""Pages, boxes and the like that loaders leave in metadata: unread beside text or offsets, unless pages are judged."""

from __future__ import annotations

import json

import pandas
import pytest

import berrypick as bp

GUIDE = "0123456789 The refund is paid within ten days. Other things follow here."
ANSWER, OTHER = GUIDE[11:46], GUIDE[47:72]  # 35 and 25 characters
DOCUMENTS = {"guide.pdf": GUIDE}
TRUTH = [{"topic": "q", "doc": "guide.pdf", "start": 11, "end": 46}]
RIGHT = {"charP": 35 / 60, "charR": 1.0}

_CORNERS = [[1, 2], [1, 4], [3, 4], [3, 2]]
_BOX = {"l": 1.0, "t": 700.0, "r": 3.0, "b": 690.0, "coord_origin": "BOTTOMLEFT"}
_ITEM = {"self_ref": "#/texts/1", "label": "text", "prov": [{"page_no": 1, "bbox": _BOX, "charspan": [0, 35]}]}
#: By loader, what it leaves beside the name of the document, and the names that are not read.
LOADERS = {
    "PyPDFLoader": ({"page": 0, "page_label": "i", "total_pages": 9, "producer": "TeX"}, {"page", "page_label"}),
    "PyMuPDFLoader": ({"page": 3, "total_pages": 9, "format": "PDF 1.5"}, {"page"}),
    "PDFReader": ({"page_label": "iv"}, {"page_label"}),
    "numbers": ({"page_number": 3}, {"page_number"}),
    "several": ({"pages": [3, 4]}, {"pages"}),
    "boxes": ({"page": 1, "bbox": [1, 2, 3, 4]}, {"page", "bbox"}),
    "boxes from below": ({"page": 1, "bbox": [1, 700, 3, 690]}, {"page", "bbox"}),
    "several boxes": ({"bboxes": [[1, 2, 3, 4]]}, {"bboxes"}),
    "unstructured": (
        {"page_number": 1, "coordinates": {"points": _CORNERS, "system": "PixelSpace"}, "filetype": "application/pdf"},
        {"page_number", "coordinates"},
    ),
    "docling": ({"dl_meta": {"schema_name": "x", "doc_items": [_ITEM], "origin": {"filename": "g"}}}, {"dl_meta"}),
    "docling in LlamaIndex": ({"doc_items": [_ITEM], "headings": ["Refunds"]}, {"doc_items"}),
    "Document Intelligence": (
        {"boundingRegions": [{"pageNumber": 1, "polygon": [1, 2, 3, 4]}], "spans": [{"offset": 7, "length": 9}]},
        {"boundingRegions"},
    ),
    "LangChain.js": ({"loc": {"pageNumber": 1, "lines": {"from": 1, "to": 4}}, "pdf": {"totalPages": 9}}, {"loc"}),
    "nested": ({"where": {"page": 3, "bbox": [1, 2, 3, 4]}}, {"where"}),
}
CARRIERS = (
    "records",
    "metadata",
    "jsonl",
    "flat",
    "nested",
    "list",
    "frame",
    "langchain",
    "llama_index",
    "haystack",
    "hits",
)


def carried(carrier: str, left: dict, placed: bool, folder):
    """Two results with what a loader left, with or without offsets."""
    found = []
    for rank, text in enumerate((OTHER, ANSWER), start=1):
        start = GUIDE.index(text)
        found.append((rank, text, {"source": "guide.pdf", **left}, start if placed else None))

    def flat(rank, text, metadata, start):
        return {
            "topic": "q",
            "rank": rank,
            "text": text,
            **metadata,
            **({} if start is None else {"start_index": start}),
        }

    def inside(rank, text, metadata, start):
        held = metadata | ({} if start is None else {"start_index": start})
        return {"topic": "q", "rank": rank, "text": text, "metadata": held}

    if carrier in ("records", "frame"):
        rows = [flat(*one) for one in found]
        return rows if carrier == "records" else pandas.DataFrame(rows)
    rows = [inside(*one) for one in found]
    if carrier == "metadata":
        return rows
    if carrier in ("jsonl", "flat"):
        lines = rows if carrier == "jsonl" else [flat(*one) for one in found]
        (folder / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder / "run.jsonl"
    results = [{"text": row["text"], "metadata": row["metadata"]} for row in rows]
    if carrier == "nested":
        (folder / "run.json").write_text(json.dumps([{"question": "q", "results": results}]))
        return folder / "run.json"
    if carrier == "list":
        return {"q": results}
    if carrier == "hits":
        payloads = [{"page_content": row["text"], "metadata": row["metadata"]} for row in rows]
        return {"q": {"points": [{"id": i, "score": 9.0 - i, "payload": one} for i, one in enumerate(payloads)]}}
    return {"q": [made(carrier, *one) for one in found]}


def made(library: str, rank: int, text: str, metadata: dict, start: int | None):
    if library == "langchain":
        documents = pytest.importorskip("langchain_core.documents", reason="langchain-core: make test installs it")
        held = metadata | ({} if start is None else {"start_index": start})
        return documents.Document(page_content=text, metadata=held)
    if library == "llama_index":
        schema = pytest.importorskip("llama_index.core.schema", reason="llama-index-core: make test installs it")
        places = {} if start is None else {"start_char_idx": start, "end_char_idx": start + len(text)}
        return schema.NodeWithScore(node=schema.TextNode(text=text, metadata=metadata, **places), score=9.0 - rank)
    haystack = pytest.importorskip("haystack", reason="haystack-ai: make test installs it")
    held = metadata | ({} if start is None else {"split_idx_start": start})
    return haystack.Document(content=text, meta=held, score=9.0 - rank)


@pytest.mark.parametrize("placed", [False, True], ids=["text", "text and offsets"])
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("loader", LOADERS)
def test_is_one_unread_note_where_text_is_judged(loader, carrier, placed, tmp_path):
    left, names = LOADERS[loader]
    run = carried(carrier, left, placed, tmp_path)
    results = bp.evaluate(TRUTH, run, "charP charR", documents=DOCUMENTS)
    [found] = results.mean().values()
    assert found == pytest.approx(RIGHT)
    [note] = [str(note) for note in results.notes if "unread: " in str(note)]
    assert names <= {*note.partition("unread: ")[2].split(", ")}


@pytest.mark.parametrize("carrier", ["records", "jsonl", "frame", "langchain", "llama_index", "haystack"])
def test_offsets_need_no_documents(carrier, tmp_path):
    run = carried(carrier, {"page": 3, "page_label": "iii", "bbox": [1, 2, 3, 4]}, True, tmp_path)
    [found] = bp.evaluate(TRUTH, run, "charP charR").mean().values()
    assert found == pytest.approx(RIGHT)


def test_only_some_results_have_a_page(tmp_path):
    for pages in ([{"page": 1, "bbox": [1, 2, 3, 4]}, {}], [{}, {"page": 1, "bbox": [1, 2, 3, 4]}], [{"page": 1}, {}]):
        rows = [
            {"topic": "q", "rank": rank, "text": text, "doc": "guide.pdf", **page}
            for rank, (text, page) in enumerate(zip((OTHER, ANSWER), pages, strict=True), start=1)
        ]
        [found] = bp.evaluate(TRUTH, rows, "charP charR", documents=DOCUMENTS).mean().values()
        assert found == pytest.approx(RIGHT)


def test_a_result_of_several_boxes_is_one_text():
    places = [
        {"page_no": 1, "bbox": {"l": 1, "t": 2, "r": 3, "b": 4}},
        {"page_no": 2, "bbox": {"l": 1, "t": 2, "r": 3, "b": 4}},
    ]
    run = {"q": [{"doc": "guide.pdf", "text": text, "prov": places} for text in (OTHER, ANSWER)]}
    [found] = bp.evaluate(TRUTH, run, "charP charR spanRR", documents=DOCUMENTS).mean().values()
    assert found == pytest.approx({**RIGHT, "spanRR": 0.5})


def test_a_page_and_nothing_else_stays_refused():
    run = {"q": [{"doc": "guide.pdf", "text": ANSWER, "page": 1, "box": [0, 0, 1, 1]}, {"doc": "guide.pdf", "page": 2}]}
    with pytest.raises(bp.InputError, match="places on pages, and the truth judges none"):
        bp.evaluate(TRUTH, run, "charR", documents=DOCUMENTS)


def test_whole_documents_are_judged():
    run = {"q": [{"doc": "guide.pdf", "text": ANSWER, "page": 3}, {"doc": "faq.pdf", "text": OTHER, "page": 1}]}
    assert bp.evaluate({"q": {"faq.pdf": 1}}, run, "RR").mean() == {"run": {"RR": 0.5}}


# --- a truth of pages -------------------------------------------------------------------------------------------------

BOXES = [{"topic": "q", "doc": "guide.pdf", "page": 1, "box": [0, 0, 50, 100], "page_size": [100, 100], "grade": 1}]
PAGES = [{"topic": "q", "doc": "guide.pdf", "page": 2, "grade": 1}]
PLACE = {"page": 1, "bbox": [0, 0, 100, 50], "page_size": [100, 100]}  # half of the judged area, half of it relevant


@pytest.mark.parametrize("placed", [False, True], ids=["text", "text and offsets"])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_is_the_place_where_boxes_are_judged(carrier, placed, tmp_path):
    run = carried(carrier, PLACE, placed, tmp_path)
    [found] = bp.evaluate(BOXES, run, "charP@1 charR@1").mean().values()
    assert found == pytest.approx({"charP@1": 0.5, "charR@1": 0.5})


@pytest.mark.parametrize("carrier", CARRIERS)
def test_is_the_place_where_whole_pages_are_judged(carrier, tmp_path):
    run = carried(carrier, {"page": 2, "page_label": "2"}, True, tmp_path)
    [found] = bp.evaluate(PAGES, run, "charR@1 spanRR").mean().values()
    assert found == {"charR@1": 1, "spanRR": 1}


def test_what_cannot_be_a_place_is_refused_there(tmp_path):
    below = carried("jsonl", LOADERS["docling"][0], False, tmp_path)
    with pytest.raises(bp.InputError, match=r"run\.jsonl:1: bbox counts from the lower left corner"):
        bp.evaluate(BOXES, below, "charR")
    label = carried("jsonl", {"page_label": "iv"}, True, tmp_path)
    with pytest.raises(bp.InputError, match=r"run\.jsonl:1: page_label is a position in pages"):
        bp.evaluate(BOXES, label, "charR")
    alone = carried("jsonl", {"page": 1}, False, tmp_path)
    with pytest.raises(bp.InputError, match="page and text are both positions"):
        bp.evaluate(BOXES, alone, "charR")
    nothing = carried("jsonl", {"author": "Ana"}, True, tmp_path)
    with pytest.raises(bp.InputError, match="the truth judges places on pages"):
        bp.evaluate(BOXES, nothing, "charR")


def test_the_level_of_pages_reads_them(tmp_path):
    run = carried("jsonl", {"page": 2, "page_label": "2"}, True, tmp_path)
    assert bp.evaluate(PAGES, run, "RR", level="page").mean() == {"run": {"RR": 1}}


def test_such_results_keep_what_else_their_run_says():
    """Its order, the ids of its topics, and whether topics that it lacks are absent."""
    truth = [
        {"topic": "a", "question": "When?", "doc": "guide.pdf", "page": 2},
        {"topic": "b", "question": "When?", "doc": "guide.pdf", "page": 3},
        {"topic": "none", "is_impossible": True},
    ]
    found = [{"id": name, "question": "When?", "doc": "guide.pdf", "text": ANSWER, "page": page, "score": score}
             for name, page, score in (("a", 1, 0.1), ("a", 2, 0.9), ("b", 3, 0.5))]  # fmt: skip
    rows = bp.evaluate(truth, found, "spanRR Abstained", missing="absent")
    [values] = rows.per_topic().values()
    assert values["spanRR"] == {"a": 1.0, "b": 1.0, "none": None}
    assert values["Abstained"] == {"a": None, "b": None, "none": 0.0}
    lists = {"a": [{key: one[key] for key in ("doc", "text", "page", "score")} for one in found[:2]]}
    results = bp.evaluate(truth, lists, "spanRR Abstained")
    assert results.mean() == {"run": {"spanRR": 0.25, "Abstained": 0.0}}
    assert any("scores do not fall in 1 of 1 topics" in note.text for note in results.notes)


# --- files alone ------------------------------------------------------------------------------------------------------


def test_such_a_file_is_read_and_checked(tmp_path, berrypick):
    path = carried("jsonl", LOADERS["PyPDFLoader"][0], True, tmp_path)
    assert [one["start"] for one in bp.read_run(path)["q"]] == [47, 11]
    done = berrypick("check", path)
    assert done.code == 0 and "page, page_label" in done.out
