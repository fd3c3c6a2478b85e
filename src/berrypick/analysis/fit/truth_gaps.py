"""What the gaps between relevant places say about how likely, and how far ahead, the next one is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.truth import Truth
from berrypick.kernels.intervals import merge

#: Fewer gaps than this of either kind say little.
FEW = 2


class Gaps(NamedTuple):
    """Stretches without relevant material, and whether they end at a relevant place or at the end of the document."""

    length: FloatArray
    ends_relevant: BoolArray


class Beliefs(NamedTuple):
    """Value and interval of a probability that something lies ahead, and of the rate of its exponential distance."""

    present: tuple[float, float, float]
    rate: tuple[float, float, float]


def gaps_of(truth: Truth, lengths: Mapping[str, float]) -> Gaps:
    """Collect the gaps of all documents with something relevant: before it, between two places, and to the end."""
    length: list[float] = []
    found: list[bool] = []
    for topic in truth.topics.values():
        if topic.start is None or topic.end is None:
            raise UsageError(
                "gaps are distances between places in documents: the truth needs offsets, not whole documents"
            )
        names = np.array(topic.document, dtype=object)
        for name in dict.fromkeys(names[topic.grade > 0].tolist()):
            if name not in lengths:
                raise UsageError(f"the length of document {name} is not known: give it with {option('collection')}")
            own = (names == name) & (topic.grade > 0)
            start, end = merge(topic.start[own].astype(float), topic.end[own].astype(float))
            length += [*(start - np.concatenate([[0.0], end[:-1]])).tolist(), max(0.0, lengths[name] - float(end[-1]))]
            found += [True] * len(start) + [False]
    return Gaps(np.array(length), np.array(found, dtype=bool))


def estimate(gaps: Gaps, confidence: float) -> Beliefs:
    """Maximum likelihood: q L e^(-Ld) where a place follows after d, q e^(-Lw) + 1 - q where none does within w."""
    from scipy.optimize import minimize
    from scipy.special import expit, ndtri

    some, none = gaps.length[gaps.ends_relevant], gaps.length[~gaps.ends_relevant]
    if len(some) < FEW or len(none) < FEW or not some.any():
        raise UsageError(
            "the truth cannot identify rate and present: it has "
            f"{len(some)} gaps before relevant places and {len(none)} after the last; give both, as in "
            "forage(rate=0.02,present=0.5)"
        )

    def cost(at: FloatArray) -> float:
        log_q, log_rest, rate = -np.logaddexp(0, -at[0]), -np.logaddexp(0, at[0]), math.exp(at[1])
        ends = np.logaddexp(log_q - rate * none, log_rest)
        return -float(len(some) * (log_q + at[1]) - rate * some.sum() + ends.sum())

    share = len(some) / len(gaps.length)
    start = np.array([math.log(share / (1 - share)), -math.log(max(float(some.mean()), 1e-9))])
    at = minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000}).x
    half = float(ndtri((1 + confidence) / 2)) * _errors(cost, at)
    if not np.isfinite(half).all() or abs(at[0]) > 30:
        raise UsageError(
            "the truth cannot identify rate and present: the likelihood of its gaps has no maximum inside; give both, "
            "as in forage(rate=0.02,present=0.5)"
        )
    ends = [at, at - half, at + half]
    return Beliefs(
        tuple(float(expit(one[0])) for one in ends),  # type: ignore[arg-type]
        tuple(math.exp(one[1]) for one in ends),  # type: ignore[arg-type]
    )


def _errors(cost: Callable[[FloatArray], float], at: FloatArray) -> FloatArray:
    """Standard errors from the second derivatives, by central differences."""
    step, size = 1e-4, len(at)
    found = np.empty((size, size))
    eye = np.eye(size) * step
    for i in range(size):
        for j in range(size):
            corners = (cost(at + a * eye[i] + b * eye[j]) * a * b for a in (-1, 1) for b in (-1, 1))
            found[i, j] = math.fsum(corners) / (4 * step * step)
    try:
        diagonal = np.diag(np.linalg.inv(found))
    except np.linalg.LinAlgError:
        return np.full(size, np.nan)
    return np.sqrt(np.where(diagonal > 0, diagonal, np.nan))
