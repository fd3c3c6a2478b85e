"""Two rankings of one topic: what a reader of both has seen, each result counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.reach import Reach
from berrypick.topics.topic import JudgedTopic
from berrypick.users.pairs import combined

#: Probabilities that differ by less are equal.
SAME = 1e-12
#: By name of a result, its occurrence, and the targets it leads to: its first rank.
Shown = dict[tuple[Hashable, int, tuple[tuple[int, float], ...]], int]
#: Results of lists for as long as they are compared with one list after the other.
_KEPT: WeakKeyDictionary[JudgedTopic, Shown | None] = WeakKeyDictionary()


def reach_of_both(one: JudgedTopic, other: JudgedTopic) -> Reach | None:
    """Reach of a reader who consults rank 1, 2 .. of both lists, each result once.

    Results with the same name and the same reach are one result; others are independent of each other, as the ranks of
    one list are. None where the user model lets a rank depend on earlier ones: then results have no reach of their own.
    """
    first: Shown = {}
    for judged in (one, other):
        if judged not in _KEPT:
            _KEPT[judged] = _results(judged)
        results = _KEPT[judged]
        if results is None:
            return None
        for key, rank in results.items():
            first[key] = min(rank, first.get(key, rank))
    targets = one.reach.targets
    seen: dict[tuple[int, int], float] = {}
    for (_, _, row), rank in first.items():
        for target, probability in row:
            before = seen.get((rank, target), 0.0)
            seen[rank, target] = before + (1.0 - before) * probability
    ranks = max(one.reach.ranks, other.reach.ranks)
    places = np.array(list(seen), dtype=np.int64).reshape(len(seen), 2)
    return Reach.from_entries(ranks, targets, places[:, 0], places[:, 1], list(seen.values()))


def _results(judged: JudgedTopic) -> Shown | None:
    """The results of a list that lead anywhere: pointers, or list items where their pointers depend on each other."""
    ranking = judged.consulted.fresh()
    if not len(ranking):
        return {}
    alone = judged.reach_of_pointers
    if _same(combined(ranking, alone.targets, alone.rank, alone.target, alone.probability), judged.reach):
        return _keyed(alone, ranking.rank, [ranking.name(row) for row in range(len(ranking))])
    items = judged.context.user.reach_alone(ranking, judged.targets, judged.context.reader)
    if not _same(items, judged.reach):
        return None
    names: list[tuple[str, ...]] = [()] * ranking.ranks
    for row, rank in enumerate(ranking.rank.tolist()):
        names[rank] += (ranking.name(row),)
    return _keyed(items, np.arange(ranking.ranks), names)


def _keyed(reach: Reach, rank: IntArray, names: list[str] | list[tuple[str, ...]]) -> Shown:
    """By name, number of its occurrence (a list may hold a result twice) and reach."""
    rows: dict[int, list[tuple[int, float]]] = {}
    for row, target, probability in zip(
        reach.rank.tolist(), reach.target.tolist(), reach.probability.tolist(), strict=True
    ):
        rows.setdefault(row, []).append((target, probability))
    times: Counter[Hashable] = Counter()
    found: Shown = {}
    for row, leads in rows.items():
        times[names[row]] += 1
        found[names[row], times[names[row]], tuple(leads)] = int(rank[row])
    return found


def _same(one: Reach, other: Reach) -> bool:
    places = np.array_equal(one.rank, other.rank) and np.array_equal(one.target, other.target)
    return places and bool((np.abs(one.probability - other.probability) <= SAME).all())
