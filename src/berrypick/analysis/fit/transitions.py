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

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Narrow
from berrypick.data.errors import InputError
from berrypick.data.navigation import BACK, CUT
from berrypick.data.session_paths import Paths
from berrypick.users.learning import binned

#: Weights of the prior that are tried.
WEIGHTS = tuple(float(f"{10 ** (i / 10):.3g}") for i in range(-20, 41))


@dataclass(frozen=True, eq=False)
class Steps:
    """Every decision of every session: from which page to which; leaving is the page after the last one."""

    units: tuple[str, ...]
    source: Narrow
    target: Narrow
    session: Narrow
    sessions: int

    @property
    def leave(self) -> int:
        return len(self.units)

    def part(self, chosen: BoolArray) -> Steps:
        """The decisions of some sessions."""
        if chosen.all():
            return self
        own = chosen[self.session]
        return Steps(self.units, self.source[own], self.target[own], self.session[own], self.sessions)

    def keys(self) -> IntArray:
        found: IntArray = self.source.astype(np.int64)
        found *= self.leave + 1
        found += self.target
        return found

    def counted(self) -> StepCounts:
        """How often each of them happened."""
        key = self.keys()
        key.sort()
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else key
        return StepCounts(self.units, key[first], np.diff(np.append(first, len(key))))


@dataclass(frozen=True, eq=False)
class StepCounts:
    """How often each decision was taken: sorted keys, from * (units + 1) + to; leaving is the page after the last."""

    units: tuple[str, ...]
    key: IntArray
    times: IntArray

    @property
    def leave(self) -> int:
        return len(self.units)

    @property
    def source(self) -> IntArray:
        return self.key // (self.leave + 1)

    @property
    def target(self) -> IntArray:
        return self.key % (self.leave + 1)

    @property
    def decisions(self) -> int:
        return int(self.times.sum())

    @property
    def left(self) -> int:
        """How many sessions ended."""
        return int(self.times[self.target == self.leave].sum())


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
    names, packed = tuple(units), Paths.of(paths)
    number = {unit: i for i, unit in enumerate(names)}
    leave, cut = len(names), len(names) + 1
    table = np.array([cut if name == CUT else number.get(name, -1) for name in packed.names], dtype=np.int32)
    pages = table[packed.codes] if len(packed.codes) else np.zeros(0, dtype=np.int32)
    if BACK in packed.names:
        _go_back(pages, packed)
    kept = pages != cut
    sizes = np.diff(packed.bounds)
    session = np.repeat(np.arange(len(packed), dtype=np.int32), sizes)[kept]
    ended = np.ones(len(packed), dtype=bool)
    full = sizes > 0
    ended[full] = kept[packed.bounds[1:][full] - 1]
    pages = pages[kept]
    last = np.append(session[1:] != session[:-1], True)[: len(session)]
    target = np.append(pages[1:], np.int32(leave))[: len(pages)]
    target[last] = leave
    known = ~last | ended[session]  # how a session went on that was cut off is not known
    return Steps(names, pages[known], target[known], session[known], len(packed))


def _go_back(pages: Narrow, packed: Paths) -> None:
    """Replace returns by the pages returned to."""
    back = packed.names.index(BACK)
    places = np.flatnonzero(packed.codes == back)
    for i in np.unique(np.searchsorted(packed.bounds, places, side="right") - 1).tolist():
        start, trail = int(packed.bounds[i]), list[int]()
        own = slice(start, int(packed.bounds[i + 1]))
        steps = zip(packed.codes[own].tolist(), pages[own].tolist(), strict=True)
        for at, (code, page) in enumerate(steps, start):
            if code == back:
                if len(trail) < 2:
                    raise InputError("a session goes back before its first page")
                trail.pop()
                pages[at] = trail[-1]
            else:
                trail.append(page)


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
        pairs, place = np.unique(np.stack([count, others]), axis=1, return_inverse=True)  # most steps are rare
        seen, unseen = pairs
        low = np.where(seen > 0, betaincinv(seen + 0.5, unseen + 0.5, tail), 0.0)[place.reshape(-1)]
        high = np.where(unseen > 0, betaincinv(seen + 0.5, unseen + 0.5, 1 - tail), 1.0)[place.reshape(-1)]
        return np.minimum(low, estimate), np.maximum(high, estimate)


def chain_counts(steps: StepCounts, links: IntArray) -> ChainCounts:
    """Counts of training steps; ``links`` are keys of steps that may happen although none was seen."""
    size, leave = steps.leave + 1, steps.leave
    seen, times = steps.key, steps.times
    moves = np.union1d(seen[seen % size != leave], links)
    pages = np.unique(np.concatenate([seen // size, moves // size]))
    key = np.sort(np.concatenate([moves, pages * size + leave]))
    count = np.zeros(len(key), dtype=np.int64)
    count[np.searchsorted(key, seen)] = times
    source = key // size
    visits = np.bincount(source, weights=count, minlength=leave + 1).astype(np.int64)[source]
    options = np.bincount(source, minlength=leave + 1)[source] - 1
    leaving = steps.left / steps.decisions if len(seen) else 0.0
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
