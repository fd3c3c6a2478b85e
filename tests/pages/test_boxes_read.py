"""Boxes read in order, against squares, and many of them in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from berrypick import Run, Truth, evaluate


@pytest.mark.slow
def test_many_boxes_take_little_memory(kernels, monkeypatch):
    many = 1_000
    for place in ("kernels.areas._TOGETHER", "kernels.meetings.TOGETHER", "measures.matched_places.TOGETHER"):
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
