"""An absorbing chain from sessions: shares of continuations, smoothed towards the links of each page.

At page a, n(a, b) of the N(a) continuations went to b, leaving being one of them. The estimate is the posterior mean
under a Dirichlet prior of weight w, (n(a, b) + w q(a, b))/(N(a) + w). The prior q leaves with the overall share of
leaving, and takes every link of a (and every other step seen from a) alike. w is chosen on a validation part of the
training sessions; w = 0 gives the shares themselves. Intervals are Jeffreys' for the share n(a, b)/N(a), extended to
the estimate where smoothing moves it outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.navigation import BACK, CUT
from berrypick.users.learning import binned

#: Weights of the prior that are tried.
WEIGHTS = tuple(float(f"{10 ** (i / 10):.3g}") for i in range(-20, 41))


@dataclass(frozen=True, eq=False)
class Steps:
    """Every decision of every session: from which page to which; leaving is the page after the last one."""

    units: tuple[str, ...]
    source: IntArray
    target: IntArray
    session: IntArray
    sessions: int

    @property
    def leave(self) -> int:
        return len(self.units)

    def part(self, chosen: BoolArray) -> Steps:
        """The decisions of some sessions."""
        own = chosen[self.session]
        return Steps(self.units, self.source[own], self.target[own], self.session[own], self.sessions)

    def keys(self) -> IntArray:
        return self.source * (self.leave + 1) + self.target


def walked(path: Sequence[str]) -> tuple[list[str], bool]:
    """The pages of a session in order, those come back to as well, and whether the end was recorded."""
    trail: list[str] = []
    pages: list[str] = []
    for step in path:
        if step == CUT:
            return pages, False
        if step == BACK:
            trail.pop()
        else:
            trail.append(step)
        pages.append(trail[-1])
    return pages, True


def steps_of(paths: Sequence[Sequence[str]], units: Iterable[str]) -> Steps:
    """The decisions of sessions; ``units`` are all pages there are."""
    names = tuple(units)
    number = {unit: i for i, unit in enumerate(names)}
    leave = len(names)
    source: list[int] = []
    target: list[int] = []
    count: list[int] = []
    for path in paths:
        pages, ended = walked(path)
        codes = [number[page] for page in pages]
        source += codes if ended else codes[:-1]
        target += codes[1:]
        if ended:
            target.append(leave)
        count.append(len(codes) - (not ended))
    session = np.repeat(np.arange(len(count)), count)
    return Steps(names, np.array(source, dtype=np.int64), np.array(target, dtype=np.int64), session, len(count))


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """For every page and everything that may come next, sorted: how often it did, and the prior."""

    units: tuple[str, ...]
    key: IntArray
    count: IntArray
    prior: FloatArray
    visits: IntArray  # of the page of each key

    @property
    def source(self) -> IntArray:
        return self.key // (len(self.units) + 1)

    @property
    def target(self) -> IntArray:
        return self.key % (len(self.units) + 1)

    def probability(self, weight: float) -> FloatArray:
        """The estimate; of a page that says nothing, what the prior says."""
        if weight == 0:
            return np.divide(self.count, self.visits, out=np.zeros(len(self.key)), where=self.visits > 0)
        found: FloatArray = (self.count + weight * self.prior) / (self.visits + weight)
        return found

    def place(self, keys: IntArray) -> tuple[IntArray, BoolArray]:
        """Where keys are, and which are there at all."""
        place = np.minimum(np.searchsorted(self.key, keys), max(len(self.key) - 1, 0))
        return place, (self.key[place] == keys if len(self.key) else np.zeros(len(keys), dtype=bool))

    def interval(self, confidence: float, estimate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Jeffreys' interval of each share, from 0 where it was never seen and to 1 where nothing else was."""
        tail, count, others = (1 - confidence) / 2, self.count, self.visits - self.count
        low = np.where(count > 0, betaincinv(count + 0.5, others + 0.5, tail), 0.0)
        high = np.where(others > 0, betaincinv(count + 0.5, others + 0.5, 1 - tail), 1.0)
        return np.minimum(low, estimate), np.maximum(high, estimate)


def chain_counts(steps: Steps, links: IntArray) -> ChainCounts:
    """Counts of training steps; ``links`` are keys of steps that may happen although none was seen."""
    size, leave = steps.leave + 1, steps.leave
    seen, times = np.unique(steps.keys(), return_counts=True)
    moves = np.union1d(seen[seen % size != leave], links)
    pages = np.unique(np.concatenate([seen // size, moves // size]))
    key = np.sort(np.concatenate([moves, pages * size + leave]))
    count = np.zeros(len(key), dtype=np.int64)
    count[np.searchsorted(key, seen)] = times
    source = key // size
    visits = np.bincount(source, weights=count, minlength=leave + 1).astype(np.int64)[source]
    options = np.bincount(source, minlength=leave + 1)[source] - 1
    leaving = float((steps.target == leave).mean()) if len(steps.target) else 0.0
    prior = np.where(key % size == leave, np.where(options > 0, leaving, 1.0), (1 - leaving) / np.maximum(options, 1))
    return ChainCounts(steps.units, key, count, prior, visits)


def best_weight(training: ChainCounts, validation: Steps) -> float:
    """The weight of the prior under which the validation part is likeliest, among those tried."""
    place, known = training.place(validation.keys())
    count, prior, visits = training.count[place][known], training.prior[place][known], training.visits[place][known]
    if not known.any():
        return 1.0
    values = [float(np.log((count + w * prior) / (visits + w)).sum()) for w in WEIGHTS]
    return WEIGHTS[int(np.argmax(values))]


def log_probabilities(chain: ChainCounts, probability: FloatArray, steps: Steps) -> FloatArray:
    """The logarithm of the probability of each decision; minus infinity where the chain cannot take it."""
    place, known = chain.place(steps.keys())
    with np.errstate(divide="ignore"):
        return np.where(known, np.log(probability[place]), -np.inf) if len(chain.key) else np.full(len(place), -np.inf)


def step_calibration(chain: ChainCounts, probability: FloatArray, steps: Steps) -> list[dict[str, Any]]:
    """Of all steps that the chain gives a probability in some range: the mean of it, and how many were taken."""
    place, known = chain.place(steps.keys())
    taken = np.bincount(place[known], minlength=len(chain.key))
    visits = np.bincount(steps.source, minlength=len(chain.units) + 1)[chain.source]
    return binned("takes a step", probability, visits, taken)
