"""Mean curves with bands: what lies behind the means of measures that have a curve, and how sure it is.

The mean curve is the one that the results hold: point by point over topics, where a curve by rank goes on at its last
value, and one by level counts as far as it is defined. The band around a point is the interval of that mean
(:mod:`berrypick.statistics.intervals`); topics are drawn anew for the whole curve at once, so a band is as smooth as
its curve. It holds point by point: of 100 points of a 95% band some 5 may lie outside it. Where all curves have the
same value, not 0 or 1, there is no band; where they begin at 0 because nothing has been read, it has no width.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.results import MeasureInfo, Results, Row
from berrypick.data.score import Curve, at_same_places
from berrypick.statistics import statistics
from berrypick.statistics.intervals import mean_intervals
from berrypick.statistics.topic_values import columns_alike

#: More points than this are not visible.
POINTS = 400
Bounds = tuple[float | None, ...]


@dataclass(frozen=True)
class Band:
    """The mean curve of one run under one measure, and the interval around each point.

    ``low`` and ``high`` are None where fewer than two topics have a value, or all the same one that is not 0 or 1;
    ``topics`` is how many have a curve.
    """

    run: str
    measure: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: Bounds
    high: Bounds
    topics: int
    axes: tuple[str, str] = ("", "")  # what x and y are


def bands(
    results: Results,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    points: int = POINTS,
    intervals: bool = True,
) -> list[Band]:
    """The mean curves of results, measure by measure, run by run; empty where no measure has a curve.

    The results come from ``evaluate(..., curves=True)``. A curve of more than ``points`` points keeps its corners.
    Without ``intervals`` there are only means, which takes no time.
    """
    statistics.check_draws(confidence, resamples, seed)
    curves: dict[tuple[str, str], list[Curve]] = {}
    for row in sorted(results.topic_rows, key=lambda row: row.topic):  # draws go by the names of topics
        if row.common is not None:
            curves.setdefault((row.measure, row.run), []).append(row.common)
    order = {measure: place for place, measure in enumerate(results.measures)}
    found = []
    for row in sorted(results.mean_rows, key=lambda row: order[row.measure]):
        if row.curve:
            own = curves.get((row.measure, row.run), [])
            band = _band(row, row.curve, own, confidence, resamples * intervals, seed, points)
            info = results.measure_info.get(row.measure, MeasureInfo(row.measure))
            found.append(replace(band, axes=info.curve_axes))
    return found


def _band(
    row: Row, mean: Curve, curves: Sequence[Curve], confidence: float, resamples: int, seed: int, points: int
) -> Band:
    x, y = _columns(mean)
    kept = corners(x, y, points)
    low: Bounds = (None,) * len(kept)
    high = low
    if resamples:
        values = _at(x[kept], curves, by_rank=isinstance(mean[0][0], int))
        low, high = _intervals(values, (x[kept] == 0) & (y[kept] == 0), confidence, resamples, seed)
    some = [mean[i] for i in kept.tolist()]
    return Band(
        row.run, row.measure, tuple(map(itemgetter(0), some)), tuple(map(itemgetter(1), some)), low, high, len(curves)
    )


def _columns(curve: Curve) -> tuple[FloatArray, FloatArray]:
    pairs = np.array(curve, dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _at(x: FloatArray, curves: Sequence[Curve], by_rank: bool) -> FloatArray:
    """topics x points: the value of each curve there; after its end the last one, or nan where levels end."""
    values = np.full((len(curves), len(x)), np.nan)
    same = at_same_places(curves)
    if same is not None and same[0]:  # as most are
        own, height = (np.array(column, dtype=np.float64) for column in same)
        places = np.minimum(np.searchsorted(own, x), len(own) - 1)
        known = own[places] == x
        if by_rank:
            values[:] = height[:, -1:]
        values[:, known] = height[:, places[known]]
        return values
    for topic, curve in enumerate(curves):
        if by_rank:
            values[topic] = curve[-1][1] if curve else 0.0
        if curve:
            own, heights = _columns(curve)
            places = np.minimum(np.searchsorted(own, x), len(own) - 1)
            known = own[places] == x
            values[topic, known] = heights[places[known]]
    return values


def _intervals(
    values: FloatArray, starts: BoolArray, confidence: float, resamples: int, seed: int
) -> tuple[Bounds, Bounds]:
    """One interval for each column, over the topics that have a value there; equal columns have the same. Columns where
    curves start from 0 have no width: no other topic would start elsewhere."""
    values, same = _different(values)
    low, high = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    for columns, topics in columns_alike(~np.isnan(values)):
        low[columns], high[columns], _ = mean_intervals(
            values[np.ix_(topics, columns)], confidence=confidence, resamples=resamples, seed=seed
        )
    ends = (np.where(starts, 0.0, bound[same]) for bound in (low, high))
    lows, highs = (tuple(statistics.known(bound)) for bound in ends)
    return lows, highs


def _different(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """The columns that differ, and which of them each column is: curves stay level for many points."""
    number: dict[bytes, int] = {}
    same = np.array([number.setdefault(column.tobytes(), len(number)) for column in values.T], dtype=np.int64)
    first = np.unique(same, return_index=True)[1]
    return values[:, first], same


def corners(x: FloatArray, y: FloatArray, most: int = POINTS) -> IntArray:
    """The rows of at most ``most`` points between which straight lines come nearest to the curve.

    From the straight line between the ends on, the point that is farthest off its line is added, one after the other.
    """
    if len(x) <= most:
        return np.arange(len(x))
    kept = {0, len(x) - 1}
    rounding = 1e-9 * float(np.ptp(y))
    waiting = [_farthest(x, y, 0, len(x) - 1)]
    while waiting and len(kept) < most:
        off, first, middle, last = heapq.heappop(waiting)
        if -off <= rounding:
            break
        kept.add(middle)
        for left, right in ((first, middle), (middle, last)):
            if right - left > 1:
                heapq.heappush(waiting, _farthest(x, y, left, right))
    return np.array(sorted(kept))


def _farthest(x: FloatArray, y: FloatArray, first: int, last: int) -> tuple[float, int, int, int]:
    """How far the farthest point between two is off their line, as a negative number; first, that point, last."""
    inside = slice(first + 1, last)
    line = y[first] + (y[last] - y[first]) * (x[inside] - x[first]) / (x[last] - x[first])
    off = np.abs(y[inside] - line)
    middle = int(off.argmax())
    return -float(off[middle]), first, first + 1 + middle, last
