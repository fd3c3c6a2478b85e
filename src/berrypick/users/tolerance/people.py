"""People with different tolerances to irrelevance, each with one for all visits (2004 paper, section 4).

What a person finds along a list changes at finitely many tolerances: those that just suffice to get over some gap. In
between, :func:`walks_of_people` is exact. Where a value also depends on how many units of tolerance some amount of
material has, which changes at amount/n for n = 1, 2 .., :meth:`People.mean` adds the steps up one by one as far as
they are few, and integrates over a smooth form of them beyond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.users.tolerance.visits import Entries, Gap, Spans, Tolerance, gaps, seen_before

#: Steps up to this number are added up one by one.
STEPS = 100_000
#: What quadrature beyond them may err by, as a share of the value.
ERROR = 1e-9
#: Standard deviations beyond which nobody is.
FAR = 10.0

Value = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class PeopleWalk:
    """What people with a tolerance above ``low`` and up to ``high`` do: targets found before each wasted unit."""

    low: float
    high: float
    found_before_unit: IntArray
    found: int


def walks_of_people(
    entries: Entries, lengths: dict[str, float], targets: Spans, reader: Tolerance
) -> Iterator[PeopleWalk]:
    """All walks along a list, from the least tolerance to the largest; the tolerance of ``reader`` is not read."""
    count = len(entries)
    found, wasted = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
    changes: list[tuple[float, int, int, bool]] = []
    rows: dict[str, list[int]] = {}
    for row, (document, entry, repeated) in enumerate(entries):
        if not repeated and entry < lengths.get(document, -math.inf):
            rows.setdefault(document, []).append(row)
    for document, own in rows.items():
        if document in targets:
            places = [entries[row][1] for row in own]
            visited = _Document(places, lengths[document], targets[document], reader)
            changes += [(low, own[i], *outcome) for low, i, outcome in visited.changes()]
    changes.sort()
    borders = sorted({0.0, *(low for low, _, _, _ in changes)})
    at = 0
    for low, high in zip(borders, [*borders[1:], math.inf], strict=True):
        while at < len(changes) and changes[at][0] == low:
            _, row, number, waste = changes[at]
            found[row], wasted[row] = number, waste
            at += 1
        so_far = np.cumsum(found)
        yield PeopleWalk(low, high, so_far[wasted], int(so_far[-1]) if count else 0)


class _Document:
    """Visits to one document in turn, as tolerance grows."""

    def __init__(
        self, entries: list[float], end: float, spans: list[tuple[float, float, int]], reader: Tolerance
    ) -> None:
        self.entries, self.end, self.spans, self.reader = entries, end, spans, reader
        self.bits = {x: 1 << i for i, (_, _, x) in enumerate(spans)}
        self._met: dict[tuple[int, int], list[Gap]] = {}

    def changes(self) -> Iterator[tuple[float, int, tuple[int, bool]]]:
        """(tolerance above which it holds, visit, (targets found, whether a unit is wasted)), of what changes."""
        count = len(self.entries)
        before: list[int] = [-1] * count  # the unseen targets before each visit, as bits
        after, needs = [0] * count, [math.inf] * count
        outcome: list[tuple[int, bool] | None] = [None] * count
        low = 0.0
        while low < math.inf:
            unseen = (1 << len(self.spans)) - 1
            for i in range(count):
                if before[i] != unseen or needs[i] <= low:
                    before[i] = unseen
                    new, after[i], needs[i] = self._visit(i, unseen, low)
                    if new != outcome[i]:
                        outcome[i] = new
                        yield low, i, new
                unseen = after[i]
            low = min(needs)

    def _visit(self, i: int, unseen: int, low: float) -> tuple[tuple[int, bool], int, float]:
        """What a visit gives people with just above ``low``, what is unseen then, and what the next gap needs."""
        key = (i, unseen)
        if key not in self._met:
            spans = [span for span in self.spans if self.bits[span[2]] & unseen]
            seen = () if self.reader.redundancy is None else seen_before(self.spans, spans)
            self._met[key] = list(gaps(self.entries[i], self.end, spans, self.reader, seen))
        number = 0
        for gap in self._met[key]:
            if gap.needs > low:
                return (number, True), unseen, gap.needs
            number += len(gap.found)
            for x in gap.found:
                unseen &= ~self.bits[x]
        return (number, False), unseen, math.inf


def _between(z: FloatArray) -> FloatArray:
    """The shares of a normal law between one deviation and the next; differences of small tails keep their digits."""
    from scipy.special import ndtr

    tail, above = ndtr(-np.abs(z)), z > 0
    a, b = tail[:-1], tail[1:]
    return np.asarray(np.where(above[:-1] == above[1:], np.abs(a - b), 1.0 - a - b))


@lru_cache(maxsize=1)
def _few_logarithms() -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(np.arange(STEPS + 2, dtype=np.float64))


def _logarithms(n: slice) -> FloatArray:
    """Of whole numbers; those that every topic needs are kept."""
    if n.stop <= STEPS + 2:
        return _few_logarithms()[n]
    return np.log(np.arange(n.start, n.stop, dtype=np.float64))


@dataclass(frozen=True)
class People:
    """Tolerances of people: log-normal, with a median and the standard deviation of the logarithm."""

    median: float
    spread: float

    def share(self, low: FloatArray | float, high: FloatArray | float) -> FloatArray:
        """Of people with a tolerance between two."""
        return _between(np.stack([self._deviations(low), self._deviations(high)]))[0]

    def _deviations(self, tolerance: FloatArray | float) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.asarray(tolerance, dtype=np.float64) / self.median) / self.spread)

    def mean(self, low: float, high: float, value: Value, amount: float, rounding: Literal["up", "down"]) -> float:
        """The sum over people between two tolerances of a value of the units in an amount, times their share.

        Units are amount/tolerance rounded up, or rounded down and at least 1. ``value`` takes whole numbers, and for
        quadrature fractions.
        """
        last = self.last_step(amount)
        border = amount / last if rounding == "up" else amount / (last + 1)
        total = 0.0
        if high > border:
            total += self._stepwise(max(low, border), high, value, amount, rounding, last)
        if low < border:
            total += self._smoothly(low, min(high, border), value, amount, 0.5 if rounding == "up" else -0.5)
        return total

    def last_step(self, amount: float) -> int:
        """The last step that counts exactly: 10^5, or all of them where nearly all people have few steps."""
        first, last = (amount / self._tolerance(z) for z in (FAR, -FAR - self.spread))
        return math.ceil(last) + 1 if last - first <= STEPS else STEPS

    def is_exact(self, amount: float) -> bool:
        """Whether nobody is beyond the last step."""
        return amount <= 0 or amount / self.last_step(amount) <= self._tolerance(-FAR - self.spread)

    def _tolerance(self, z: float) -> float:
        return self.median * math.exp(self.spread * z)

    def _stepwise(
        self, low: float, high: float, value: Value, amount: float, rounding: Literal["up", "down"], last: int
    ) -> float:
        whole = math.ceil if rounding == "up" else math.floor
        first, until = (max(1, whole(amount / tolerance)) for tolerance in (high, low))
        n = np.arange(first, min(until, last) + 1, dtype=np.float64)
        inner = slice(first, first + len(n) - 1) if rounding == "up" else slice(first + 1, first + len(n))
        ends = self._deviations(high), self._deviations(low)
        z = (math.log(amount / self.median) - _logarithms(inner)) / self.spread  # of amount/n
        z = np.concatenate([[ends[0]], np.clip(z, ends[1], ends[0]), [ends[1]]])
        return float((_between(z) * value(n)).sum())  # @ would add in the order of the machine's threads

    def _smoothly(self, low: float, high: float, value: Value, amount: float, half: float) -> float:
        """Gauss-Legendre over stretches on which the integrand hardly bends."""
        a = max(float(self._deviations(low)), -FAR - self.spread)
        b = min(float(self._deviations(high)), FAR)
        if b <= a:
            return 0.0
        width = 0.5 / max(1.0, self.spread)
        cuts = np.linspace(a, b, max(1, math.ceil((b - a) / width)) + 1)
        nodes, weights = np.polynomial.legendre.leggauss(16)
        middle, radius = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
        z = (middle[:, None] + radius[:, None] * nodes).ravel()
        density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (radius[:, None] * weights).ravel()
        return float((density * value(amount / (self.median * np.exp(self.spread * z)) + half)).sum())
