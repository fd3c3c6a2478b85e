"""Intervals of means and of mean differences, by the kind of the values.

=====================  ================================================================================================
values                 interval
=====================  ================================================================================================
hits, all 0 or 1       Wilson's score interval. A bootstrap of ten hits of ten would be [1, 1].
differences of hits    Tango's score interval for paired proportions ("Equivalence test and confidence interval for the
                       difference in proportions for the paired-sample design", Statistics in Medicine 17, 1998). Also
                       where no topic differs: the interval then bounds how many topics could.
costs above 0          Cox's interval for the mean of log-normal values (Zhou and Gao, "Confidence intervals for the
                       log-normal mean", Statistics in Medicine 16, 1997), unless the logarithms are not normal: their
                       Shapiro-Francia test has p below .05. Cox's interval of other values may miss the mean.
other costs            The studentised bootstrap, never narrower than the expanded one.
all values equal       None: without spread nothing is known of other topics.
other values           The bootstrap of :func:`berrypick.statistics.statistics.bootstrap`.
=====================  ================================================================================================

**Clusters.** The score intervals divide the number of topics by the design effect, the variance of the mean over
clusters (:mod:`berrypick.statistics.clusters`) divided by that of independent topics, at least 1; Cox's interval widens
its variance by it. Where all values are equal the number of topics is that of clusters. Quantiles are Student's, with
the degrees of freedom of the variance. One topic in each cluster is as without clusters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.statistics import statistics
from berrypick.statistics.clusters import SAME, cluster_freedom, cluster_variance
from berrypick.statistics.discrimination import ClusterSums
from berrypick.statistics.method_names import INTERVALS as INTERVALS
from berrypick.statistics.method_names import IntervalName
from berrypick.workers.blas_threads import one_blas_thread

#: Below this p of their test for normality, logarithms of costs are not taken as normal.
NOT_NORMAL = 0.05
#: Kinds of intervals beside the names of bootstraps. EQUAL and FEW have no ends: all values are equal, or there are
#: fewer than two topics or clusters.
WILSON, TANGO, COX, STUDENTISED, EQUAL, FEW = "wilson", "tango", "cox", "studentised", "equal", "few"
_HALVINGS = 60  # of an interval of width 2, down to rounding
_TESTED = 5  # fewer values cannot be tested for normality


class MeanIntervals(NamedTuple):
    """One interval for each column, nan where there is none; and the kind of each."""

    low: FloatArray
    high: FloatArray
    kind: np.ndarray[tuple[int, ...], np.dtype[np.object_]]


def mean_intervals(
    values: FloatArray,
    *,
    costs: BoolArray | bool = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalName = "expanded",
    clusters: IntArray | None = None,
) -> MeanIntervals:
    """Intervals for the means of columns (topics x columns), by the kind of the values of each.

    Parameters
    ----------
    values : array of topics x columns
        No nan.
    costs : bool, or an array of them for each column
        Whether values are costs: 0 or more, without an upper bound. A cost of 1 is not a hit.
    confidence, resamples, seed, method
        As in :func:`berrypick.statistics.statistics.bootstrap`.
    clusters : array, optional
        The number of the cluster of each topic, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> low, high, kind = mean_intervals(np.ones((10, 1)))
    >>> round(float(low[0]), 3), float(high[0]), kind[0]
    (0.722, 1.0, 'wilson')
    """
    paid = np.broadcast_to(costs, values.shape[1])
    chosen = {WILSON: np.logical_and.reduce(is_hit(values)) & ~paid, COX: paid}
    return _intervals(values, chosen, confidence, resamples, seed, method, clusters)


def difference_intervals(
    differences: FloatArray,
    *,
    hits: BoolArray | bool = False,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalName = "expanded",
    clusters: IntArray | None = None,
) -> MeanIntervals:
    """Intervals for mean differences of two runs (topics x columns), by their kind.

    ``hits`` says for which columns all values of both runs are 0 or 1; or within 0 and 1, and equal. The other
    arguments are those of :func:`mean_intervals`.

    >>> import numpy as np
    >>> low, high, kind = difference_intervals(np.zeros((30, 1)), hits=True)
    >>> round(float(low[0]), 3), round(float(high[0]), 3), kind[0]
    (-0.114, 0.114, 'tango')
    """
    chosen = {TANGO: np.broadcast_to(hits, differences.shape[1])}
    return _intervals(differences, chosen, confidence, resamples, seed, method, clusters)


def is_hit(values: FloatArray) -> BoolArray:
    """Which values are 0 or 1, up to rounding."""
    found: BoolArray = (np.abs(values) <= SAME) | (np.abs(values - 1) <= SAME)
    return found


def _intervals(
    values: FloatArray,
    chosen: dict[str, BoolArray],
    confidence: float,
    resamples: int,
    seed: int,
    method: IntervalName,
    clusters: IntArray | None,
) -> MeanIntervals:
    topics, columns = values.shape
    found = MeanIntervals(np.full(columns, np.nan), np.full(columns, np.nan), np.full(columns, FEW, dtype=object))
    clusters, confidence = _numbered(clusters), float(confidence)
    units = topics if clusters is None else int(clusters.max()) + 1
    if units < 2:
        return found
    sample = _Sample(confidence, clusters, units)
    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    rest, none = np.ones(columns, dtype=bool), np.zeros(columns, dtype=bool)
    for kind, of in ((WILSON, wilson), (TANGO, tango)):
        hits = chosen.get(kind, none)
        _put(found, hits, of(values[:, hits], sample), kind)
        rest &= ~hits
    equal = rest & _equal(values)
    found.kind[equal] = EQUAL
    rest &= ~equal
    costs = rest & chosen.get(COX, none)
    lognormal = costs & _lognormal(values, costs)
    _put(found, lognormal, cox(values[:, lognormal], sample), COX)
    other = costs & ~lognormal
    _put(found, other, studentised(values[:, other], clusters=clusters, **drawn), STUDENTISED)
    rest &= ~costs
    if rest.any():
        ends = statistics.bootstrap(values[:, rest], method=method, clusters=clusters, **drawn)
        _put(found, rest, ends, method)
    return found


def _numbered(clusters: IntArray | None) -> IntArray | None:
    """Clusters with numbers from 0 without gaps; None where each topic is one."""
    if clusters is None or not len(clusters):
        return None
    names, codes = np.unique(clusters, return_inverse=True)
    return None if len(names) == len(clusters) else codes.reshape(-1)


def _put(found: MeanIntervals, columns: BoolArray, ends: tuple[FloatArray, FloatArray], kind: str) -> None:
    found.low[columns], found.high[columns] = ends
    found.kind[columns] = kind


def _equal(values: FloatArray) -> BoolArray:
    """Which columns have one value only."""
    same: BoolArray = np.ptp(values, axis=0) <= SAME * np.maximum(1.0, np.abs(values).max(axis=0))
    return same


class _Sample(NamedTuple):
    """What is known of topics before their values: how sure to be, and how they go together."""

    confidence: float
    clusters: IntArray | None
    units: int

    @property
    def quantile(self) -> float:
        """The quantile of score intervals: normal, or Student's with clusters."""
        from scipy.special import ndtri, stdtrit

        tail = (1 + self.confidence) / 2
        return float(ndtri(tail) if self.clusters is None else stdtrit(cluster_freedom(self.clusters), tail))

    @property
    def students(self) -> float:
        """Student's quantile, with topics or clusters."""
        from scipy.special import stdtrit

        freedom = self.units - 1 if self.clusters is None else cluster_freedom(self.clusters)
        return float(stdtrit(freedom, (1 + self.confidence) / 2))

    def design_effects(self, values: FloatArray, variance: FloatArray) -> FloatArray:
        """How many topics of clusters are worth as much as one alone; ``variance`` is that of a mean of single ones."""
        if self.clusters is None:
            return np.ones(values.shape[1])
        found = np.full(values.shape[1], len(values) / self.units)  # where all are equal clusters count, not topics
        np.divide(cluster_variance(values, self.clusters), variance, out=found, where=variance > 0)
        return np.where(variance > 0, np.maximum(found, 1.0), found)


def wilson(hits: FloatArray, sample: _Sample) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval for the share of hits in each column: the shares p that the score test does not reject,
    (x/n - p)^2 <= z^2 p (1 - p)/n."""
    share = _whole(hits).mean(axis=0)
    topics = len(hits) / sample.design_effects(hits, share * (1 - share) / len(hits))
    worth = sample.quantile**2 / topics
    centre = (share + worth / 2) / (1 + worth)
    half = np.sqrt(worth * (share * (1 - share) + worth / 4)) / (1 + worth)
    return np.where(share == 0, 0.0, centre - half), np.where(share == 1, 1.0, centre + half)


def tango(differences: FloatArray, sample: _Sample) -> tuple[FloatArray, FloatArray]:
    """Tango's interval for the mean of differences that are -1, 0 or 1: those that the score test does not reject."""
    signs = _whole(differences)
    above, below = (signs > 0).mean(axis=0), (signs < 0).mean(axis=0)
    variance = (above + below - (above - below) ** 2) / len(signs)
    topics = len(signs) / sample.design_effects(signs, np.where(variance > SAME, variance, 0.0))
    border = sample.quantile
    ends = []
    for side in (-1.0, 1.0):
        near, far = above - below, np.full(len(above), side)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            inside = side * tango_score(middle, above, below, topics) > -border
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        ends.append(np.where(np.abs(far - side) <= SAME, side, near))
    return ends[0], ends[1]


def tango_score(difference: FloatArray, above: FloatArray, below: FloatArray, topics: FloatArray) -> FloatArray:
    """The score statistic of a mean difference, where shares of the topics are above and below 0.

    With q the most likely probability of being below where ``difference`` is true (Tango, equation 7), the
    difference that is seen has the variance 2 q + d (1 - d), over the number of topics.
    """
    d = difference
    half = (-above - below + (2 - above + below) * d) / 2
    last = -below * d * (1 - d)
    root = np.sqrt(np.maximum(half**2 - 2 * last, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(half > 0, -last / (half + root), (root - half) / 2)  # the same root; without cancellation
        score: FloatArray = (above - below - d) * np.sqrt(topics / (2 * q + d * (1 - d)))
    return score


def _whole(values: FloatArray) -> FloatArray:
    rounded: FloatArray = np.rint(values)
    return rounded


def cox(costs: FloatArray, sample: _Sample) -> tuple[FloatArray, FloatArray]:
    """Cox's interval for the mean of costs, exp(m + v/2 -/+ t sqrt(v/n + v^2/(2 (n - 1)))) with the mean m and the
    variance v of their logarithms."""
    logs = np.log(costs)
    topics = len(logs)
    mean, variance = logs.mean(axis=0), logs.var(axis=0, ddof=1)
    offsets = logs - mean
    influence = offsets + (offsets**2 - variance * (topics - 1) / topics) / 2  # of a topic, on m + v/2
    effects = sample.design_effects(influence, influence.var(axis=0, ddof=1) / topics)
    half = sample.students * np.sqrt(effects * (variance / topics + variance**2 / (2 * (topics - 1))))
    return np.exp(mean + variance / 2 - half), np.exp(mean + variance / 2 + half)


def _lognormal(values: FloatArray, costs: BoolArray) -> BoolArray:
    """Which of some columns hold costs above 0 whose logarithms may be normal."""
    found = costs & (values > 0).all(axis=0)
    if len(values) >= _TESTED and found.any():
        found[found] = normality(np.log(values[:, found])) > NOT_NORMAL
    return found


def normality(values: FloatArray) -> FloatArray:
    """The p-value of the Shapiro-Francia test that columns of at least 5 values are normal.

    The statistic W' is the squared correlation of the sorted values with normal scores; log(1 - W') is nearly normal
    (Royston, "A pocket-calculator algorithm for the Shapiro-Francia test for non-normality", Statistics in Medicine 12,
    1993).
    """
    from scipy.special import ndtr, ndtri

    topics = len(values)
    scores = ndtri((np.arange(1, topics + 1) - 0.375) / (topics + 0.25))
    offsets = np.sort(values, axis=0) - values.mean(axis=0)
    fit = (scores @ offsets) ** 2 / ((scores @ scores) * (offsets**2).sum(axis=0))
    size, twice = np.log(topics), np.log(np.log(topics))
    mean, spread = 1.0521 * (twice - size) - 1.2725, 1.0308 - 0.26758 * (twice + 2 / size)
    p: FloatArray = ndtr((mean - np.log(np.maximum(1 - fit, 1e-300))) / spread)
    return p


@one_blas_thread()
def studentised(
    costs: FloatArray, *, confidence: float, resamples: int, seed: int, clusters: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Bootstrap-t intervals for means of costs, from 0 on and never narrower than expanded percentiles.

    Each draw of topics gives a t, its mean minus the mean over its own standard error; the quantiles of these replace
    Student's. A draw without spread counts as the farthest of the others.
    """
    columns = costs.shape[1]
    if not columns:
        return np.empty(0), np.empty(0)
    codes = np.arange(len(costs)) if clusters is None else clusters
    centre = costs.mean(axis=0)
    sums = ClusterSums.of(costs - centre, codes)
    count = len(sums.sizes)
    draws = [_drawn_t(sums, times) for _, times in statistics.resample_counts(count, resamples, seed)]
    t, flat = (np.concatenate(part) for part in zip(*draws, strict=True))
    t[flat] = np.where(t > 0, np.where(flat, -np.inf, t).max(axis=0), np.where(flat, np.inf, t).min(axis=0))[flat]
    tail = (1 - confidence) / 2
    below, above = np.quantile(t, [tail, 1 - tail], axis=0)
    error = sums.deviations(np.ones((1, count)))[0] / np.sqrt(count)
    wide = statistics.bootstrap(costs, confidence=confidence, resamples=resamples, seed=seed, clusters=clusters)
    return np.clip(centre - above * error, 0.0, wide.low), np.maximum(centre - below * error, wide.high)


def _drawn_t(sums: ClusterSums, times: FloatArray) -> tuple[FloatArray, BoolArray]:
    """draws x columns: t of each draw, and where it has no spread, so that only the sign of t is known."""
    mean = (times @ sums.sums) / (times @ sums.sizes)[:, None]
    error = sums.deviations(times) / np.sqrt(len(sums.sizes))
    flat = error == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(flat, np.sign(mean), mean / error), flat
