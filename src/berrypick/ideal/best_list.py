"""The best list of candidates that a search found for a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: The relative gap of a certificate above which a note says so.
GAP = 0.05


@dataclass(frozen=True)
class Found:
    """A list, its value, and a bound: no list is shorter (length), or has more (inverse)."""

    order: tuple[int, ...]
    value: float  # nan where no list surely suffices (length)
    bound: float
    stopped: bool = False  # by seconds

    @property
    def gap(self) -> float:
        """How much worse than the bound the list is, relative to the better of the two."""
        if not self.value > 0 or not self.bound > 0:
            return 0.0
        return max(self.value / self.bound, self.bound / self.value) - 1.0


class BestList(NamedTuple):
    """A list for a recall value ``r``, or for gains up to ``level``: what was proved of it, and its units in order."""

    found: Found
    units: tuple[str, ...]
    targets: int
    candidates: int
    readers: float = 1.0  # the share of readers whose ideal units are these targets
    r: int | None = None
    level: float | None = None
