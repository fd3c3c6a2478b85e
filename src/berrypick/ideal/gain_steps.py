"""P(gain >= threshold) for one threshold, target after target.

Where gains are equal the threshold is a number of targets, and the law of the number seen has it. Otherwise, of the
sums of gains only those count that decide: a sum that has the threshold already is *reached*, one that cannot get there
with all targets to come is *missed*. What lies between is told apart as long as the distinct sums are few; else gains
are rounded to a grid, up or down, which gives a bound on each side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.poisson_binomial import plain_law

#: States that follow from an earlier one without being looked at further.
REACHED, MISSED = -1, -2
#: Distinct sums before a target that are told apart, and cells of the grid where there are more.
MOST_STATES = 2048
CELLS = 1024
#: Sums closer than this share of the total are one.
SAME = 1e-12

Side = Literal["exact", "up", "down"]


class GainLaw(ABC):
    """The law of the gain of the targets seen: whether it has a threshold."""

    gains: FloatArray
    wanted: float

    @property
    @abstractmethod
    def compiled(self) -> Any:
        """The same for the compiled kernels."""

    @abstractmethod
    def plain_walk(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """P(gain < threshold), P(gain >= threshold) and E[min(gain, threshold)], for each row."""

    def tails(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(gain < threshold) and P(gain >= threshold), for each row, with the same digits in both forms."""
        return self._walk(seen, unseen)[:2]

    def expected(self, seen: FloatArray, unseen: FloatArray) -> FloatArray:
        """E[min(gain, threshold)], for each row, of the gains as they are counted."""
        return self._walk(seen, unseen)[2]

    def _walk(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        if native() is None:
            return self.plain_walk(seen, unseen)
        below, reached, expected = np.empty((3, len(seen)))
        self.compiled.walk(np.ascontiguousarray(seen), np.ascontiguousarray(unseen), below, reached, expected)
        return below, reached, expected

    def are_sure(self, unseen: FloatArray) -> BoolArray:
        """Whether what is surely seen has the gain, for each row."""
        return row_totals(np.where(unseen == 0.0, self.gains, 0.0)) >= self.wanted

    def of_sets(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """P(gain < threshold), P(gain >= threshold) and whether it is surely reached, for every set of the rows; set
        number s holds row i where bit i of s is 1."""
        if native() is None:
            return self.plain_of_sets(rows)
        sets = 1 << len(rows)
        below, reached, done = np.empty(sets), np.empty(sets), np.empty(sets, dtype=np.uint8)
        self.compiled.of_sets(np.ascontiguousarray(rows), below, reached, done)
        return below, reached, done.view(np.bool_)

    def plain_of_sets(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        targets = rows.shape[1]
        seen, unseen = np.zeros((1, targets)), np.ones((1, targets))
        for row in rows[::-1]:  # without it and with it, the last row first as in the compiled form
            seen = np.stack([seen, seen + (1.0 - seen) * row], axis=1).reshape(-1, targets)
            unseen = np.stack([unseen, unseen * (1.0 - row)], axis=1).reshape(-1, targets)
        return *self.plain_walk(seen, unseen)[:2], self.are_sure(unseen)


class NumberLaw(GainLaw):
    """The law of the number of targets seen, whether it is ``wanted`` or more: each gain is 1."""

    def __init__(self, targets: int, wanted: int) -> None:
        self.gains, self.wanted = np.ones(targets), wanted

    @cached_property
    def compiled(self) -> Any:
        module = native()
        assert module is not None
        return module.GainLaw(len(self.gains), int(self.wanted))

    def plain_walk(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        mass, r = plain_law(seen, unseen), int(self.wanted)
        few = mass[:, :r]
        reached = row_totals(mass[:, r:][:, ::-1])
        return row_totals(few), reached, row_totals(few * np.arange(few.shape[1])) + r * reached


@dataclass(frozen=True)
class GainSteps(GainLaw):
    """States before each target, and to which state before the next one each leads.

    Targets are in the order ``order``, by decreasing gain, so that sums decide early. ``sums`` are those of the
    states. ``side`` says whether gains were rounded.
    """

    gains: FloatArray
    counted: FloatArray  # the gains as they are counted
    wanted: float
    order: IntArray
    sums: tuple[FloatArray, ...]
    stay: tuple[IntArray, ...]
    move: tuple[IntArray, ...]
    side: Side = "exact"

    @property
    def states(self) -> IntArray:
        return np.array([len(one) for one in self.sums], dtype=np.int64)

    @cached_property
    def compiled(self) -> Any:
        parts = [np.concatenate([np.zeros(0, dtype=one[0].dtype), *one]) for one in (self.stay, self.move, self.sums)]
        module = native()
        assert module is not None
        return module.GainLaw(self.order, self.states, *parts, self.counted, self.gains, self.wanted)

    def plain_walk(self, seen: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        rows = len(seen)
        below, reached, expected = np.zeros((3, rows))
        mass = np.ones((rows, 1))
        later = row_totals(seen[:, self.order] * self.counted[self.order])  # what the targets to come add on average
        steps = zip(self.order.tolist(), self.sums, self.sums[1:], self.stay, self.move, strict=False)
        for x, sums, following, stay, move in steps:
            after = np.zeros((rows, len(following)))
            later = later - seen[:, x] * self.counted[x]
            for to, share, gain in ((stay, unseen[:, x, None], 0.0), (move, seen[:, x, None], self.counted[x])):
                part = mass * share
                kept, missed = to >= 0, to == MISSED
                after[:, to[kept]] += part[:, kept]  # different sums stay different
                reached = row_totals(part[:, to == REACHED], reached)
                below = row_totals(part[:, missed], below)
                expected = row_totals(part[:, missed] * (sums[missed] + gain + later[:, None]), expected)
            mass = after
        return below, reached, expected + reached * self.wanted


def row_totals(values: FloatArray, start: FloatArray | float = 0.0) -> FloatArray:
    """The sum of each row, added to ``start`` from left to right: compiled kernels give the same digits."""
    if not values.shape[1]:
        return np.broadcast_to(start, len(values)).astype(np.float64)
    values = values.copy()
    values[:, 0] += start
    return np.asarray(np.add.accumulate(values, axis=1)[:, -1])


def gain_steps(gains: FloatArray, wanted: float) -> tuple[GainSteps, GainSteps]:
    """For a threshold above 0: a law that is not below the true one, and one that is not above; the same where sums
    are few enough."""
    exact = _steps(gains, gains, wanted, "exact")
    if exact is not None:
        return exact, exact
    unit = float(gains.sum()) / CELLS
    sides: list[tuple[FloatArray, Side]] = [
        (np.ceil(gains / unit - 1e-9), "up"),
        (np.floor(gains / unit + 1e-9), "down"),
    ]
    found = [_steps(gains, rounded * unit, wanted, side) for rounded, side in sides]
    assert found[0] is not None and found[1] is not None
    return found[0], found[1]


def _steps(gains: FloatArray, counted: FloatArray, wanted: float, side: Side) -> GainSteps | None:
    order = np.argsort(-counted, kind="stable")
    total = float(counted.sum())
    left = np.concatenate([np.cumsum(counted[order][::-1])[::-1], [0.0]])  # what the targets from here on can add
    sums, stay, move = [np.zeros(1)], [], []
    near = SAME * total
    for n, x in enumerate(order.tolist()):
        here = sums[-1]
        moved = here + counted[x]
        both = np.concatenate([here, moved])
        to = np.full(len(both), MISSED)
        to[both + left[n + 1] >= wanted - near] = 0
        to[len(here) :][moved >= wanted - near] = REACHED
        kept = np.flatnonzero(to == 0)
        ranked = kept[np.argsort(both[kept], kind="stable")]
        heads = np.concatenate([np.ones(min(len(ranked), 1), dtype=bool), np.diff(both[ranked]) > near])
        to[ranked] = np.cumsum(heads) - 1
        if side == "exact" and int(heads.sum()) > MOST_STATES:
            return None
        sums.append(both[ranked[heads]])
        stay.append(to[: len(here)])
        move.append(to[len(here) :])
    return GainSteps(gains, counted, wanted, order, tuple(sums), tuple(stay), tuple(move), side)


def distinct_thresholds(gains: FloatArray, wanted: Sequence[float]) -> list[list[int]]:
    """Groups of thresholds, in their order, that the same sums of gains reach; each alone where sums are too many."""
    sums = np.zeros(1)
    near = SAME * float(gains.sum())
    for gain in np.sort(gains).tolist():
        both = np.sort(np.concatenate([sums, sums + gain]))
        sums = both[np.concatenate([[True], np.diff(both) > near])]
        if len(sums) > 1 << 16:
            return [[n] for n in range(len(wanted))]
    places = np.searchsorted(sums, np.asarray(wanted) - near)
    groups: dict[int, list[int]] = {}
    for n, place in enumerate(places.tolist()):
        groups.setdefault(place, []).append(n)
    return list(groups.values())
