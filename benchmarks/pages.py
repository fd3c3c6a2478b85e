"""Boxes on pages: areas of 10,000 boxes on a page and on 1,000 pages, compiled and plain; and how evaluations grow.

Takes about a minute. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np

from berrypick import Run, Truth, evaluate
from berrypick.kernels import areas


def boxes(many: int, pages: int, side: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of random sides in shares of a page."""
    rng = np.random.default_rng(seed)
    corner = rng.random((many, 2)) * (1 - side)
    return rng.integers(0, pages, many), np.hstack([corner, corner + rng.random((many, 2)) * side])


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def memory(work) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def areas_of_boxes() -> None:
    print(
        f"{'boxes':>7} {'pages':>6} {'side':>5} {'compiled s':>11} {'plain s':>8} {'compiled MB':>12} {'plain MB':>9}"
    )
    cases = [(1_000, 1, 0.05), (10_000, 1, 0.05), (10_000, 1, 0.3), (10_000, 1_000, 0.3), (100_000, 1_000, 0.3)]
    for many, pages, side in cases:
        given = (*boxes(many, pages, side), *boxes(many // 10, pages, side, seed=1))
        forms = [
            lambda given=given, form=form: form(*given) for form in (areas.first_seen_areas, areas.plainly_first_seen)
        ]
        (compiled, plain), (held, plainly_held) = [seconds(form) for form in forms], [memory(form) for form in forms]
        print(f"{many:7} {pages:6} {side:5} {compiled:11.3f} {plain:8.3f} {held:12.1f} {plainly_held:9.1f}")


def places(kind: str, many: int, seed: int) -> list[dict]:
    """Spans, or boxes on a page; in ``nested``, everything overlaps everything."""
    if kind == "spans":
        start = np.random.default_rng(seed).integers(0, 50 * many, many)
        return [{"topic": "q", "doc": "d", "start": int(one), "end": int(one) + 100} for one in start]
    box = boxes(many, 1, 0.02, seed)[1] if kind == "boxes" else np.tile([0.1, 0.1, 0.9, 0.9], (many, 1))
    if kind == "nested":
        box[:, 2] -= np.arange(many) / many / 10
    return [{"topic": "q", "doc": "d", "page": 1, "box": one} for one in box.tolist()]


def evaluations() -> None:
    print(f"\n{'places':>8} {'results = targets':>18} {'spanAP, iou= s':>15} {'MB':>6} {'all pairs MB':>13}")
    for kind, sizes in {"spans": (4_000, 8_000), "boxes": (4_000, 8_000), "nested": (1_000, 2_000)}.items():
        for many in sizes:
            truth = Truth.from_records([{**one, "grade": 1} for one in places(kind, many, 1)])
            run = Run.from_records([{**one, "rank": i} for i, one in enumerate(places(kind, many, 2), 1)])
            work = lambda truth=truth, run=run: evaluate(truth, run, "spanAP spanNDCG(iou=0.5)")  # noqa: E731
            print(f"{kind:>8} {many:18} {seconds(work):15.2f} {memory(work):6.1f} {8e-6 * many * many:13.1f}")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    areas_of_boxes()
    evaluations()


if __name__ == "__main__":
    main()
