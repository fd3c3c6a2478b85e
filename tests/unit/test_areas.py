"""Areas of boxes on pages, in both forms, against a raster and against inclusion and exclusion."""

from __future__ import annotations

import tracemalloc
from itertools import combinations, groupby, pairwise

import numpy as np
import pytest

from berrypick import Run, Truth, evaluate
from berrypick.evaluation.page_units import run_in_units, truth_in_units
from berrypick.kernels import areas
from berrypick.kernels.areas import common_areas, first_seen_areas, union_area
from berrypick.relevance.places import read_in_order

SIDE = 24


def boxes(rng: np.random.Generator, many: int, real: bool) -> np.ndarray:
    """Random boxes, some of which have no area."""
    edges = rng.random((many, 4)) if real else rng.integers(0, SIDE + 1, (many, 4)).astype(float)
    return np.hstack([np.minimum(edges[:, :2], edges[:, 2:]), np.maximum(edges[:, :2], edges[:, 2:])])


def raster(page, box, relevant_page, relevant_box):
    """The same by counting squares."""

    def held(edges):
        x0, y0, x1, y1 = edges.astype(int)
        found = np.zeros((SIDE, SIDE), dtype=bool)
        found[y0:y1, x0:x1] = True
        return found

    fresh, good, seen = [], [], {}
    for code, one in zip(page, box, strict=True):
        new = held(one) & ~seen.setdefault(code, np.zeros((SIDE, SIDE), dtype=bool))
        seen[code] |= new
        wanted = np.zeros((SIDE, SIDE), dtype=bool)
        for other, edges in zip(relevant_page, relevant_box, strict=True):
            wanted |= held(edges) if other == code else False
        fresh.append(new.sum())
        good.append((new & wanted).sum())
    return np.array(fresh, dtype=float), np.array(good, dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_whole_corners_against_a_raster(kernels, seed):
    rng = np.random.default_rng(seed)
    many, wanted = rng.integers(0, 9, 2)
    given = (rng.integers(0, 3, many), boxes(rng, many, False), rng.integers(0, 3, wanted), boxes(rng, wanted, False))
    for found, counted in zip(first_seen_areas(*given), raster(*given), strict=True):
        assert found.tolist() == counted.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_real_corners_against_inclusion_and_exclusion(kernels, seed):
    rng = np.random.default_rng(seed)
    box = boxes(rng, 8, True)
    expected = 0.0
    for size in range(1, 9):
        for chosen in combinations(range(8), size):
            low, high = box[list(chosen), :2].max(axis=0), box[list(chosen), 2:].min(axis=0)
            expected -= (-1) ** size * float(np.prod(np.maximum(high - low, 0)))
    assert union_area(np.zeros(8, dtype=np.int64), box) == pytest.approx(expected, abs=1e-12)


def cell_by_cell(page, box, relevant_page, relevant_box):
    """The same band by band and cell by cell, each looked up in every box: the order in which both forms add."""
    fresh, good = np.zeros(len(page)), np.zeros(len(page))
    for code in np.unique(page).tolist():
        rows, own = np.flatnonzero(page == code).tolist(), relevant_box[relevant_page == code]
        every = [edges for edges in (*box[rows], *own) if edges[0] < edges[2] and edges[1] < edges[3]]
        for top, bottom in pairwise(sorted({edge for _, y0, _, y1 in every for edge in (y0, y1)})):
            here = sorted({x for x0, y0, x1, y1 in every if y0 <= top < y1 for x in (x0, x1)})
            for left, right in pairwise(here):
                holds = [x0 <= left < x1 and y0 <= top < y1 for x0, y0, x1, y1 in (*box[rows], *own)]
                if any(holds[: len(rows)]):
                    of, area = rows[holds.index(True)], (right - left) * (bottom - top)
                    fresh[of] += area
                    good[of] += area if any(holds[len(rows) :]) else 0.0
    return fresh, good


@pytest.mark.slow
@pytest.mark.parametrize("together", [1, 40, 200_000])
def test_both_forms_have_the_same_digits(kernels, together, monkeypatch):
    monkeypatch.setattr(areas, "_TOGETHER", together)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        given = (rng.integers(0, 4, 30), boxes(rng, 30, seed % 3 > 0), rng.integers(0, 5, 12), boxes(rng, 12, True))
        for found, plain in zip(first_seen_areas(*given), cell_by_cell(*given), strict=True):
            assert found.tolist() == plain.tolist()


def test_pairs():
    one = np.array([[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 4, 4.0]])
    other = np.array([[5, 5, 20, 7], [10, 0, 12, 3], [1, 1, 2, 3.0]])
    assert common_areas(one, other).tolist() == [10, 0, 2]


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
    truth, units = truth_in_units(Truth.from_records([{**one, "grade": 1} for one in places]))
    rows = [{"topic": "q", "doc": "d", "page": 1, "box": one, "rank": i} for i, one in enumerate(results, 1)]
    text = truth.topics["q"].relevant_text()
    row, area, new = read_in_order(run_in_units(Run.from_records(rows), units).ranking("q"), text)
    found = [(i, round(a, 9), round(b, 9)) for i, a, b in zip(row.tolist(), area.tolist(), new.tolist(), strict=True)]
    expected = [(i, round(a / SIDE**2, 9), round(b / SIDE**2, 9)) for i, a, b in stretches(results, relevant)]
    assert [one for one in found if one[1]] == [one for one in expected if one[1]]


@pytest.mark.slow
def test_many_boxes_take_little_memory(kernels, monkeypatch):
    many = 1_000
    for place in ("kernels.areas._TOGETHER", "kernels.meetings.TOGETHER", "measures.spans._iou.TOGETHER"):
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
