"""All sets of a few candidates: set number s holds candidate i where bit i of s is 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native
from berrypick.kernels.poisson_binomial import lower_tails, plain_law, upper_tails


def reached_of(seen: FloatArray, unseen: FloatArray, r: int) -> FloatArray:
    """P(F >= r) for each row."""
    return tails_of_rows(seen, unseen, r)[1]


def tails_of_rows(seen: FloatArray, unseen: FloatArray, r: int) -> tuple[FloatArray, FloatArray]:
    """P(F < r) and P(F >= r) for each row, with the same digits in both forms."""
    compiled = native()
    if compiled is None:
        return plain_tails_of_rows(seen, unseen, r)
    below, reached = np.empty((2, len(seen)))
    compiled.tails_of_rows(np.ascontiguousarray(seen), np.ascontiguousarray(unseen), r, below, reached)
    return below, reached


def plain_tails_of_rows(seen: FloatArray, unseen: FloatArray, r: int) -> tuple[FloatArray, FloatArray]:
    mass = np.pad(plain_law(seen, unseen), ((0, 0), (0, 1)))  # more than all targets are never seen
    r = min(r, mass.shape[1] - 1)
    return lower_tails(mass)[:, r], upper_tails(mass)[:, r]


def tails_of_sets(rows: FloatArray, r: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """P(F < r) and P(F >= r) of every set, and whether it surely shows r targets."""
    compiled = native()
    if compiled is None:
        return plain_tails_of_sets(rows, r)
    below, reached = np.empty((2, 1 << len(rows)))
    done = np.empty(1 << len(rows), dtype=np.uint8)
    compiled.tails_of_sets(rows, r, below, reached, done)
    return below, reached, done.view(np.bool_)


def plain_tails_of_sets(rows: FloatArray, r: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    count, targets = rows.shape
    seen, unseen = np.zeros((1 << count, targets)), np.ones((1 << count, targets))
    for i in range(count - 1, -1, -1):  # the order of the compiled form, hence its digits
        without, included = slice(None, None, 2 << i), slice(1 << i, None, 2 << i)
        seen[included] = seen[without] + (1.0 - seen[without]) * rows[i]
        unseen[included] = unseen[without] * (1.0 - rows[i])
    return *plain_tails_of_rows(seen, unseen, r), (unseen == 0.0).sum(axis=1) >= r


def best_order(score: FloatArray, best: FloatArray, done: BoolArray, count: int) -> IntArray:
    """The candidate to append to each set, -1 where its list ends; ``best``, what can still be scored, is updated."""
    compiled = native()
    if compiled is None:
        return plain_best_order(score, best, done, count)
    step = np.empty(1 << count, dtype=np.int64)
    compiled.best_order(score, best, step, done.view(np.uint8), count)
    return step


def plain_best_order(score: FloatArray, best: FloatArray, done: BoolArray, count: int) -> IntArray:
    return plain_steps(lambda smaller, larger: score[larger], best, done, count)


def plain_steps(
    score: Callable[[IntArray, IntArray], FloatArray], best: FloatArray, done: BoolArray, count: int
) -> IntArray:
    """``score``: of the steps from some sets to larger ones."""
    step = np.full(1 << count, -1)
    size = set_sizes(count)
    for n in range(count - 1, -1, -1):
        level = np.flatnonzero((size == n) & ~done)
        for i in range(count):
            smaller = level[(level >> i) & 1 == 0]
            larger = smaller | (1 << i)
            total = score(smaller, larger) + best[larger]
            better = total > best[smaller]
            best[smaller[better]], step[smaller[better]] = total[better], i
    return step


def set_sizes(count: int) -> IntArray:
    size = np.zeros(1 << count, dtype=np.int64)
    for i in range(count):
        size[1 << i : 2 << i] = size[: 1 << i] + 1
    return size


def order_of(step: IntArray) -> tuple[int, ...]:
    """The list that begins with nothing, where each set of candidates says which one follows; -1 if none does."""
    order: list[int] = []
    current = 0
    while step[current] >= 0:
        order.append(int(step[current]))
        current |= 1 << order[-1]
    return tuple(order)
