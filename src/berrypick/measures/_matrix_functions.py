"""Functions of a person's own matrix: the expected ratio, and how the numbers beside a matrix are checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach


def expected_ratio(reach: Any, idealism: Any = None) -> FloatArray:
    """Compute the expected share of the targets seen after each rank, from your own matrix of reach.

    Parameters
    ----------
    reach : matrix
        Ranks x targets, dense or SciPy sparse, values in [0, 1].
    idealism : list of float, optional
        For each target the share of readers for whom it is ideal; 1 by default.

    Returns
    -------
    array
        One value for each rank.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.expected_ratio([[1, 0], [0, 0.5]]).tolist()
    [0.5, 0.75]
    """
    matrix = Reach.of(reach)
    weight = np.ones(matrix.targets) if idealism is None else vector(idealism, matrix.targets, "idealism")
    some_targets(matrix)
    return np.array([matrix.expected_seen(k) @ weight for k in range(1, matrix.ranks + 1)]) / weight.sum()


def some_targets(matrix: Reach) -> None:
    """Refuse a matrix without targets."""
    if not matrix.targets:
        raise UsageError("reach has no columns: at least one target is needed")


def vector(values: Any, length: int, name: str) -> FloatArray:
    """Return this many numbers above 0."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be numbers") from None
    if array.shape != (length,):
        raise UsageError(f"{name} must have {length} values, not shape {array.shape}")
    if not (array > 0).all():
        raise UsageError(f"every value of {name} must be above 0")
    return array
