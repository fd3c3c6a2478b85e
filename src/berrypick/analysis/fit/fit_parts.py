"""How a user model is estimated: the part held out, the seed, the confidence of intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.errors import UsageError
from berrypick.statistics.statistics import LEAST_RESAMPLES, check_draws
from berrypick.users.learning import held_sessions

# streams of random numbers
VALIDATION, PAGES = 6, 7


@dataclass(frozen=True)
class FitMethod:
    """How a user model is estimated."""

    held_out: float = 0.2
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not isinstance(self.held_out, (int, float, np.number)) or not 0 <= self.held_out < 1:
            raise UsageError(f"held_out must be in [0, 1), not {self.held_out!r:.60}")
        check_draws(self.confidence, LEAST_RESAMPLES, self.seed)

    def held(self, sessions: int) -> BoolArray:
        """The sessions that are held out, drawn at random."""
        return held_sessions(sessions, self.held_out, self.seed)
