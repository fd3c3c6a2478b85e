"""The best list of candidates that a search found for a measure."""

from __future__ import annotations

from typing import NamedTuple

from berrypick.kernels.list_problem import Found

#: The relative gap of a certificate above which a note says so.
GAP = 0.05


class BestList(NamedTuple):
    """A list for a recall value ``r``, or for gains up to ``level``: what was proved of it, and its units in order."""

    found: Found
    units: tuple[str, ...]
    targets: int
    candidates: int
    readers: float = 1.0  # the share of readers whose ideal units are these targets
    r: int | None = None
    level: float | None = None
