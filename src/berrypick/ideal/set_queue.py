"""The queue of a best-first search over sets of candidates."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator


class Turns:
    """So many turns, ended by seconds where they are given."""

    def __init__(self, count: int, seconds: float | None) -> None:
        self.count, self.seconds = count, seconds
        self.stopped = False  # by seconds

    def __iter__(self) -> Iterator[int]:
        deadline = None if self.seconds is None else time.monotonic() + self.seconds
        for turn in range(self.count):
            if deadline is not None and time.monotonic() > deadline:
                self.stopped = True
                return
            yield turn


class SetQueue:
    """Sets of candidates, each in the best order known for it. The one whose extensions can score most comes first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, float, tuple[int, ...], float]] = []
        self._best_known: dict[frozenset[int], float] = {}
        self._pushed = 0

    @property
    def bound(self) -> float:
        """What the extensions of all sets that are left can score."""
        return max((bound for *_, bound in self._heap), default=-math.inf)

    def push(self, bound: float, order: tuple[int, ...], score: float, key: float | None = None) -> None:
        """Add a set unless a better order of it is known; ``bound`` is on its extensions, ``score`` its own. Sets are
        in the order of ``key``, the bound if none is given."""
        known = frozenset(order)
        if score > self._best_known.get(known, -math.inf):
            self._best_known[known] = score
            heapq.heappush(self._heap, (-(bound if key is None else key), self._pushed, score, order, bound))
            self._pushed += 1

    def take(self, turns: Turns, promising: Callable[[float], bool]) -> Iterator[tuple[int, ...]]:
        """The sets one by one, those whose bound is still promising."""
        for _ in turns:
            if not self._heap:
                return
            *_, score, order, bound = heapq.heappop(self._heap)
            if promising(bound) and score >= self._best_known[frozenset(order)]:
                yield order
