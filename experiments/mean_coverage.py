"""How often the intervals of ``compare`` hold the true mean, and how often its tests find what is not there.

    python experiments/mean_coverage.py [--seeds N]

Values of topics are drawn from distributions with the shapes that measures of retrieval have, N sets of topics each.
Counted: 95% intervals that hold the mean of the distribution, as ``compare`` prints them for values of that kind, over
topics and over clusters of topics with log-normal sizes; intervals of scores by each bootstrap; and, between runs that
are equally good, tests that find a difference at the 5% level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from _collection import arguments
from data import told

from berrypick.statistics.discrimination import achieved_levels
from berrypick.statistics.intervals import difference_intervals, mean_intervals
from berrypick.statistics.statistics import bootstrap, randomisation_test, t_test

METHODS = ("expanded", "percentile", "bca")
RESAMPLES = 1000
TOPICS, CLUSTERS = (5, 10, 25, 50), (5, 8, 12, 20)
#: Sets of topics that share the sizes of their clusters.
ALIKE = 50
Random = np.random.Generator
Shape = tuple[int, int]
Draw = Callable[[Random, Shape], np.ndarray]


@dataclass(frozen=True)
class World:
    """How values of topics are drawn, their mean, and what ``compare`` knows of their measure."""

    draw: Draw
    mean: float
    kind: str = "scores"  # or hits, costs, differences, differences of hits

    def intervals(self, values: np.ndarray, clusters: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the intervals of columns."""
        if self.kind.startswith("differences"):
            of_hits = (self.kind == "differences of hits") | (values == 0).all(axis=0)
            return difference_intervals(values, hits=of_hits, resamples=RESAMPLES, clusters=clusters)[:2]
        return mean_intervals(values, costs=self.kind == "costs", resamples=RESAMPLES, clusters=clusters)[:2]


def paired(random: Random, shape: Shape) -> np.ndarray:
    """Return differences of two runs, one of which is the other with noise."""
    values = random.random(shape)
    return np.asarray(np.clip(values + random.normal(0, 0.2, shape), 0, 1) - values)


def hits(rate: float) -> World:
    return World(lambda random, shape: (random.random(shape) < rate).astype(np.float64), rate, "hits")


def turned(better: float, worse: float) -> World:
    """Return differences of hits: shares of the topics where only one run hits."""
    share = [better, worse, 1 - better - worse]
    return World(lambda random, shape: random.choice([1.0, -1.0, 0.0], shape, p=share), better - worse,
                 "differences of hits")  # fmt: skip


def costs(sigma: float, zeros: float = 0.0) -> World:
    """Return log-normal costs, some of which are 0."""
    return World(lambda random, shape: random.lognormal(0, sigma, shape) * (random.random(shape) >= zeros),
                 (1 - zeros) * exp(sigma**2 / 2), "costs")  # fmt: skip


def mostly_ties(random: Random, shape: Shape) -> np.ndarray:
    return np.asarray((random.random(shape) < 0.4) * random.normal(0.1, 0.3, shape))


SCORES = {
    "scores, even": World(lambda random, shape: random.random(shape), 0.5),
    "scores, skewed to 0": World(lambda random, shape: random.beta(0.5, 1, shape), 1 / 3),
    "scores, at 0 and 1": World(lambda random, shape: random.beta(0.4, 0.4, shape), 0.5),
    "scores, 40% are 0": World(lambda random, shape: random.beta(2, 2, shape) * (random.random(shape) < 0.6), 0.3),
}
WORLDS = {
    **SCORES,
    **{f"hits, rate {rate}": hits(rate) for rate in (0.5, 0.8, 0.9, 0.95)},
    "costs, log-normal(.5)": costs(0.5),
    "costs, log-normal(1)": costs(1),
    "costs, exponential": World(lambda random, shape: random.exponential(1, shape), 1.0, "costs"),
    "costs, 20% are 0": costs(1, 0.2),
    "differences": World(paired, 0.0, "differences"),
    "differences, 60% are 0": World(mostly_ties, 0.04, "differences"),
    "differences of costs": World(
        lambda random, shape: random.lognormal(0.2, 1, shape) - random.lognormal(0, 1, shape),
        exp(0.7) - exp(0.5),
        "differences",
    ),
    "hits, 10% and 10% turn": turned(0.1, 0.1),
    "hits, 30% and 10% turn": turned(0.3, 0.1),
    "hits, 2% and 2% turn": turned(0.02, 0.02),
}
#: Values of topics whose clusters have something in common, by the number of each topic's cluster.
CLUSTERED: dict[str, tuple[Callable[[Random, np.ndarray, int], np.ndarray], float, str]] = {
    "scores": (
        lambda random, codes, columns: _beta(random, random.beta(1, 2, (codes.max() + 1, columns))[codes]), 1 / 3,
        "scores",
    ),
    "hits, rate 0.8": (
        lambda random, codes, columns: (random.random((len(codes), columns))
                                        < random.beta(1.6, 0.4, (codes.max() + 1, columns))[codes]).astype(np.float64),
        0.8, "hits",
    ),
    "costs, log-normal(1)": (
        lambda random, codes, columns: np.exp(_common(random, codes, columns, "bell-shaped")), exp(0.5), "costs",
    ),
    "differences": (
        lambda random, codes, columns: _common(random, codes, columns, "bell-shaped"), 0.0, "differences",
    ),
}  # fmt: skip
#: Differences of runs that are equally good.
EQUAL: dict[str, Draw] = {
    "bell-shaped": lambda random, shape: random.normal(0, 0.2, shape),
    "in tenths": lambda random, shape: random.integers(-3, 4, shape) / 10,
    "60% are 0": lambda random, shape: (random.random(shape) < 0.4) * random.normal(0, 0.3, shape),
    "heavy tails": lambda random, shape: random.standard_t(3, shape),
    "exponential": lambda random, shape: random.exponential(1, shape) - 1,
}
#: The p-values of columns of differences.
TESTS: dict[str, Callable[[np.ndarray, np.ndarray | None], np.ndarray]] = {
    "randomisation": lambda values, clusters: randomisation_test(values, resamples=499, clusters=clusters).p,
    "t": lambda values, clusters: t_test(values, clusters=clusters).p,
    "bootstrap": lambda values, clusters: achieved_levels(values, resamples=499, seed=0, clusters=clusters),
}


def _beta(random: Random, mean: np.ndarray) -> np.ndarray:
    return random.beta(4 * mean + 1e-3, 4 * (1 - mean) + 1e-3)


def _common(random: Random, codes: np.ndarray, columns: int, shape: str) -> np.ndarray:
    """Return values with mean 0 and variance 1, half of which a cluster has in common."""
    size = (codes.max() + 1, columns)
    draws = {"bell-shaped": random.normal, "exponential": lambda *_: random.exponential(1, size) - 1}
    common = draws[shape](0, 1, size)
    return np.asarray((common[codes] + random.normal(0, 1, (len(codes), columns))) / np.sqrt(2))


def clusters_of(count: int, seeds: int, random: Random) -> Iterator[tuple[np.ndarray, int]]:
    """Yield numbers of clusters of topics, with log-normal sizes of 1 or more, and how many sets have them."""
    for first in range(0, seeds, ALIKE):
        sizes = np.maximum(1, random.lognormal(1, 1, count).round()).astype(np.int64)
        yield np.repeat(np.arange(count), sizes), min(ALIKE, seeds - first)


def held(world: World, topics: int, seeds: int) -> float:
    """Return the share of intervals over topics that hold the mean."""
    values = world.draw(np.random.default_rng([1, topics]), (topics, seeds))
    return float(np.mean(_holds(*world.intervals(values), world.mean)))


def held_by_clusters(name: str, count: int, seeds: int) -> float:
    """Return the share of intervals over clusters that hold the mean."""
    draw, mean, kind = CLUSTERED[name]
    random, found = np.random.default_rng([2, count]), []
    for codes, columns in clusters_of(count, seeds, random):
        values = draw(random, codes, columns)
        found.append(_holds(*World(draw=paired, mean=mean, kind=kind).intervals(values, codes), mean))
    return float(np.mean(np.concatenate(found)))


def held_by_method(world: World, topics: int, seeds: int, method: str) -> float:
    """Return the share of intervals by one bootstrap that hold the mean."""
    values = world.draw(np.random.default_rng([1, topics]), (topics, seeds))
    return float(np.mean(_holds(*bootstrap(values, resamples=RESAMPLES, method=method), world.mean)))  # type: ignore[arg-type]


def _holds(low: np.ndarray, high: np.ndarray, mean: float) -> np.ndarray:
    """Where intervals hold the mean, up to rounding; no interval (nan) claims anything, and is not counted."""
    known = ~np.isnan(low)
    return ((low <= mean + 1e-12) & (high >= mean - 1e-12))[known]


def apart(test: str, draw: Draw, topics: int, seeds: int) -> float:
    """Return the share of columns that a test takes for different from 0."""
    values = draw(np.random.default_rng([3, topics]), (topics, seeds))
    return float(np.mean(TESTS[test](values, None) <= 0.05))


def apart_by_clusters(test: str, shape: str, count: int, seeds: int) -> float:
    """Return the same for clusters of topics."""
    random, found = np.random.default_rng([4, count]), []
    for codes, columns in clusters_of(count, seeds, random):
        found.append(TESTS[test](_common(random, codes, columns, shape), codes) <= 0.05)
    return float(np.mean(np.concatenate(found)))


def table(title: str, unit: str, counts: Sequence[int], rows: Iterator[tuple[str, Sequence[float]]]) -> None:
    """Print shares, a column for each number of topics or clusters."""
    print(title)
    print(" " * 26 + "".join(f"{count} {unit}".rjust(12) for count in counts))
    for name, shares in rows:
        cells = ("-" if np.isnan(share) else f"{share:.3f}" for share in shares)
        print(f"{name:<26}{''.join(f'{cell:>12}' for cell in cells)}", flush=True)


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=4000)
    seeds = given.seeds
    topics, clusters = (TOPICS[:2], CLUSTERS[:2]) if given.small else (TOPICS, CLUSTERS)
    table(f"95% intervals that hold the mean, of {seeds}", "topics", topics,
          ((name, [held(world, count, seeds) for count in topics]) for name, world in WORLDS.items()))  # fmt: skip
    table("\nover clusters with log-normal sizes", "clusters", clusters,
          ((name, [held_by_clusters(name, count, seeds) for count in clusters]) for name in CLUSTERED))  # fmt: skip
    table("\nscores skewed to 0, by bootstrap", "topics", topics,
          ((method, [held_by_method(SCORES["scores, skewed to 0"], count, seeds, method) for count in topics])
           for method in METHODS))  # fmt: skip
    table("\nequally good runs that tests tell apart at the 5% level", "topics", topics,
          ((f"{test}, {name}", [apart(test, draw, count, seeds) for count in topics])
           for test in TESTS for name, draw in EQUAL.items()))  # fmt: skip
    table("\nover clusters with log-normal sizes", "clusters", clusters,
          ((f"{test}, {shape}", [apart_by_clusters(test, shape, count, seeds) for count in clusters])
           for test in TESTS for shape in ("bell-shaped", "exponential")))  # fmt: skip


if __name__ == "__main__":
    with told():
        main()
