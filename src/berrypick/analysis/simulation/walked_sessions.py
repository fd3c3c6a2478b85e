"""Readers on their way down a list, visit by visit, and what they spend on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from berrypick.analysis.simulation.drawn_visits import drawn_visits
from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.seen_together import TogetherName
from berrypick.topics.topic import JudgedTopic
from berrypick.users.walks import Draws, Readers, Visit


@dataclass(frozen=True, eq=False)
class WalkedSessions(ReaderSessions):
    """Readers who walk, or are drawn from reach. Nobody walks before it is asked what was seen."""

    #: Whether what readers spend is wanted too.
    with_effort: bool = False
    #: What readers see together: as the user model walks, or drawn from reach.
    together: TogetherName = "walk"

    @cached_property
    def _walked(self) -> tuple[Readers, FloatArray | None]:
        paying = self.with_effort and self.judged.effort_unit != "rank"
        return _walk(self.judged, self.draws, paying, self.together)

    @property
    def first(self) -> FloatArray:
        return self._walked[0].first

    @property
    def spent(self) -> FloatArray:
        spent = self._walked[1]
        return self.first if spent is None else spent


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
