"""How often ``compare --assumptions`` finds a run better than another that is as good.

    python experiments/verdicts.py [--seeds N]

Ten runs put the answer of each topic at a random rank, all of them alike, and RR is compared. Counted: data sets, of N,
in which some run beats another by the verdicts; in which some does without correction for the 45 pairs; and in which
some interval over topics, of 95% and not corrected, lies on one side of 0. Each share has Wilson's 95% interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from _collection import arguments
from data import told

import berrypick as bp
from berrypick.statistics.intervals import mean_intervals

RUNS, TOPICS = 10, (2, 5, 10, 25, 50)


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=300)
    print(f"data sets of {RUNS} equal runs with a false claim, of {given.seeds}")
    print("topics  verdict 'beats'       without correction    an interval apart from 0")
    for topics in TOPICS[: 2 if given.small else None]:
        random = np.random.default_rng(topics)
        claims = np.array([_claims(random, topics) for _ in range(given.seeds)], dtype=np.float64)
        low, high, _ = mean_intervals(claims)
        shares = zip(claims.mean(axis=0), low, high, strict=True)
        print(f"{topics:6}  " + "  ".join(f"{share:.3f} [{a:.3f}, {b:.3f}]" for share, a, b in shares), flush=True)


def _claims(random: np.random.Generator, topics: int) -> tuple[bool, bool, bool]:
    names = [f"topic {i}" for i in range(topics)]
    runs = {f"run {i}": {name: _ranking(random) for name in names} for i in range(RUNS)}
    truth = {name: {"a": 1} for name in names}
    how: dict[str, Any] = {"assumptions": True, "resamples": 500}
    corrected, plain = (bp.compare(truth, runs, "RR", correction=one, **how) for one in ("holm", "none"))
    apart = any(one.low is not None and one.high is not None and one.low * one.high > 0 for one in corrected)
    return _beats(corrected), _beats(plain), apart


def _beats(found: Any) -> bool:
    return any(" beats " in one.verdict for one in found)


def _ranking(random: np.random.Generator) -> dict[str, float]:
    return {name: -float(i) for i, name in enumerate(random.permutation(["a", "b", "c", "d"]).tolist())}


if __name__ == "__main__":
    with told():
        main()
