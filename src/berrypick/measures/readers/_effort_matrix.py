"""Effort-precision from a person's own matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.measures._matrix_functions import some_targets, vector
from berrypick.measures.base import LEVELS
from berrypick.measures.readers._effort_precision import work


def effort_precision(
    reach: Any,
    gains: Any,
    *,
    effort: Any = None,
    target_effort: Any = None,
    outside: Any = None,
    levels: Any = None,
) -> FloatArray:
    """Compute the expected effort-precision at gain-recall levels, from your own matrix of reach; its mean is epnav.

    Parameters
    ----------
    reach : matrix
        Ranks x targets, dense or SciPy sparse, values in [0, 1].
    gains : list of float
        What each target is worth.
    effort : list of float, optional
        The effort of each rank; 1 by default.
    target_effort : list of float, optional
        The effort of each target in the ideal list; 1 by default.
    outside : matrix, optional
        Ranks x targets: what browsing from a rank to a target costs those who get there; 0 by default.
    levels : list of float, optional
        The gain-recall levels; .01, .02 .. 1 by default.

    Returns
    -------
    array
        One value for each level.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.effort_precision([[0, 0], [1, 0], [0, 1]], [1, 1], levels=[0.5, 1]).round(4).tolist()
    [0.5, 0.6667]
    """
    matrix = Reach.of(reach)
    worth = vector(gains, matrix.targets, "gains")
    some_targets(matrix)
    spent = np.ones(matrix.ranks) if effort is None else vector(effort, matrix.ranks, "effort")
    ideal = np.ones(matrix.targets) if target_effort is None else vector(target_effort, matrix.targets, "target_effort")
    wanted = tuple(np.asarray(LEVELS if levels is None else levels, dtype=np.float64).ravel().tolist())
    return work(matrix, worth, spent, ideal, _browsing(outside, matrix), wanted).precision


def _browsing(outside: Any, matrix: Reach) -> FloatArray:
    """What browsing costs, for each entry of the reach."""
    if outside is None:
        return np.zeros(len(matrix.rank))
    cost = np.asarray(outside, dtype=np.float64)
    if cost.shape != (matrix.ranks, matrix.targets) or not (cost >= 0).all():
        raise UsageError(f"outside must be a matrix of {matrix.ranks} x {matrix.targets} values, 0 or more")
    return cost[matrix.rank, matrix.target]
