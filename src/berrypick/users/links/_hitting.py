"""Where a person who moves from page to page ends up: probabilities of ever visiting a page before leaving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native

#: Rows and columns of a matrix.
Places = tuple[IntArray, IntArray]
#: Up to so many pages the chain is inverted, once for all targets; beyond, columns of the inverse are iterated.
MOST_INVERTED = 2000
#: Targets whose columns are computed together, and the most numbers that are kept of all columns.
BLOCK, MOST_KEPT = 64, 1 << 25
#: Steps after which a chain that hardly ever ends is solved by factors instead.
MOST_STEPS = 1000


class Chain:
    """A chain that may stop at any page: row sums of the step probabilities are at most 1, the rest is leaving."""

    def __init__(self, units: Iterable[str], source: IntArray, target: IntArray, probability: FloatArray) -> None:
        from scipy import sparse

        self.units = tuple(units)
        self.number = {unit: i for i, unit in enumerate(self.units)}
        size = len(self.units)
        self.step = sparse.csr_matrix((probability, (source, target)), shape=(size, size))
        #: Columns of visits: the units that lead to a target, and with what probability.
        self._known: dict[tuple[int, int | None, float | None], tuple[IntArray, FloatArray]] = {}

    def visits(self, target: int, steps: int | None = None, trail: float | None = None) -> FloatArray:
        """P(ever at ``target``), or within a number of steps, from every unit; all routes counted, 1 from itself.

        With ``trail`` the number of steps is drawn, t with a probability that falls as t^-trail, t = 1 .. steps.
        """
        ((_, found),) = self.columns([target], steps, trail)
        return found

    def columns(
        self, targets: Sequence[int], steps: int | None = None, trail: float | None = None
    ) -> Iterator[tuple[int, FloatArray]]:
        """Each target with its column of visits, computed some at a time, and kept while there are not too many."""
        distinct = list(dict.fromkeys(targets))
        for i in range(0, len(distinct), BLOCK):
            block = distinct[i : i + BLOCK]
            if len(self._known) * len(self.units) > MOST_KEPT:
                self._known.clear()
            missing = [target for target in block if (target, steps, trail) not in self._known]
            if missing:
                self._make(missing, steps, trail)
            for target in block:
                units, probability = self._known[target, steps, trail]
                column = np.zeros(len(self.units))
                column[units] = probability
                yield target, column

    def _make(self, targets: list[int], steps: int | None, trail: float | None) -> None:
        """Columns that are not known yet."""
        inside = np.flatnonzero(self.leading_to(targets, steps))
        step = self.step[inside][:, inside]
        own = (np.searchsorted(inside, targets), np.arange(len(targets)))
        found = self._ever(targets, inside, step, own) if steps is None else _within(step, own, steps, trail)
        for target, column in zip(targets, found.T, strict=True):
            led = np.flatnonzero(column)
            units = inside if len(led) == len(inside) else inside[led]  # one array for all columns that are full
            self._known[target, steps, trail] = units, column[led]

    def leading_to(self, targets: Sequence[int], steps: int | None = None) -> BoolArray:
        """The units from which some route leads to one of the targets, within a number of steps; these included."""
        reached = np.zeros(len(self.units), dtype=bool)
        reached[list(targets)] = True
        fresh = reached
        while fresh.any() and (steps is None or steps > 0):
            fresh = (self.step @ fresh > 0) & ~reached
            reached |= fresh
            steps = None if steps is None else steps - 1
        return reached

    def _ever(self, targets: list[int], inside: IntArray, step: Any, own: Places) -> FloatArray:
        if len(self.units) <= MOST_INVERTED:
            return self._by_inverse(targets)[inside]
        found, settled = iterated(step, own)
        if not settled.all():
            slow = [target for target, early in zip(targets, settled, strict=True) if not early]
            found[:, ~settled] = self._by_inverse(slow)[inside]
        return found

    def _by_inverse(self, targets: list[int]) -> FloatArray:
        """Column j of the inverse of I - step over its j-th value, among the units from which the chain can end."""
        ending, solve = self._factors
        place = np.cumsum(ending) - 1
        found = np.zeros((len(self.units), len(targets)))
        for j, target in enumerate(targets):
            if not ending[target]:
                found[:, j] = self._by_equations(target)
                continue
            column = solve(int(place[target]))
            # the solution lies in [0, 1]; the last digit of the solver need not
            found[ending, j] = np.clip(column / column[place[target]], 0.0, 1.0)
            found[target, j] = 1.0
        return found

    @cached_property
    def _factors(self) -> tuple[BoolArray, Callable[[int], FloatArray]]:
        """Which units the chain can end from (elsewhere I - step has no inverse), and columns of the inverse there."""
        from scipy import sparse

        leaving = np.flatnonzero(np.asarray(self.step.sum(axis=1)).ravel() < 1 - 1e-9)
        ending = self.leading_to(leaving.tolist())
        rest = sparse.eye(int(ending.sum()), format="csc") - self.step[ending][:, ending].tocsc()
        if len(self.units) <= MOST_INVERTED:
            dense = rest.toarray().astype(np.float64)
            inverse = np.asarray(np.linalg.inv(dense) if ending.any() else dense, dtype=np.float64)
            return ending, lambda target: inverse[:, target]
        factors = sparse.linalg.splu(rest)
        return ending, lambda target: factors.solve(np.eye(1, rest.shape[0], target)[0])

    def _by_equations(self, target: int) -> FloatArray:
        """First-step equations on the units from which the target can be reached; there they have one solution."""
        from scipy.sparse import eye
        from scipy.sparse.linalg import spsolve

        hit = np.zeros(len(self.units))
        hit[target] = 1.0
        inside = self.leading_to([target])
        inside[target] = False
        if inside.any():
            among = self.step[inside][:, inside]
            direct = np.asarray(self.step[inside][:, [target]].todense()).ravel()
            solved = spsolve((eye(int(inside.sum()), format="csc") - among).tocsc(), direct)
            hit[inside] = np.clip(np.atleast_1d(solved), 0.0, 1.0)
        return hit


def _within(step: Any, own: Places, steps: int, trail: float | None) -> FloatArray:
    """Visits within some steps, for each place of ``own`` (the target and its column)."""
    weight = np.zeros(steps)
    weight[-1:] = 1.0
    if trail is not None:
        weight = np.arange(1, steps + 1, dtype=np.float64) ** -trail
        weight /= weight.sum()
    hit = np.zeros((step.shape[0], len(own[0])))
    hit[own] = 1.0
    found = np.zeros_like(hit)
    for share in weight.tolist():
        hit = np.asarray(step @ hit)
        hit[own] = 1.0
        if share:
            found += share * hit
    found[own] = 1.0
    return np.minimum(found, 1.0)


def iterated(step: Any, own: Places) -> tuple[FloatArray, BoolArray]:
    """The first-step equations from below, only sums of positive terms; and which columns have settled.

    ``own``: the page of each column's target, and the column.
    """
    module = native()
    if module is None:
        return plain_iterated(step, own)
    found, settled = np.empty((step.shape[0], len(own[0]))), np.empty(len(own[0]), dtype=np.uint8)
    first, to = step.indptr.astype(np.int64), step.indices.astype(np.int64)
    module.chain_visits(first, to, step.data, own[0].astype(np.int64), MOST_STEPS, found, settled)
    return found, settled.view(np.bool_)


def plain_iterated(step: Any, own: Places) -> tuple[FloatArray, BoolArray]:
    """The same, all rows anew in each step; where columns have settled, to the same bits."""
    hit = np.zeros((step.shape[0], len(own[0])))
    hit[own] = 1.0
    settled: BoolArray = np.zeros(len(own[0]), dtype=bool)
    for turn in range(1, MOST_STEPS + 1):
        before, hit = hit, np.asarray(step @ hit)
        hit[own] = 1.0
        if turn % 8 == 0:
            settled = np.all(hit - before <= 1e-16 * hit, axis=0)
            if settled.all():
                break
    return np.minimum(hit, 1.0), settled
