"""The chance that a reader has seen enough: every target of some set, or some target of every hop.

Targets are seen independently. Sets that share no target are independent too; in others a target of several sets is
taken as seen, and as not seen, until they share none. Every sum has positive terms only, of the chance and of its
complement, so that small values of both keep their digits. Hops are sets of targets that are all unseen, turned round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from berrypick.data.arrays import FloatArray

Kind = Literal["set", "hop"]
Group = frozenset[int]
Chance = tuple[FloatArray, FloatArray]
#: Targets in several sets that are conditioned on, in sets that hang together; with more, readers are drawn.
MOST_SHARED = 20
#: Readers that are drawn then.
READERS = 20_000


def enough_chance(groups: Sequence[Sequence[int]], kind: Kind, seen: FloatArray, unseen: FloatArray) -> Chance:
    """Compute the chance that it is enough, and that it is not, for each row of ``seen`` (rows x targets).

    ``unseen`` is the complement of ``seen``, with digits of its own. A ValueError: sets share too many targets.
    """
    sets = _minimal(map(frozenset, groups))
    if most_shared(sets) > MOST_SHARED:
        raise ValueError(f"more than {MOST_SHARED} targets are shared by connected sets")
    if kind == "set":
        return _Conditioned(seen, unseen).some(sets)
    enough_not, enough = _Conditioned(unseen, seen).some(sets)
    return enough, enough_not


def most_shared(groups: Iterable[Iterable[int]]) -> int:
    """Count the targets in several groups, of those groups that hang together by most of them."""
    sets = _minimal(map(frozenset, groups))
    counts = (Counter(x for one in part for x in one) for part in _parts(sets))
    return max((sum(count > 1 for count in found.values()) for found in counts), default=0)


class _Conditioned:
    """Chances under what is already known of some targets, each computed once."""

    def __init__(self, seen: FloatArray, unseen: FloatArray) -> None:
        self._seen, self._unseen = seen.T, unseen.T
        self._ones, self._none = np.ones(len(seen)), np.zeros(len(seen))
        self._known: dict[frozenset[Group], Chance] = {}

    def some(self, sets: frozenset[Group]) -> Chance:
        """That some set is complete, and that none is."""
        if not sets:
            return self._none, self._ones
        if frozenset() in sets:
            return self._ones, self._none
        chance, none = self._none, self._ones
        for part in _parts(sets):
            here, not_here = self._part(part)
            chance, none = chance + none * here, none * not_here
        return chance, none

    def _part(self, sets: frozenset[Group]) -> Chance:
        if len(sets) == 1:
            return self._complete(next(iter(sets)))
        if sets not in self._known:
            counts = Counter(x for one in sets for x in one)
            x = min(counts, key=lambda target: (-counts[target], target))
            seen = self.some(_minimal(one - {x} for one in sets))
            unseen = self.some(frozenset(one for one in sets if x not in one))
            s, u = self._seen[x], self._unseen[x]
            self._known[sets] = (s * seen[0] + u * unseen[0], s * seen[1] + u * unseen[1])
        return self._known[sets]

    def _complete(self, one: Group) -> Chance:
        chance, lacking = self._ones, self._none
        for x in sorted(one):
            lacking = lacking + chance * self._unseen[x]  # all before it are seen, and it is not
            chance = chance * self._seen[x]
        return chance, lacking


def _minimal(groups: Iterable[Group]) -> frozenset[Group]:
    """Without groups that hold another one: who has them has that one too."""
    kept: list[Group] = []
    for one in sorted(set(groups), key=len):
        if not any(smaller <= one for smaller in kept):
            kept.append(one)
    return frozenset(kept)


def _parts(groups: Iterable[Group]) -> list[frozenset[Group]]:
    """Groups that hang together by shared targets."""
    parts: list[tuple[set[int], set[Group]]] = []
    for one in sorted(groups, key=sorted):
        touching = [part for part in parts if not part[0].isdisjoint(one)]
        targets, members = set(one), {one}
        for part in touching:
            targets |= part[0]
            members |= part[1]
        parts = [part for part in parts if part not in touching] + [(targets, members)]
    return [frozenset(members) for _, members in parts]


def complete_at(groups: Sequence[Sequence[int]], kind: Kind, ranks: FloatArray) -> FloatArray:
    """Tell when it is enough, from when each target is found (targets x ..); infinite where it never is."""
    each = [ranks[list(group)] for group in groups]
    if kind == "set":
        return np.asarray(np.min([found.max(axis=0) for found in each], axis=0), dtype=np.float64)
    return np.asarray(np.max([found.min(axis=0) for found in each], axis=0), dtype=np.float64)


def drawn_chance(groups: Sequence[Sequence[int]], kind: Kind, seen: FloatArray) -> FloatArray:
    """Estimate the chance for each row of ``seen``, whose rows do not fall, with readers drawn by a fixed seed."""
    rows, targets = seen.shape
    draws = np.random.default_rng(0).random((targets, READERS))
    first = np.stack([np.searchsorted(seen[:, x], draws[x], side="right") for x in range(targets)]).astype(np.float64)
    when = complete_at(groups, kind, first).astype(np.int64)  # the first row that holds enough
    return np.asarray(np.cumsum(np.bincount(when, minlength=rows + 1)[:rows]) / READERS, dtype=np.float64)


def drawn_error(chance: FloatArray) -> FloatArray:
    """The standard error of an estimated chance."""
    return np.sqrt(chance * (1 - chance) / READERS)


def mean_inverse(events: FloatArray, chance: FloatArray) -> float:
    """E[1/rank] of the rank at which it is enough, 0 if never: sum_{k<N} P_k/(k(k+1)) + P_N/N, in positive terms."""
    if not len(events):
        return 0.0
    later = np.append(events[1:], np.inf)
    return float(np.sum(chance * (1.0 / events - 1.0 / later)))


def fewest(groups: Sequence[Sequence[int]], kind: Kind) -> int:
    """Count the targets that are enough, at least: those of a smallest set, or the fewest with one in every hop."""
    if kind == "set":
        return min(len(set(group)) for group in groups)
    total = 0
    for part in _parts(_minimal(map(frozenset, groups))):
        hops = sorted(part, key=sorted)
        held = {x: frozenset(i for i, hop in enumerate(hops) if x in hop) for hop in hops for x in hop}
        total += _fewest_covering(frozenset(range(len(hops))), set(held.values()), {})
    return total


def _fewest_covering(left: frozenset[int], given: set[frozenset[int]], known: dict[frozenset[int], int]) -> int:
    """The fewest of the given sets of hops that have all that are left."""
    if not left:
        return 0
    if left not in known:
        useful = {one & left for one in given if one & left}
        best = [one for one in useful if not any(one < other for other in useful)]
        first = min(left, key=lambda hop: sum(hop in one for one in best))
        known[left] = 1 + min(_fewest_covering(left - one, given, known) for one in best if first in one)
    return known[left]
