"""Values between the corners of piecewise straight lines, for many lines at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Positions
from berrypick.kernels import native


def interpolate(lines: Sequence[tuple[FloatArray, FloatArray]], line: IntArray, position: Positions) -> FloatArray:
    """The height of the line with each number at a position; a line is its corners, and level beyond them.

    The same as ``numpy.interp`` for each line, to the bit.

    >>> import numpy as np
    >>> rising = np.array([0.0, 10.0]), np.array([0.0, 2.0])
    >>> level = np.array([0.0, 10.0]), np.array([3.0, 3.0])
    >>> interpolate([rising, level], np.array([0, 1, 0]), np.array([5, 5, 20]))
    array([1., 3., 2.])
    """
    position = np.ascontiguousarray(position, dtype=np.float64)
    found = np.empty(len(position))
    if (compiled := native()) is not None:
        compiled.interpolate(list(lines), np.ascontiguousarray(line, dtype=np.int64), position, found)
        return found
    for number, (x, y) in enumerate(lines):
        rows = line == number
        found[rows] = np.interp(position[rows], x, y)
    return found
