"""What is learnt from logs in whatever way shares: the split by session, held-out likelihood, calibration, numbers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError, option

#: The stream of random numbers of the split.
_SPLIT = 5
#: Ranges of predicted probability in a calibration table.
EDGES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def held_sessions(sessions: int, share: float, seed: int) -> BoolArray:
    """Return the sessions that are held out, drawn at random."""
    return drawn(sessions, share, [_SPLIT, seed])


def drawn(sessions: int, share: float, seed: list[int]) -> BoolArray:
    """Return a random share of the sessions: at least one, and not all of them."""
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
    """Return a parameter with its interval, as the file has it."""
    return {"value": rounded(value), "low": rounded(low), "high": rounded(high)}


def rounded(value: float, digits: int = 6) -> float:
    """Return few digits: the last ones of a double differ between machines, and checksums with them."""
    return float(f"{value:.{digits}g}")


def all_rounded(value: Any) -> Any:
    """Return a value with every number inside rounded."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, dict):
        return {key: all_rounded(one) for key, one in value.items()}
    return [all_rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def data_checksum(lines: Iterable[str]) -> str:
    """Return a short name for the content of a log."""
    found = hashlib.sha256()
    for line in lines:
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()[:16]


def held_out_facts(
    own: FloatArray, other: FloatArray, session: IntArray, baseline: str, unit: str, confidence: float
) -> dict[str, Any]:
    """Return the mean log-likelihoods of held-out decisions under the fitted model and another, and their difference.

    What either model gives probability 0 is counted and left out of both means. The interval takes sessions as
    independent.
    """
    possible = np.isfinite(own) & np.isfinite(other)
    number = int(possible.sum())
    mean, low, high = paired(own[possible] - other[possible], session[possible], confidence)
    return {
        "sessions": len(np.unique(session)),
        unit: len(own),
        "impossible": len(own) - int(np.isfinite(own).sum()),
        "left_out": len(own) - number,
        "log_likelihood": float(own[possible].mean()) if number else None,
        "baseline": baseline,
        "baseline_log_likelihood": float(other[possible].mean()) if number else None,
        "difference": mean,
        "low": low,
        "high": high,
    }


def paired(difference: FloatArray, session: IntArray, confidence: float) -> tuple[float | None, ...]:
    """Return the mean of paired differences with its interval, which takes sessions as independent; None if unknown.

    Student's with one degree of freedom less than there are sessions.
    """
    if not len(difference):
        return None, None, None
    mean = float(difference.mean())
    _, place = np.unique(session, return_inverse=True)
    groups = int(place.max()) + 1
    if groups < 2:
        return mean, None, None
    residuals = np.bincount(place, weights=difference - mean)
    error = math.sqrt(float((residuals**2).sum()) * groups / (groups - 1)) / len(difference)
    half = float(stdtrit(groups - 1, (1 + confidence) / 2)) * error
    return mean, mean - half, mean + half


def verdict(low: float | None, high: float | None) -> str:
    """Say what an interval of own score minus another one's shows, where larger scores are better."""
    if low is None or high is None:
        return "no interval"
    return "better" if low > 0 else "worse" if high < 0 else "no difference shown"


def binned(what: str, predicted: FloatArray, cases: IntArray, observed: IntArray) -> list[dict[str, Any]]:
    """Return the rows of a calibration table by predicted probability."""
    place = np.searchsorted(np.array(EDGES), predicted)
    rows = []
    for i, edge in enumerate(EDGES):
        own = place == i
        number = int(cases[own].sum())
        if number:
            expected, seen = float((predicted[own] * cases[own]).sum()), float(observed[own].sum())
            rows.append(calibration_row(what, EDGES[i - 1] if i else 0.0, edge, number, expected, seen))
    return rows


def calibration_row(what: str, low: float, high: float, cases: int, expected: float, seen: float) -> dict[str, Any]:
    """Return, of cases in a range, how many were expected, and how many were seen, as shares."""
    return {
        "what": what, "from": low, "to": high, "cases": cases, "predicted": expected / cases, "observed": seen / cases
    }  # fmt: skip
