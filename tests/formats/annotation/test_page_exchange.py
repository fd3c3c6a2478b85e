"""Tasks of boxes for annotation tools, and what the tools export, there and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import berrypick as bp
from berrypick.judgements.pool import read_tasks

SIZE = [612, 792]


def results(sized: bool, many: int = 12) -> list[dict]:
    rng = np.random.default_rng(3)
    rows = []
    for rank in range(1, many + 1):
        corner = rng.random(2) * 0.5
        box = [*corner, *(corner + 0.05 + rng.random(2) * 0.4)]
        place = {"page": int(rng.integers(1, 4)), "box": [float(edge) for edge in box]}
        if sized:
            edges = [round(edge * limit, 1) for edge, limit in zip(box, SIZE * 2, strict=True)]
            place = {**place, "box": edges, "page_size": SIZE}
        rows.append({"topic": "q", "doc": "a.pdf", **place, "rank": rank})
    return rows


def judged(file, kind: str, label: str = "relevant") -> None:
    """What an annotator does: every box gets a label."""
    value = json.loads(file.read_text())
    if kind == "label-studio":
        for task in value:
            marks = task.pop("predictions")[0]["result"]
            for mark in marks:
                mark["value"]["rectanglelabels"] = [label]
            task["annotations"] = [{"completed_by": 7, "result": marks}]
    else:
        for one in value["items"]:
            one["body"] = [*one["body"], {"type": "TextualBody", "purpose": "assessing", "value": label}]
    file.write_text(json.dumps(value))


@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("kind", ["label-studio", "w3c"])
def test_boxes_there_and_back(tmp_path, kind, sized):
    file, rows = tmp_path / "tasks.json", results(sized)
    run = bp.Run.from_records(rows)
    bp.pool([run], depth=20).write(file, kind)
    judged(file, kind)
    truth = bp.read_truth(file)
    assert truth.format == kind and truth.of_pages
    assert bp.evaluate(truth, run, "charR charP spanAll(iou=0.999999)").mean()["run"] == pytest.approx(
        {"charR": 1, "charP": 1, "spanAll(iou=0.999999)": 1}, abs=1e-9
    )
    found = sorted((row["page"], row["box"]) for row in truth.to_records())
    if kind == "label-studio" or not sized:
        for (page, box), (other, wanted) in zip(found, sorted((r["page"], r["box"]) for r in rows), strict=True):
            assert page == other and box == pytest.approx(wanted, abs=1e-9)


def test_tasks_of_label_studio_can_be_judged_on_the_page(tmp_path):
    file = tmp_path / "tasks.json"
    pool = bp.pool([bp.Run.from_records(results(True))], depth=20)
    pool.write(file, "label-studio")
    assert [task.record() for task in read_tasks(file)] == [task.record() for task in pool.tasks]
    bp.annotate(file, html=tmp_path / "judge.html")
    assert json.loads(file.read_text())[0]["data"]["image"] == f"a.pdf/{pool.tasks[0].page}.png"


RECTANGLE = {"x": 10.0, "y": 20, "width": 30, "height": 5, "rotation": 0, "rectanglelabels": ["relevant"]}
DATA = {"topic": "q", "doc": "a.pdf", "page": 2, "page_size": [200, 100]}


def export(*annotations: list[dict], **data) -> list[dict]:
    marked = [{"completed_by": who, "result": [{"value": value} for value in values]}
              for who, values in enumerate(annotations)]  # fmt: skip
    return [{"id": 1, "data": {**DATA, **data}, "annotations": marked}]


def read(tmp_path, value) -> bp.Truth:
    (tmp_path / "export.json").write_text(json.dumps(value))
    return bp.read_truth(tmp_path / "export.json")


def test_percent_labels_choices_and_annotators(tmp_path):
    other = {**RECTANGLE, "x": 50, "rectanglelabels": ["irrelevant"]}
    odd = {**RECTANGLE, "y": 60, "rectanglelabels": ["unjudged"]}
    truth = read(tmp_path, export([RECTANGLE, other, odd], [RECTANGLE, {"choices": ["judged"]}]))
    assert truth.annotators.keys() == {"0", "1"}
    rows = [(one["page"], one.get("box"), one["grade"]) for one in truth.annotators["0"]["q"]]
    assert rows == [(2, [20, 20, 80, 25], 1), (2, [100, 20, 160, 25], 0)]
    rows = [(one["page"], one.get("box"), one["grade"]) for one in truth.annotators["1"]["q"]]
    assert rows == [(2, None, 0), (2, [20, 20, 80, 25], 1)]
    assert truth.skipped == {"boxes with the label unjudged, skipped": 1}
    minimal = read(tmp_path, [{"id": 1, **DATA, "label": [RECTANGLE], "annotator": 3, "annotation_id": 4}])
    assert [one["box"] for one in minimal["q"]] == [[20, 20, 80, 25]]


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (export([{**RECTANGLE, "rotation": 12}]), "rotated"),
        (export([{**RECTANGLE, "width": "wide"}]), "needs x, y, width and height"),
        (export([RECTANGLE], page=0), "page must be a whole number"),
        (export([RECTANGLE], page_size=[0, 5]), "page_size must be"),
        (export([RECTANGLE], doc=None), "doc"),
        ([*export([RECTANGLE]), {"data": {"text": "x", "topic": "q", "doc": "a"}, "annotations": []}], "two projects"),
    ],
)
def test_broken_exports_are_refused(tmp_path, value, what):
    with pytest.raises(bp.InputError, match=what):
        read(tmp_path, value)


def annotation(*selectors: dict) -> list[dict]:
    tags = [{"type": "TextualBody", "purpose": "tagging", "value": text} for text in ("topic:q", "relevant")]
    return [{"type": "Annotation", "body": tags, "target": {"source": "a.pdf", "selector": list(selectors)}}]


def fragment(value: str) -> dict:
    return {"type": "FragmentSelector", "value": value}


def test_fragments_of_other_programs(tmp_path):
    for selectors in (
        [fragment("page=3"), fragment("xywh=percent:10,20,30,5")],
        [fragment("page=3&xywh=percent:10,20.0,30,5")],
        [{**fragment("page=3"), "refinedBy": fragment("xywh=percent:10,20,3e1,5")}],
    ):
        row = read(tmp_path, annotation(*selectors)).to_records()[0]
        assert (row["page"], row["box"]) == (3, pytest.approx([0.1, 0.2, 0.4, 0.25]))
    row = read(tmp_path, annotation(fragment("page=3"))).to_records()[0]
    assert row["page"] == 3 and "box" not in row


@pytest.mark.parametrize(
    "selectors",
    [
        [fragment("xywh=percent:1,2,3,4")],
        [fragment("page=0&xywh=percent:1,2,3,4")],
        [fragment("page=1"), fragment("page=2")],
        [fragment("page=1&xywh=10,20,30,40")],
        [fragment("page=1&xywh=pixel:10,20,30,40")],
        [fragment("page=1&xywh=percent:1,2,3")],
        [fragment("page=1&xywh=percent:90,90,1e300,4")],
    ],
    ids=str,
)
def test_broken_fragments_are_refused(tmp_path, selectors):
    with pytest.raises(bp.InputError):
        read(tmp_path, annotation(*selectors))


@pytest.mark.parametrize("source", [None, "", 5, {"id": None}])
def test_a_target_without_a_document_is_refused(tmp_path, source):
    one = annotation(fragment("page=1"))
    one[0]["target"]["source"] = source
    with pytest.raises(bp.InputError, match="no source"):
        read(tmp_path, one)


def test_what_a_tool_cannot_hold_is_said(tmp_path):
    pool = bp.pool([bp.Run.from_records(results(True))])
    with pytest.raises(bp.UsageError, match="doccano marks spans of text"):
        pool.write(tmp_path / "x.jsonl", "doccano")
    bare = [{**row, "page_size": None} for row in results(True)]
    with pytest.raises(bp.UsageError, match="sizes are not known"):
        bp.pool([bp.Run.from_records(bare)]).write(tmp_path / "x.json", "w3c")
    assert not list(tmp_path.iterdir())
