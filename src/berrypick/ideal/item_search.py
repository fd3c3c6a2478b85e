"""Ideal lists of items: all of a few pointers, and the best found of many with a bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.ideal.best_list import Found
from berrypick.ideal.gain_steps import SAME, row_totals
from berrypick.ideal.item_greedy import can_be_greedy, greedy_lists
from berrypick.ideal.item_lists import MOST_POINTERS, Gains, Numbers, best_lists
from berrypick.ideal.items import Item, ItemList, Items
from berrypick.ideal.list_problem import Problem, Search
from berrypick.ideal.list_search import search, search_numbers
from berrypick.ideal.number_problem import NumberProblem
from berrypick.ideal.priced import Priced
from berrypick.kernels.gain_law import are_equal
from berrypick.kernels.lists.ideal import Objective

#: Changes of a list that are tried, and the places from which an item is moved.
MOST_MOVES = 300
MOST_PLACES = 8
#: Numbers of items with which a list is begun.
MOST_STARTS = 40


@dataclass(frozen=True)
class FoundItems:
    """Lists of items; ``Found.order`` counts in ``items``."""

    items: tuple[Item, ...]
    found: tuple[Found, ...]

    @classmethod
    def of(cls, lists: Sequence[tuple[ItemList, float, float, bool]]) -> FoundItems:
        """Lists, each with its value, bound, and whether the search was ended by seconds."""
        number: dict[Item, int] = {}
        found = []
        for items, value, bound, stopped in lists:
            order = tuple(number.setdefault(item, len(number)) for item in items)
            found.append(Found(order, value, bound, stopped))
        return cls(tuple(number), tuple(found))


def search_items(
    items: Items, goal: Numbers | Gains, objective: Objective, limit: Search, extra: FloatArray | None = None
) -> FoundItems:
    """The best list of items for each thing wanted; ``extra``: rows that lists may hold besides, for their bound."""
    if isinstance(goal, Gains) and are_equal(goal.gains):  # a gain is a number of targets
        goal = Numbers(tuple(max(1, math.ceil(gain / float(goal.gains[0]) - 1e-12)) for gain in goal.wanted))
    if len(items) <= MOST_POINTERS and extra is None:
        return FoundItems.of([(one, value, value, False) for value, one in every_list(items, goal, objective)])
    relaxed = items.relaxed()
    bounds = _bounds(relaxed if extra is None else np.vstack([relaxed, extra]), goal, objective, limit)
    greedy = greedy_lists(items, goal.wanted)[2] if isinstance(goal, Numbers) and can_be_greedy(items) else None
    found = []
    for n, (wanted, bound) in enumerate(zip(goal.wanted, bounds, strict=True)):
        problem = _Wanted(items, goal, wanted, objective)
        needed = int(wanted) if isinstance(goal, Numbers) else items.targets
        starts = [[i for i in bound.order if i < len(items)], *beginnings(items, needed)]
        lists = [made(items, firsts) for firsts in starts for made in (realised, dealt)]
        lists += [singles(items), *([greedy[n]] if greedy else [])]
        best = max(map(problem.improved, sorted(lists, key=problem.score)[-3:]), key=problem.score)
        value, limited = problem.value(best), bound.bound
        if extra is None:
            limited = (max if objective == "length" else min)(limited, problem.bound())
        proved = abs(value - limited) <= 1e-11 * abs(value)
        found.append((best, value, value if proved else limited, bound.stopped))
    return FoundItems.of(found)


class _Wanted:
    """One recall value or gain: scores of lists of items, the larger the better."""

    def __init__(self, items: Items, goal: Numbers | Gains, wanted: float, objective: Objective) -> None:
        self.items, self.goal, self.wanted, self.inverse = items, goal, wanted, objective == "inverse"
        self._values: dict[ItemList, float] = {}

    def value(self, made: ItemList) -> float:
        if made not in self._values:
            self._values[made] = value_of(
                self.items, made, self.goal, self.wanted, "inverse" if self.inverse else "length"
            )
        return self._values[made]

    def score(self, made: ItemList) -> float:
        value = self.value(made)
        return -np.inf if np.isnan(value) else value if self.inverse else -value

    def improved(self, made: ItemList) -> ItemList:
        """A list changed as long as that helps: an item is moved, or a pointer that is not its first to the end of
        another item of the document."""
        moves = MOST_MOVES
        better = True
        while better and moves > 0:
            better = False
            for other in self._neighbours(made):
                moves -= 1
                if self.score(other) > self.score(made) + 1e-12 * abs(self.score(made)):
                    made, better = other, True
                    break
                if moves <= 0:
                    break
        return made

    def _neighbours(self, made: ItemList) -> Iterator[ItemList]:
        document = self.items.document
        for at, to in itertools.combinations(range(min(len(made), MOST_PLACES)), 2):
            yield (*made[:at], made[to], *made[at:to], *made[to + 1 :])
        for at, item in enumerate(made):
            for pointer, (to, other) in itertools.product(item[1:], enumerate(made)):
                changed = {at: tuple(i for i in item if i != pointer)}
                if to != at and document[other[0]] == document[pointer]:
                    yield _with(made, changed | {to: (*other, pointer)})
                elif to != at and len(other) == 1:  # takes the place of a pointer that goes to an item of its document
                    homes = (n for n, one in enumerate(made) if n != to and document[one[0]] == document[other[0]])
                    for home in itertools.islice(homes, 1):
                        yield _with(made, changed | {to: (pointer,), home: (*made[home], *other)})

    def bound(self) -> float:
        """What no list of items passes: by sums, and by what is known of the number seen."""
        if not isinstance(self.goal, Numbers):
            return np.inf if self.inverse else _by_sums(self.items, self.goal, self.wanted)
        if self.inverse:
            return self.items.most_inverse(int(self.wanted))
        return max(_by_sums(self.items, self.goal, self.wanted), self.items.least_length(int(self.wanted)))


def _with(made: ItemList, changed: Mapping[int, Item]) -> ItemList:
    """A list with some items changed."""
    return tuple(changed.get(n, item) for n, item in enumerate(made))


def _bounds(rows: FloatArray, goal: Numbers | Gains, objective: Objective, limit: Search) -> list[Found]:
    if isinstance(goal, Numbers):
        return search_numbers(rows, goal.wanted, objective, limit)
    return search(Priced.of_rows(rows), goal.gains, goal.wanted, objective, limit)


def _by_sums(items: Items, goal: Numbers | Gains, wanted: float) -> float:
    if isinstance(goal, Numbers):
        return float(items.sums(np.ones(items.targets))(np.array([wanted]))[0])
    need = np.array([wanted - SAME * float(goal.gains.sum())])
    return float(items.sums(np.minimum(goal.gains, wanted))(need)[0])


def every_list(items: Items, goal: Numbers | Gains, objective: Objective) -> list[tuple[float, ItemList]]:
    """By looking at every list of items."""
    if len(items) > MOST_POINTERS:
        raise too_many(len(items))
    return best_lists(items, goal, len(goal.wanted), objective)


def too_many(pointers: int) -> UsageError:
    return UsageError(
        f"ideal='exact' tries every list of items of at most {MOST_POINTERS} pointers, not {pointers}; "
        "ideal='certified' works for any number"
    )


def value_of(items: Items, made: ItemList, goal: Numbers | Gains, wanted: float, objective: Objective) -> float:
    """E[ML] or E[ce] of a list, nan where it does not surely suffice; or E[A/ML], E[1/ce]."""
    priced = Priced.of_rows(items.leads(made))
    if isinstance(goal, Numbers):
        problem: Problem = NumberProblem(priced, int(wanted), objective)
    else:
        problem = Problem.of_gain(priced, goal.gains, wanted, objective)
    score = problem.score_of(range(len(made)))
    return problem.value(score) if np.isfinite(score) else float("nan")


def realised(items: Items, firsts: Sequence[int]) -> ItemList:
    """Items that begin with some pointers; all others of a document follow in its first item, those that lead to most
    first."""
    order = np.argsort(-row_totals(items.rows[:, items.wanted]), kind="stable").tolist()
    begun = set(firsts)
    made: list[Item] = []
    taken: set[int] = set()
    for first in firsts:
        document = int(items.document[first])
        own = [i for i in order if int(items.document[i]) == document and i not in begun]
        made.append((first, *(own if document not in taken else ())))
        taken.add(document)
    return tuple(made)


def beginnings(items: Items, needed: int) -> list[list[int]]:
    """Pointers that may stand first in an item, for numbers of them up to what is needed: one of each document, the
    larger documents and what leads to most first; then further ones of each document in turn, or those of the last
    documents, so that the first ones keep all of theirs in one item."""
    weight = row_totals(items.rows[:, items.wanted])
    queues = [sorted(pointers.tolist(), key=lambda i: -float(weight[i])) for pointers in items.documents]
    queues.sort(key=len, reverse=True)
    in_turn = [i for turn in itertools.zip_longest(*queues) for i in turn if i is not None]
    from_the_end = [queue[0] for queue in queues] + [i for queue in queues[::-1] for i in queue[1:]]
    counts = sorted({*range(1, min(len(items), MOST_STARTS) + 1), min(len(items), needed)})
    return [order[:count] for order in (in_turn, from_the_end) for count in counts]


def dealt(items: Items, firsts: Sequence[int]) -> ItemList:
    """The same, the others one by one to all items of their document in turn."""
    made = [list(item) for item in realised(items, firsts)]
    spread: list[list[int]] = [item[:1] for item in made]
    for item in made:
        own = [n for n, first in enumerate(firsts) if items.document[first] == items.document[item[0]]]
        for turn, pointer in enumerate(item[1:]):
            spread[own[turn % len(own)]].append(pointer)
    return tuple(map(tuple, spread))


def singles(items: Items) -> ItemList:
    """Every pointer an item of its own, the sure ones first."""
    sure = (items.rows[:, items.wanted] == 1.0).any(axis=1)
    return tuple((i,) for i in [*np.flatnonzero(sure).tolist(), *np.flatnonzero(~sure).tolist()])
