"""What fitting a chain and fitting a law of distances share: the split by session, held-out likelihood, numbers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from berrypick.comparison.statistics import LEAST_RESAMPLES, check_draws
from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.errors import UsageError, option

# streams of random numbers
_SPLIT, VALIDATION, PAGES = 5, 6, 7


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
        return drawn(sessions, self.held_out, [_SPLIT, self.seed])


def drawn(sessions: int, share: float, seed: list[int]) -> BoolArray:
    """A random share of the sessions: at least one, and not all of them."""
    found = np.zeros(sessions, dtype=bool)
    if share > 0:
        if sessions < 2:
            raise UsageError(
                f"a log of {sessions} session cannot be split; {option('held_out', 0)} estimates from all of it"
            )
        number = min(max(1, round(share * sessions)), sessions - 1)
        found[np.random.default_rng(seed).permutation(sessions)[:number]] = True
    return found


def parameter(value: float, low: float, high: float) -> dict[str, float | None]:
    return {"value": rounded(value), "low": rounded(low), "high": rounded(high)}


def rounded(value: float, digits: int = 6) -> float:
    """Few digits: the last ones of a double differ between machines, and checksums with them."""
    return float(f"{value:.{digits}g}")


def all_rounded(value: Any) -> Any:
    """Every number inside a value rounded."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, dict):
        return {key: all_rounded(one) for key, one in value.items()}
    return [all_rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def data_checksum(lines: Iterable[str]) -> str:
    """A short name for the content of a log."""
    found = hashlib.sha256()
    for line in lines:
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()[:16]


def held_out_facts(
    own: FloatArray, other: FloatArray, session: IntArray, baseline: str, unit: str, confidence: float
) -> dict[str, Any]:
    """Mean log-likelihoods of held-out decisions under the fitted model and another one, with their difference.

    What either model gives probability 0 is counted and left out of both means. The interval takes sessions as
    independent.
    """
    possible = np.isfinite(own) & np.isfinite(other)
    number = int(possible.sum())
    difference = own[possible] - other[possible]
    mean = float(difference.mean()) if number else math.nan
    _, place = np.unique(session[possible], return_inverse=True)
    groups = int(place.max()) + 1 if number else 0
    half = math.nan
    if groups > 1:
        residuals = np.bincount(place, weights=difference - mean)
        half = (
            float(ndtri((1 + confidence) / 2)) * math.sqrt(float((residuals**2).sum()) * groups / (groups - 1)) / number
        )
    return {
        "sessions": len(np.unique(session)),
        unit: len(own),
        "impossible": len(own) - int(np.isfinite(own).sum()),
        "left_out": len(own) - number,
        "log_likelihood": float(own[possible].mean()) if number else None,
        "baseline": baseline,
        "baseline_log_likelihood": float(other[possible].mean()) if number else None,
        "difference": _known(mean),
        "low": _known(mean - half),
        "high": _known(mean + half),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
