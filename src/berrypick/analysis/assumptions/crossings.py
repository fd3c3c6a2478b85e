"""Where one of two runs takes over from the other along a range: changes of sign of the mean difference.

Between two neighbouring points of the grid with different signs the change is found by Brent's method, or by halving
where one of them is 0. A sign is that of a difference beyond rounding: 1, 0 or -1. Where the difference is 0 over a
stretch, the crossing is where the other run begins to win.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from berrypick.statistics.statistics import SAME

#: A difference that changes faster than this times the range leaps.
STEEPEST = 50.0
#: A difference as a function of a place between 0 and 1.
Difference = Callable[[float], float]


class Edge(NamedTuple):
    """A place where the sign changes: between the places before and after, which have these differences."""

    before: float
    after: float
    one: float
    other: float

    @property
    def place(self) -> float:
        return (self.before + self.after) / 2


class Crossing(NamedTuple):
    """A place where one run takes over from the other; ``jump``: not through 0."""

    place: float
    jump: bool


def sign(value: float) -> int:
    return int(value > SAME) - int(value < -SAME)


def edges(difference: Difference, places: Sequence[float], tolerance: float) -> list[Edge]:
    """Every change of sign between neighbouring places, in order."""
    found: list[Edge] = []
    for before, after in itertools.pairwise(places):
        found += _edges(difference, before, after, tolerance)
    return found


def _edges(difference: Difference, low: float, high: float, tolerance: float) -> list[Edge]:
    one, other = difference(low), difference(high)
    if sign(one) == sign(other):
        return []
    if high - low <= tolerance:
        return [Edge(low, high, one, other)]
    if sign(one) * sign(other) < 0:
        middle = _root(difference, low, high, tolerance)
        if sign(difference(middle)):  # the root lies within the tolerance of it
            low, high = max(low, middle - tolerance / 2), min(high, middle + tolerance / 2)
            one, other = difference(low), difference(high)
            if sign(one) and sign(other) and sign(one) != sign(other):
                return [Edge(low, high, one, other)]
            middle = (low + high) / 2
    else:
        middle = (low + high) / 2
    return _edges(difference, low, middle, tolerance) + _edges(difference, middle, high, tolerance)


def _root(difference: Difference, low: float, high: float, tolerance: float) -> float:
    from scipy.optimize import brentq

    def told(place: float) -> float:
        value = difference(place)
        return value if sign(value) else 0.0

    found: float = brentq(told, low, high, xtol=tolerance / 4, rtol=1e-15, maxiter=200)
    return found


def crossings(found: Sequence[Edge]) -> list[Crossing]:
    """The edges at which a run begins to win that did not win last."""
    kept: list[Crossing] = []
    last = 0
    for edge in found:
        last = last or sign(edge.one)
        new = sign(edge.other)
        if new and last and new != last:
            kept.append(Crossing(edge.place, jumps(edge)))
        last = new or last
    return kept


def jumps(edge: Edge) -> bool:
    """Whether the difference leaps: it changes by more between so near places than any slope of a measure would."""
    return abs(edge.one - edge.other) > STEEPEST * (edge.after - edge.before)
