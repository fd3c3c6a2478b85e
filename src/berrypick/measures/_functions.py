"""The expected ratio and effort-precision from a person's own matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.errors import UsageError
from berrypick.core.reach import Reach
from berrypick.measures.base import LEVELS
from berrypick.measures.readers import _effort_precision


def expected_ratio(reach: Any, idealism: Any = None) -> FloatArray:
    """The expected share of the targets seen after each rank, from a ranks x targets matrix of reach."""
    matrix = Reach.of(reach)
    weight = np.ones(matrix.targets) if idealism is None else _vector(idealism, matrix.targets, "idealism")
    _some_targets(matrix)
    return np.array([matrix.expected_seen(k) @ weight for k in range(1, matrix.ranks + 1)]) / weight.sum()


def effort_precision(
    reach: Any,
    gains: Any,
    *,
    effort: Any = None,
    target_effort: Any = None,
    outside: Any = None,
    levels: Any = LEVELS,
) -> FloatArray:
    """E[ep] at each gain-recall level (default .01 .. 1), from a ranks x targets matrix of reach.

    ``gains`` of the targets, ``effort`` of the ranks and ``target_effort`` of the targets in the ideal list
    (both 1 by default). ``outside`` (ranks x targets, default 0) is what browsing from a rank to a target costs those
    who get there. The mean of the result is epnav.
    """
    matrix = Reach.of(reach)
    worth = _vector(gains, matrix.targets, "gains")
    _some_targets(matrix)
    spent = np.ones(matrix.ranks) if effort is None else _vector(effort, matrix.ranks, "effort")
    ideal = (
        np.ones(matrix.targets) if target_effort is None else _vector(target_effort, matrix.targets, "target_effort")
    )
    wanted = tuple(np.asarray(levels, dtype=np.float64).ravel().tolist())
    return _effort_precision.work(matrix, worth, spent, ideal, _browsing(outside, matrix), wanted).precision


def _browsing(outside: Any, matrix: Reach) -> FloatArray:
    """What browsing costs, for each entry of the reach."""
    if outside is None:
        return np.zeros(len(matrix.rank))
    cost = np.asarray(outside, dtype=np.float64)
    if cost.shape != (matrix.ranks, matrix.targets) or not (cost >= 0).all():
        raise UsageError(f"outside must be a matrix of {matrix.ranks} x {matrix.targets} values, 0 or more")
    return cost[matrix.rank, matrix.target]


def _some_targets(matrix: Reach) -> None:
    if not matrix.targets:
        raise UsageError("reach has no columns: at least one target is needed")


def _vector(values: Any, length: int, name: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be numbers") from None
    if array.shape != (length,):
        raise UsageError(f"{name} must have {length} values, not shape {array.shape}")
    if not (array > 0).all():
        raise UsageError(f"every value of {name} must be above 0")
    return array
