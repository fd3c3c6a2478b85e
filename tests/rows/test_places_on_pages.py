"""Places on pages in truths and runs: every carrier, units of pages, what is refused, and numbers by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

import berrypick as bp

SIZE = [612, 792]
TRUTH = [
    {"topic": "q", "doc": "a.pdf", "page": 1, "box": [0, 0, 100, 100], "page_size": SIZE, "grade": 1},
    {"topic": "q", "doc": "a.pdf", "page": 2, "box": [0, 0, 10, 10], "page_size": SIZE, "grade": 1},
]
RUN = [
    {"topic": "q", "doc": "a.pdf", "page": 1, "box": [50, 50, 150, 150], "page_size": SIZE, "rank": 1},
    {"topic": "q", "doc": "a.pdf", "page": 2, "box": [0, 0, 20, 20], "page_size": SIZE, "rank": 2},
]
MEASURES = "charR charP charF IoU Overlap spanHit(share=0.2)@1 spanHit(iou=0.2) spanRR(share=1) spanAP(iou=0.25)"
#: By hand, in the file's units: 10,100 are relevant; 2,500 and then 100 of them are found in 10,000 and 400.
EXPECTED = {
    "charR": 2600 / 10100,
    "charP": 2600 / 10400,
    "charF": 2 * 2600 / (10100 + 10400),
    "IoU": 2600 / (10100 + 10400 - 2600),
    "Overlap": 0,
    "spanHit(share=0.2)@1": 1,
    "spanHit(iou=0.2)": 1,
    "spanRR(share=1)": 1 / 2,
    "spanAP(iou=0.25)": (1 / 2) / 2,
}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def flat(rows):
    """Edges as columns."""
    edges = ("x0", "y0", "x1", "y1")
    return [
        {name: value for name, value in row.items() if name not in ("box", "page_size")}
        | dict(zip(edges, np.array(row["box"]) / np.tile(row["page_size"], 2), strict=True))
        for row in rows
    ]


def table(path, rows, separator=","):
    rows = flat(rows)
    path.write_text("\n".join(separator.join(map(str, held)) for held in [rows[0], *(row.values() for row in rows)]))
    return path


CARRIERS = {
    "json lines": lambda path, rows: lines(path / "x.jsonl", rows),
    "csv": lambda path, rows: table(path / "x.csv", rows),
    "semicolons": lambda path, rows: table(path / "x.csv", rows, ";"),
    "records": lambda path, rows: rows,
    "lists": lambda path, rows: {"q": [{k: v for k, v in row.items() if k not in ("topic", "rank")} for row in rows]},
    "frame": lambda path, rows: __import__("pandas").DataFrame(rows),
    "arrow": lambda path, rows: __import__("pyarrow").Table.from_pylist(rows),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_every_carrier_gives_the_same_digits(carrier, tmp_path):
    places = [tmp_path / "truth", tmp_path / "run"]
    for place in places:
        place.mkdir()
    truth, run = (CARRIERS[carrier](place, rows) for place, rows in zip(places, (TRUTH, RUN), strict=True))
    (found,) = bp.evaluate(truth, run, MEASURES).mean().values()
    assert found == pytest.approx(EXPECTED, abs=1e-14)


def score(measure, truth, run, **options):
    return bp.score(measure, {"q": truth}, {"q": run}, **options)


BOX = {"doc": "a", "page": 1, "box": [0, 0, 50, 80], "page_size": [100, 100]}


def test_a_page_without_a_box_is_the_whole_page():
    assert score("charR", [{"doc": "a", "page": 3}], [{"doc": "a", "page": 3}]) == 1
    assert score("charR", [{"doc": "a", "page": 3}], [{"doc": "a", "page": 2}]) == 0
    assert score("charP", [BOX], [{"doc": "a", "page": 1}]) == pytest.approx(0.4)
    assert score("charR", [BOX], [{"doc": "a", "page_index": 0}]) == 1, "counted from 0"


def test_pages_of_one_shape_are_scaled_and_others_refused():
    larger = BOX | {"box": [0, 0, 100, 160], "page_size": [200, 200]}
    results = bp.evaluate({"q": [BOX]}, {"q": [larger]}, "IoU")
    assert results.mean()["run"]["IoU"] == 1
    with pytest.raises(bp.InputError, match="two sizes of different shapes"):
        score("IoU", [BOX], [larger | {"page_size": [200, 300]}])


def test_a_box_without_a_size_is_in_the_units_of_the_truth_and_said():
    results = bp.evaluate({"q": [BOX]}, {"q": [{"doc": "a", "page": 1, "box": [0, 0, 50, 40]}]}, "charR")
    assert results.mean()["run"]["charR"] == 0.5
    assert "without page_size, read in the units of" in str(results)


def test_shares_are_said():
    truth = [{"doc": "a", "page": 1, "box": [0, 0, 0.5, 0.8]}]
    results = bp.evaluate({"q": truth}, {"q": [BOX]}, "IoU")
    assert results.mean()["run"]["IoU"] == 1
    assert "boxes are shares of their pages" in str(results)


def test_shares_of_a_run_are_said():
    results = bp.evaluate({"q": [BOX]}, {"q": [{"doc": "a", "page": 1, "box": [0, 0, 0.5, 0.4]}]}, "charR")
    assert results.mean()["run"]["charR"] == 0.5
    assert "run: no coordinate is above 1" in str(results)


SHARE = {"doc": "a", "page": 1, "box": [0.5, 0.5, 1, 1]}


@pytest.mark.parametrize(("truth", "run"), [([BOX, SHARE], [BOX]), ([BOX], [BOX, SHARE]), ([SHARE], [BOX, SHARE])])
@pytest.mark.parametrize("carrier", ["dictionary", "jsonl", "csv", "frame"])
def test_shares_beside_sized_boxes_are_refused(tmp_path, carrier, truth, run):
    """A file in shares has no page_size at all: half a point of a page, or half of the page?"""
    given = []
    for name, rows in (("truth", truth), ("run", run)):
        rows = [
            {"topic": "q", **one, **({"grade": 1} if name == "truth" else {"rank": i})} for i, one in enumerate(rows, 1)
        ]
        kind = bp.Truth if name == "truth" else bp.Run
        if carrier == "dictionary":
            given.append(kind.from_records(rows))
        elif carrier == "jsonl":
            given.append(tmp_path / f"{name}.jsonl")
            given[-1].write_text("".join(json.dumps(one) + "\n" for one in rows))
        else:
            edges = {"x0": 0, "y0": 1, "x1": 2, "y1": 3}
            size = [one.pop("page_size", [None, None]) for one in rows]
            flat = [
                {**{k: v for k, v in one.items() if k != "box"}, **{k: one["box"][i] for k, i in edges.items()},
                 "page_width": size[i][0], "page_height": size[i][1]}
                for i, one in enumerate(rows)
            ]  # fmt: skip
            frame = pytest.importorskip("pandas").DataFrame(flat)
            given.append(kind.from_frame(frame) if carrier == "frame" else tmp_path / f"{name}.csv")
            if carrier == "csv":
                frame.to_csv(given[-1], index=False)
    with pytest.raises(bp.InputError, match="shares or units") as refused:
        bp.evaluate(*given, "charR")
    assert "give page_size" in str(refused.value)


def test_boxes_beside_sized_ones_are_counted():
    bare = {"doc": "a", "page": 1, "box": [50, 80, 100, 100]}
    results = bp.evaluate({"q": [BOX, bare]}, {"q": [BOX]}, "charR")
    assert results.mean()["run"]["charR"] == pytest.approx(0.8)
    assert "1 box without page_size, read in the units of other lines on their pages" in str(results)


def test_units_of_the_file_where_no_size_is_known():
    truth = [{"doc": "a", "page": 1, "box": [0, 0, 50, 80]}]
    results = bp.evaluate({"q": truth}, {"q": [{"doc": "a", "page": 1, "box": [0, 0, 50, 40]}]}, "charR")
    assert results.mean()["run"]["charR"] == 0.5
    assert "areas count in the units of the file" in str(results)
    with pytest.raises(bp.InputError, match=r"a#page=1: a whole page .* give page_size|no known size"):
        score("charR", truth, [{"doc": "a", "page": 1}])
    with pytest.raises(bp.InputError, match="shares of pages"):
        score("charR", truth, [{"doc": "a", "page": 1, "box": [0, 0, 0.5, 0.5]}])
    with pytest.raises(bp.UsageError, match="needs the sizes of pages"):
        score("EPRUM", truth, truth, user="distance")


WRONG = {
    "x1 50 is before x0 60": {"box": [60, 0, 50, 80]},
    "y1 1 is before y0 2": {"box": [0, 2, 50, 1]},
    "must be 4 numbers": {"box": [0, 0, 50]},
    "must be 4 numbers of at": {"box": [0, 0, 50, "80"]},
    "must be 4 numbers of at most": {"box": [0, 0, 50, 1e300]},
    "is outside its page": {"box": [110, 0, 120, 80]},
    "whole number of at least 1, not 0": {"page": 0},
    "whole number of at least 1, not 1.5": {"page": 1.5},
    "but no page": {"page": None},
    "width and a height above 0": {"page_size": [0, 100]},
    "only some lines have start and end": {"start": 3, "end": 9},
    "counts from the lower left corner": {"box": {"l": 0, "t": 9, "r": 9, "b": 0, "coord_origin": "BOTTOMLEFT"}},
    "page and page_index are two pages": {"page_index": 1},
    "are two boxes": {"x0": 1, "y0": 1, "x1": 2, "y1": 2},
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_refused_with_its_line(what, tmp_path):
    row = {"topic": "q"} | BOX | WRONG[what]
    run = lines(tmp_path / "run.jsonl", [{"topic": "q"} | BOX, row])
    with pytest.raises(bp.InputError, match=what) as error:
        bp.read_run(run)
    assert error.value.line == 2


def test_text_beside_a_page_without_its_box_is_refused():
    with pytest.raises(bp.InputError, match="are both positions"):
        score("charR", [BOX], [{"doc": "a", "page": 1, "text": "Some words."}])
    assert score("charR", [BOX], [BOX | {"text": "Some words."}]) == 1


@pytest.mark.parametrize(
    "box",
    [
        {"x0": 0, "y0": 0, "x1": 50, "y1": 80},
        {"l": 0, "t": 0, "r": 50, "b": 80, "coord_origin": "TOPLEFT"},
        {"x": 0, "y": 0, "w": 50, "h": 80},
        {"left": 0, "top": 0, "width": 50, "height": 80},
    ],
)
def test_boxes_as_objects(box):
    assert score("IoU", [BOX], [BOX | {"box": box}]) == 1


def test_what_is_cut_left_out_or_merged_is_counted(tmp_path):
    rows = [BOX, BOX, BOX | {"box": [40, 0, 101, 5]}, BOX | {"box": [4, 4, 4, 9]}]
    truth = bp.read_truth(lines(tmp_path / "truth.jsonl", [{"topic": "q"} | row for row in rows]))
    assert truth.skipped == {
        "exact copies, merged": 1,
        "boxes that ran past the edge of their page, cut off there": 1,
        "targets without area, skipped": 1,
    }
    assert len(truth["q"]) == 2


def test_pages_and_spans_do_not_mix():
    with pytest.raises(bp.InputError, match="only some spans have a page"):
        bp.Truth.from_dict({"q": [BOX, {"doc": "a", "start": 0, "end": 3}]})
    with pytest.raises(bp.InputError, match="judges places on pages, but the results are offsets"):
        score("charR", [BOX], [{"doc": "a", "start": 0, "end": 3}])
    with pytest.raises(bp.InputError, match="judges places on pages, but the results are whole documents"):
        score("charR", [BOX], [{"doc": "a"}])
    with pytest.raises(bp.InputError, match="the truth judges none"):
        score("charR", [{"doc": "a", "start": 0, "end": 3}], [BOX])


@pytest.mark.slow
def test_a_span_as_a_box_one_high_has_the_number_of_the_span():
    rng = np.random.default_rng(5)
    measures = [*MEASURES.split(), "spanNDCG@3", "spanAll(share=0.3)", "EPRUM", "PRUM(r=1)", "ExpectedRatio@3"]
    measures += ["Coverage(budget=30)", "EPRUM(user='coverage')", "EPRUM(user='fetch_browse(consider=0.5)')"]
    for _ in range(15):
        ends = np.sort(rng.integers(0, 40, (9, 2)), axis=1) + np.array([0, 1])
        spans = [{"doc": "a", "start": int(a), "end": int(b)} for a, b in ends]
        boxes = [{"doc": "a", "page": 1, "box": [a, 0, b, 1], "page_size": [100, 1]} for a, b in ends.tolist()]
        for measure in measures:
            options = {"units": 50} if "PRUM(r" in measure else {}
            text = score(measure, spans[:3], spans[3:], **options)
            on_page = score(measure.replace("budget=30", "budget=0.3"), boxes[:3], boxes[3:], **options)
            assert on_page == pytest.approx(text, abs=1e-12), measure


def test_readers_of_pages():
    truth = [{"doc": "a", "page": 2, "box": [0, 0.9, 1, 1]}]
    run = [{"doc": "a", "page": 1, "box": [0, 0.5, 0.1, 0.7]}]
    assert score("EPRUM", truth, run) == 0
    assert score("EPRUM", truth, run, user="window(before=0,after=1.3)") == 1, "to 2.0, of which 0.1 is wanted"
    assert score("EPRUM", truth, run, user="window(before=0,after=1.2)") == 0
    middle = (1 + 0.95) - 0.6
    reached = 1 / (1 + np.exp(2 * middle))
    assert score("ExpectedRatio", truth, run, user="distance(theta=2)") == pytest.approx(reached)
    assert score("ExpectedRatio", truth, [{"doc": "a", "page": 2}], user="distance(theta=2)") == 1


def test_names_and_records():
    truth = bp.Truth.from_dict({"q": [BOX]})
    assert truth["q"].name(0) == "a#page=1&box=0,0,50,80"
    assert bp.Truth.from_records(truth.to_records()).to_records() == truth.to_records()
    run = bp.Run.from_records([{"topic": "q", **BOX, "rank": 1}, {"topic": "q", "doc": "a", "page": 2, "rank": 2}])
    assert bp.Run.from_records(run.to_records()).to_records() == run.to_records()
