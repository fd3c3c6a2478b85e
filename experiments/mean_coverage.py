"""How often the intervals of ``compare`` hold the true mean, and how often its test finds what is not there.

    python experiments/mean_coverage.py [--seeds N]

Values of topics are drawn from distributions with the shapes that measures of retrieval have, N sets of topics each.
Counted: 95% intervals that hold the mean of the distribution, by each way to compute them; and, between runs that are
equally good, tests that find a difference at the 5% level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from _collection import arguments
from data import told

from berrypick.statistics.statistics import bootstrap, randomisation_test

METHODS = ("expanded", "percentile", "bca")
RESAMPLES = 1000
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def paired(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return differences of two runs, one of which is the other with noise."""
    values = random.random(shape)
    return np.asarray(np.clip(values + random.normal(0, 0.2, shape), 0, 1) - values)


#: How values are drawn, their mean, the numbers of topics.
WORLDS: dict[str, tuple[Draw, float, tuple[int, ...]]] = {
    "scores, skewed to 0": (lambda random, shape: random.beta(0.5, 1, shape), 1 / 3, (3, 5, 10, 25, 50)),
    "scores, at 0 and 1": (lambda random, shape: random.beta(0.4, 0.4, shape), 0.5, (3, 5, 10, 25, 50)),
    "scores, 40% are 0": (
        lambda random, shape: random.beta(2, 2, shape) * (random.random(shape) < 0.6), 0.3, (3, 5, 10, 25, 50)
    ),
    "hit or miss": (lambda random, shape: (random.random(shape) < 0.3).astype(np.float64), 0.3, (25, 50)),
    "differences": (paired, 0.0, (10, 25, 50)),
    "differences, 60% are 0": (
        lambda random, shape: (random.random(shape) < 0.4) * random.normal(0.1, 0.3, shape), 0.04, (10, 25, 50, 200)
    ),
}  # fmt: skip
#: Differences of runs that are equally good.
EQUAL: dict[str, Draw] = {
    "bell-shaped": lambda random, shape: random.normal(0, 0.2, shape),
    "in tenths": lambda random, shape: random.integers(-3, 4, shape) / 10,
    "60% are 0": lambda random, shape: (random.random(shape) < 0.4) * random.normal(0, 0.3, shape),
    "heavy tails": lambda random, shape: random.standard_t(3, shape),
}


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=4000)
    print(f"95% intervals that hold the mean, of {given.seeds}")
    print(f"{'distribution':<24}topics  {'  '.join(f'{name:>10}' for name in METHODS)}")
    for number, (name, (draw, mean, sizes)) in enumerate(WORLDS.items()):
        for topics in sizes[:1] if given.small else sizes:
            values = draw(np.random.default_rng([number, topics]), (topics, given.seeds))
            shares = (held(values, mean, method) for method in METHODS)
            print(f"{name:<24}{topics:6}  {'  '.join(f'{share:10.3f}' for share in shares)}", flush=True)
    print("equally good runs that the randomisation test tells apart at the 5% level")
    print("differences              8 topics  25 topics  60 topics")
    for number, (name, draw) in enumerate(EQUAL.items()):
        shares = (apart(draw(np.random.default_rng([number, topics]), (topics, given.seeds))) for topics in (8, 25, 60))
        print(f"{name:<24}{''.join(f'{share:>9.3f}  ' for share in shares)}", flush=True)


def held(values: np.ndarray, mean: float, method: str) -> float:
    """Return the share of columns whose interval holds the mean; 1e-12 for means that are a sum of decimals."""
    low, high = bootstrap(values, resamples=RESAMPLES, method=method)  # type: ignore[arg-type]
    return float(np.mean((low <= mean + 1e-12) & (high >= mean - 1e-12)))


def apart(values: np.ndarray) -> float:
    """Return the share of columns that the test takes for different from 0."""
    return float(np.mean(randomisation_test(values, resamples=499).p <= 0.05))


if __name__ == "__main__":
    with told():
        main()
