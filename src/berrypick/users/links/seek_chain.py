"""The chain of a reader with a goal: which link is followed, and the probability of getting to the goal.

Each goal x has a chain of its own. At page i a reader who does not stop follows a link to j with a probability
proportional to exp(v(j)), where v(j) adds up what speaks for j given x; the goal is absorbing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.navigation import LinkTable

#: Turns after which the equations of a chain without a budget are solved by factors, and the most clicks that a
#: reader whose patience changes is followed without a budget.
MOST_TURNS, MOST_CLICKS = 2000, 10_000
#: What is left of readers, or of stopping, that no double notices.
NOTHING = 1e-17


class LinkGraph:
    """Pages and their links as arrays; a link given twice is one, and one of a page to itself is a link."""

    def __init__(self, links: LinkTable) -> None:
        self.units = links.units
        self.number = {unit: i for i, unit in enumerate(self.units)}
        pairs = np.array([(self.number[a], self.number[b]) for a, b in links.rows], dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        self.source, self.target = pairs[order, 0], pairs[order, 1]
        #: Where the links of each page begin; one more than there are pages.
        self.first = np.searchsorted(self.source, np.arange(len(self.units) + 1))
        self.log_in_degree = np.log(np.maximum(np.bincount(self.target, minlength=len(self.units)), 1))

    @cached_property
    def _into(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.target, kind="stable")
        first = np.searchsorted(self.target[order], np.arange(len(self.units) + 1))
        return self.source[order], first

    def linking_to(self, page: int) -> IntArray:
        """Return the pages with a link to a page."""
        source, first = self._into
        return source[first[page] : first[page + 1]]

    def links_of(self, page: int) -> IntArray:
        """Return the pages that a page links to."""
        return self.target[self.first[page] : self.first[page + 1]]

    def place(self, page: int, target: int) -> int:
        """Return where a link is among all links; -1 where there is none."""
        first, last = int(self.first[page]), int(self.first[page + 1])
        found = first + int(np.searchsorted(self.target[first:last], target))
        return found if found < last and self.target[found] == target else -1

    @cached_property
    def _begin(self) -> tuple[IntArray, IntArray]:
        """Return the pages with links, and where their links begin."""
        having = np.flatnonzero(np.diff(self.first))
        return having, self.first[having]

    def chances(self, value: FloatArray) -> FloatArray:
        """Return the probability of each link where pages attract by exp(value)."""
        if not len(self.target):
            return np.zeros(0)
        having, begin = self._begin
        count = np.diff(self.first)[having]
        wanted = value[self.target]
        wanted = np.exp(wanted - np.repeat(np.maximum.reduceat(wanted, begin), count))
        return np.asarray(wanted / np.repeat(np.add.reduceat(wanted, begin), count), dtype=np.float64)


@lru_cache(maxsize=4)
def link_graph(links: LinkTable) -> LinkGraph:
    """Return the arrays of a table of links, made once."""
    return LinkGraph(links)


@dataclass(frozen=True)
class Patience:
    """When readers stop: before click d + 1 with s(d), whose log-odds change by ``tiring`` with each click."""

    stop: float
    tiring: float
    budget: int | None

    def chance(self, clicks: FloatArray | IntArray) -> FloatArray:
        """Return s(d)."""
        clicks = np.asarray(clicks, dtype=np.float64)
        if self.stop in (0.0, 1.0):
            return np.full(clicks.shape, self.stop)
        odds = math.log(self.stop) - math.log1p(-self.stop) + self.tiring * clicks
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * odds)), dtype=np.float64)

    @cached_property
    def schedule(self) -> tuple[FloatArray, float | None]:
        """Return s(d) of the clicks that are followed one by one, and the constant one of all later clicks.

        The latter is None where no click follows: the budget is spent, or nobody is left.
        """
        if self.budget is not None:
            return self.chance(np.arange(self.budget)), None
        if self.tiring == 0 or self.stop in (0.0, 1.0):
            return np.zeros(0), self.stop
        chance = self.chance(np.arange(MOST_CLICKS))
        with np.errstate(divide="ignore"):
            left = np.cumsum(np.log1p(-chance)) < math.log(NOTHING)
        if left.any():
            return chance[: int(np.argmax(left)) + 1], None
        if chance[-1] < NOTHING:
            return chance[: int(np.argmax(chance < NOTHING))], 0.0
        raise UsageError(
            f"seek(stop={self.stop:g},tiring={self.tiring:g}) has readers left after {MOST_CLICKS} clicks whose "
            "patience still changes; limit the clicks, as in budget=100"
        )


def goal_reach(graph: LinkGraph, goal: int, chances: FloatArray, patience: Patience) -> FloatArray:
    """Return P(visit the goal) from every page, given the probabilities of links for this goal."""
    from scipy import sparse

    size = len(graph.units)
    step = sparse.csr_matrix((chances, graph.target, graph.first), shape=(size, size))
    each, later = patience.schedule
    found = np.zeros(size)
    found[goal] = 1.0
    if later is not None:
        found = _ever(step, goal, 1.0 - later)
    constant = patience.tiring == 0
    for chance in each[::-1].tolist():
        before, found = found, (1.0 - chance) * np.asarray(step @ found)
        found[goal] = 1.0
        if constant and bool((found <= before).all()):
            break  # from below, so that nothing changes any more
    return np.minimum(found, 1.0)


def _ever(step: Any, goal: int, going_on: float) -> FloatArray:
    """Solve h = going_on x step h, h(goal) = 1, for the least h of no negative value."""
    found = np.zeros(step.shape[0])
    found[goal] = 1.0
    for _ in range(MOST_TURNS):
        before, found = found, going_on * np.asarray(step @ found)
        found[goal] = 1.0
        if bool((found - before <= 1e-17 * found).all()):
            return found
    return _solved(step, goal, going_on)


def _solved(step: Any, goal: int, going_on: float) -> FloatArray:
    """Solve the equations among the pages from which the goal can be reached; there they have one solution."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    found = np.zeros(step.shape[0])
    found[goal] = 1.0
    inside = leading_to(step, goal)
    inside[goal] = False
    among = going_on * step[inside][:, inside]
    direct = going_on * np.asarray(step[inside][:, [goal]].todense()).ravel()
    solved = spsolve((sparse.eye(int(inside.sum()), format="csc") - among).tocsc(), direct)
    found[inside] = np.clip(np.atleast_1d(solved), 0.0, 1.0)
    return found


def leading_to(step: Any, goal: int) -> BoolArray:
    """Return the pages from which some route leads to the goal, itself included."""
    reached = np.zeros(step.shape[0], dtype=bool)
    reached[goal] = True
    fresh = reached
    while fresh.any():
        fresh = (step @ fresh > 0) & ~reached
        reached = reached | fresh
    return reached
