"""The best list for a gain, where candidates cost different effort, with a bound that no list can pass.

Two objectives: the least E[ce], the expected effort until the gain is reached, and the largest E[1/ce]. With the effort
C_k of the first k candidates and P_k = P(gain reached after them)::

    ce_k     = C_k + sum_x paid_kx / max(seen_kx, P_k)         paid: what browsing to target x has cost its readers
    E[ce]    = sum_k (P_k - P_{k-1}) ce_k                      where the gain is surely reached in the end
    E[1/ce]  = sum_k (P_k - P_{k-1}) / ce_k

Without browsing, what has been seen and spent depends on which candidates were consulted, not on their order, so sets
are searched: exactly where they can be listed, else best first with the bounds of :mod:`budget_bounds`. With browsing,
all orders of a few candidates are tried. For more, no list reaches the gain for less than a floor, whatever it browses
to, so max(C_k, floor) takes the place of ce_k in the bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import certified, native
from berrypick.kernels.candidate_sets import order_of, plain_steps
from berrypick.kernels.certified import MOST_CELLS, MOST_LISTED, Found, Objective, Search
from berrypick.kernels.effort_problem import Priced, Problem, Walk
from berrypick.kernels.effort_search import best_first
from berrypick.kernels.gain_law import are_equal

#: Candidates of which all orders are tried where browsing costs effort.
MOST_ORDERED = 8


def search(
    candidates: Priced, gains: FloatArray, wanted: Sequence[float], objective: Objective, limit: Search
) -> list[Found]:
    """The best list for each gain wanted."""
    useful = np.flatnonzero((candidates.rows > 0).any(axis=1))
    priced = candidates.take(useful)
    found = []
    if len(useful) and not priced.browses and are_equal(gains) and are_equal(priced.effort):
        return _by_number(candidates.rows, float(priced.effort[0]), gains, wanted, objective, limit)
    for gain in wanted:
        one = _search(Problem(priced, gains, gain, objective), limit, len(wanted))
        found.append(replace(one, order=tuple(int(useful[i]) for i in one.order)))
    return found


def _by_number(
    rows: FloatArray, effort: float, gains: FloatArray, wanted: Sequence[float], objective: Objective, limit: Search
) -> list[Found]:
    """Equal gains and efforts: a gain is a number of targets, and effort a number of ranks."""
    numbers = [max(1, math.ceil(gain / float(gains[0]) - 1e-12)) for gain in wanted]
    scale = effort if objective == "length" else 1.0 / effort
    found = certified.search(rows, numbers, objective, limit)
    return [replace(one, value=one.value * scale, bound=one.bound * scale) for one in found]


def _search(problem: Problem, limit: Search, problems: int) -> Found:
    count = len(problem.priced.rows)
    if problem.objective == "length" and not problem.certain:
        return Found((), float("nan"), float("nan"))
    if not count or problem.most == 0.0:
        return Found((), 0.0, 0.0)
    if problem.priced.browses and count <= MOST_ORDERED:
        return all_orders(problem)
    states = int(problem.upper.states.sum()) + 1
    if count <= MOST_LISTED and (1 << count) * max(len(problem.gains), states * problems >> 5) <= MOST_CELLS:
        return all_sets(problem)
    return best_first(problem, limit, problems)


def all_orders(problem: Problem) -> Found:
    """All orders of all sets."""
    walk = Walk(problem, 1)
    best: tuple[int, ...] = ()
    score = -np.inf
    for orders, parent in orders_of(len(problem.priced.rows)):
        walk = walk.take(parent)
        walk.append(orders[:, -1])
        finished = walk.finished()
        n = int(np.argmax(finished))
        if finished[n] > score:
            best, score = tuple(orders[n].tolist()), float(finished[n])
    value = problem.value(score)
    return Found(problem.cut(best) if problem.certain else best, value, value)


def all_sets(problem: Problem) -> Found:
    """All sets, by dynamic programming from the largest to the smallest."""
    count, inverse = len(problem.priced.rows), problem.objective == "inverse"
    below, reached, done = problem.upper.of_sets(problem.priced.rows)
    effort = np.zeros(1 << count)
    for i in range(count):
        effort[1 << i : 2 << i] = effort[: 1 << i] + problem.priced.effort[i]
    effort[1:] = np.maximum(effort[1:], problem.floor)
    if inverse:
        weight, best = reached, np.divide(reached, effort, out=np.zeros_like(reached), where=effort > 0)
        done = np.zeros_like(done)
    else:
        weight, best = np.where(done, 0.0, below), np.where(done, 0.0, -np.inf)
    order = order_of(cheapest_order(weight, effort, inverse, best, done))
    bound = problem.value(float(best[0]))
    if not problem.priced.browses and problem.upper is problem.lower:
        return Found(order, bound, bound)
    return problem.settled(*problem.changed(problem.beginning([order, *problem.starts()])), float(best[0]))


@lru_cache(maxsize=4)
def orders_of(count: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """All orders of 1, 2, ... of so many candidates, each with the place of the order that it extends."""
    found = []
    orders = np.zeros((1, 0), dtype=np.int64)
    for _ in range(count):
        free = np.ones((len(orders), count), dtype=bool)
        np.put_along_axis(free, orders, False, axis=1)
        parent, which = np.nonzero(free)
        orders = np.hstack([orders[parent], which[:, None]])
        found.append((orders, parent))
    return tuple(found)


def cheapest_order(
    weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray
) -> IntArray:
    """The candidate to append to each set, -1 where its list ends; ``best``, what a list that ends there scores,
    becomes what can still be scored. A step from a set scores -weight x (effort added), or weight x (1/effort lost)."""
    compiled = native()
    if compiled is None:
        return plain_cheapest_order(weight, effort, inverse, best, done)
    step = np.empty(len(weight), dtype=np.int64)
    compiled.cheapest_order(weight, effort, inverse, best, step, done.view(np.uint8), len(weight).bit_length() - 1)
    return step


def plain_cheapest_order(
    weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray
) -> IntArray:
    def score(smaller: IntArray, larger: IntArray) -> FloatArray:
        more, share = effort[larger] - effort[smaller], weight[smaller]
        if not inverse:
            return -share * more
        product = effort[smaller] * effort[larger]
        return np.divide(share * more, product, out=np.zeros_like(share), where=share > 0)

    return plain_steps(score, best, done, len(weight).bit_length() - 1)
