"""Python's search for values that refer to each other in circles, and when to do without it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """While very many values are made, none of them in circles: looking through them again and again is a tenth of the
    time of reading and scoring a large run."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
