"""How far some work has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from berrypick.core.errors import UsageError

Progress = Callable[[int, int], None]


@dataclass
class StepCounter:
    """Calls ``progress`` with (done, of) as steps are finished."""

    progress: Progress | None
    of: int
    done: int = 0

    def __call__(self, count: int) -> None:
        self.done += count
        if self.progress is not None:
            self.progress(self.done, self.of)


def check_progress(progress: Any) -> None:
    """A switch, as other libraries have it, is an error before the work begins."""
    if progress is not None and not callable(progress):
        raise UsageError(
            f"progress is a function that is called with (done, of), not {progress!r:.40}; "
            "e.g. progress=lambda done, of: print(done, of)"
        )
