"""Places on pages in the order of reading, against a raster."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from berrypick import Run, Truth
from berrypick.addons.continuation.pages_read import read_in_order
from berrypick.addons.pages.page_units import PageUnits

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
