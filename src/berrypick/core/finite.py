"""Numbers that can be computed with."""

from __future__ import annotations

import math
from typing import Any


def is_finite(value: Any) -> bool:
    """Whether a number is finite as a float; whole numbers and fractions can be too large for one."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
