"""How often model-assisted intervals hold the true mean, and how wide they are next to those by people alone.

    python experiments/model_assisted.py [--seeds N]

People judge 10, 20, 50 or 100 topics of 500 that a model judges. Values by people are drawn from Beta(1.2, 1), or are
hits; a model is biased, noisy or useless. Counted over N sets of topics: 95% intervals that hold the true mean, their
mean width over that of Student's interval by people alone, and intervals by the model alone that hold the mean. Below
them, the width over Wilson's interval, which berrypick shows for hits by people alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from _collection import arguments
from data import told

from berrypick.statistics.intervals import mean_intervals
from berrypick.statistics.model_assisted import assisted_means

ALL, PEOPLE = 500, (20, 50, 100)
#: Fewer topics by people, and more hits, than the intervals are made for.
FEWEST, RATES = 10, (0.6, 0.9)
Random = np.random.Generator


@dataclass(frozen=True)
class World:
    """How values by people are drawn, what a model makes of them, and the true mean."""

    people: Callable[[Random, tuple[int, int]], np.ndarray]
    model: Callable[[Random, np.ndarray], np.ndarray]
    mean: float


def beta(random: Random, shape: tuple[int, int]) -> np.ndarray:
    return random.beta(1.2, 1, shape)


def hits(rate: float) -> Callable[[Random, tuple[int, int]], np.ndarray]:
    return lambda random, shape: (random.random(shape) < rate).astype(np.float64)


def biased_scores(random: Random, y: np.ndarray) -> np.ndarray:
    return np.clip(0.15 + 0.8 * y + 0.1 * random.normal(size=y.shape), 0, 1)


def noisy_scores(random: Random, y: np.ndarray) -> np.ndarray:
    return np.clip(y + 0.4 * random.normal(size=y.shape), 0, 1)


def biased_hits(random: Random, y: np.ndarray) -> np.ndarray:
    """A lenient model: it takes a quarter of the misses for hits."""
    return (random.random(y.shape) < np.where(y == 1, 0.95, 0.25)).astype(np.float64)


def noisy_hits(random: Random, y: np.ndarray) -> np.ndarray:
    return np.where(random.random(y.shape) < 0.2, 1 - y, y)


def useless_scores(random: Random, y: np.ndarray) -> np.ndarray:
    return random.random(y.shape)


def useless_hits(random: Random, y: np.ndarray) -> np.ndarray:
    return (random.random(y.shape) < 0.5).astype(np.float64)


SCORES = {
    "scores, biased model": World(beta, biased_scores, 1.2 / 2.2),
    "scores, noisy model": World(beta, noisy_scores, 1.2 / 2.2),
    "scores, useless model": World(beta, useless_scores, 1.2 / 2.2),
}
HITS, MANY_HITS = (
    {
        f"hits at {rate}, biased model": World(hits(rate), biased_hits, rate),
        f"hits at {rate}, noisy model": World(hits(rate), noisy_hits, rate),
        f"hits at {rate}, useless model": World(hits(rate), useless_hits, rate),
    }
    for rate in RATES
)
WORLDS = SCORES | HITS | MANY_HITS


@dataclass(frozen=True)
class Found:
    """Shares of intervals that hold the mean, by both and by the model alone; and the width next to people's, by
    Student's interval and by the one that berrypick shows."""

    held: float
    width: float
    model_alone: float
    shown: float


def simulate(world: World, people: int, seeds: int) -> Found:
    """Draw sets of topics, and count."""
    random = np.random.default_rng([people, seeds])
    y = world.people(random, (ALL, seeds))
    f = world.model(random, y)
    found = assisted_means(y[:people], f[:people], f[people:])
    half = found.half_width(0.95)
    low, high = np.clip(found.value - half, 0, 1), np.clip(found.value + half, 0, 1)
    low[found.flat], high[found.flat] = mean_intervals(y[:people, found.flat])[:2]
    own = assisted_means(y[:people], np.zeros((people, 1)), np.zeros((2, 1)))
    wide = own.half_width(0.95)
    alone = np.clip(own.value + wide, 0, 1) - np.clip(own.value - wide, 0, 1)
    shown = mean_intervals(y[:people])
    error = 1.965 * f.std(axis=0, ddof=1) / np.sqrt(ALL)
    return Found(
        float(((low <= world.mean) & (world.mean <= high)).mean()),
        float((high - low).mean() / alone.mean()),
        float((np.abs(f.mean(axis=0) - world.mean) <= error).mean()),
        float((high - low).mean() / (shown.high - shown.low).mean()),
    )


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=20_000)
    topics = PEOPLE[:2] if given.small else (FEWEST, *PEOPLE)
    head = "".join(f"{f'n = {n}':>11}{'width':>7}" for n in topics)
    print(f"{'95% intervals that hold':27}{head}{'model alone':>14}")
    table = {name: [simulate(world, n, given.seeds) for n in topics] for name, world in WORLDS.items()}
    for name, found in table.items():
        cells = "".join(f"{one.held:11.3f}{one.width:7.2f}" for one in found)
        print(f"{name:27}{cells}{found[-1].model_alone:14.3f}")
    print("\nwidth over Wilson's interval by people alone")
    for name in HITS:
        print(f"{name:27}" + "".join(f"{one.shown:18.2f}" for one in table[name]))


if __name__ == "__main__":
    with told():
        main()
