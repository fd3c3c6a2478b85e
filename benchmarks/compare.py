"""compare of 50 runs on 50 topics by 10 measures: all 1,225 pairs, intervals and randomisation tests.

    python benchmarks/compare.py [--repeats N]

The runs are made up and evaluated once; only the comparison is measured, in processor time of one thread, against one
product of matrices of the size that its intervals need (10,000 resamples x 50 topics x 12,250 pairs). Bound: 2 seconds.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import argparse
import time
from collections.abc import Callable

import numpy as np
from _processes import verdict

import berrypick as bp

RUNS, TOPICS, DOCUMENTS = 50, 50, 60
MEASURES = "AP nDCG@10 P@10 RR R@20 nDCG nDCG@5 P@5 Rprec Bpref"


def results() -> bp.Results:
    """Judgements of three grades, and runs that see them through more and more noise."""
    draw = np.random.default_rng(3)
    truth = {f"t{t}": {f"d{d}": int(draw.integers(0, 3)) for d in range(DOCUMENTS)} for t in range(TOPICS)}
    runs = {
        f"run{s:02d}": {
            topic: {name: float(grade + draw.normal(0, 0.5 + s / 40)) for name, grade in judged.items()}
            for topic, judged in truth.items()
        }
        for s in range(RUNS)
    }
    return bp.evaluate(truth, runs, MEASURES)


def least(work: Callable[[], object], repeats: int) -> float:
    """The least processor time of some turns."""
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    scored = results()
    pairs = RUNS * (RUNS - 1) // 2 * len(MEASURES.split())
    drawn, values = np.ones((10_000, TOPICS)), np.ones((TOPICS, 512))
    product = least(lambda: drawn @ values, 3 * chosen.repeats) * pairs / 512
    taken = least(lambda: bp.compare(scored), chosen.repeats)
    print(f"{RUNS} runs, {TOPICS} topics, {len(MEASURES.split())} measures: {pairs} pairs")
    print(f"  compare: {taken:.2f} s, {taken / product:.1f} times the product of matrices")
    verdict("2 seconds", taken < 2, f"{taken:.2f} s")


if __name__ == "__main__":
    main()
