"""The oracle reranker: how much of the targets the best choice of k results of a list would hold."""

from __future__ import annotations

from collections.abc import Sequence

#: Lists with more candidates than this are searched greedily.
EXACT = 20


def most_held(held: Sequence[Sequence[int]], k: int) -> tuple[int, bool]:
    """Return the largest number of targets that k results can hold, and whether it is exact.

    ``held`` has, for each target, the ranks of the results that hold it. Results that hold no more than another one are
    no candidates. Up to 20 candidates the answer is exact; above, each step takes the result that adds most.

    Examples
    --------
    >>> most_held([(1,), (2,), (2, 3), ()], 1)
    (2, True)
    """
    masks: dict[int, int] = {}
    for x, ranks in enumerate(held):
        for rank in ranks:
            masks[rank] = masks.get(rank, 0) | 1 << x
    kept = _maximal(set(masks.values()))
    if len(kept) <= k:
        return _union(kept).bit_count(), True
    if len(kept) > EXACT:
        return _greedy(kept, k), False
    reached = {0}
    for _ in range(k):
        reached = _maximal({one | mask for one in reached for mask in kept})
    return max(one.bit_count() for one in reached), True


def _maximal(masks: set[int]) -> set[int]:
    """The sets that are in no other one."""
    kept: list[int] = []
    for mask in sorted(masks, key=int.bit_count, reverse=True):
        if not any(mask & other == mask for other in kept):
            kept.append(mask)
    return set(kept)


def _union(masks: set[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _greedy(masks: set[int], k: int) -> int:
    found = 0
    for _ in range(k):
        found |= max(masks, key=lambda mask: ((mask & ~found).bit_count(), mask))
    return found.bit_count()
