"""Values with arrays in them, as something that can be compared."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def told(value: Any) -> Any:
    """A value as something that can be compared, types of arrays included."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), np.signbit(value).tolist(), value.tolist()
    if dataclasses.is_dataclass(value):
        return {field.name: told(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return {key: told(one) for key, one in value.items()} if isinstance(value, dict) else value
