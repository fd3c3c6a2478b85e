"""The share of a range in which each of two runs wins, with its interval over topics.

Between neighbouring places the mean difference is taken as a straight line; where it is 0 at one of them and not at the
other, as changing in the middle. The places are those of the grid and all those at which changes of sign were looked
for, so that the shares of the runs at hand are as exact as the crossings; those of resampled topics follow the grid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.statistics import statistics


def won(differences: FloatArray, measure: FloatArray) -> FloatArray:
    """rows x places -> rows x 2: the share in which the difference is above 0, and below."""
    signs = np.sign(np.where(np.abs(differences) <= statistics.SAME, 0.0, differences))
    one, other = differences[:, :-1], differences[:, 1:]
    before, after = signs[:, :-1], signs[:, 1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        until = np.where(before * after < 0, np.abs(one) / (np.abs(one) + np.abs(other)), 0.5)
    width = np.diff(measure)
    found = []
    for side in (1.0, -1.0):
        part = np.where(before == side, until, 0.0) + np.where(after == side, 1 - until, 0.0)
        found.append((part * width).sum(axis=1))
    return np.stack(found, axis=1)


def resampled_means(values: FloatArray, clusters: IntArray | None, resamples: int, seed: int) -> FloatArray:
    """topics x places -> resamples x places: means over topics (or whole clusters) drawn with replacement; nan where
    no topic drawn has a value."""
    known = ~np.isnan(values)
    filled, counted = np.where(known, values, 0.0), known.astype(np.float64)
    if clusters is not None:
        filled, counted = _cluster_sums(filled, clusters), _cluster_sums(counted, clusters)
    found = []
    for _, times in statistics.resample_counts(len(filled), resamples, seed):
        total, of = times @ filled, times @ counted
        found.append(np.divide(total, of, out=np.full(total.shape, np.nan), where=of > 0))
    return np.concatenate(found)


def _cluster_sums(values: FloatArray, clusters: IntArray) -> FloatArray:
    sums = np.zeros((int(clusters.max()) + 1, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def share_interval(draws: FloatArray, value: float, confidence: float) -> tuple[float | None, float | None]:
    """Percentiles over resamples; they hold the value itself."""
    known = draws[~np.isnan(draws)]
    if not len(known):
        return None, None
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail]).tolist()
    return min(low, value), max(high, value)


def mean_over_topics(values: FloatArray) -> FloatArray:
    """topics x places -> places; nan where no topic has a value."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def weights(measure: Sequence[float]) -> FloatArray:
    """The share of a range that each of its places stands for (trapezia)."""
    half = np.diff(np.asarray(measure, dtype=np.float64)) / 2
    return np.append(half, 0.0) + np.append(0.0, half)
