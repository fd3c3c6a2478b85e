"""Tables that the explanations of several measures share: reach, the law of the number seen, scenarios."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.data.score import Table, number
from berrypick.kernels.poisson_binomial import number_seen
from berrypick.topics.topic import JudgedTopic

#: Longer tables are cut.
MOST_ROWS = 30
MOST_COLUMNS = 12
MOST_SCENARIOS = 12


def whole_recall(recall: Any, targets: int) -> int:
    """A recall value that a person gave to a function."""
    try:
        value = -1 if isinstance(recall, bool) else operator.index(recall)
    except TypeError:
        value = -1
    if not 1 <= value <= targets:
        raise UsageError(f"recall must be a whole number from 1 to the number of targets, {targets}, not {recall!r}")
    return value


def seen_by_rank(reach: Reach, weight: FloatArray) -> FloatArray:
    """The weight of the targets that are expected to have been seen, after each rank."""
    values = np.concatenate([[0.0], reach.seen @ weight])
    return values[np.searchsorted(reach.events, np.arange(1, reach.ranks + 1), side="right")]


def item_tables(judged: JudgedTopic) -> list[Table]:
    """How readers go through list items that hold several pointers, where these are considered in turn."""
    chances, ranking = judged.context.user.chances, judged.consulted.fresh()
    if chances is None or len(ranking) == len(np.unique(ranking.rank)):
        return []
    leads: dict[int, list[tuple[str, float]]] = {}
    single, targets = judged.reach_of_pointers, judged.targets.names()
    for row, x, p in zip(single.rank.tolist(), single.target.tolist(), single.probability.tolist(), strict=True):
        leads.setdefault(row, []).append((targets[x], p))
    rows = []
    for rank in np.flatnonzero(np.bincount(ranking.rank) > 1).tolist():
        pointers = np.flatnonzero(ranking.rank == rank).tolist()
        finds = [1.0 - math.prod(1.0 - p for _, p in leads.get(row, [])) for row in pointers]
        for row, chance in zip(pointers, chances.considered(finds), strict=True):
            to = ", ".join(f"{name} {number(p)}" for name, p in leads.get(row, [])[:MOST_COLUMNS])
            rows.append([str(rank + 1), ranking.name(row), number(chance), to or "-"])
    title = "Results with several pointers: share of readers who consider each, and where it leads"
    title += f" (the first {MOST_ROWS})" if len(rows) > MOST_ROWS else ""
    return [Table(title, ["rank", "pointer", "P(considered)", "leads to"], rows[:MOST_ROWS], align="><><")]


def reach_table(reach: Reach, names: Sequence[str], targets: Sequence[str]) -> Table:
    """Which rank leads to which target, and what has been seen since: P(k ~> x) and P(x seen after k)."""
    rows = []
    shown = range(min(reach.targets, MOST_COLUMNS))
    for event, k in enumerate(reach.events[:MOST_ROWS].tolist()):
        cells = []
        for x in shown:
            p, seen = reach.at_events[event, x], reach.seen[event, x]
            cells.append(f"{number(p)} -> {number(seen)}" if p else f"- -> {number(seen)}" if seen else "-")
        rows.append([f"{k} ({names[k - 1]})", *cells])
    title = "Targets reached from each rank: probability now -> probability of having seen it so far"
    return Table(_cut(title, reach), ["rank", *(targets[x] for x in shown)], rows)


def law_table(reach: Reach, names: Sequence[str], law: FloatArray | None = None) -> Table:
    """The law of F_k, the number of targets seen, after each rank at which anything is reached; by default exact."""
    law = number_seen(reach) if law is None else law
    shown = range(min(reach.targets + 1, MOST_COLUMNS))
    rows = [
        [f"{k} ({names[k - 1]})", *(number(float(law[event, f])) for f in shown)]
        for event, k in enumerate(reach.events[:MOST_ROWS].tolist())
    ]
    return Table(_cut("P(F = f): how many targets have been seen", reach), ["rank", *(f"f={f}" for f in shown)], rows)


def _cut(title: str, reach: Reach) -> str:
    left_out = []
    if len(reach.events) > MOST_ROWS:
        left_out.append(f"first {MOST_ROWS} of {len(reach.events)} ranks that reach anything")
    if reach.targets > MOST_COLUMNS:
        left_out.append(f"first {MOST_COLUMNS} columns")
    return title + (f" ({', '.join(left_out)})" if left_out else "")


@dataclass(frozen=True)
class Scenario:
    """When each target is discovered (None: never), and how likely that is."""

    found_at: tuple[int | None, ...]
    probability: float

    def rank_of(self, r: int) -> int | None:
        """The rank at which the r-th target is discovered."""
        ranks = sorted(rank for rank in self.found_at if rank is not None)
        return ranks[r - 1] if r <= len(ranks) else None

    def leading(self, last: int) -> int:
        """How many ranks up to ``last`` discover something."""
        return len({rank for rank in self.found_at if rank is not None and rank <= last})


def scenarios(reach: Reach) -> list[Scenario]:
    """Every way the targets can be discovered; none of them if they are too many to be shown."""
    choices: list[list[tuple[int | None, float]]] = []
    count = 1
    for x in range(reach.targets):
        options: list[tuple[int | None, float]] = []
        left = 1.0
        for event, k in enumerate(reach.events.tolist()):
            p = float(reach.at_events[event, x])
            if p * left > 0:
                options.append((k, left * p))
            left *= 1.0 - p
        if left > 0:
            options.append((None, left))
        choices.append(options)
        count *= len(options)
        if count > MOST_SCENARIOS:
            return []
    return [
        Scenario(tuple(k for k, _ in ways), math.prod((p for _, p in ways), start=1.0))
        for ways in itertools.product(*choices)
    ]


def scenario_tables(reach: Reach, names: Sequence[str], targets: Sequence[str]) -> list[Table]:
    """The table of scenarios as the papers print it: who is discovered where, and A/ML for each recall value."""
    found = scenarios(reach)
    rows = []
    for r in range(1, reach.targets + 1):
        ranks = [scenario.rank_of(r) for scenario in found]
        expected = sum(s.probability / k for s, k in zip(found, ranks, strict=True) if k is not None)
        rows.append(
            [f"A/ML, r={r}", *("0" if k is None else f"1/{k}" if k > 1 else "1" for k in ranks), number(expected)]
        )
    return _every_way(found, reach, names, targets, rows)


def consulted_tables(reach: Reach, names: Sequence[str], targets: Sequence[str]) -> list[Table]:
    """PRUM's table: ranks consulted (C) and consulted ranks that lead to something new (CL), for each recall value."""
    found = scenarios(reach)
    rows = []
    for r in range(1, reach.targets + 1):
        if any(scenario.rank_of(r) is None for scenario in found):
            continue  # the unranked part is needed: no whole numbers to show
        last = [scenario.rank_of(r) or 0 for scenario in found]
        leading = [scenario.leading(k) for scenario, k in zip(found, last, strict=True)]
        for name, values in ((f"CL({r})", leading), (f"C({r})", last)):
            expected = sum(s.probability * value for s, value in zip(found, values, strict=True))
            rows.append([name, *(str(value) for value in values), number(expected)])
    return _every_way(found, reach, names, targets, rows)


def _every_way(
    found: Sequence[Scenario], reach: Reach, names: Sequence[str], targets: Sequence[str], expected: list[list[str]]
) -> list[Table]:
    """The scenarios, what follows from them below; nothing where they are too many to be shown."""
    if not found or not reach.targets:
        return []
    rows = []
    for k in reach.events.tolist():
        cells = [",".join(targets[x] for x in range(reach.targets) if scenario.found_at[x] == k) for scenario in found]
        rows.append([f"{k} ({names[k - 1]})", *cells, ""])
    total = sum(scenario.probability for scenario in found)
    rows.append(["probability", *(number(scenario.probability) for scenario in found), number(total)])
    head = ["", *(f"#{i}" for i in range(1, len(found) + 1)), "E"]
    return [Table("All possible outcomes", head, [*rows, *expected])]
