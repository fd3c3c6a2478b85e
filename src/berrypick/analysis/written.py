"""How what analysis finds becomes text: the layer of reports, which is above this one, says so when it is loaded.

``bp.compare``, ``bp.diff`` and ``bp.sweep`` load it.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any


@singledispatch
def written(value: Any, **how: Any) -> str:
    """A value as text; ``how`` are an output, places and a layout where it has them."""
    raise TypeError(f"to write a {type(value).__name__} down, import berrypick.report.comparison")
