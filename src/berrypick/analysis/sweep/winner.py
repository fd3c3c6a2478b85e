"""How far the winner of a sweep can be trusted: its expected optimism, and topics that no setting was chosen by.

The best of many settings is best on these topics partly by chance. The expected optimism is the mean over bootstrap
resamples of topics of the best setting's mean on the resample minus its mean on the topics left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.words import counted

#: Resamples of topics for the expected optimism; up to so many topics all of them.
RESAMPLES, ALL_UP_TO = 10_000, 5
_CELLS = 4_000_000  # settings x topics x resamples at once


def expected_optimism(values: FloatArray, higher_is_better: bool = True, seed: int = 0) -> float | None:
    """Return by how much the mean of the best setting exceeds what it has on other topics.

    Where smaller values are better it is negative: the value less the optimism is what to expect in both cases.

    Parameters
    ----------
    values : array
        settings x topics, nan where a value is undefined.
    higher_is_better : bool
        Whether the best setting has the largest mean.
    seed : int
        The seed of the resamples.

    Returns
    -------
    float or None
        None with fewer than two topics, or where no resample leaves out a topic with a value.
    """
    settings, topics = values.shape
    if topics < 2 or not settings:
        return None
    if settings == 1:
        return 0.0  # nothing is chosen
    random = np.random.default_rng([9, seed])
    defined = ~np.isnan(values)
    known = np.where(defined, values, 0.0)
    total, of = 0.0, 0
    at_once = max(1, _CELLS // (settings * topics))
    for drawn in _resamples(topics, at_once, random):
        places = drawn + topics * np.arange(len(drawn))[:, None]
        times = np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        inside = _means(times, known, defined)
        outside = _means((times == 0).astype(np.float64), known, defined)
        wanted = inside if higher_is_better else -inside
        rows = np.flatnonzero(~np.isnan(wanted).all(axis=1))
        best = np.nanargmax(wanted[rows], axis=1)
        gaps = inside[rows, best] - outside[rows, best]
        gaps = gaps[~np.isnan(gaps)]
        total, of = total + float(gaps.sum()), of + len(gaps)
    return total / of if of else None


def _resamples(topics: int, at_once: int, random: np.random.Generator) -> Iterator[IntArray]:
    """draws x topics, some draws at once: which topics are drawn."""
    if topics <= ALL_UP_TO:
        yield np.indices((topics,) * topics).reshape(topics, -1).T
        return
    for first in range(0, RESAMPLES, at_once):
        yield random.integers(0, topics, size=(min(at_once, RESAMPLES - first), topics))


def _means(weights: FloatArray, known: FloatArray, defined: BoolArray) -> FloatArray:
    """draws x settings: weighted means over defined values; nan where there are none."""
    sums, counts = weights @ known.T, weights @ defined.T.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(counts > 0, sums / counts, np.nan)
    return found


def split_topics(topics: Iterable[str], share: float) -> tuple[list[str], list[str]]:
    """Return the topics that settings are chosen by, and those that confirm the choice.

    A hash of its name decides about a topic, so the same topics confirm whatever others are added. An error unless both
    have at least two topics.
    """
    if not 0 < share < 1:
        raise UsageError(
            f"{option('confirm')} must be a share of the topics between 0 and 1, such as 0.3, not {share:g}"
        )
    chosen: list[str] = []
    kept: list[str] = []
    for topic in topics:
        (kept if _place(topic) < share else chosen).append(topic)
    if min(len(chosen), len(kept)) < 2:
        all_topics = counted(len(chosen) + len(kept), "topic")
        raise UsageError(
            f"{option('confirm', share)} leaves {len(chosen)} of {all_topics} to choose a setting by and {len(kept)} "
            "to confirm it; both need two: judge more topics, or give another share"
        )
    return chosen, kept


def _place(topic: str) -> float:
    """A number from 0 to 1 that follows from the name."""
    hashed = hashlib.blake2b(topic.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "big") / 2**64


def values_of(columns: Sequence[dict[str, float | None]]) -> FloatArray:
    """settings x topics, nan where a value is undefined or missing."""
    topics = sorted({topic for column in columns for topic in column})
    rows = [[np.nan if (value := column.get(topic)) is None else value for topic in topics] for column in columns]
    return np.array(rows, dtype=np.float64).reshape(len(columns), len(topics))
