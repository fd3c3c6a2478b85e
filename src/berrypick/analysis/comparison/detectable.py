"""The smallest true drop that a gate would report with probability 0.8 on the topics at hand.

A gate that is met says little where it could not have seen a drop. Topics, or whole clusters of them, are drawn with
replacement from those compared; the test of the gate decides on each draw, at the level that the correction leaves it
while the other p-values of the family stay what they are, and so does the margin.

Scores
    the observed differences around their mean, moved to the drop. They are stretched by sqrt(n/(n - 1)): differences
    around the mean of a sample vary less than those of the topics it stands for. Runs whose differences do not vary say
    nothing about other runs, so there is no answer.
Hits
    the changes observed count as noise, either way with equal probability, as far as their mean does not explain them:
    a share of changes c with mean difference d counts as c - d^2, the variance of the differences. On top of them the
    drop turns hits of the run into misses, each with the same probability. Equal runs have an answer too: with 30
    topics and a hit rate of 0.6 the gate reports six misses and no gain, and a drop of 0.251 has so many with
    probability 0.8 (0.242 if exactly 18 of the topics drawn were hits).

How differences vary is known from these topics alone, so the drop of scores and of clusters is a little larger, and in
clusters of hits one more counts as changed. That makes the mean power over samples of topics about 0.8. From 15 topics
or clusters on it is between 0.75 and 0.85, unless nearly no topic changed or a few have nearly all of the change
(simulated by ``tests/analysis/comparison/test_detectable.py``).

The randomisation test counts all sign changes of up to 12 units. Beyond, the t-test stands in for it: moved differences
have no ties, the two then decide alike on nearly all draws, and thousands of tests take no time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from berrypick.analysis.trust.power import topics_needed
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.words import counted
from berrypick.statistics import statistics
from berrypick.statistics.clusters import cluster_freedom
from berrypick.statistics.intervals import is_hit
from berrypick.statistics.method_names import CorrectionName, TestName

#: The probability with which a drop is reported.
POWER = 0.8
#: Draws of topics where signs are counted, and elsewhere; of hits only counts are drawn, so there are more.
SIGN_DRAWS, DRAWS, COUNT_DRAWS = 1000, 5000, 10_000
#: The randomisation test counts all sign changes up to so many units.
ALL_SIGNS = 12
_MOST = 10_000_000  # topics
_STEPS = 10  # of a bisection: the width of the first interval over 1024
_CELLS = 500_000  # units drawn at once, but for the least number of draws
_LEAST_DRAWS = 400


@dataclass(frozen=True)
class Detectable:
    """A drop; None where there is none, with the reason, and ``blind`` where the gate sees no drop at all."""

    drop: float | None
    reason: str = ""
    blind: bool = False


@dataclass(frozen=True)
class GateTest:
    """When a gate reports a drop: p at most ``level``, and the mean worse by more than ``margin``."""

    level: float
    test: TestName = "randomisation"
    margin: float = 0.0
    sign_changes: int = 10_000
    seed: int = 0


@dataclass(frozen=True)
class Sight:
    """What a gate sees on the topics of two runs; larger values are better."""

    run: FloatArray
    baseline: FloatArray
    gate: GateTest
    clusters: IntArray | None = None

    @property
    def hits(self) -> bool:
        """Whether all values are hits or misses."""
        return bool(is_hit(self.run).all() and is_hit(self.baseline).all())

    @cached_property
    def units(self) -> int:
        """How many topics, or clusters of them, are drawn."""
        return len(self.run) if self.clusters is None else len(np.unique(self.clusters))

    def smallest(self) -> Detectable:
        """The smallest drop that the gate reports with probability 0.8."""
        unit = counted(self.units, "topic" if self.clusters is None else "cluster")
        if self.units < 2:
            return Detectable(None, f"{unit} show no difference", blind=True)
        if self.gate.test != "t" and statistics.smallest_p(self.units, self.gate.sign_changes) > self.gate.level:
            return Detectable(None, f"no drop can be significant on {unit}", blind=True)
        if not self.hits:
            if np.ptp(self.run - self.baseline) <= 1e-12:
                return Detectable(None, f"the differences of the runs are equal on {unit}")
            by_t = float(np.quantile(self._t_drops, POWER))
            drop = by_t if self._by_t else self._bisect(self._score_power, by_t / 4, 4 * by_t)
            return Detectable(drop * _assurance(*self._score_draws))
        if self.hit_rate == 0 or self._hit_power(self.hit_rate) < POWER:
            text = f"a drop of the hit rate from {self.hit_rate:.4g} to 0 is not significant often enough on {unit}"
            return Detectable(None, text, blind=True)
        drop = self._bisect(self._hit_power, 0.0, self.hit_rate)
        if self.clusters is not None:
            drop = min(self.hit_rate, drop * _assurance(*self._hit_sums(drop)))
        return Detectable(drop)

    def topics_for(self, drop: float) -> int | None:
        """How many topics it takes to report a drop with probability 0.8; None where no number does."""
        if drop <= self.gate.margin or (self.hits and drop > self.hit_rate):
            return None
        topics = len(self.run)
        if self.hits and self.clusters is None:
            needed = _least(lambda count: self._count_power(drop, count) >= POWER, topics)
        else:
            needed = self._units_for(drop)
            needed = None if needed is None else math.ceil(needed * topics / self.units)
        return None if needed is None else max(needed, topics + 1)

    def _units_for(self, drop: float) -> int | None:
        from scipy.special import ndtri

        sums, sizes = self._hit_sums(drop) if self.hits else self._score_draws
        deviation = float((sums.sum(axis=0) / sizes.sum(axis=0)).std()) * math.sqrt(self.units)
        if not deviation:
            return None
        beyond = math.ceil((float(ndtri(POWER)) * deviation / (drop - self.gate.margin)) ** 2)
        needed = topics_needed(drop / deviation, POWER, self.gate.level)
        return None if needed is None else max(needed, beyond)

    def _bisect(self, power: Callable[[float], float], low: float, high: float) -> float:
        """Where the power reaches 0.8; it grows with the drop."""
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if power(middle) < POWER else (low, middle)
        return high

    # scores

    @cached_property
    def _codes(self) -> IntArray:
        return np.arange(len(self.run)) if self.clusters is None else np.unique(self.clusters, return_inverse=True)[1]

    @cached_property
    def _drawn(self) -> IntArray:
        """units x draws"""
        return _drawn_units(self.units, self.gate.seed)

    @cached_property
    def _score_draws(self) -> tuple[FloatArray, FloatArray]:
        """units x draws: sums of differences around their mean, and how many topics."""
        differences = self.run - self.baseline
        around = (differences - differences.mean()) * math.sqrt(self.units / (self.units - 1))
        sums, sizes = np.bincount(self._codes, weights=around), np.bincount(self._codes).astype(np.float64)
        drawn: FloatArray = sums.astype(np.float64)[self._drawn]
        return drawn, sizes[self._drawn]

    @property
    def _by_t(self) -> bool:
        """Whether the t-test decides, as the test of the gate or in its place."""
        return self.gate.test == "t" or self.units > ALL_SIGNS

    @cached_property
    def _t_drops(self) -> FloatArray:
        """The smallest drop that the t-test reports on each draw: moving differences does not change their spread."""
        sums, sizes = self._score_draws
        means, errors = _errors(sums, sizes)
        found: FloatArray = means + np.maximum(self._t_border * errors, self.gate.margin)
        return found

    @cached_property
    def _t_border(self) -> float:
        from scipy.special import stdtrit

        freedom = self.units - 1.0 if self.clusters is None else cluster_freedom(self._codes)
        return float(-stdtrit(freedom, self.gate.level / 2))

    def _score_power(self, drop: float) -> float:
        sums, sizes = self._score_draws
        moved = sums - drop * sizes
        signed = self._signed_sums - drop * self._signed_sizes
        return float(self._reported(moved, sizes, signed).mean())

    @cached_property
    def _signs(self) -> FloatArray:
        """sign changes x units"""
        return _sign_changes(self.units)

    @cached_property
    def _signed_sums(self) -> FloatArray:
        signed: FloatArray = self._signs @ self._score_draws[0]
        return signed

    @cached_property
    def _signed_sizes(self) -> FloatArray:
        """sign changes x draws, or x 1 where all units are topics"""
        sizes = self._score_draws[1]
        signed: FloatArray = self._signs @ (sizes if self.clusters is not None else sizes[:, :1])
        return signed

    def _reported(self, sums: FloatArray, sizes: FloatArray, signed: FloatArray) -> BoolArray:
        """Which draws the gate reports, from the sums of units and their sums with changed signs."""
        total = sums.sum(axis=0)
        p = (np.abs(signed) >= np.abs(total) * (1 - 1e-9)).mean(axis=0)
        reported: BoolArray = (p <= self.gate.level) & (total < 0) & (-total / sizes.sum(axis=0) > self.gate.margin)
        return reported

    # hits

    @cached_property
    def hit_rate(self) -> float:
        """That of both runs together, of which a drop takes its share."""
        return float((self.run.mean() + self.baseline.mean()) / 2)

    @cached_property
    def _changes(self) -> tuple[float, float]:
        """The share of topics on which the runs differ, and the share that counts as noise."""
        changed, mean = float((self.run != self.baseline).mean()), float((self.run - self.baseline).mean())
        return changed, min(changed, (changed - mean**2) * self.units / (self.units - 1))

    def _hit_power(self, drop: float) -> float:
        if self.clusters is None:
            return self._count_power(drop, len(self.run))
        sums, sizes = self._hit_sums(drop)
        if not self._by_t:
            return float(self._reported(sums, sizes, self._signs @ sums).mean())
        means, errors = _errors(sums, sizes)
        return float(((-means >= self._t_border * errors) & (-means > self.gate.margin)).mean())

    @cached_property
    def _hit_drawn(self) -> IntArray:
        """clusters x draws: which are drawn, as if one more of them had changed."""
        changed = np.bincount(self._codes, weights=self.run != self.baseline) > 0
        count, of = int(changed.sum()), self.units
        if not 0 < count < of - 1:
            return self._drawn
        chances = np.where(changed, (count + 1) / count, (of - count - 1) / (of - count)) / of
        return np.random.default_rng([4, self.gate.seed]).choice(of, size=self._drawn.shape, p=chances)

    def _hit_sums(self, drop: float) -> tuple[FloatArray, FloatArray]:
        """units x draws: gains less losses of clusters at a drop, and how many topics."""
        random = np.random.default_rng([5, self.gate.seed])  # the same for each drop
        codes, drawn = self._codes, self._hit_drawn
        swapped = random.integers(0, 2, size=drawn.shape).astype(bool)
        mine, other = (np.bincount(codes, weights=one)[drawn] for one in (self.run, self.baseline))
        changed, noise = self._changes
        own, theirs = np.where(swapped, other, mine), np.where(swapped, mine, other)
        theirs = np.where(random.random(drawn.shape) * changed < noise, theirs, own)
        lost = random.binomial(np.rint(own).astype(np.int64), min(1.0, drop / self.hit_rate))
        sums: FloatArray = (own - lost - theirs).astype(np.float64)
        return sums, np.bincount(codes).astype(np.float64)[drawn]

    def _count_power(self, drop: float, topics: int) -> float:
        """The power on so many topics: drawing topics draws numbers of gains and losses."""
        kept = 1 - min(1.0, drop / self.hit_rate)
        one_way = self._changes[1] / 2
        gain, loss = one_way * kept, one_way + (self.hit_rate - one_way) * (1 - kept)
        random = np.random.default_rng([6, self.gate.seed])
        losses = random.binomial(topics, min(1.0, loss), size=COUNT_DRAWS)
        gains = random.binomial(topics - losses, min(1.0, gain / (1 - loss)) if loss < 1 else 0.0)
        beyond = losses - gains > topics * self.gate.margin + 1e-9
        return float((beyond & (self._count_p(gains, losses, topics) <= self.gate.level)).mean())

    def _count_p(self, gains: IntArray, losses: IntArray, topics: int) -> FloatArray:
        """The p-value where there are more losses than gains: sign changes of hits are throws of a coin."""
        from scipy.special import bdtrc, stdtr

        p: FloatArray
        if self.gate.test == "t":
            mean = (losses - gains) / topics
            spread = np.sqrt(np.maximum((losses + gains) / topics - mean**2, 0) / (topics - 1))
            with np.errstate(divide="ignore", invalid="ignore"):
                p = 2 * stdtr(topics - 1, -mean / spread)
            return np.where(losses - gains == topics, 2.0 ** (1 - topics), p)
        p = (2 * bdtrc(losses - 1.0, losses + gains, 0.5)).astype(np.float64)
        return p


@lru_cache(maxsize=2)
def _drawn_units(units: int, seed: int) -> IntArray:
    """units x draws: which are drawn."""
    draws = SIGN_DRAWS if units <= ALL_SIGNS else max(_LEAST_DRAWS, min(DRAWS, _CELLS // units))
    return np.random.default_rng([3, seed]).integers(0, units, size=(units, draws))


@lru_cache(maxsize=2)
def _sign_changes(units: int) -> FloatArray:
    """sign changes x units: all with the first unit unchanged, as the others mirror them."""
    return np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=units - 1)])


def _errors(sums: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean of each draw and its standard error, as for clusters; of topics it is Student's."""
    topics = sizes.sum(axis=0)
    means = sums.sum(axis=0) / topics
    residuals = sums - means * sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt((residuals**2 / (1 - sizes / topics)).sum(axis=0)) / topics
    return means, np.where(np.isnan(errors), np.inf, errors)


def _assurance(sums: FloatArray, sizes: FloatArray) -> float:
    """How much larger a drop must be since its size is estimated: a drop found too small loses more power than one
    found too large by as much gains. Of a normal law at power 0.8 it is 1 + 1.2 v, where v is the squared coefficient
    of variation of the standard error."""
    errors = _errors(sums, sizes)[1]
    known = errors[np.isfinite(errors)]
    return 1 + 1.2 * float(known.var() / known.mean() ** 2) if len(known) and known.mean() else 1.0


def _least(enough: Callable[[int], bool], low: int) -> int | None:
    """The smallest number above one that is not enough; None beyond ten million."""
    high = 2 * low
    while not enough(high):
        if high > _MOST:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def correction_level(p: FloatArray, place: int, correction: CorrectionName, alpha: float) -> float:
    """The largest p-value of one comparison that is significant after the correction, the others being what they are.

    >>> import numpy as np
    >>> [correction_level(np.array([0.5, other]), 0, "holm", 0.05) for other in (0.9, 0.001)]
    [0.025, 0.05]
    """
    known = p[~np.isnan(p) | (np.arange(len(p)) == place)]
    place -= int(np.isnan(p[:place]).sum())
    if correction == "none":
        return alpha
    count = len(known)
    low, high = 1, count  # of the levels alpha * i / count, or alpha / (count + 1 - i), the largest that is significant
    while low < high:
        middle = (low + high + 1) // 2
        known[place] = _step(correction, middle, count, alpha)
        fits = statistics.adjusted(known, correction)[place] <= alpha * (1 + 1e-12)
        low, high = (middle, high) if fits else (low, middle - 1)
    return _step(correction, low, count, alpha)


def _step(correction: str, place: int, count: int, alpha: float) -> float:
    return alpha / (count + 1 - place) if correction == "holm" else alpha * place / count
