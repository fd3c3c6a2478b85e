"""What takes seconds to make and tests only look at: one worker makes it, and all of them have it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that is filled once for all workers of this run.

    Who comes first makes it, the others wait. If it cannot be made, each of them tries, and tells why.
    """
    top = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent  # of all workers
    place, lock = top / f"made-{name}", top / f"made-{name}.lock"
    while not (place / "made").exists():
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            time.sleep(0.1)
            continue
        try:
            place.mkdir(exist_ok=True)
            make(place)
            (place / "made").touch()
        finally:
            lock.unlink()
    return place
