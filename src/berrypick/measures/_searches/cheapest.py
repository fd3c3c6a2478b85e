"""The cheapest lists for the gains of a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.data.score import Table, number
from berrypick.ideal import searches
from berrypick.ideal.best_list import Found
from berrypick.ideal.gain_steps import distinct_thresholds
from berrypick.ideal.item_lists import Gains
from berrypick.ideal.item_search import too_many
from berrypick.ideal.list_problem import Search
from berrypick.ideal.priced import Priced
from berrypick.kernels.lists.ideal import MOST_CANDIDATES, Objective
from berrypick.topics.candidate_items import item_name
from berrypick.topics.effort import Effort
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class CheapestLists:
    """The best list found for each group of levels that the same sums of gains reach."""

    levels: tuple[float, ...]
    groups: Sequence[Sequence[int]]
    found: Sequence[Found]
    names: Sequence[str]
    candidates: int  # that lead anywhere
    with_run: bool  # results of the run are among the candidates

    @property
    def gap(self) -> float:
        return max(one.gap for one in self.found)

    @property
    def stopped(self) -> bool:
        return any(one.stopped for one in self.found)

    def values(self) -> FloatArray:
        """By level: the value of the list."""
        return self._by_level([one.value for one in self.found])

    def bounds(self) -> FloatArray:
        return self._by_level([one.bound for one in self.found])

    def _by_level(self, values: Sequence[float]) -> FloatArray:
        found = np.empty(len(self.levels))
        for group, value in zip(self.groups, values, strict=True):
            found[list(group)] = value
        return found

    def last_levels(self) -> list[float]:
        """Of each group, the level up to which its list is the one that is compared with."""
        return [max(self.levels[n] for n in group) for group in self.groups]

    def table(self) -> Table:
        rows = [
            [f"{level:g}", number(one.value, 6), number(one.bound, 6), number(one.gap, 4), ", ".join(self.listed(one))]
            for level, one in zip(self.last_levels(), self.found, strict=True)
        ]
        columns = ["up to level", "value", "bound", "gap", "list"]
        return Table("The ideal list for each gain", columns, rows, align=">>>><")

    def listed(self, one: Found) -> list[str]:
        """A list by names; results of the run have none as candidates."""
        known = len(self.names)
        return [self.names[i] if i < known else f"(a result of the run, {i - known + 1})" for i in one.order]


def cheapest_lists(
    judged: JudgedTopic,
    levels: tuple[float, ...],
    wanted: FloatArray,
    effort: Callable[[JudgedTopic], Effort],
    *,
    exact: bool,
    with_run: bool,
    limit: Search,
) -> CheapestLists:
    """For gains, one a level. ``with_run``: lists of the largest E[1/ce], which may hold results of the run; else those
    of the least E[ce]. ``effort`` is that of the candidates."""
    candidates, gains = judged.candidates, judged.targets.gain
    if exact and candidates.count > MOST_CANDIDATES:
        if candidates.pointers:
            raise too_many(candidates.count)
        raise UsageError(
            f"ideal='exact' tries every order of at most {MOST_CANDIDATES} candidates, not {candidates.count}; "
            "ideal='certified' works for any number"
        )
    events = judged.reach.events - 1 if with_run else np.zeros(0, dtype=np.int64)
    if with_run and candidates.pointers:
        events = events[np.isin(events, judged.no_items)]
    groups = distinct_thresholds(gains, wanted.tolist())
    searched = tuple(float(wanted[group[0]]) for group in groups)
    objective: Objective = "inverse" if with_run else "length"
    if candidates.items is not None:
        extra = judged.reach.dense()[events]
        made = searches.certified_items(candidates.items, Gains(gains, searched), objective, limit, extra)
        names = [item_name(candidates.names, item) for item in made.items]
        return CheapestLists(levels, groups, made.found, names, candidates.count, bool(len(events)))
    priced, added = _priced(candidates.reach, effort(judged)), False
    if with_run:
        priced, added = searches.with_priced_rows(priced, _priced(judged.reach, judged.effort).take(events))
    found = searches.cheapest(priced, gains, searched, objective, limit)
    return CheapestLists(levels, groups, found, candidates.names, candidates.count, added)


def _priced(reach: Reach, effort: Effort) -> Priced:
    outside = np.zeros((reach.ranks, reach.targets))
    outside[reach.rank, reach.target] = effort.outside
    return Priced(reach.dense(), effort.ranks, outside)
