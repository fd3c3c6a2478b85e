"""What should be judged next on pages: boxes, their order, against a count of unit squares."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.errors import InputError, UsageError
from berrypick.judgements.pool import read_tasks

SIZE = [10, 20]
Rows = list[dict[str, Any]]


def row(page, box, topic="q", doc="d", size=SIZE, **more):
    return {"topic": topic, "doc": doc, "page": page, "box": box, **({"page_size": size} if size else {}), **more}


def test_what_is_judged_is_left_out_and_the_rest_counted():
    # x has 10 + 10 squares of 200, y 40; the truth has judged the first ten of them and a quarter of y's
    runs = {"x": [row(1, [0, 0, 5, 2]), row(2, [0, 0, 5, 2])], "y": [row(1, [0, 10, 10, 14])]}
    truth = [row(1, [0, 0, 5, 2], grade=0), row(1, [0, 10, 10, 11], grade=1)]
    found = bp.pool(runs, truth=truth, titles={"q": "Where?"})
    assert [(task.page, task.boxes, task.page_size) for task in found] == [
        (1, ((0, 10, 10, 14),), (10, 20)),
        (2, ((0, 0, 5, 2),), (10, 20)),
    ]
    assert [task.impact for task in found] == pytest.approx([30 / 40, 10 / 20])
    assert (found.retrieved, found.judged) == pytest.approx((60 / 200, 20 / 200))
    assert found.progress == (
        "33.3% of the area of the first 10 results is judged, 100.0% after these tasks: 2 tasks with 2 boxes, 0.2 pages"
    )
    first = bp.pool(runs, truth=truth, budget=1)
    assert "83.3% after these tasks" in first.progress and "1 task beyond the budget" in first.progress


BOXES = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 8), st.integers(0, 8), st.integers(0, 4), st.integers(0, 4)), max_size=5
)


def squares(boxes):
    return {(page, x, y) for page, a, b, w, h in boxes for x in range(a, a + w) for y in range(b, b + h)}


def rows_of(boxes, **more) -> Rows:
    return [row(page, [a, b, a + w, b + h], size=[12, 12], **more) for page, a, b, w, h in boxes]


@settings(max_examples=60, deadline=None)
@given(BOXES.filter(bool), BOXES.filter(bool), BOXES)
def test_areas_are_counts_of_squares(one, two, judged):
    known = [box for box in judged if box[3] and box[4]]
    truth = rows_of(dict.fromkeys(known), grade=0) or None
    found = bp.pool({"x": rows_of(one), "y": rows_of(two)}, truth=truth, depth=100)
    every, done = squares(one + two), squares(known)
    assert (found.retrieved * 144, found.judged * 144) == pytest.approx((len(every), len(every & done)), abs=1e-9)
    shown = {(task.page, *box) for task in found for box in task.boxes}
    wanted = {(p, a, b, a + w, b + h) for p, a, b, w, h in one + two if squares([(p, a, b, w, h)]) - done}
    assert shown == wanted
    for task in found:
        sets = [{s for s in squares(run) if s[0] == task.page} - done for run in (one, two)]
        share = [len(left) / max(len(squares(run)), 1) for left, run in zip(sets, (one, two), strict=True)]
        assert task.impact == pytest.approx(max(share) - min(share), abs=1e-9)
    assert [task.impact for task in found] == sorted((task.impact for task in found), reverse=True)


def test_depth_whole_documents_and_topics_without_an_answer(tmp_path):
    path = tmp_path / "t.jsonl"
    lines = [
        {"topic": "q", "doc": "d", "judged": True},
        {"topic": "p", "answer": None},
        row(1, [0, 0, 1, 1], "o", grade=1),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    runs = [
        row(1, [0, 0, 1, 1]),
        row(1, [0, 0, 1, 1], doc="e"),
        row(1, [0, 0, 2, 2], "p"),
        row(3, [0, 0, 1, 1], "q", "f"),
    ]
    found = bp.pool([{**one, "rank": i + 1} for i, one in enumerate(runs)], truth=path, depth=2)
    assert [(task.topic, task.document) for task in found] == [("q", "e")]


def test_one_unit_in_one_file():
    whole = {"topic": "q", "doc": "d", "page": 4, "rank": 2}
    shares = bp.pool([row(1, [0, 0, 0.5, 0.5], size=None, rank=1), whole])
    assert [(task.boxes[0], task.page_size) for task in shares] == [((0, 0, 1, 1), None), ((0, 0, 0.5, 0.5), None)]
    both = bp.pool({"a": [row(1, [0, 0, 5, 5])], "b": [row(2, [0, 0, 0.5, 0.5], size=None)]})
    assert [(task.boxes[0], task.page_size) for task in both] == [((0, 0, 0.5, 0.25), None), ((0, 0, 0.5, 0.5), None)]
    own = bp.pool([row(1, [0, 0, 5, 5], size=None)])
    assert own.tasks[0].boxes == ((0, 0, 5, 5),) and "25 units of area" in own.progress
    scaled = bp.pool({"a": [row(1, [0, 0, 5, 5])], "b": [row(1, [0, 0, 10, 20], size=[20, 40])]})
    assert [task.boxes for task in scaled] == [((0, 0, 5, 5), (0, 0, 5, 10))]
    with pytest.raises(InputError, match="size of its page is not known"):
        bp.pool({"a": [row(1, [0, 0, 5, 5])], "b": [row(2, [0, 0, 7, 7], size=None)]})


def test_tasks_are_written_and_read_back(tmp_path, berrypick):
    (tmp_path / "run.jsonl").write_text(json.dumps(row(3, [1, 2.5, 4, 9])) + "\n")
    done = berrypick("pool", tmp_path / "run.jsonl", "-o", tmp_path / "tasks.jsonl")
    assert done.code == 0 and "1 task with 1 box" in done.err
    (task,) = read_tasks(tmp_path / "tasks.jsonl")
    assert (task.topic, task.document, task.page, task.page_size, task.boxes) == (
        "q", "d", 3, (10, 20), ((1, 2.5, 4, 9),),
    )  # fmt: skip
    printed = berrypick("pool", tmp_path / "run.jsonl", "-o", "jsonl")
    assert printed.out == (tmp_path / "tasks.jsonl").read_text()
    refused = berrypick("pool", tmp_path / "run.jsonl", "-o", tmp_path / "x.json", "--format", "doccano")
    assert refused.code == 2 and "doccano marks spans" in refused.err and not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ({"page": 0}, "page must be a whole number of at least 1"),
        ({"page": "x"}, "page must be a number"),
        ({"page": 1, "boxes": [[3, 1, 2, 4]]}, "x1 2 is before x0 3"),
        ({"page": 1, "boxes": [[1, 1, 1, 4]]}, "has no area"),
        ({"page": 1, "boxes": [[1, 1, float("inf"), 4]]}, "JSON"),
        ({"page": 1, "boxes": [[1, 1, 2]]}, "must be 4 numbers"),
        ({"page": 1, "boxes": "no"}, "must be a list of x0"),
        ({"page": 1, "boxes": [[50, 1, 60, 2]], "page_size": [10, 10]}, "outside its page"),
        ({"page": 1, "topic": None}, "topic is missing"),
        ({"page": 1, "doc": ["d"]}, "doc must be"),
    ],
)
def test_broken_tasks_are_refused_with_their_line(tmp_path, line, what):
    path = tmp_path / "tasks.jsonl"
    path.write_text(
        json.dumps({"topic": "q", "doc": "d", "page": 1}) + "\n" + json.dumps({"topic": "q", "doc": "d", **line})
    )
    with pytest.raises(InputError, match=what) as error:
        read_tasks(path)
    assert "tasks.jsonl:2" in str(error.value)


def test_text_and_boxes_do_not_mix():
    text = {"topic": "q", "doc": "d", "start": 1, "end": 2}
    with pytest.raises(InputError, match="the results are offsets"):
        bp.pool({"a": [row(1, [0, 0, 5, 5])], "b": [text]}, {"d": "abc"})
    with pytest.raises(UsageError, match="judges no places on pages"):
        bp.pool([row(1, [0, 0, 5, 5])], truth=[{**text, "grade": 1}])
    with pytest.raises(UsageError, match="give documents="):
        bp.pool([text])
