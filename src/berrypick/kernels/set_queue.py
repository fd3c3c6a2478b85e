"""The queue of a best-first search over sets of candidates."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator


class SetQueue:
    """Sets of candidates, each in the best order known for it. The one whose extensions can score most comes first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, float, tuple[int, ...]]] = []
        self._best_known: dict[frozenset[int], float] = {}
        self._pushed = 0
        self.stopped = False  # by seconds

    @property
    def bound(self) -> float:
        """What the extensions of all sets that are left can score."""
        return -self._heap[0][0] if self._heap else -math.inf

    def push(self, bound: float, order: tuple[int, ...], score: float) -> None:
        """Add a set unless a better order of it is known; ``bound`` is on its extensions, ``score`` its own."""
        key = frozenset(order)
        if score > self._best_known.get(key, -math.inf):
            self._best_known[key] = score
            heapq.heappush(self._heap, (-bound, self._pushed, score, order))
            self._pushed += 1

    def take(self, nodes: int, seconds: float | None, promising: Callable[[float], bool]) -> Iterator[tuple[int, ...]]:
        """The sets one by one, while their bound is promising and neither number is used up."""
        deadline = None if seconds is None else time.monotonic() + seconds
        for _ in range(nodes):
            if not self._heap or not promising(self.bound):
                return
            if deadline is not None and time.monotonic() > deadline:
                self.stopped = True
                return
            _, _, score, order = heapq.heappop(self._heap)
            if score >= self._best_known[frozenset(order)]:
                yield order
