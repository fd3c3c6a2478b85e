"""markov: the reader wanders, as recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.errors import InputError, option
from berrypick.data.navigation import Navigation, ReachTable, Sessions, TransitionCounts
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users.base import Leads, NavigationModel, ReaderContext, wrong_navigation
from berrypick.users.links._hitting import Chain
from berrypick.users.links._navigation import chain_leads, walk_chain
from berrypick.users.walks import Readers, Visits


@dataclass(frozen=True)
class Markov(NavigationModel):
    """The reader wanders from unit to unit and leaves at some point: an absorbing Markov chain.

    Reach is the probability of ever visiting the target before leaving. The chain comes from a table of transitions
    (from, to, probability; what is missing to 1 is leaving) or from recorded sessions (option navigation), where the
    probability of a step is its share of all continuations of that page, the end of a session being one; a step back
    counts as a step to the page before. ``berrypick fit markov`` smooths these shares towards links. Effort: the length
    of what is pointed to, and of the targets reached outside of it.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "kazai2007effort")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "3.2",
            "",
            "figure",
            "figure 2: steps between three elements, reached with .7 and .536",
            "berrypick evaluate TRUTH RUN -m EPRUM --user markov",
        ),
        cite.effort(
            "5.2",
            "",
            "definition",
            "trails of links as an absorbing chain",
            "berrypick evaluate TRUTH RUN -m EPRUM --user markov",
        ),
        cite.prum(
            "2.1",
            "",
            "figure",
            "figure 2: the same steps, together with .436 or .3752 if independent",
            "berrypick evaluate TRUTH RUN -m EPRUM --user markov",
        ),
    )
    learnt_from: ClassVar[str] = "sessions"
    navigation: ClassVar[tuple[type, ...]] = (ReachTable, Sessions)
    navigation_needed: ClassVar[str] = "a table of transitions (from, to, probability) or recorded sessions"

    #: What it moves along, made from units and steps: berrypick fit checks its reach by it.
    chain: ClassVar[type[Chain]] = Chain

    def leads(self, sources: list[str], targets: list[str], context: ReaderContext) -> Leads:
        return chain_leads(self._chain(context), sources, targets, None)

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A reader goes from page to page, then leaves."""
        return walk_chain(self._chain(context), ranking.fresh(), targets, readers)

    def _chain(self, context: ReaderContext) -> Chain:
        if not isinstance(context.navigation, (ReachTable, Sessions, TransitionCounts)):
            raise wrong_navigation(self, context)
        return chain_of(context.navigation)


@lru_cache(maxsize=4)
def chain_of(navigation: Navigation) -> Chain:
    if isinstance(navigation, (Sessions, TransitionCounts)):
        steps = navigation.shares()
    else:
        assert isinstance(navigation, ReachTable)
        steps = {pair: p for pair, p in navigation.rows.items() if p > 0}
        _check_sums(steps, navigation.source)
    number = {unit: i for i, unit in enumerate(navigation.units)}
    pairs = np.array([(number[a], number[b]) for a, b in steps], dtype=np.int64).reshape(-1, 2)
    return Chain(navigation.units, pairs[:, 0], pairs[:, 1], np.array(list(steps.values()), dtype=np.float64))


def _check_sums(steps: dict[tuple[str, str], float], source: str) -> None:
    sums: dict[str, float] = {}
    for (unit, _), probability in steps.items():
        sums[unit] = sums.get(unit, 0.0) + probability
    for unit, total in sums.items():
        if total > 1 + 1e-9:
            raise InputError(
                f"the transitions from {unit} sum to {total:.6g}, above 1",
                path=source or None,
                remedy=f"for a table of reach, whose rows may sum to anything, use {option('user', 'table')}",
            )
