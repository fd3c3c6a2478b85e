"""Boxes read in order, against squares, and many of them in little memory."""

from __future__ import annotations

import tracemalloc
from itertools import groupby

import numpy as np
import pytest

from berrypick import Run, Truth, evaluate
from berrypick.documents.pages.page_units import PageUnits
from berrypick.measures.continuation._pages_read import read_in_order

SIDE = 24


def boxes(rng: np.random.Generator, many: int, real: bool) -> np.ndarray:
    """Random boxes, some of which have no area."""
    edges = rng.random((many, 4)) if real else rng.integers(0, SIDE + 1, (many, 4)).astype(float)
    return np.hstack([np.minimum(edges[:, :2], edges[:, 2:]), np.maximum(edges[:, :2], edges[:, 2:])])


def stretches(results, relevant):
    """What read_in_order says, by unit squares: lines of one pattern are a band, which is cut where it changes."""
    seen, found = np.zeros((SIDE, SIDE), dtype=bool), []
    wanted = np.zeros((SIDE, SIDE), dtype=bool)
    for x0, y0, x1, y1 in relevant:
        wanted[y0:y1, x0:x1] = True
    for row, (x0, y0, x1, y1) in enumerate(results):
        new = (wanted & ~seen)[y0:y1, x0:x1]
        seen[y0:y1, x0:x1] = True
        if not new.any():
            found.append((row, (x1 - x0) * (y1 - y0), 0))
            continue
        for _, band in groupby(new.tolist()):
            lines = list(band)
            for number, (good, cells) in enumerate(groupby(lines[0])):
                if good and not number:
                    found.append((row, 0, 0))  # nothing is to the left of it
                area = len(list(cells)) * len(lines)
                found.append((row, area, area if good else 0))
            if lines[0][-1]:
                found.append((row, 0, 0))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_reading_order_against_a_raster(seed):
    rng = np.random.default_rng(seed)
    results, relevant = ([list(map(int, one)) for one in boxes(rng, 6, False)] for _ in range(2))
    relevant = [one for one in relevant if one[0] < one[2] and one[1] < one[3]] or [[0, 0, 1, 1]]
    places = [{"topic": "q", "doc": "d", "page": 1, "box": one, "page_size": [SIDE, SIDE]} for one in relevant]
    truth, units = PageUnits.of_truth(Truth.from_records([{**one, "grade": 1} for one in places]))
    rows = [{"topic": "q", "doc": "d", "page": 1, "box": one, "rank": i} for i, one in enumerate(results, 1)]
    text = truth.topics["q"].relevant_text()
    row, area, new = read_in_order(units.of_run(Run.from_records(rows)).ranking("q"), text)
    found = [(i, round(a, 9), round(b, 9)) for i, a, b in zip(row.tolist(), area.tolist(), new.tolist(), strict=True)]
    expected = [(i, round(a / SIDE**2, 9), round(b / SIDE**2, 9)) for i, a, b in stretches(results, relevant)]
    assert [one for one in found if one[1]] == [one for one in expected if one[1]]


@pytest.mark.slow
def test_many_boxes_take_little_memory(kernels, monkeypatch):
    many = 1_000
    for place in ("kernels.areas._TOGETHER", "kernels.meetings.TOGETHER", "measures._matched_places.TOGETHER"):
        monkeypatch.setattr(f"berrypick.{place}", 10_000)
    rng = np.random.default_rng(1)

    def made(number, **more):
        corner = rng.random((number, 2)) * 0.97
        places = np.hstack([corner, corner + 0.02]).tolist()
        return [{"topic": "q", "doc": "d", "page": 1, "box": box, **more} for box in places]

    truth = Truth.from_records(made(many, grade=1))
    run = Run.from_records([{**one, "rank": i} for i, one in enumerate(made(many), 1)])
    tracemalloc.start()
    found = evaluate(truth, run, "charR charP charR@5 IoU Overlap spanRR spanAP BestIoU").mean()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(0 <= value <= 1 for values in found.values() for value in values.values())
    assert most < 8 * many * many, most  # a table of all pairs alone would take so much
