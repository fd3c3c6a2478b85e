"""Areas of boxes on pages: 10,000 boxes on a page and on 1,000 pages, compiled against plain, and how both grow.

Takes about ten seconds. The plain form is compared on 1,000 boxes only: it takes minutes for more.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np

from berrypick.kernels import areas


def boxes(many: int, pages: int, side: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of random sides in shares of a page."""
    rng = np.random.default_rng(seed)
    corner = rng.random((many, 2)) * (1 - side)
    return rng.integers(0, pages, many), np.hstack([corner, corner + rng.random((many, 2)) * side])


def seconds(work, repeats: int = 3) -> float:
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def memory(work) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(f"{'boxes':>7} {'pages':>6} {'side':>5} {'compiled s':>11} {'plain / compiled':>17} {'MB':>6}")
    cases = [(1_000, 1, 0.05), (10_000, 1, 0.05), (10_000, 1, 0.3), (10_000, 1_000, 0.3), (100_000, 1_000, 0.3)]
    for many, pages, side in cases:
        page, box = boxes(many, pages, side)
        relevant_page, relevant = boxes(many // 10, pages, side, seed=1)
        given = (page, box, relevant_page, relevant)
        compiled = seconds(lambda given=given: areas.first_seen_areas(*given), 1)
        plain = seconds(lambda given=given: areas._plainly_first_seen(*given), 1) if many <= 1_000 else float("nan")
        peak = memory(lambda given=given: areas.first_seen_areas(*given))
        print(f"{many:7} {pages:6} {side:5} {compiled:11.3f} {plain / compiled:17.1f} {peak:6.1f}")


if __name__ == "__main__":
    main()
