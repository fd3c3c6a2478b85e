"""Spans, boxes and moments that overlap, against all pairs; memory grows with results and targets alone."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from berrypick import Run, Truth, judge
from berrypick.kernels import meetings
from berrypick.measures import parse_measure
from berrypick.measures._matched_places import ALMOST, overlaps
from berrypick.measures.spans.spanap import taken_targets

NAMES = ["spanAP", "BestIoU", "spanAP(iou='0.3:0.6')@7", "spanHit(iou=0.4)@5", "spanNDCG(iou=0.2)", "spanAll(iou=0.1)"]


def spans(rng: np.random.Generator, many: int, kind: str) -> list[dict]:
    """Places of one kind, some of them the same."""
    found = []
    for _ in range(many):
        start, long = rng.random(2) * (30, 12) if kind == "seconds" else rng.integers(0, 30, 2) % (30, 12) + (0, 1)
        end = float(start + long) if kind == "seconds" else int(start + long)
        place = {"start": float(start) if kind == "seconds" else int(start), "end": end}
        if kind == "areas":
            x, y, w, h = rng.integers(1, 9, 4).tolist()
            place = {"page": int(rng.integers(1, 3)), "box": [x, y, x + w, y + h], "page_size": [20, 20]}
        if kind == "lines":
            first = int(rng.integers(1, 30))
            place = {"start_line": first, "end_line": first + int(rng.integers(0, 9))}
        found.append({"topic": "q", "doc": f"d{rng.integers(0, 2)}", **place})
    return found


def dense(judged) -> np.ndarray:
    """Results x targets, pair by pair."""
    ranking, targets = judged.spans
    found = np.zeros((len(ranking), len(targets)))
    for i in range(len(ranking)):
        for j in range(len(targets)):
            if ranking.documents[ranking.document[i]] != targets.document[j]:
                continue
            if ranking.boxes is not None:
                (a, b, c, d), (e, f, g, h) = ranking.boxes.box[i], targets.boxes.box[j]
                one, other = ranking.boxes.areas[i], targets.boxes.areas[j]
                common = max(min(c, g) - max(a, e), 0) * max(min(d, h) - max(b, f), 0)
                common *= ranking.boxes.page[i] == targets.boxes.page[j]
            else:
                a, c, e, g = ranking.start[i], ranking.end[i], targets.start[j], targets.end[j]
                one, other, common = c - a, g - e, max(min(c, g) - max(a, e), 0)
            union = one + other - common
            found[i, j] = common / union if union > 0 else float(a == e)
    return found if ranking.repeated is None else found * ~ranking.repeated[:, None]


def taken_from_all(ratio: np.ndarray, least: float) -> list[int]:
    free, taken = ratio * (ratio >= least * ALMOST), []
    for row in range(len(free)):
        best = int(free[row].argmax())
        taken.append(best if free[row, best] > 0 else -1)
        if taken[-1] >= 0:
            free[:, best] = 0.0
    return taken


def campaign(rng: np.random.Generator, kind: str, results: int, targets: int) -> tuple[Truth, Run]:
    rows = [{**one, "rank": i} for i, one in enumerate(spans(rng, results, kind), 1)]
    places = {str(one): {**one, "grade": 1} for one in spans(rng, targets, kind)}
    return Truth.from_records(list(places.values())), Run.from_records(rows)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "seconds", "lines", "areas"])
def test_ratios_and_taken_targets_against_all_pairs(kernels, kind, monkeypatch):
    for seed in range(12):
        truth, run = campaign(np.random.default_rng(seed), kind, 14, 9)
        monkeypatch.setattr("berrypick.measures._matched_places.TOGETHER", 500_000 if seed % 2 else 3)
        monkeypatch.setattr(meetings, "TOGETHER", 500_000 if seed % 2 else 3)
        judged = judge(truth, run, "q")
        ratio, blocks = dense(judged), list(overlaps(judged).blocks())
        found = np.zeros_like(ratio)
        for row, target, value in blocks:
            assert (value > 0).all()
            found[row, target] = value
        assert found.tolist() == ratio.tolist()
        assert seed % 2 or not ratio.any() or len(blocks) > 1
        for least in (0.1, 0.5):
            taken = taken_targets(blocks, len(ratio), np.ones(ratio.shape[1], dtype=bool), [least])[0]
            assert taken.target.tolist() == taken_from_all(ratio, least)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "areas"])
def test_memory_grows_with_results_and_targets(kind, monkeypatch):
    """Everything overlaps everything: a table of all pairs would grow four times."""
    monkeypatch.setattr("berrypick.measures._matched_places.TOGETHER", 1_500)
    monkeypatch.setattr(meetings, "TOGETHER", 1_500)
    peaks = []
    for many in (130, 260):
        rows = []
        for i in range(many):
            place = {"start": i, "end": 3 * many + i}
            if kind == "areas":
                place = {"page": 1, "box": [i, i, 3 * many + i, 3 * many + i], "page_size": [5 * many, 5 * many]}
            rows.append({"topic": "q", "doc": "d", **place})
        truth = Truth.from_records([{**one, "grade": 1} for one in rows])
        run = Run.from_records([{**one, "rank": i} for i, one in enumerate(rows, 1)])
        tracemalloc.start()
        judged = judge(truth, run, "q")
        values = [parse_measure(name).compute(judged).value for name in NAMES]
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert values[0] == values[1] == 1
    assert peaks[1] < 2.2 * peaks[0], peaks
    assert peaks[1] < 8 * 260 * 260, peaks  # which is what the table alone would take
