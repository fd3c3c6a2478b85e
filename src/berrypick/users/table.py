"""table: probabilities of reaching, as given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.navigation import ReachTable
from berrypick.data.truth import Targets
from berrypick.users.base import Leads, NavigationModel, ReaderContext, wrong_navigation


@dataclass(frozen=True)
class Table(NavigationModel):
    """The reader reaches one unit from another with the probability that a table gives (option navigation).

    A unit reaches itself with probability 1 unless the table says otherwise; what is not in the table is not reached.
    Effort: the length of what is pointed to, and of the targets reached outside of it.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "3.2",
            "",
            "definition",
            "chance of getting from a rank to an element, as given",
            "berrypick evaluate TRUTH RUN -m EPRUM --user table",
        ),
        cite.eprum(
            "4",
            "",
            "figure",
            "figure 3: chances of the key example",
            "berrypick evaluate TRUTH RUN -m EPRUM --user table",
        ),
        cite.effort(
            "5.1",
            "",
            "definition",
            "chance of getting from a rank to a component, over all routes",
            "berrypick evaluate TRUTH RUN -m EPRUM --user table",
        ),
    )
    navigation: ClassVar[tuple[type, ...]] = (ReachTable,)
    navigation_needed: ClassVar[str] = "a table of reach (from, to, probability)"
    reads_areas: ClassVar[bool] = True

    def leads(self, sources: list[str], targets: list[str], context: ReaderContext) -> Leads:
        if not isinstance(context.navigation, ReachTable):
            raise wrong_navigation(self, context)
        table = _by_source(context.navigation)
        number: dict[str, list[int]] = {}
        for j, target in enumerate(targets):
            number.setdefault(target, []).append(j)
        found = []
        for i, source in enumerate(sources):
            reached = {source: 1.0, **table.get(source, {})}
            found += [(i, j, p) for name, p in reached.items() if p for j in number.get(name, ())]
        source_, target_ = (np.array([entry[k] for entry in found], dtype=np.int64) for k in (0, 1))
        return source_, target_, np.array([p for _, _, p in found], dtype=np.float64)

    def no_walk(self) -> str:
        return "a table of reach has no joint probabilities"

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        if not isinstance(context.navigation, ReachTable):
            raise wrong_navigation(self, context)
        wanted = set(targets.names())
        return tuple(dict.fromkeys(a for (a, b), p in context.navigation.rows.items() if b in wanted and p > 0))


@lru_cache(maxsize=4)
def _by_source(table: ReachTable) -> dict[str, dict[str, float]]:
    leads: dict[str, dict[str, float]] = {}
    for (source, target), probability in table.rows.items():
        leads.setdefault(source, {})[target] = probability
    return leads
