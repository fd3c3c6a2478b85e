"""Places as programs that read layouts give them, in every carrier."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import berrypick as bp

TRUTH = [
    {"topic": "q", "doc": "a.pdf", "page": 1, "box": [10, 20, 60, 70], "page_size": [100, 200], "grade": 1},
    {"topic": "q", "doc": "a.pdf", "page": 2, "box": [0, 0, 100, 10], "page_size": [100, 200], "grade": 1},
]
#: By hand: one result is both places, and nothing else; areas are 2,500 and 1,000 of pages of 20,000.
FIRST, SECOND = [10, 20, 60, 70], [0, 0, 100, 10]


def corners(box):
    x0, y0, x1, y1 = box
    return [[x0, y0], [x0, y1], [x1, y1], [x1, y0]]


def docling(origin="TOPLEFT"):
    def box(one):
        x0, y0, x1, y1 = one
        if origin == "BOTTOMLEFT":
            y0, y1 = 200 - y0, 200 - y1
        return {"l": x0, "t": y0, "r": x1, "b": y1, "coord_origin": origin}

    return [{"page_no": 1, "bbox": box(FIRST), "charspan": [0, 9]}, {"page_no": 2, "bbox": box(SECOND)}]


SIZE = {"page_size": [100, 200]}
AZURE = [
    {"pageNumber": 1, "polygon": [x for point in corners(FIRST) for x in point]},
    {"pageNumber": 2, "polygon": [{"x": x, "y": y} for x, y in corners(SECOND)]},
]
RESULTS = {
    "docling item": {"prov": docling(), **SIZE},
    "docling from below": {"prov": docling("BOTTOMLEFT"), **SIZE},
    "docling chunk": {"meta": {"doc_items": [{"prov": [one]} for one in docling()]}, **SIZE},
    "docling in LangChain": {"metadata": {"dl_meta": {"doc_items": [{"prov": docling()}]}, **SIZE}},
    "azure": {"boundingRegions": AZURE, "spans": [{"offset": 0, "length": 9}], **SIZE},
    "azure in Python": {"bounding_regions": AZURE, **SIZE},
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("carrier", ["file", "records", "hits", "objects"])
def test_one_result_with_two_places(tmp_path, name, carrier):
    row = {"doc": "a.pdf", "text": "Cut the canes.", **RESULTS[name]}
    noise = {"doc": "b.pdf", "page": 7, "box": [0, 0, 100, 200], **SIZE}
    rows = [{**row, "topic": "q", "score": 2.0}, {**noise, "topic": "q", "score": 1.0}]
    if carrier == "file":
        path = tmp_path / "run.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        run = path
    elif carrier == "records":
        run = rows
    elif carrier == "hits":
        run = {"q": [{"id": str(i), "score": 2.0 - i, "payload": one} for i, one in enumerate((row, noise))]}
    else:
        run = {"q": [SimpleNamespace(page_content="Cut.", metadata=one) for one in _flat(row, noise)]}
    found = next(iter(bp.evaluate(TRUTH, run, "charR@1 charP@1 charP").mean().values()))
    assert found == pytest.approx({"charR@1": 1, "charP@1": 1, "charP": 3500 / 23500})


def _flat(*rows):
    for row in rows:
        inside = row.get("metadata", row.get("meta", {}))
        yield {k: v for k, v in row.items() if k not in ("metadata", "meta", "text")} | inside


def test_unstructured_elements(tmp_path):
    def element(page, box, **more):
        points = {"points": corners(box), "layout_width": 100, "layout_height": 200, "system": "PixelSpace"}
        place = {"filename": "a.pdf", "page_number": page, "coordinates": points, "filetype": "application/pdf"}
        return {"topic": "q", "type": "Table", "text": "Canes", "metadata": place, **more}

    run = [element(1, FIRST, rank=1), element(2, [0, 0, 100, 5], rank=2)]
    assert bp.evaluate(TRUTH, run, "charR@1 charR").mean()["run"] == pytest.approx({"charR@1": 5 / 7, "charR": 6 / 7})
    truth = [element(1, FIRST), element(2, SECOND)]
    assert bp.evaluate(truth, run, "charR").mean()["run"]["charR"] == pytest.approx(6 / 7)


def test_judgements_with_several_regions():
    truth = [{"topic": "q", "doc": "a.pdf", "boundingRegions": AZURE, **SIZE, "grade": 1}]
    run = [{"topic": "q", "doc": "a.pdf", "page": 1, "box": FIRST, **SIZE, "rank": 1}]
    assert bp.evaluate(truth, run, "charR").mean()["run"]["charR"] == pytest.approx(5 / 7)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"prov": docling("BOTTOMLEFT")}, "height of the page is not known"),
        ({"prov": [{"page_no": 1}], **SIZE}, "prov must hold page_no and bbox"),
        ({"prov": [{"page_no": 1, "bbox": {"l": 1}}]}, "must have l, t, r and b"),
        ({"prov": [{"page_no": 0, "bbox": {"l": 0, "t": 0, "r": 1, "b": 1}}]}, "whole number of at least 1"),
        ({"boundingRegions": [{"pageNumber": 1, "polygon": [1, 2, 3]}]}, "two or more places"),
        ({"boundingRegions": ["x"]}, "must hold pageNumber"),
        ({"metadata": {"page_number": 1, "coordinates": {"points": None}}}, "two or more places"),
    ],
)
def test_broken_regions_are_refused(row, what):
    with pytest.raises(bp.InputError, match=what):
        bp.evaluate(TRUTH, [{"topic": "q", "doc": "a.pdf", "rank": 1, **row}], "charR")
