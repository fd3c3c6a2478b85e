"""Compact letter display: values that a test does not tell apart share a letter.

"Not told apart" is not transitive: a may not differ from b, nor b from c, and a from c all the same. So one letter per
value is not enough. Every letter stands for a set of values none of which differ (a clique of the graph of pairs that
are not told apart), and every such pair has a letter in common (Piepho, "An Algorithm for a Letter-Based
Representation of All-Pairwise Comparisons", Journal of Computational and Graphical Statistics 13, 2004).

Piepho's insertions can double the number of sets at every step. Here a set is grown from each pair that has no letter
in common yet, so that there are never more letters than pairs; sets that others make unnecessary are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from string import ascii_letters

from berrypick.data.arrays import BoolArray


def letters(different: BoolArray) -> list[tuple[str, ...]]:
    """The letters of each value; ``different`` is a symmetric matrix, and values come best first.

    Two values share a letter if and only if they are not different.

    >>> import numpy as np
    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = different[2, 0] = True
    >>> letters(different)
    [('a',), ('a', 'b'), ('b',)]
    """
    count = len(different)
    alike = [{j for j in range(count) if j != i and not different[i, j]} for i in range(count)]
    sets: list[set[int]] = []
    for i, j in combinations(range(count), 2):
        if j in alike[i] and not any({i, j} <= one for one in sets):
            sets.append(_grown({i, j}, alike))
    sets = _needed(sets)
    sets += [{i} for i in range(count) if not alike[i]]
    sets.sort(key=sorted)
    return [tuple(_name(k) for k, one in enumerate(sets) if i in one) for i in range(count)]


def shown_letters(names: Sequence[str]) -> str:
    """Letters as one word, or several where one alphabet is not enough."""
    return (" " if any(len(name) > 1 for name in names) else "").join(names)


def _grown(members: set[int], alike: Sequence[set[int]]) -> set[int]:
    """The set with every value that differs from none in it, the best first."""
    for k in range(len(alike)):
        if k not in members and members <= alike[k]:
            members = members | {k}
    return members


def _needed(sets: list[set[int]]) -> list[set[int]]:
    """Without sets whose pairs all have another letter in common."""
    holders: dict[tuple[int, int], int] = {}
    for one in sets:
        for pair in combinations(sorted(one), 2):
            holders[pair] = holders.get(pair, 0) + 1
    kept = []
    for one in sorted(sets, key=len):  # the small ones go first
        pairs = [*combinations(sorted(one), 2)]
        if all(holders[pair] > 1 for pair in pairs):
            for pair in pairs:
                holders[pair] -= 1
        else:
            kept.append(one)
    return kept


def _name(number: int) -> str:
    """a .. z, A .. Z, then a1 .. Z1, a2 .."""
    turn, letter = divmod(number, len(ascii_letters))
    return ascii_letters[letter] + (str(turn) if turn else "")
