"""Simulated readers of one topic: when each of them sees what, and the effort spent by then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.judging.seen_together import TogetherName, drawn_visits
from berrypick.judging.topic import JudgedTopic
from berrypick.users.walks import Draws, Readers, Visit

#: Up to so many targets ranks are sorted by comparing rows, which is faster than sorting columns.
FEW_TARGETS = 16


@dataclass(frozen=True, eq=False)
class ReaderSessions:
    """Readers who go down the list of a judged topic. Nobody walks before it is asked what was seen."""

    judged: JudgedTopic
    draws: Draws
    #: Whether what readers spend is wanted too.
    with_effort: bool = False
    #: What readers see together: as the user model walks, or drawn from reach.
    together: TogetherName = "walk"

    @property
    def count(self) -> int:
        return self.draws.count

    @cached_property
    def _walked(self) -> tuple[Readers, FloatArray | None]:
        paying = self.with_effort and self.judged.effort_unit != "rank"
        return _walk(self.judged, self.draws, paying, self.together)

    @property
    def first(self) -> FloatArray:
        """targets x readers: the rank, from 1, at which a target is seen; infinite where it never is."""
        return self._walked[0].first

    @cached_property
    def ordered(self) -> FloatArray:
        """The ranks at which the first target is seen, the second, and so on."""
        return sorted_rows(self.first)

    @property
    def spent(self) -> FloatArray:
        """targets x readers: the effort at the end of the rank at which a target is seen; infinite where it never is.

        In the unit of the evaluation's effort; consulted results and browsing both cost effort.
        """
        spent = self._walked[1]
        return self.first if spent is None else spent

    @cached_property
    def level(self) -> IntArray:
        """The satisfaction level of each reader, among those of the topic."""
        weight = np.array([weight for weight, _, _ in self.judged.levels])
        if len(weight) == 1:
            return np.zeros(self.count, dtype=np.int64)
        bounds = np.cumsum(weight)
        found = np.searchsorted(bounds, self.draws.uniform("satisfaction") * bounds[-1], side="right")
        return np.minimum(found, len(weight) - 1)


def sorted_rows(values: FloatArray) -> FloatArray:
    """Each column sorted."""
    if len(values) > FEW_TARGETS:
        return np.sort(values, axis=0)
    found = values.copy()
    low = np.empty_like(found[0]) if len(found) else found
    for last in range(len(found) - 1, 0, -1):
        for i in range(last):
            np.minimum(found[i], found[i + 1], out=low)
            np.maximum(found[i], found[i + 1], out=found[i + 1])
            found[i] = low
    return found


def weighted_inverse(weight: FloatArray, values: FloatArray) -> FloatArray:
    """For each reader the sum of weight / value; nothing where the value is infinite."""
    found = np.zeros(values.shape[1])
    for one, row in zip(weight.tolist(), values, strict=True):
        if one:
            found += one / row
    return found


def _walk(
    judged: JudgedTopic, draws: Draws, with_effort: bool, together: TogetherName
) -> tuple[Readers, FloatArray | None]:
    unit = judged.effort_unit
    readers = Readers(draws, len(judged.targets), with_effort and unit != "clicks")
    user, context = judged.context.user, judged.context.reader
    purse = _Purse(judged, readers) if with_effort else None
    if together == "walk":
        visits = user.walk(judged.consulted, judged.targets, context, readers)
    else:
        visits = drawn_visits(judged.reach, judged.items.names_by_rank(), together, readers)
    for rank, here in groupby(visits, key=lambda visit: visit.rank):
        if purse is None:
            for visit in here:
                readers.see(visit)
            continue
        purse.arrive(rank)
        for visit in here:
            new = visit.seen & readers.unseen(visit.target)
            readers.see(visit)
            purse.pay(visit, new)
        purse.leave()
    return readers, None if purse is None else purse.spent


class _Purse:
    """What readers have spent, rank by rank."""

    def __init__(self, judged: JudgedTopic, readers: Readers) -> None:
        self.readers, self.clicks = readers, judged.effort_unit == "clicks"
        reach, effort = judged.reach, judged.effort
        self.before = np.concatenate([[0.0], np.cumsum(effort.ranks)])
        self.outside = dict(
            zip(zip(reach.rank.tolist(), reach.target.tolist(), strict=True), effort.outside.tolist(), strict=True)
        )
        self.total = np.zeros(readers.count)
        self.spent = np.full(readers.first.shape, np.inf)
        self.rank, self.done = 0, 0  # the present rank, and how many have been paid for
        self.own: FloatArray | None = None
        self.found: dict[int, BoolArray] = {}

    def arrive(self, rank: int) -> None:
        """Ranks at which no reader sees anything cost all readers the same."""
        self.total += self.before[rank] - self.before[self.done]
        self.rank, self.own, self.found = rank, None, {}

    def pay(self, visit: Visit, new: BoolArray) -> None:
        """For the pointer, where readers differ, and for the parts of targets outside of it."""
        own = visit.length if not self.clicks else visit.opened
        if own is not None:
            paid = own.astype(np.float64)
            self.own = paid if self.own is None else self.own + paid
        for x, who in zip(visit.target.tolist(), new, strict=True):
            cost = self.outside.get((visit.rank, x), 0.0)
            if cost:
                self.total += cost * who
            self.found[x] = self.found[x] | who if x in self.found else who

    def leave(self) -> None:
        same = self.before[self.rank + 1] - self.before[self.rank]
        self.total += same if self.own is None else self.own
        self.done = self.rank + 1
        for x, who in self.found.items():
            np.copyto(self.spent[x], self.total, where=who)
