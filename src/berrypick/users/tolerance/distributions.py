"""How tolerances of readers are distributed, where they are drawn anew for each visit.

Each distribution of a tolerance T has ``above(x)``, P(T > x), which is 1 for x <= 0, because nothing is passed there;
``between(low, high)``, P(low < T <= high); ``mean(low, high)``, E[T; low < T <= high]; and ``drawn``, a tolerance for
each simulated reader.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.users.tolerance.parameters import Shares
from berrypick.users.tolerance.viewers import tolerances
from berrypick.users.walks import Draws

#: A tolerance of nothing: an entry inside a target still finds it.
NOTHING = math.ulp(0.0)
#: Standard deviations beyond which nobody is.
FAR = 8.5


@dataclass(frozen=True)
class LogNormal:
    """A median and the standard deviation of the logarithm."""

    median: float
    sigma: float

    def above(self, x: float) -> float:
        """P(T > x)."""
        return 1.0 if x <= 0 else 0.5 * math.erfc(math.log(x / self.median) / (self.sigma * math.sqrt(2)))

    def between(self, low: float, high: float) -> float:
        """P(low < T <= high)."""
        return self.above(low) - self.above(high)

    def mean(self, low: float, high: float) -> float:
        """E[T; low < T <= high]: the law with its median moved, times the mean."""
        moved = LogNormal(self.median * math.exp(self.sigma**2), self.sigma)
        return self.median * math.exp(self.sigma**2 / 2) * moved.between(low, high)

    def drawn(self, draws: Draws, name: str) -> FloatArray:
        return tolerances(self.median, self.sigma, draws.normal(name))


@dataclass(frozen=True)
class Groups:
    """A few tolerances with shares of people."""

    shares: Shares

    def above(self, x: float) -> float:
        return 1.0 if x <= 0 else math.fsum(share for value, share in self.shares if value > x)

    def between(self, low: float, high: float) -> float:
        return self.above(low) - self.above(high)

    def mean(self, low: float, high: float) -> float:
        return math.fsum(share * value for value, share in self.shares if low < value <= high)

    def drawn(self, draws: Draws, name: str) -> FloatArray:
        values, shares = (np.array(one) for one in zip(*self.shares, strict=True))
        place = np.searchsorted(np.cumsum(shares), draws.uniform(name), side="right")
        return np.asarray(values[np.minimum(place, len(values) - 1)])


@dataclass(frozen=True)
class Foraging:
    """Tolerances of readers who stay as long as what they expect pays: ln(gain) is normal with deviation sigma.

    The reader believes that something relevant lies ahead with probability ``present``, at an exponential distance of
    ``rate``. After w units in vain the hazard is h(w) = q L e^(-Lw) / (q e^(-Lw) + 1 - q).
    """

    gain: float
    rate: float
    present: float
    sigma: float = 0.0

    def log_price(self, w: FloatArray | float) -> FloatArray:
        """-ln h(w): the logarithm of the gain that is just enough to stay after w units."""
        odds = math.log1p(-self.present) - math.log(self.present) if self.present < 1 else -math.inf
        return np.asarray(np.logaddexp(0.0, odds + self.rate * np.asarray(w)) - math.log(self.rate))

    def price(self, w: FloatArray) -> FloatArray:
        """1/h(w): the gain that is just enough to stay after w units; far away as large as numbers can be."""
        return np.asarray(np.exp(np.minimum(self.log_price(w), 700.0)))

    def log_slope(self, w: FloatArray) -> FloatArray:
        """The logarithm of how much the price rises with each unit."""
        return np.asarray(math.log1p(-self.present) - math.log(self.present) + self.rate * np.asarray(w))

    def tolerance(self, log_gain: FloatArray | float) -> FloatArray:
        """tau* = ln(q (L G - 1)/(1 - q))/L: where the hazard falls to 1/G; nothing where it starts there or below."""
        log_gain = np.asarray(log_gain, dtype=np.float64)
        excess = log_gain + math.log(self.rate)  # ln(L G)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_more = np.where(excess > 30, excess, np.log(np.expm1(np.maximum(excess, 0.0))))
            if self.present == 1:
                return np.where(excess > 0, np.inf, NOTHING)
            found = (math.log(self.present) - math.log1p(-self.present) + log_more) / self.rate
        return np.where(excess > 0, np.maximum(found, NOTHING), NOTHING)

    def above(self, x: float) -> float:
        if x <= 0:
            return 1.0
        from scipy.special import ndtr

        return float(ndtr((math.log(self.gain) - float(self.log_price(x))) / self.sigma))

    def between(self, low: float, high: float) -> float:
        return self.above(low) - self.above(high)

    def mean(self, low: float, high: float) -> float:
        """By parts: the integral of P(T > x), between the ends of all tolerances."""
        least, most = self._ends
        start, stop = min(max(low, least), high), min(high, most)
        certain = max(0.0, start - low)  # nobody gives up before
        inside = self._integral(start, stop) if stop > start else 0.0
        return low * self.above(low) - high * self.above(high) + certain * self.above(low) + inside

    @cached_property
    def _ends(self) -> tuple[float, float]:
        ends = math.log(self.gain) + self.sigma * np.array([-FAR, FAR])
        return tuple(self.tolerance(ends).tolist())

    def _integral(self, low: float, high: float) -> float:
        """Gauss-Legendre over stretches on which the integrand hardly bends."""
        from scipy.special import ndtr

        cuts = np.linspace(low, high, 65)
        nodes, weights = np.polynomial.legendre.leggauss(16)
        middle, radius = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
        x = (middle[:, None] + radius[:, None] * nodes).ravel()
        survival = ndtr((math.log(self.gain) - self.log_price(x)) / self.sigma)
        return float((survival * (radius[:, None] * weights).ravel()).sum())

    def drawn(self, draws: Draws, name: str) -> FloatArray:
        return self.tolerance(math.log(self.gain) + self.sigma * draws.normal(name))


Tolerances = LogNormal | Groups | Foraging
