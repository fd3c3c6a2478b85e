"""What the models that move between named units share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.errors import UsageError, option
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.kernels.hitting import Chain
from berrypick.users._pairs import combined
from berrypick.users.base import ReaderContext, UserModel


@dataclass(frozen=True)
class NavigationModel(UserModel):
    """A reader who goes from unit to unit, units being known by their names."""

    def between(self, sources: list[str], targets: list[str], context: ReaderContext) -> FloatArray:
        """P(source ~> target), sources x targets."""
        raise NotImplementedError

    def units(self, context: ReaderContext) -> tuple[str, ...]:
        """All units that the reader may get to or come from."""
        return context.navigation.units if context.navigation is not None else ()

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        names = [ranking.name(row) for row in range(len(ranking))]
        distinct = list(dict.fromkeys(names))
        number = {name: i for i, name in enumerate(distinct)}
        table = self.between(distinct, targets.names(), context)
        rows = np.array([number[name] for name in names], dtype=np.int64)
        block = table[rows].reshape(len(names), len(targets))
        row, target = np.nonzero(block)
        return combined(ranking, len(targets), row, target, block[row, target])

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        units = self.units(context)
        leads = np.flatnonzero(self.between(list(units), targets.names(), context).any(axis=1))
        return tuple(units[i] for i in leads.tolist())


def chain_between(
    chain: Chain, sources: list[str], targets: list[str], steps: int | None, trail: float | None = None
) -> FloatArray:
    """P(ever visiting target from source, or within some steps); a unit always visits itself."""
    found = np.zeros((len(sources), len(targets)))
    inside = [(i, chain.number[name]) for i, name in enumerate(sources) if name in chain.number]
    rows = np.array([i for i, _ in inside], dtype=np.int64)
    states = np.array([state for _, state in inside], dtype=np.int64)
    for j, target in enumerate(targets):
        if target in chain.number and len(rows):
            found[rows, j] = chain.visits(chain.number[target], steps, trail)[states]
    columns: dict[str, list[int]] = {}
    for j, target in enumerate(targets):
        columns.setdefault(target, []).append(j)
    for i, source in enumerate(sources):
        found[i, columns.get(source, [])] = 1.0
    return found


def wrong_navigation(model: UserModel, context: ReaderContext) -> UsageError:
    needed = f"user model {model.name()} needs {model.navigation_needed}, given with {option('navigation')}"
    if context.navigation is None:
        return UsageError(needed)
    kind = {"ReachTable": "a table of probabilities", "LinkTable": "a table of links", "Sessions": "recorded sessions"}
    return UsageError(f"{needed}; {context.navigation.source} holds {kind[type(context.navigation).__name__]}")
