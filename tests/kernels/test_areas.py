"""Areas of boxes on pages, in both forms, against a raster and against inclusion and exclusion."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from berrypick.kernels import areas
from berrypick.kernels.areas import common_areas, first_seen_areas, union_area

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
