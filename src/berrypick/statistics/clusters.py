"""The variance of a mean where topics of a cluster go together, and its degrees of freedom.

The sum of squared residuals of clusters is corrected for the share h of the topics that each cluster has (CR2: Bell and
McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", Survey Methodology 28,
2002). For a mean this is

    variance = sum over clusters of (sum of residuals)^2 / (1 - h),  over n^2

Its degrees of freedom are those of the chi-square with the same mean and variance if topics were independent
(Satterthwaite). They depend on the sizes of clusters alone: G - 1 for G clusters of one size, fewer the more one
cluster outweighs the others. With one topic in each cluster both are those of Student's t.
"""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray

#: Sums that differ by less than this share of their terms are equal: what differs is rounding.
SAME = 1e-12


def cluster_sums(values: FloatArray, clusters: IntArray) -> FloatArray:
    """clusters x columns: the sum over the topics of each cluster."""
    sums = np.zeros((int(clusters.max()) + 1, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def cluster_shares(clusters: IntArray) -> FloatArray:
    """The share of the topics that each cluster has."""
    shares: FloatArray = np.bincount(clusters) / len(clusters)
    return shares


def cluster_variance(values: FloatArray, clusters: IntArray) -> FloatArray:
    """The variance of the mean of each column; exactly 0 where rounding is all.

    >>> import numpy as np
    >>> cluster_variance(np.array([[1.0], [2.0], [6.0]]), np.array([0, 1, 2])) * 3  # the variance of 1, 2 and 6
    array([7.])
    """
    residuals = cluster_sums(values - values.mean(axis=0), clusters)
    residuals[np.abs(residuals) <= SAME * np.abs(values).sum(axis=0)] = 0.0
    corrected = residuals**2 / (1 - cluster_shares(clusters))[:, None]
    variance: FloatArray = corrected.sum(axis=0) / len(values) ** 2
    return variance


def cluster_freedom(clusters: IntArray) -> float:
    """The degrees of freedom of that variance.

    >>> import numpy as np
    >>> round(cluster_freedom(np.array([0, 0, 1, 1, 2, 2])), 9), round(cluster_freedom(np.array([0, 0, 0, 0, 1, 2])), 2)
    (2.0, 1.47)
    """
    share = cluster_shares(clusters)
    if np.ptp(share) == 0:
        return len(share) - 1.0
    mixed = share**2 / (1 - share)
    return float(1 / ((share**2).sum() + mixed.sum() ** 2 - (mixed**2).sum()))
