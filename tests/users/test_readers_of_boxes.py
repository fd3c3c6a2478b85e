"""User models window, distance and fetch_browse on boxes, against squares that are counted and formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

import berrypick as bp

#: Pages of 10 x 10 squares; whole squares, so that a window of tenths of pages cuts none of them.
SIDE = 10


def places(rng: np.random.Generator, many: int) -> list[dict]:
    found = []
    for _ in range(many):
        (a, c), (b, d) = (np.sort(rng.choice(SIDE + 1, 2, replace=False)).tolist() for _ in range(2))
        found.append({"doc": "ab"[rng.integers(0, 2)], "page": int(rng.integers(1, 4)), "box": [a, b, c, d]})
    return found


def squares(one: dict) -> set:
    a, b, c, d = one["box"]
    return {(one["doc"], one["page"], x, y) for x in range(a, c) for y in range(b, d)}


def along(one: dict) -> tuple[int, int]:
    """Where a box begins and ends along its document, in lines of squares."""
    return (one["page"] - 1) * SIDE + one["box"][1], (one["page"] - 1) * SIDE + one["box"][3]


def window(one: dict, before: int, after: int) -> set:
    """The box, and whole lines before and after it."""
    top, bottom = along(one)
    lines = [*range(max(top - before, 0), top), *range(bottom, bottom + after)]
    return squares(one) | {(one["doc"], y // SIDE + 1, x, y % SIDE) for y in lines for x in range(SIDE)}


def distance(one: dict, target: dict, theta: float) -> float:
    if one["doc"] != target["doc"]:
        return 0.0
    if squares(target) <= squares(one):
        return 1.0
    middles = [sum(along(place)) / 2 / SIDE for place in (one, target)]
    gap = 0.0 if squares(one) & squares(target) else abs(middles[0] - middles[1])
    return 1 / (1 + math.exp(theta * gap))


def expected_ratio(reach: list[list[float]]) -> float:
    """The share of targets that a reader who goes through the whole list sees, each result for itself."""
    missed = [math.prod(1 - row[x] for row in reach) for x in range(len(reach[0]))]
    return sum(1 - one for one in missed) / len(missed)


def value(truth: list[dict], run: list[dict], user: str) -> float:
    truth, run = ([{**one, "page_size": [SIDE, SIDE]} for one in rows] for rows in (truth, run))
    return bp.score("ExpectedRatio", {"q": truth}, {"q": run}, user=user)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_window_and_distance_against_squares(seed):
    rng = np.random.default_rng(seed)
    truth = list({str(one): one for one in places(rng, 3)}.values())
    run = list({str(one): one for one in places(rng, 5)}.values())
    before, after = (int(edge) for edge in rng.integers(0, 15, 2))
    held = [[len(window(y, before, after) & squares(x)) >= 0.5 * len(squares(x)) for x in truth] for y in run]
    assert value(truth, run, f"window(before={before / SIDE},after={after / SIDE})") == pytest.approx(
        expected_ratio(held), abs=1e-12
    )
    reach = [[distance(y, x, 2.0) for x in truth] for y in run]
    assert value(truth, run, "distance(theta=2)") == pytest.approx(expected_ratio(reach), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_fetch_browse_against_squares(seed):
    rng = np.random.default_rng(seed)
    truth = list({str(one): one for one in places(rng, 3)}.values())
    run = list({str(one): one for one in places(rng, 5)}.values())
    fetched, before = [], 0
    for number, y in enumerate(run):
        before = before + 1 if number and run[number - 1]["doc"] == y["doc"] else 0  # neighbours of one document
        covers = [len(squares(y) & squares(x)) >= 0.5 * len(squares(x)) for x in truth]
        fetched.append([0.8**before * one for one in covers])
    assert value(truth, run, "fetch_browse(consider=0.8)") == pytest.approx(expected_ratio(fetched), abs=1e-12)
