"""Work, counted: what other processes do to the clock does not change it."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, compiled ones included."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def peak(work: Callable[[], Any]) -> int:
    """The most bytes that Python and NumPy hold at once for it."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
