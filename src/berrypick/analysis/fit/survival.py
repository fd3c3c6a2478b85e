"""Maximum likelihood for distances that are known exactly, or only from below, from above or between two bounds.

Every reader gives up at some distance T from where they entered. Under each user model log T is a location, or a
location and a scale, of a known law: with z = (log d - location)/scale, P(T > d) = S(z).

* log-normal, 1 - Phi(z): t2i, with median exp(location) and sigma scale;
* log-logistic, 1/(1 + exp(z)): distance(law='inverse'), theta = exp(-location), and bep, A L = exp(location);
* logistic, 1/(1 + exp(exp(z))): distance, theta = exp(-location), where half of the readers do not move at all;
* exponential, exp(-exp(z)): giving up at a constant rate, to compare with.

An observation contributes log f(d) where T = d, and log(S(low) - S(high)) where low < T <= high.
Intervals are those of the profile likelihood ratio. Where sessions hold several visits, the ratio is divided by how
much more the scores of whole sessions vary than those of independent visits would (Chandler and Bate 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_ndtr, ndtri

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError

#: Locations and logarithms of scales this far from where they start mean that there is no maximum.
FAR, FAR_SCALE = 40.0, 8.0
_TINY, _STEPS = 1e-10, 100


class DistanceLaw(NamedTuple):
    """log S(z), log(1 - S(z)), log f(z) and the derivative of log f(z), for z = (log d - location)/scale."""

    name: str
    log_survival: Callable[[FloatArray], FloatArray]
    log_stopped: Callable[[FloatArray], FloatArray]
    log_density: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    scaled: bool = False


def _softplus(x: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, x)


def _exp(z: FloatArray) -> FloatArray:
    return np.exp(np.minimum(z, 600.0))


LOG_NORMAL = DistanceLaw(
    "log-normal",
    lambda z: log_ndtr(-z),
    log_ndtr,
    lambda z: -0.5 * z * z - 0.5 * math.log(2 * math.pi),
    lambda z: -z,
    scaled=True,
)
LOG_LOGISTIC = DistanceLaw(
    "log-logistic",
    lambda z: -_softplus(z),
    lambda z: -_softplus(-z),
    lambda z: z - 2 * _softplus(z),
    lambda z: 1 - 2 * expit(z),
)
LOGISTIC = DistanceLaw(
    "logistic",
    lambda z: -_softplus(_exp(z)),
    lambda z: -_softplus(-_exp(z)),
    lambda z: z - _exp(z) - 2 * np.log1p(np.exp(-_exp(z))),
    lambda z: 1 - _exp(z) * np.tanh(_exp(z) / 2),
)
EXPONENTIAL = DistanceLaw(
    "exponential",
    lambda z: -_exp(z),
    lambda z: np.log(-np.expm1(-_exp(z))),
    lambda z: z - _exp(z),
    lambda z: 1 - _exp(z),
)


@dataclass(frozen=True, eq=False)
class Observations:
    """What each visit says about the distance T at which its reader gives up: T = low, or low < T <= high.

    ``low`` is -1 where nothing is known from below (0 says that the reader moved), ``high`` infinite where nothing is
    known from above.
    """

    low: FloatArray
    high: FloatArray
    exact: BoolArray
    session: IntArray

    def __len__(self) -> int:
        return len(self.low)

    def part(self, chosen: BoolArray) -> Observations:
        return Observations(self.low[chosen], self.high[chosen], self.exact[chosen], self.session[chosen])

    @cached_property
    def bounded(self) -> BoolArray:
        """Visits that say something from above."""
        return self.exact | np.isfinite(self.high)

    @cached_property
    def logs(self) -> tuple[FloatArray, FloatArray]:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(self.low, 0.0)), np.log(self.high)


class Likelihood:
    """The log-likelihood of observations under a law, as a function of (location, log scale)."""

    def __init__(self, law: DistanceLaw, seen: Observations) -> None:
        self.law, self.seen = law, seen
        low, high = seen.logs
        self._x, rest = low[seen.exact], ~seen.exact
        self._low, self._high, self._has_low = low[rest], high[rest], seen.low[rest] >= 0
        self._exact, self._rest = np.flatnonzero(seen.exact), np.flatnonzero(rest)

    def each(self, at: FloatArray) -> FloatArray:
        """The contribution of each observation."""
        found = np.empty(len(self.seen))
        z = (self._x - at[0]) * math.exp(-at[1])
        found[self._exact] = self.law.log_density(z) - at[1] - self._x
        found[self._rest] = self._between(at)[2]
        return found

    def total(self, at: FloatArray) -> float:
        return float(self.each(at).sum())

    def _between(self, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """z of both bounds, and log(S(low) - S(high))."""
        low, high = (self._low - at[0]) * math.exp(-at[1]), (self._high - at[0]) * math.exp(-at[1])
        law, ends, begins = self.law, np.isfinite(self._high), self._has_low
        with np.errstate(divide="ignore", invalid="ignore"):
            # from the side where probabilities are small, or digits are lost
            stopped = np.where(ends, law.log_stopped(np.where(ends, high, 0.0)), 0.0)
            before = np.where(begins, law.log_stopped(low), -np.inf)
            above = np.where(begins, law.log_survival(low), 0.0)
            after = np.where(ends, law.log_survival(np.where(ends, high, 0.0)), -np.inf)
            early = stopped + np.log(-np.expm1(before - stopped))
            late = above + np.log(-np.expm1(after - above))
            return low, high, np.where(ends & ((low < 0) | ~begins), early, late)

    def scores(self, at: FloatArray) -> FloatArray:
        """The derivatives of each contribution, observations x (location, log scale)."""
        found = np.zeros((len(self.seen), 2))
        shrink = math.exp(-at[1])
        z = (self._x - at[0]) * shrink
        slope = self.law.slope(z)
        found[self._exact] = np.stack([-slope * shrink, -slope * z - 1], axis=1)
        low, high, inside = self._between(at)
        with np.errstate(invalid="ignore", over="ignore"):
            for bound, sign, counts in ((low, 1.0, self._has_low), (high, -1.0, np.isfinite(high))):
                use = counts & np.isfinite(bound) & np.isfinite(inside)
                safe = np.where(use, bound, 0.0)
                weight = np.where(use, sign * np.exp(self.law.log_density(safe) - np.where(use, inside, 0.0)), 0.0)
                found[self._rest] += np.stack([weight * shrink, weight * safe], axis=1)
        return found

    def information(self, at: FloatArray, free: list[int]) -> FloatArray:
        """Minus the second derivatives, by central differences of the first."""
        found = np.zeros((len(free), len(free)))
        for row, place in enumerate(free):
            step = np.zeros(2)
            step[place] = 1e-5
            change = self.scores(at + step).sum(axis=0) - self.scores(at - step).sum(axis=0)
            found[row] = -change[free] / 2e-5
        return (found + found.T) / 2

    def start(self, scale: float | None) -> FloatArray:
        """Somewhere near: the likeliest of some quantiles of all distances."""
        low, high = self.seen.logs
        known = np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]])
        spread = math.log(max(float(known.std()), 0.1) if self.law.scaled and scale is None else scale or 1.0)
        tried = [np.array([place, spread]) for place in np.quantile(known, np.linspace(0, 1, 11)).tolist()]
        return max(tried, key=self.total)

    def maximise(self, at: FloatArray, free: list[int]) -> tuple[FloatArray, float]:
        """Newton's method with step halving over the free places; the last point where there is no maximum."""
        value, first = self.total(at), at.copy()
        for _ in range(_STEPS):
            if not free or np.abs(at - first).max() > FAR or abs(at[1]) > FAR_SCALE:
                break
            gradient = self.scores(at).sum(axis=0)[free]
            step = _ascent(self.information(at, free), gradient)
            for _ in range(40):
                new = at.copy()
                new[free] += step
                reached = self.total(new)
                # near the maximum differences of the likelihood are rounding, and Newton's step is right
                if reached >= value or float(np.abs(step).max()) < 1e-4:
                    break
                step = step / 2
            at, value = new, reached
            if float(np.abs(step).max()) < _TINY:
                break
        return at, value


def _ascent(information: FloatArray, gradient: FloatArray) -> FloatArray:
    """Newton's step, at most 2 long; a step along the gradient where the likelihood is not concave."""
    values, vectors = np.linalg.eigh(information)
    scale = np.maximum(np.abs(values), 1e-9 + 1e-6 * float(np.abs(values).max()))
    step = vectors @ ((vectors.T @ gradient) / scale)
    length = float(np.abs(step).max())
    return step if length <= 2 else step * (2 / length)


@dataclass(frozen=True)
class SurvivalFit:
    """Location and log scale, with the ends of their intervals (nan where the scale is fixed), and the covariance of
    those that are estimated."""

    law: DistanceLaw
    at: FloatArray
    low: FloatArray
    high: FloatArray
    covariance: FloatArray
    #: What the law reads in the place of a distance.
    price: Callable[[FloatArray], FloatArray] | None = None

    def log_survival(self, distance: FloatArray) -> FloatArray:
        """log P(T > d)."""
        read = distance if self.price is None else self.price(distance)
        with np.errstate(divide="ignore"):
            z = (np.log(read) - self.at[0]) * math.exp(-self.at[1])
        return self.law.log_survival(z)


def fit_law(
    law: DistanceLaw, seen: Observations, confidence: float, names: tuple[str, str], scale: float | None = None
) -> SurvivalFit:
    """Estimate location and scale; ``names`` are those of the user model's parameters, for messages.

    Refused where the observations do not determine them.
    """
    _check_bounds(seen, names[0])
    likelihood = Likelihood(law, seen)
    start = likelihood.start(scale)
    free = [0, 1] if law.scaled and scale is None else [0]
    if len(free) == 2:
        _check_spread(seen, names[1])
    if law is LOGISTIC:
        _check_falling(seen, names[0])
    at, value = likelihood.maximise(start, free)
    _check_maximum(likelihood, at, start, free, names)
    information = likelihood.information(at, free)
    widened = _session_factors(likelihood, at, free, information)
    inverse = np.linalg.inv(information)
    low, high = np.full(2, np.nan), np.full(2, np.nan)
    for row, place in enumerate(free):
        drop = 0.5 * float(ndtri((1 + confidence) / 2)) ** 2 * widened[row]
        step = min(math.sqrt(2 * drop * float(inverse[row, row])), 4.0)
        ends = [_end(likelihood, at, value - drop, place, free, sign * step) for sign in (-1, 1)]
        low[place], high[place] = ends
    covariance = np.asarray(inverse * np.sqrt(np.outer(widened, widened)), dtype=np.float64)
    return SurvivalFit(law, at, low, high, covariance)


def _check_bounds(seen: Observations, name: str) -> None:
    if not len(seen):
        raise UsageError(f"the log cannot identify {name}: no visit is left to estimate it from")
    if not seen.bounded.any():
        raise UsageError(
            f"the log cannot identify {name}: nobody gave up or missed anything, so that every distance is a lower "
            "bound and none an upper one"
        )
    if not ((seen.low > 0) | seen.exact).any():
        raise UsageError(
            f"the log cannot identify {name}: nobody went any distance that is known, so that every distance is an "
            "upper bound and none a lower one"
        )


def _check_spread(seen: Observations, name: str) -> None:
    """Where one tolerance explains everything, a law with spread has no best spread."""
    least = float(np.where(seen.exact, seen.low, seen.high).min())
    most = float(np.maximum(seen.low, 0.0).max())
    if most <= least:
        raise UsageError(
            f"the log cannot identify {name}: one distance explains every visit (nobody gave up before {least:g}, and "
            f"nobody got beyond {most:g})"
        )


def _check_falling(seen: Observations, name: str) -> None:
    """The logistic law gives everybody 1/2 where distance does not matter: the slope of the likelihood there."""
    below, above = ~seen.exact & (seen.low >= 0), ~seen.exact & np.isfinite(seen.high)
    if not (seen.exact | (below & above)).any() and seen.high[above].sum() <= seen.low[below].sum():
        raise UsageError(
            f"the log cannot identify {name}: readers get to their targets as often as this law allows at any distance "
            "(1/2), or more often; try distance(law='inverse')"
        )


def _check_maximum(
    likelihood: Likelihood, at: FloatArray, start: FloatArray, free: list[int], names: tuple[str, str]
) -> None:
    if 1 in free and (abs(at[1]) >= FAR_SCALE or not math.isfinite(at[1])):
        raise UsageError(f"the log cannot identify {names[1]}: the likelihood has no maximum at a finite value above 0")
    far = abs(at[0] - start[0]) >= FAR or not math.isfinite(likelihood.total(at))
    if not far and (np.linalg.eigvalsh(likelihood.information(at, free)) > 0).all():
        return
    raise UsageError(f"the log cannot identify {names[0]}: the likelihood has no maximum")


def _session_factors(likelihood: Likelihood, at: FloatArray, free: list[int], information: FloatArray) -> FloatArray:
    """How many times more variance than independent visits each parameter has; 1 where sessions hold one visit."""
    session = likelihood.seen.session
    _, place = np.unique(session, return_inverse=True)
    groups = int(place.max()) + 1
    if groups == len(session) or groups < 2:
        return np.ones(len(free))
    scores = likelihood.scores(at)[:, free]
    sums = np.stack([np.bincount(place, weights=column, minlength=groups) for column in scores.T], axis=1)
    inverse = np.linalg.inv(information)
    robust = inverse @ (sums.T @ sums) @ inverse * groups / (groups - 1)
    return np.maximum(1.0, np.diag(robust) / np.diag(inverse))


def _end(
    likelihood: Likelihood, at: FloatArray, wanted: float, place: int, free: list[int], step: float
) -> float:  # fmt: skip
    """Where the profile likelihood falls to ``wanted``; infinite where it never does."""
    others = [other for other in free if other != place]
    near = at.copy()

    def above(value: float) -> float:
        nonlocal near
        near = near.copy()
        near[place] = value
        near, reached = likelihood.maximise(near, others)
        return reached - wanted

    inside, outside = float(at[place]), float(at[place]) + step
    limit = FAR if place == 0 else FAR_SCALE
    while above(outside) > 0:
        inside, outside, step = outside, outside + step, step * 1.5
        if abs(outside - at[place]) > limit:
            return math.copysign(math.inf, step)
    if above(inside) <= 0:  # so flat that rounding decides where the maximum is
        return math.copysign(math.inf, step)
    found: float = brentq(above, min(inside, outside), max(inside, outside), xtol=1e-9, maxiter=500)
    return found
