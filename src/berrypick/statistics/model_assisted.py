"""Means over topics that people judged, sharpened by a model that judged many more of them.

People judged n topics, a model judged these n and the topics U besides. With y the values by people and f those by the
model, the estimate is that of prediction-powered inference with a weight of its own (Angelopoulos, Duchi and Zrnic,
"PPI++: Efficient prediction-powered inference", 2023)::

    weight   = clip(cov_n(y, f) / (var_n(f) (1 + n/|U|)), 0, 1)
    estimate = weight mean_U(f) + mean_n(y - weight f)
    variance = weight^2 var_U(f)/|U| + var_n(y - weight f)/n

The model's errors cancel, whatever they are, if the n topics are a random sample of all topics. A model that says
nothing about people's values has a weight near 0. Intervals and p-values are Student's with n - 1 degrees of freedom.

**Clusters.** A cluster adds the residuals of its topics in both parts, each over the number of topics of its part and
corrected for the cluster's share h of that part by 1/sqrt(1 - h), as in :mod:`berrypick.statistics.clusters`; the
degrees of freedom are those of the clusters of the n topics.

**No spread.** Where all values by people are equal, the weight is 0: the caller takes the interval and the test of the
n topics alone (Wilson's or Tango's of hits).

**Undefined values.** The mean of y is over the topics where it is defined. Its linear form replaces y by
mean + d (y - mean)/mean(d), where d is 1 or 0, and an undefined f by any constant: see :func:`linear_values`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.statistics.clusters import SAME, cluster_freedom, cluster_sums


class AssistedMeans(NamedTuple):
    """For each column the estimate, its variance, the model's weight, and the variance by people alone; ``flat`` says
    where all values by people are equal, so that the variance says nothing."""

    value: FloatArray
    variance: FloatArray
    weight: FloatArray
    alone: FloatArray
    freedom: float
    flat: BoolArray

    @property
    def worth(self) -> FloatArray:
        """How much a topic judged by people is worth with the model's help; nan where nothing varies."""
        found = np.full(len(self.value), np.nan)
        np.divide(self.alone, self.variance, out=found, where=(self.variance > 0) & ~self.flat)
        return found

    def half_width(self, confidence: float) -> FloatArray:
        """Half of the width of the interval."""
        from scipy.special import stdtrit

        found: FloatArray = float(stdtrit(self.freedom, (1 + confidence) / 2)) * np.sqrt(self.variance)
        return found

    @property
    def tests(self) -> tuple[FloatArray, FloatArray]:
        """t and the two-sided p-value of a mean of 0."""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(np.abs(self.value) <= SAME, 0.0, self.value / np.sqrt(self.variance))
        return t, np.asarray(2 * stdtr(self.freedom, -np.abs(t)), dtype=np.float64)


def assisted_means(
    people: FloatArray, model: FloatArray, beyond: FloatArray, clusters: tuple[IntArray, IntArray] | None = None
) -> AssistedMeans:
    """Estimate the means of columns (topics x columns).

    Parameters
    ----------
    people, model : array of n topics x columns
        The values by people, and those by the model on the same topics. No nan.
    beyond : array of topics x columns
        The values by the model on at least two topics that people did not judge.
    clusters : two arrays, optional
        The number of the cluster of each topic that people judged, and of each other topic; a cluster may have both.

    Examples
    --------
    >>> import numpy as np
    >>> y, f, u = (np.array(values)[:, None] for values in ([1.0, 0, 1, 0], [1.0, 0, 1, 1], [1.0, 1, 0, 1]))
    >>> found = assisted_means(y, f, u)
    >>> round(float(found.weight[0]), 4), round(float(found.value[0]), 4)
    (0.3333, 0.5)
    """
    topics, others = len(people), len(beyond)
    around, model_around = people - people.mean(axis=0), model - model.mean(axis=0)
    spread = (model_around**2).sum(axis=0)
    weight = np.zeros(people.shape[1])
    known = spread > SAME * np.maximum((model**2).sum(axis=0), 1e-300)
    np.divide((around * model_around).sum(axis=0), spread * (1 + topics / others), out=weight, where=known)
    weight = np.clip(weight, 0.0, 1.0)
    flat = np.ptp(people, axis=0) <= SAME * np.maximum(1.0, np.abs(people).max(axis=0))
    weight[flat] = 0.0
    value = weight * beyond.mean(axis=0) + (people - weight * model).mean(axis=0)
    residuals = (around - weight * model_around, weight * (beyond - beyond.mean(axis=0)))
    variance = _variance(residuals, clusters)
    alone = _variance((around, np.zeros((others, 1))), clusters)
    freedom = topics - 1.0 if clusters is None else cluster_freedom(np.unique(clusters[0], return_inverse=True)[1])
    return AssistedMeans(value, np.where(flat, 0.0, variance), weight, alone, freedom, flat)


def _variance(residuals: tuple[FloatArray, FloatArray], clusters: tuple[IntArray, IntArray] | None) -> FloatArray:
    """The variance of the sum of two means, from the residuals of their topics and the clusters of these."""
    found: FloatArray
    if clusters is None:  # each topic is a cluster with a share of 1/n
        first, second = ((part**2).sum(axis=0) / (len(part) * (len(part) - 1)) for part in residuals)
        found = first + second
        return found
    count = 1 + max(int(one.max()) for one in clusters)
    sums = np.zeros((count, residuals[0].shape[1]))
    for part, of in zip(residuals, clusters, strict=True):
        share = np.bincount(of, minlength=count) / len(of)
        added = np.zeros((count, part.shape[1]))
        added[: int(of.max()) + 1] = cluster_sums(part, of)
        sums = sums + added / len(of) / np.sqrt(np.maximum(1 - share, SAME))[:, None]
    found = (sums**2).sum(axis=0)
    return found


def linear_values(values: FloatArray) -> FloatArray:
    """The values of people with undefined ones (nan) so replaced that their mean, and its variance, is that of the
    defined ones.

    >>> import numpy as np
    >>> linear_values(np.array([0.0, 1.0, np.nan]))
    array([-0.25,  1.25,  0.5 ])
    """
    known = ~np.isnan(values)
    if known.all() or not known.any():
        return values
    mean = values[known].mean()
    found: FloatArray = np.where(known, mean + (values - mean) / known.mean(), mean)
    return found
