"""Intervals of numbers about runs and topics: topics drawn with replacement, alone and together with the runs.

Over topics, an interval says how much a number depends on these questions with these systems. Over both, what other
systems of the same kind could have given. Runs are drawn as if they were independent of each other; rankers over units
of one size are alike, so that these intervals are too narrow rather than too wide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from berrypick.data.results import Results
from berrypick.statistics.rank_correlation import kendall_tau, tau_ap

#: A number from a table of topics x runs x sides; None where it is undefined.
Statistic = Callable[[np.ndarray], "float | None"]
RESAMPLES, SEED = 1000, 2006


def table(*sides: tuple[Results, str]) -> np.ndarray:
    """topics x runs x sides: the values of measures in results of the same runs and topics, nan where undefined."""
    first = sides[0][0]
    values = [results.per_topic() for results, _ in sides]
    return np.array(
        [
            [
                [by_run[run][measure][topic] for by_run, (_, measure) in zip(values, sides, strict=True)]
                for run in first.runs
            ]
            for topic in first.topics
        ],
        dtype=np.float64,
    )


def intervals(values: np.ndarray, statistic: Statistic, resamples: int = RESAMPLES) -> list[tuple[float, float] | None]:
    """95% percentile intervals: over topics, and over topics and runs; None where no draw defines the number."""
    topics, runs = values.shape[:2]
    random = np.random.default_rng(SEED)
    found = []
    for both in (False, True):
        draws = []
        for _ in range(resamples):
            some = values[random.integers(0, topics, topics)]
            draws.append(statistic(some[:, random.integers(0, runs, runs)] if both else some))
        known = [one for one in draws if one is not None]
        ends = np.quantile(known, [0.025, 0.975]) if known else None
        found.append(None if ends is None else (float(ends[0]), float(ends[1])))
    return found


def line(values: np.ndarray, statistic: Statistic, resamples: int = RESAMPLES) -> str:
    """A number with both intervals. Resampling adds noise of its own, so that an interval is widened to its number."""
    value = statistic(values)
    if value is None:
        return f"{'undefined':<45}"
    shown = [
        "undefined".center(16) if ends is None else f"[{min(ends[0], value):6.3f}, {max(ends[1], value):6.3f}]"
        for ends in intervals(values, statistic, resamples)
    ]
    return f"{value:6.3f}   {'   '.join(shown)}"


def tau(values: np.ndarray) -> float | None:
    """Kendall's tau of the rankings by mean; a run that is drawn twice is not compared with itself."""
    return _known(kendall_tau(*_means(values)))


def top_tau(values: np.ndarray) -> float | None:
    """tau_AP of the same rankings, the first as the reference."""
    return _known(tau_ap(*_means(values)))


def _means(values: np.ndarray) -> list[np.ndarray]:
    means = np.nanmean(values, axis=0)
    return [means[None, :, 0], means[None, :, 1]]


def _known(found: np.ndarray) -> float | None:
    return None if np.isnan(found[0]) else float(found[0])
