"""table: probabilities of reaching, as given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.navigation import ReachTable
from berrypick.core.truth import Targets
from berrypick.users._base import World
from berrypick.users._moving import _Moving, wrong_navigation


@dataclass(frozen=True)
class Table(_Moving):
    """The reader reaches one unit from another with the probability that a table gives (--navigation FILE).

    A unit reaches itself with probability 1 unless the table says otherwise; what is not in the table is not reached.
    Effort: the expected length of everything reached.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum",)
    navigation: ClassVar[tuple[type, ...]] = (ReachTable,)
    navigation_needed: ClassVar[str] = "a table of reach (from, to, probability)"

    def between(self, sources: list[str], targets: list[str], world: World) -> FloatArray:
        if not isinstance(world.navigation, ReachTable):
            raise wrong_navigation(self, world)
        leads = _by_source(world.navigation)
        number: dict[str, list[int]] = {}
        for j, target in enumerate(targets):
            number.setdefault(target, []).append(j)
        found = np.zeros((len(sources), len(targets)))
        for i, source in enumerate(sources):
            found[i, number.get(source, [])] = 1.0
            for target, probability in leads.get(source, ()):
                found[i, number.get(target, [])] = probability
        return found

    def other_units(self, targets: Targets, world: World) -> tuple[str, ...]:
        if not isinstance(world.navigation, ReachTable):
            raise wrong_navigation(self, world)
        wanted = set(targets.names())
        return tuple(dict.fromkeys(a for (a, b), p in world.navigation.rows.items() if b in wanted and p > 0))


@lru_cache(maxsize=4)
def _by_source(table: ReachTable) -> dict[str, list[tuple[str, float]]]:
    leads: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in table.rows.items():
        leads.setdefault(source, []).append((target, probability))
    return leads
