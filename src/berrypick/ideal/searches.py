"""Searches for the best lists, kept for other runs on the same topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.reach import Reach
from berrypick.ideal import item_search, list_search
from berrypick.ideal.best_list import Found
from berrypick.ideal.item_lists import Gains, Numbers
from berrypick.ideal.item_search import FoundItems
from berrypick.ideal.items import Items
from berrypick.ideal.list_problem import Search
from berrypick.ideal.priced import Priced
from berrypick.kernels import in_use
from berrypick.kernels.item_chain import Chances
from berrypick.kernels.lists.ideal import ByContent, Ideal, Objective, content, others


def searched(candidates: Reach, wanted: Sequence[int], objective: Objective, limit: Search) -> Ideal:
    """The best lists found for some recall values, each with its gap; nothing is said about other recall values.

    With the objective inverse there is a bound on E[A_r/ML_r] of all lists, which the lists come within the gap of.
    """
    return of_found(certified(candidates, tuple(wanted), objective, limit), wanted, candidates.targets, objective)


def of_found(found: Sequence[Found], wanted: Sequence[int], targets: int, objective: Objective) -> Ideal:
    """Ideal lists for some recall values, as a search found them."""
    length, inverse, gap = np.full((3, targets), np.nan)
    lists: list[tuple[int, ...]] = [()] * targets
    for r, one in zip(wanted, found, strict=True):
        gap[r - 1], lists[r - 1] = one.gap, one.order
        if objective == "length":
            length[r - 1] = one.value
        else:
            inverse[r - 1] = one.bound
    return Ideal(length, inverse, lists, gap, any(one.stopped for one in found))


def with_priced_rows(candidates: Priced, ranks: Priced) -> tuple[Priced, bool]:
    """The same where rows have efforts."""
    other = others(*(np.hstack([one.rows, one.effort[:, None], one.outside]) for one in (candidates, ranks)))
    if not len(other):
        return candidates, False
    parts = ((getattr(candidates, name), getattr(ranks, name)[other]) for name in ("rows", "effort", "outside"))
    return Priced(*map(np.concatenate, parts)), True


def certified(candidates: Reach, wanted: tuple[int, ...], objective: Objective, limit: Search) -> tuple[Found, ...]:
    """The search, kept for other runs on the same topic."""
    return _certified(content(candidates), wanted, objective, limit, in_use())


@lru_cache(maxsize=256)
def _certified(
    kept: ByContent[Reach], wanted: tuple[int, ...], objective: Objective, limit: Search, kernels: str
) -> tuple[Found, ...]:
    return tuple(list_search.search_numbers(kept.value.dense(), wanted, objective, limit))


def cheapest(
    candidates: Priced, gains: FloatArray, wanted: tuple[float, ...], objective: Objective, limit: Search
) -> tuple[Found, ...]:
    """The same for gains, where candidates cost different effort."""
    kept = ByContent((candidates, gains), candidates.rows, candidates.effort, candidates.outside, gains)
    return _cheapest(kept, wanted, objective, limit, in_use())


@lru_cache(maxsize=256)
def _cheapest(
    kept: ByContent[tuple[Priced, FloatArray]],
    wanted: tuple[float, ...],
    objective: Objective,
    limit: Search,
    kernels: str,
) -> tuple[Found, ...]:
    return tuple(list_search.search(*kept.value, wanted, objective, limit))


def certified_items(
    items: Items, goal: Numbers | Gains, objective: Objective, limit: Search, extra: FloatArray
) -> FoundItems:
    """The same for lists of items; ``extra``: rows that lists may hold besides, for the bound alone."""
    gains = goal.gains if isinstance(goal, Gains) else np.zeros(0)
    arrays = items.rows, items.document, items.wanted.astype(np.int64), gains, extra
    kept = ByContent((items, goal, extra), *arrays)
    return _certified_items(kept, items.chances, goal.wanted, objective, limit, in_use())


@lru_cache(maxsize=256)
def _certified_items(
    kept: ByContent[tuple[Items, Numbers | Gains, FloatArray]],
    chances: Chances,
    wanted: tuple[float, ...],
    objective: Objective,
    limit: Search,
    kernels: str,
) -> FoundItems:
    items, goal, extra = kept.value
    return item_search.search_items(items, goal, objective, limit, extra if len(extra) else None)
