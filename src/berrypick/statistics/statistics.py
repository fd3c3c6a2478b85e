"""Numbers about numbers: bootstrap intervals, paired tests, effect sizes, corrections for many comparisons.

Every function takes columns: an array of topics x columns, each column the values (or the differences of two runs) over
the same topics. All columns are treated at once, with the same resamples, so that a result does not depend on which
other columns are beside it. Nothing here knows about runs or measures.

**Intervals.** Topics are drawn with replacement and the mean taken, ``resamples`` times. Three ways to read an
interval off these means:

``percentile``
    their quantiles at (1 - confidence)/2 on both sides.
``expanded`` (the default)
    the same, at the level Phi(-sqrt(n/(n-1)) t) with Student's quantile t for n - 1 degrees of freedom. Plain
    percentiles are too narrow by the factor that makes the difference between n and n - 1 and between the normal law
    and Student's (Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69, 2015).
    With clusters of shares h of the topics, n/(n-1) becomes 1/(1 - sum h^2), and the degrees of freedom those of
    :mod:`berrypick.statistics.clusters`; both are as for n clusters where these have one size.
``bca``
    bias-corrected and accelerated (Efron 1987). It follows skewness, and is as narrow as plain percentiles.

On values like those of retrieval measures the expanded interval covers at the stated rate from about 25 topics on, the
other two do not; BCa is worst for differences of two runs, which are mostly zero with a few large values. Hits and
costs have other intervals: :mod:`berrypick.statistics.intervals`. ``tests/statistics/test_statistics_simulation.py``
and ``tests/statistics/test_coverage.py`` keep the simulations.

**Tests.** The randomisation test changes the signs of the differences: if two runs are equally good, each topic's
difference could as well have had the other sign. With up to 30 topics that differ all sign changes are counted, by
splitting the topics in two halves: the sums of one half are looked up among the sorted sums of the other. Above, random
ones are drawn, and the p-value is (1 + as extreme)/(1 + drawn), which is never 0 and keeps the level (Phipson and Smyth
2010).

Differences that are all equal and not zero have no spread, so neither test has a statistic. Their p-value is exact
whatever the test: only 2 of the 2^n sign changes keep all signs alike, p = 2^(1-n). Two equal differences: .5, never 0.

**Clusters.** Topics that go together, such as questions about one document, are not independent. Where their clusters
are given, whole clusters are drawn, and the signs of all differences of a cluster change together; the mean stays the
mean over topics. With one topic in each cluster everything is as without clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.kernels.resampling import (
    PairedColumns,
    Signs,
    extreme_pair_changes,
    extreme_sign_changes,
    extreme_sums,
    order_statistics,
)
from berrypick.statistics.clusters import SAME as SAME
from berrypick.statistics.clusters import cluster_freedom, cluster_shares, cluster_sums, cluster_variance
from berrypick.statistics.method_names import INTERVALS as INTERVALS
from berrypick.statistics.method_names import CorrectionName, IntervalName
from berrypick.workers.blas_threads import one_blas_thread

#: Up to so many topics with a difference, the randomisation test counts all sign changes.
EXACT = 30
_CELLS = 1 << 22  # entries of a random matrix held at once
_NEAR = 64  # columns whose resampled means stay in the caches
#: (first resample, resamples x topics) of pieces of a random matrix.
Pieces = Iterable[tuple[int, FloatArray]]
# streams of random numbers, so that intervals and tests with one seed draw different ones
_TOPICS, _SIGNS = 1, 2

#: Fewer samples say nothing of an interval.
LEAST_RESAMPLES = 100
#: The most samples that are drawn: with more of them intervals do not change, and time and memory run out.
MOST_RESAMPLES = 10_000_000


class Intervals(NamedTuple):
    """One interval for each column; nan where a column has fewer than two topics."""

    low: FloatArray
    high: FloatArray


def check_draws(confidence: float, resamples: int, seed: int) -> None:
    """Refuse what no interval or test can be drawn with."""
    if not _is_whole(resamples) or resamples < LEAST_RESAMPLES:
        raise UsageError(f"resamples must be at least {LEAST_RESAMPLES}, not {resamples!r:.60}")
    if resamples > MOST_RESAMPLES:
        raise UsageError(f"resamples must be at most {MOST_RESAMPLES}, not {resamples!r:.60}")
    if not _is_whole(seed) or seed < 0:
        raise UsageError(f"seed must be a whole number, 0 or more, not {seed!r:.60}")
    if not isinstance(confidence, (int, float, np.number)) or not 0 < confidence < 1:
        raise UsageError(f"confidence must be between 0 and 1, e.g. 0.95, not {confidence!r:.60}")


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


@one_blas_thread()
def bootstrap(
    values: FloatArray,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    method: IntervalName = "expanded",
    clusters: IntArray | None = None,
) -> Intervals:
    """Intervals for the means of columns; ``clusters`` numbers the cluster of each topic, from 0.

    >>> import numpy as np
    >>> low, high = bootstrap(np.array([[0.2], [0.4], [0.4], [0.9]]))
    >>> bool(low[0] < 0.475 < high[0])
    True
    """
    topics, columns = values.shape
    if (topics if clusters is None else len(np.unique(clusters))) < 2:
        return Intervals(np.full(columns, np.nan), np.full(columns, np.nan))
    units = topics if clusters is None else int(clusters.max()) + 1
    draw = _kept_draws if len(_blocks(resamples, units)) <= 4 and units < 1 << 16 else resample_counts
    found = Intervals(np.empty(columns), np.empty(columns))
    room = np.empty((min(resamples, max(1, _CELLS // units)), units))
    for first in range(0, columns, _NEAR):
        draws = _as_floats(draw(units, resamples, seed), room)
        # the last block overlaps the one before: BLAS rounds the columns of a smaller product otherwise
        block = slice(max(0, min(first, columns - _NEAR)), first + _NEAR)
        for side, bound in zip(
            found, _bootstrap_block(values[:, block], confidence, draws, method, clusters), strict=True
        ):
            side[block] = bound
    return found


@lru_cache(maxsize=1)
def _kept_draws(topics: int, resamples: int, seed: int) -> Pieces:
    """Resamples of up to two pieces, or of up to four as small numbers, which take less room: the same topics are drawn
    for many curves and pairs in turn."""
    kind: Any = np.float64 if len(_blocks(resamples, topics)) <= 2 else np.uint16
    return [(first, times.astype(kind, copy=False)) for first, times in resample_counts(topics, resamples, seed)]


def _as_floats(draws: Pieces, room: FloatArray) -> Pieces:
    """Pieces in the same memory, one after the other, where they are kept as small numbers."""
    for first, times in draws:
        if times.dtype != np.float64:
            np.copyto(room[: len(times)], times)
            times = room[: len(times)]
        yield first, times


def _bootstrap_block(
    values: FloatArray, confidence: float, draws: Pieces, method: IntervalName, clusters: IntArray | None
) -> Intervals:
    centre = values.mean(axis=0)
    offsets = values - centre  # so that equal values give an interval of exactly that value
    sizes = None
    if clusters is not None:  # for a mean of means the sums are what the levels need too: the influence of a cluster
        offsets, sizes = cluster_sums(offsets, clusters), np.bincount(clusters).astype(np.float64)
    if method == "bca":  # whose levels depend on the order of all means
        means = _resampled_means(offsets, draws, sizes)
        means.sort(axis=1)
        bounds = _quantiles(means, _bca_levels(offsets, means, confidence))
    else:
        bounds = _common_quantiles(offsets, draws, sizes, _levels(offsets, confidence, method, clusters))
    return Intervals(*(_undusted(centre + bound, values) for bound in bounds))


def _undusted(bounds: FloatArray, values: FloatArray) -> FloatArray:
    """Bounds without what rounding adds: no mean of drawn values lies beyond the smallest and the largest of them, and
    what is as good as 0 is 0."""
    least, largest = values.min(axis=0), values.max(axis=0)
    bounds[np.abs(bounds) <= SAME * np.maximum(np.abs(least), np.abs(largest))] = 0.0
    return np.clip(bounds, least, largest)


def _resampled_means(values: FloatArray, draws: Pieces, sizes: FloatArray | None = None) -> FloatArray:
    """columns x resamples: the mean over topics drawn with replacement; or, of sums over clusters with their sizes, the
    mean over the topics of clusters drawn with replacement."""
    means = _resampled_sums(values, draws, sizes)
    return means if sizes is not None else np.divide(means, len(values), out=means)


def _resampled_sums(values: FloatArray, draws: Pieces, sizes: FloatArray | None) -> FloatArray:
    """columns x resamples: the sum over topics drawn with replacement; with sizes of clusters the mean."""
    parts = []
    for _, times in draws:
        # the same bits; the other product of few columns is a product with vectors, which rounds otherwise
        sums = values.T @ times.T if values.shape[1] == _NEAR else np.ascontiguousarray((times @ values).T)
        if sizes is not None:
            sums /= times @ sizes
        parts.append(sums)
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def resample_counts(topics: int, resamples: int, seed: int) -> Iterator[tuple[int, FloatArray]]:
    """(first resample, resamples x topics: how often each topic is drawn) of pieces that fit into memory."""
    random = np.random.default_rng([_TOPICS, seed])
    for first, rows in _blocks(resamples, topics):
        drawn = random.integers(0, topics, size=(rows, topics))
        drawn += topics * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * topics).reshape(rows, topics)
        yield first, times.astype(np.float64)


def _blocks(rows: int, width: int) -> list[tuple[int, int]]:
    """(first row, number of rows) of pieces that fit into memory; they depend on the width alone."""
    step = max(1, _CELLS // max(width, 1))
    return [(first, min(step, rows - first)) for first in range(0, rows, step)]


def _levels(
    offsets: FloatArray, confidence: float, method: IntervalName, clusters: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """The levels of the quantiles that bound the interval, the same for each column."""
    from scipy.special import ndtr, stdtrit

    units, columns = offsets.shape
    tail = (1 - confidence) / 2
    if method == "expanded":
        # resampled means vary less than means do, by the share that stays without the mean of each column
        freedom = units - 1.0 if clusters is None else cluster_freedom(clusters)
        share = np.full(units, 1 / units) if clusters is None else cluster_shares(clusters)
        tail = ndtr(stdtrit(freedom, tail) / np.sqrt(1 - (share**2).sum()))
    return np.full(columns, tail), np.full(columns, 1 - tail)


def _bca_levels(offsets: FloatArray, means: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """The levels for each column; means are in order."""
    from scipy.special import ndtr, ndtri

    columns, tail = offsets.shape[1], (1 - confidence) / 2
    resamples = means.shape[1]
    below = np.array([np.searchsorted(column, -SAME * scale, "left") + np.searchsorted(column, SAME * scale, "right")
                      for column, scale in zip(means, np.abs(offsets).max(axis=0), strict=True)])  # fmt: skip
    bias = ndtri(np.clip(below / (2 * resamples), 0.5 / resamples, 1 - 0.5 / resamples))
    squares = (offsets**2).sum(axis=0)
    # for a mean, the jackknife's acceleration has this closed form
    acceleration = np.divide((offsets**3).sum(axis=0), 6 * squares**1.5, out=np.zeros(columns), where=squares > 0)

    def level(normal: float) -> FloatArray:
        shifted = bias + normal
        moved: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
        return moved

    return level(float(ndtri(tail))), level(float(ndtri(1 - tail)))


def _quantiles(ordered: FloatArray, levels: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    """Quantiles of sorted rows, one level for each, linear between neighbours."""
    rows = np.arange(len(ordered))
    found = []
    for level in levels:
        before, after, share = _places(level, ordered.shape[1])
        found.append(ordered[rows, before] * (1 - share) + ordered[rows, after] * share)
    return found


def _common_quantiles(
    values: FloatArray, draws: Pieces, sizes: FloatArray | None, levels: tuple[FloatArray, FloatArray]
) -> list[FloatArray]:
    """Quantiles of resampled means, at levels that are the same for all columns."""
    sums = _resampled_sums(values, draws, sizes)
    places = [_places(level[:1], sums.shape[1]) for level in levels]
    ranks = np.unique(np.concatenate([rank for before, after, _ in places for rank in (before, after)]))
    ordered = order_statistics(sums, ranks)
    if sizes is None:  # a division keeps the order, to the bit
        ordered /= len(values)
    found = []
    for before, after, share in places:
        one, other = (ordered[:, np.searchsorted(ranks, rank[0])] for rank in (before, after))
        found.append(one * (1 - share) + other * share)
    return found


def _places(level: FloatArray, resamples: int) -> tuple[IntArray, IntArray, FloatArray]:
    """The two ranks that a quantile lies between, and how far it is on the way to the second."""
    place = level * (resamples - 1)
    before = np.floor(place).astype(np.int64)
    return before, np.minimum(before + 1, resamples - 1), place - before


class Tests(NamedTuple):
    """For each column a two-sided p-value, whether it is exact, and the statistic (mean difference, or t).

    The statistic is nan where differences have no spread, see the module.
    """

    p: FloatArray
    exact: BoolArray
    statistic: FloatArray


def randomisation_test(
    differences: FloatArray,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: IntArray | None = None,
    pairs: PairedColumns | None = None,
) -> Tests:
    """Paired randomisation test of columns of differences; the statistic is the mean difference.

    With ``clusters`` the signs of all differences of a cluster change together. ``pairs`` says which runs columns are
    differences of; the test takes less time then, and finds the same.

    Three topics that all differ in the same direction: only 2 of the 8 sign changes are as extreme.

    >>> import numpy as np
    >>> randomisation_test(np.array([[0.1], [0.2], [0.3]])).p
    array([0.25])
    """
    topics, columns = differences.shape
    statistic = differences.mean(axis=0) if topics else np.full(columns, np.nan)
    if clusters is not None and topics:
        sums = cluster_sums(differences, clusters)
        sums[np.abs(sums) <= SAME * cluster_sums(np.abs(differences), clusters)] = 0.0
        tests = randomisation_test(sums, resamples=resamples, seed=seed)._replace(statistic=statistic)
        return _decide_constant(tests, _are_constant(differences), len(sums))
    scale = np.abs(differences).sum(axis=0)
    least = np.abs(differences.sum(axis=0)) - SAME * scale
    differing = (np.abs(differences) > 0).sum(axis=0)
    exact = differing <= EXACT
    p = np.full(columns, np.nan)
    if not topics:
        return Tests(p, exact, statistic)
    _exact_shares(differences, least, exact, p)
    draws = _sign_changes(topics, resamples, seed)
    drawn = np.flatnonzero(~exact)
    if len(drawn):
        whole = pairs is not None and len(pairs.values) == topics and len(drawn) > pairs.values.shape[1]
        chosen = pairs.chosen(drawn) if pairs is not None and whole else None
        p[drawn] = _sampled_share(differences[:, drawn], least[drawn], resamples, draws, chosen)
    return _decide_constant(Tests(p, exact, statistic), _are_constant(differences), topics)


def _are_constant(differences: FloatArray) -> BoolArray:
    """Which columns have the same difference everywhere, not zero."""
    largest = np.abs(differences).max(axis=0)
    same: BoolArray = np.ptp(differences, axis=0) <= SAME * np.maximum(1.0, largest)
    return same & (largest > SAME)


def _decide_constant(tests: Tests, constant: BoolArray, units: int) -> Tests:
    """Columns without spread: exact sign changes of topics or clusters, whatever the test, and no statistic."""
    if constant.any():
        tests.p[constant] = max(2.0 ** (1 - units), np.nextafter(0.0, 1.0))
        tests.exact[constant] = True
        tests.statistic[constant] = np.nan
    return tests


def _exact_shares(differences: FloatArray, least: FloatArray, exact: BoolArray, p: FloatArray) -> None:
    """The share of all sign changes whose sum is at least as far from 0, for the columns that are to be ``exact``."""
    p[exact] = 1.0
    columns = np.flatnonzero(exact & (least > 0))
    if not len(columns):
        return
    by_column = np.ascontiguousarray(differences[:, columns].T)
    differs = by_column != 0
    count = differs.sum(axis=1)
    bounds = np.concatenate([[0], np.cumsum(count)])
    above = extreme_sums(by_column[differs], bounds, least[columns])
    p[columns] = 2 * above / 2.0**count  # as many sums lie as far below 0


def _sign_changes(topics: int, resamples: int, seed: int) -> Iterator[tuple[int, Signs]]:
    """(first resample, resamples x topics: 1 or -1) of pieces that fit into memory."""
    random = np.random.default_rng([_SIGNS, seed])
    for first, rows in _blocks(resamples, topics):
        drawn = random.integers(0, 2, size=(rows, topics), dtype=np.int8)
        yield first, 2 * drawn - 1


def _sampled_share(
    differences: FloatArray,
    least: FloatArray,
    resamples: int,
    draws: Iterable[tuple[int, Signs]],
    pairs: PairedColumns | None = None,
) -> FloatArray:
    extreme = np.ones(differences.shape[1])  # what was seen is one of the ways it could have gone
    for _, signs in draws:
        if pairs is None:
            extreme += extreme_sign_changes(differences, signs, least)
        else:
            extreme += extreme_pair_changes(differences, signs, least, pairs)
    share: FloatArray = extreme / (resamples + 1)
    return share


def smallest_p(topics: int, resamples: int) -> float:
    """The smallest p-value that the randomisation test can give on so many topics."""
    return 2.0 ** (1 - topics) if topics <= EXACT else 1 / (resamples + 1)


def t_test(differences: FloatArray, *, clusters: IntArray | None = None) -> Tests:
    """Student's paired t-test of columns of differences; the statistic is t.

    Columns that are all 0 have p = 1 and t = 0; other columns without spread are decided by exact sign changes; nan
    with fewer than two topics. With ``clusters`` the variance of the mean and the degrees of freedom are those of
    :mod:`berrypick.statistics.clusters`.
    """
    from scipy.special import stdtr

    topics, columns = differences.shape
    exact = np.zeros(columns, dtype=bool)
    units = topics if clusters is None else len(np.unique(clusters))
    if units < 2:
        return Tests(np.full(columns, np.nan), exact, np.full(columns, np.nan))
    mean = differences.mean(axis=0)
    freedom = topics - 1.0
    error = _spread(differences) / np.sqrt(topics)
    if clusters is not None:
        freedom, error = cluster_freedom(clusters), np.sqrt(cluster_variance(differences, clusters))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    p: FloatArray = 2 * stdtr(freedom, -np.abs(t))
    constant = (error == 0) & (np.abs(mean) > SAME) | _are_constant(differences)
    return _decide_constant(Tests(p, exact, t), constant, units)


def effect_size(differences: FloatArray) -> FloatArray:
    """Paired Cohen's d (d_z): mean difference over the standard deviation of the differences.

    0 where nothing differs; nan where all topics differ by the same amount, or with fewer than two topics.
    """
    topics, columns = differences.shape
    if topics < 2:
        return np.full(columns, np.nan)
    mean, spread = differences.mean(axis=0), _spread(differences)
    found = np.full(columns, np.nan)
    np.divide(mean, spread, out=found, where=spread > 0)
    found[(differences == 0).all(axis=0)] = 0.0
    return found


def _spread(values: FloatArray) -> FloatArray:
    """Standard deviation with n - 1; exactly 0 where values differ by rounding only."""
    spread: FloatArray = values.std(axis=0, ddof=1)
    spread[spread <= SAME * np.abs(values).max(axis=0)] = 0.0
    return spread


def adjusted(p: FloatArray, method: CorrectionName = "holm") -> FloatArray:
    """p-values of one family, corrected for their number; nan stays nan and does not count.

    Holm keeps the probability of any false finding at the level, Benjamini-Hochberg the expected share of false
    findings among the findings.

    >>> import numpy as np
    >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    >>> adjusted(np.array([0.01, 0.04, 0.03]), "bh")
    array([0.03, 0.04, 0.04])
    """
    found = p.astype(np.float64, copy=True)
    known = np.flatnonzero(~np.isnan(p))
    if method == "none" or not len(known):
        return found
    order = known[np.argsort(p[known], kind="stable")]
    place = np.arange(len(order))
    if method == "holm":
        raised = np.maximum.accumulate(p[order] * (len(order) - place))
    else:
        raised = np.minimum.accumulate((p[order] * len(order) / (place + 1))[::-1])[::-1]
    found[order] = np.minimum(raised, 1.0)
    return found


def known(values: FloatArray) -> list[float | None]:
    """Numbers, None where they are not finite."""
    found: list[float | None] = values.tolist()
    for i in np.flatnonzero(~np.isfinite(values)).tolist():
        found[i] = None
    return found
