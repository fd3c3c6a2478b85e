"""Discriminative power and swap counts of differences between runs: the numbers behind :mod:`.stability`.

**Discriminative power** (Sakai 2006). For every two runs, a paired bootstrap test: the differences of the topics,
shifted to mean 0, are drawn with replacement, and the achieved significance level (ASL) is the share of the draws whose
Studentised mean is at least as far from 0 as that of the differences, (1 + as far)/(1 + drawn), which is never 0. The
discriminative power is the share of the pairs with an ASL of at most 1 - confidence. The difference it takes is the
largest over pairs of the mean difference at that level of the draws.

**Swap rate** (Voorhees and Buckley 2002). The topics are split in two halves, again and again. A pair of runs is
swapped if the halves order it differently. The rate is given by the size of the difference on the first half;
differences whose rate stays at 5% or less can be trusted on half as many topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.statistics import statistics
from berrypick.statistics.topic_values import columns_alike
from berrypick.workers.blas_threads import one_blas_thread

#: Bins of differences: so many of one width, and what is larger.
BINS = 20
#: A swap rate that one can live with.
TRUSTED = 0.05
_COLUMNS = 512
_CELLS = 1 << 22
#: The stream of random numbers for splits.
_SPLITS = 3


@one_blas_thread()
def achieved_levels(
    differences: FloatArray, *, resamples: int, seed: int, clusters: IntArray | None = None
) -> FloatArray:
    """The achieved significance level of each column of differences, by Sakai's paired bootstrap test.

    ``differences`` are topics x pairs, nan where a topic is left out of a pair; nan where fewer than two are left. A
    pair that is 0 on every topic has level 1. With ``clusters`` whole clusters are drawn, and the mean over their
    topics is Studentised by the variance between them.

    >>> import numpy as np
    >>> levels = achieved_levels(np.array([[0.3, 0.0], [0.4, 0.0], [0.5, 0.0]]), resamples=100, seed=0)
    >>> bool(levels[0] < 0.1), float(levels[1])
    (True, 1.0)
    """
    found = np.full(differences.shape[1], np.nan)
    for columns, some, codes in _blocks(differences, clusters):
        found[columns] = _levels(some, resamples, seed) if codes is None else _of_clusters(some, codes, resamples, seed)
    return found


@one_blas_thread()
def required_differences(
    differences: FloatArray, *, resamples: int, seed: int, alpha: float, clusters: IntArray | None = None
) -> FloatArray:
    """For each column the mean difference of the draw at level ``alpha``: Sakai's estimate of what it takes."""
    found = np.full(differences.shape[1], np.nan)
    wanted = min(resamples - 1, max(0, math.ceil(alpha * resamples) - 1))
    for columns, some, codes in _blocks(differences, clusters):
        if codes is None:
            draws = [(mean, _ratio(mean, square)) for mean, square in _draws(some, resamples, seed)]
        else:
            draws = list(_cluster_draws(some, codes, resamples, seed))
        mean, ratio = (np.concatenate(part) for part in zip(*draws, strict=True))
        place = np.argpartition(-ratio, wanted, axis=0)[wanted]
        found[columns] = np.abs(mean[place, np.arange(mean.shape[1])])
    return found


def _blocks(
    differences: FloatArray, clusters: IntArray | None = None
) -> Iterator[tuple[IntArray, FloatArray, IntArray | None]]:
    """(columns, their differences without nan, the clusters of their topics), as many at once as fit into memory."""
    for columns, topics in columns_alike(~np.isnan(differences)):
        codes = None if clusters is None else np.unique(clusters[topics], return_inverse=True)[1]
        if len(topics) >= 2 and (codes is None or codes.max() >= 1):
            for first in range(0, len(columns), _COLUMNS):
                some = columns[first : first + _COLUMNS]
                yield some, differences[np.ix_(topics, some)], codes


def _levels(differences: FloatArray, resamples: int, seed: int) -> FloatArray:
    centre = differences.mean(axis=0)
    spread = (_offsets(differences) ** 2).mean(axis=0)
    observed = np.divide(centre**2, spread + centre**2, out=np.zeros(len(centre)), where=centre != 0)
    least = observed * (1 - 1e-9)  # rounding must not decide between draws that are as far from 0
    as_far = np.zeros(len(centre))
    for mean, square in _draws(differences, resamples, seed):
        as_far += (mean * mean >= least * square).sum(axis=0)
        as_far -= np.where(observed > 0, (square <= 0).sum(axis=0), 0)  # without spread around 0: t is 0
    levels: FloatArray = (1 + as_far) / (1 + resamples)
    return levels


def _draws(differences: FloatArray, resamples: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Mean m and mean square q of the shifted differences in each draw; t^2 = (n - 1) m^2/(q - m^2) grows with
    m^2/q."""
    offsets = _offsets(differences)
    squares = offsets**2
    for _, times in statistics.resample_counts(len(differences), resamples, seed):
        times /= len(differences)
        yield times @ offsets, times @ squares


def _of_clusters(differences: FloatArray, codes: IntArray, resamples: int, seed: int) -> FloatArray:
    """As :func:`_levels`, of clusters."""
    sums = ClusterSums.of(_offsets(differences), codes)
    total = differences.sum(axis=0)
    far, spread = total**2, (sums.sums**2).sum(axis=0)
    observed = np.divide(far, far + spread, out=np.zeros(len(total)), where=total != 0)
    as_far = np.zeros(len(total))
    for _, ratio in _cluster_draws(differences, codes, resamples, seed):
        as_far += ((ratio >= observed * (1 - 1e-9)) & ((ratio > 0) | (observed == 0))).sum(axis=0)
    levels: FloatArray = (1 + as_far) / (1 + resamples)
    return levels


def _cluster_draws(
    differences: FloatArray, codes: IntArray, resamples: int, seed: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """The mean of the shifted differences of each draw, and a number that grows with its t^2 = (G - 1) s^2/(G v): s^2
    over s^2 + v, s the sum and v the sum of the squared residuals of clusters."""
    sums = ClusterSums.of(_offsets(differences), codes)
    for _, times in statistics.resample_counts(len(sums.sizes), resamples, seed):
        mean, residuals, topics = sums.drawn(times)
        far = (mean * topics[:, None]) ** 2
        whole = far + residuals
        yield mean, np.divide(far, whole, out=np.zeros_like(mean), where=whole > 0)


class ClusterSums(NamedTuple):
    """Sums of columns over the topics of each cluster, and how many topics those are."""

    sums: FloatArray  # clusters x columns
    sizes: FloatArray

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray) -> ClusterSums:
        sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
        np.add.at(sums, codes, values)
        sums[np.abs(sums) <= statistics.SAME * np.abs(values).sum(axis=0)] = 0.0
        return cls(sums, np.bincount(codes).astype(np.float64))

    def drawn(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """draws x columns: the mean over the topics of the clusters drawn, and the sum of the squared residuals of
        clusters; and how many topics each draw has."""
        topics = times @ self.sizes
        mean = (times @ self.sums) / topics[:, None]
        squares, products = times @ self.sums**2, times @ (self.sums * self.sizes[:, None])
        residuals = squares - 2 * mean * products + mean**2 * (times @ self.sizes**2)[:, None]
        residuals[residuals <= 1e-12 * squares] = 0.0
        return mean, residuals, topics

    def deviations(self, times: FloatArray) -> FloatArray:
        """draws x columns: the standard deviation between clusters, sqrt(G) times the standard error of the mean."""
        _, residuals, topics = self.drawn(times)
        count = len(self.sizes)
        found: FloatArray = np.sqrt(count * count / (count - 1) * residuals) / topics[:, None]
        return found


def _offsets(differences: FloatArray) -> FloatArray:
    offsets = differences - differences.mean(axis=0)
    offsets[np.abs(offsets) <= statistics.SAME * np.abs(differences).max(axis=0)] = 0.0
    return offsets


def _ratio(mean: FloatArray, square: FloatArray) -> FloatArray:
    return np.divide(mean**2, square, out=np.zeros_like(mean), where=square > 0)


class Swaps(NamedTuple):
    """Comparisons of two runs on two halves of the topics, by the difference on the first."""

    width: float
    comparisons: IntArray  # by bin
    swaps: IntArray
    ties: IntArray  # a half without a difference

    @property
    def rate(self) -> float:
        """Over all comparisons; nan if there are none."""
        total = int(self.comparisons.sum())
        return float(self.swaps.sum()) / total if total else math.nan

    def trusted(self) -> int | None:
        """The first bin from which on the swap rate stays at 5% or less; None if there is none."""
        found = None
        for place in reversed(range(len(self.comparisons))):
            if self.swaps[place] > TRUSTED * self.comparisons[place]:
                break
            if self.comparisons[place]:
                found = place
        return found


@one_blas_thread()
def swap_counts(
    differences: FloatArray, *, splits: int, seed: int, width: float, clusters: IntArray | None = None
) -> Swaps:
    """Split the topics in two halves, again and again, and count the pairs that the halves order differently.

    ``differences`` are topics x pairs, nan where a topic is left out of a pair. With an odd number of topics one is
    left out of each split. With ``clusters`` these are split, and means are over the topics of each half.
    """
    topics, pairs = differences.shape
    units = topics if clusters is None else int(clusters.max()) + 1
    known = (~np.isnan(differences)).astype(np.float64)
    filled = np.nan_to_num(differences)
    counts = np.zeros((3, BINS + 1), dtype=np.int64)
    for halves in _halves(units, splits, seed, max(1, _CELLS // max(pairs, topics))):
        parts = halves if clusters is None else [half[:, clusters] for half in halves]
        one, other = (_half_means(half, filled, known) for half in parts)
        both = ~(np.isnan(one) | np.isnan(other))
        place = np.minimum(np.abs(one[both]) / width + 1e-9, BINS).astype(np.int64)
        product = np.sign(one[both]) * np.sign(other[both])
        for row, chosen in enumerate((product <= 1, product < 0, product == 0)):
            counts[row] += np.bincount(place[chosen], minlength=BINS + 1)
    return Swaps(width, *counts)


def _half_means(half: FloatArray, filled: FloatArray, known: FloatArray) -> FloatArray:
    sums, times = half @ filled, half @ known
    means = np.divide(sums, times, out=np.full_like(sums, np.nan), where=times > 0)
    means[np.abs(means) <= statistics.SAME * np.abs(filled).max(axis=0, initial=0.0)] = 0.0
    return means


def _halves(topics: int, splits: int, seed: int, step: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Two matrices of splits x topics, 1 for the topics of a half."""
    random = np.random.default_rng([_SPLITS, seed])
    half = topics // 2
    for first in range(0, splits, step):
        rows = min(step, splits - first)
        order = random.permuted(np.tile(np.arange(topics), (rows, 1)), axis=1)
        made = np.zeros((2, rows, topics))
        for side, columns in enumerate((order[:, :half], order[:, half : 2 * half])):
            np.put_along_axis(made[side], columns, 1.0, axis=1)
        yield made[0], made[1]
