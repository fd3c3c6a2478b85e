"""Ideal lists of items: greedy, all of a few pointers, and the best found of many with a bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.kernels.gain_law import are_equal
from berrypick.kernels.gain_steps import SAME, row_totals
from berrypick.kernels.greedy import _expected_least, _first_best, expected_inverse
from berrypick.kernels.item_lists import MOST_POINTERS, Gains, Numbers, best_lists
from berrypick.kernels.items import Item, ItemList, Items
from berrypick.kernels.list_problem import Found, Objective, Problem, Search
from berrypick.kernels.list_search import search, search_numbers
from berrypick.kernels.number_problem import NumberProblem
from berrypick.kernels.poisson_binomial import law, lower_tails, upper_tails
from berrypick.kernels.priced import Priced

#: Pointers of a document of which greedy tries all items; of more, each first one with the others by what they lead to.
MOST_ORDERED = 5
#: Changes of a list that are tried, and the places from which an item is moved.
MOST_MOVES = 300
MOST_PLACES = 8
#: Numbers of items with which a list is begun.
MOST_STARTS = 40
#: Items x targets that greedy looks at.
MOST_CELLS = 1 << 17


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
        starts = [[i for i in bound.order if i < len(items)], *alternating(items)]
        lists = [made(items, firsts) for firsts in starts for made in (realised, dealt)]
        lists += [singles(items), *([greedy[n]] if greedy else [])]
        best = problem.improved(max(lists, key=problem.score))
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
        found = np.inf if self.inverse else _by_sums(self.items, self.goal, self.wanted)
        most = self.items.most_reached(int(self.wanted), not self.inverse) if isinstance(self.goal, Numbers) else None
        if most is None:
            return found
        k = np.arange(1, len(most) + 1)
        if not self.inverse:
            return max(found, 1.0 + float((1.0 - most[: int(self.wanted) - 1]).sum()))
        return min(found, float((most / (k * (k + 1))).sum() + most[-1] / (len(most) + 1)))


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


def alternating(items: Items) -> list[list[int]]:
    """Pointers that may stand first in an item: those that lead to most, one of each document in turn, the larger
    documents first. For every number of them."""
    weight = row_totals(items.rows[:, items.wanted])
    queues = [sorted(pointers.tolist(), key=lambda i: -float(weight[i])) for pointers in items.documents]
    queues.sort(key=len, reverse=True)
    turns = itertools.zip_longest(*queues)
    order = [i for turn in turns for i in turn if i is not None]
    return [order[:count] for count in range(1, min(len(order), MOST_STARTS) + 1)]


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


# --- greedy ---------------------------------------------------------------------------------------------------------


def can_be_greedy(items: Items) -> bool:
    return _count(items) * items.targets <= MOST_CELLS


def _count(items: Items) -> int:
    return sum(
        sum(1 for length in range(1, n + 1) for _ in itertools.permutations(range(n), length))
        if n <= MOST_ORDERED
        else n * n
        for n in map(len, items.documents)
    )


def greedy_lists(items: Items, wanted: Sequence[int]) -> tuple[FloatArray, FloatArray, list[ItemList]]:
    """For each recall value: E[ML_r], E[A_r/ML_r] and the list of the items that add most to E[min(F, r)]; of equal
    ones that with the fewest pointers, then the first."""
    if not can_be_greedy(items):
        raise UsageError(
            f"ideal='greedy' tries {_count(items)} items for {items.targets} targets, which takes too long; "
            "ideal='certified' works for any number"
        )
    return _Greedy(items).lists(np.array(wanted, dtype=np.int64))


class _Greedy:
    def __init__(self, items: Items) -> None:
        made = [item for pointers in items.documents for item in _candidates(items, pointers.tolist())]
        self.items = sorted(made, key=lambda item: (len(item), item))
        self.rows = items.leads(self.items)
        self.holds = np.zeros((len(self.items), len(items)), dtype=bool)
        for n, item in enumerate(self.items):
            self.holds[n, list(item)] = True
        self.sure = (items.rows[:, items.wanted] == 1.0).any(axis=0)
        self.useful = np.asarray(self.rows.any(axis=1))

    def lists(self, wanted: IntArray) -> tuple[FloatArray, FloatArray, list[ItemList]]:
        length, inverse = np.full(len(wanted), np.nan), np.zeros(len(wanted))
        lists: list[ItemList] = [()] * len(wanted)
        work = [(_State(self.rows.shape[1], self.useful), np.arange(len(wanted)))]
        while work:
            state, which = work.pop()
            done = (wanted[which] <= state.certain.sum()) | (not state.left.any())
            for n in which[done].tolist():
                length[n], inverse[n] = self.values(state, int(wanted[n]))
                lists[n] = tuple(self.items[i] for i in state.chosen)
            which = which[~done]
            if not len(which):
                continue
            options = np.flatnonzero(state.left)
            rows = self.rows[options]
            laws = law(state.seen + (1.0 - state.seen) * rows, state.unseen * (1.0 - rows))
            choice = options[_first_best(_expected_least(laws, wanted[which]).T)]
            for item in np.unique(choice).tolist():
                work.append((self.appended(state, item), which[choice == item]))
        return length, inverse, lists

    def appended(self, state: _State, item: int) -> _State:
        row = self.rows[item]
        seen, unseen = state.seen + (1.0 - state.seen) * row, state.unseen * (1.0 - row)
        left = state.left & ~(self.holds & self.holds[item]).any(axis=1)  # a pointer occurs once
        mass = law(seen[None, :], unseen[None, :])[0]
        tails = (*state.below, lower_tails(mass)), (*state.reached, upper_tails(mass))
        return _State(len(seen), left, seen, unseen, state.certain | (row == 1.0), (*state.chosen, item), *tails)

    def values(self, state: _State, r: int) -> tuple[float, float]:
        value = expected_inverse([float(one[r]) for one in state.reached])
        length = 1.0 + sum(float(one[r]) for one in state.below) if state.certain.sum() >= r else np.inf
        if self.sure.sum() >= r:  # r targets that are surely reached need no more than r items
            length, value = min(length, float(r)), max(value, 1.0 / r)
        return (length if np.isfinite(length) else float("nan")), value


class _State:
    """A list of items: what has been seen after it, and P(F < r) and P(F >= r) at each of its ranks."""

    def __init__(
        self,
        targets: int,
        left: BoolArray,
        seen: FloatArray | None = None,
        unseen: FloatArray | None = None,
        certain: BoolArray | None = None,
        chosen: tuple[int, ...] = (),
        below: tuple[FloatArray, ...] = (),
        reached: tuple[FloatArray, ...] = (),
    ) -> None:
        self.left, self.chosen, self.below, self.reached = left, chosen, below, reached
        self.seen = np.zeros(targets) if seen is None else seen
        self.unseen = np.ones(targets) if unseen is None else unseen
        self.certain = np.zeros(targets, dtype=bool) if certain is None else certain


def _candidates(items: Items, pointers: list[int]) -> list[Item]:
    """Items of a document that greedy looks at."""
    if len(pointers) <= MOST_ORDERED:
        lengths = range(1, len(pointers) + 1)
        return [item for length in lengths for item in itertools.permutations(pointers, length)]
    weight = row_totals(items.rows[:, items.wanted])
    order = sorted(pointers, key=lambda i: -float(weight[i]))
    found = []
    for first in pointers:
        others = [i for i in order if i != first]
        found += [(first, *others[:more]) for more in range(len(pointers))]
    return found
