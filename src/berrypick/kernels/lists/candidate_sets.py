"""All sets of a few candidates: set number s holds candidate i where bit i of s is 1. And all their orders."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.kernels import native


def best_order(weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray) -> IntArray:
    """The candidate to append to each set, -1 where its list ends; ``best``, what a list that ends there scores,
    becomes what can still be scored. A step from a set scores -weight x (effort added), or weight x (1/effort lost)."""
    compiled = native()
    if compiled is None:
        return plain_best_order(weight, effort, inverse, best, done)
    step = np.empty(len(weight), dtype=np.int64)
    compiled.best_order(weight, effort, inverse, best, step, done.view(np.uint8), len(weight).bit_length() - 1)
    return step


def plain_best_order(
    weight: FloatArray, effort: FloatArray, inverse: bool, best: FloatArray, done: BoolArray
) -> IntArray:
    count = len(weight).bit_length() - 1
    step, size = np.full(1 << count, -1), np.zeros(1 << count, dtype=np.int64)
    for i in range(count):
        size[1 << i : 2 << i] = size[: 1 << i] + 1
    for n in range(count - 1, -1, -1):
        level = np.flatnonzero((size == n) & ~done)
        shares, spents = weight[level], effort[level]
        for i in range(count):
            without = np.flatnonzero((level >> i) & 1 == 0)
            smaller, share, spent = level[without], shares[without], spents[without]
            larger = smaller | (1 << i)
            after = effort.take(larger)
            if inverse and n:
                added = share * (after - spent) / (spent * after)
            else:  # nobody has anything before the first candidate
                added = np.zeros(len(share)) if inverse else -share * (after - spent)
            total = added + best.take(larger)
            better = np.flatnonzero(total > best.take(smaller))
            best[smaller[better]], step[smaller[better]] = total[better], i
    return step


def order_of(step: IntArray) -> tuple[int, ...]:
    """The list that begins with nothing, where each set of candidates says which one follows; -1 if none does."""
    order: list[int] = []
    current = 0
    while step[current] >= 0:
        order.append(int(step[current]))
        current |= 1 << order[-1]
    return tuple(order)
