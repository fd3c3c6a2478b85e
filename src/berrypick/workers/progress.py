"""Work that takes long: steps that are counted, told to a function, or shown as a bar; Python's search for circles."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import monotonic
from typing import Any

from berrypick.data.errors import UsageError

Progress = Callable[[int, int], None]
#: What people pass: True for a bar, or a function that is called with (done, of).
ProgressLike = Progress | bool | None


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


def as_progress(given: Any) -> Progress | None:
    """Return the function to tell progress to; anything but a function or a switch is an error before work begins."""
    if given is None or given is False:
        return None
    if given is True:
        return Bar()
    if callable(given):
        function: Progress = given
        return function
    raise UsageError(
        f"progress is True for a bar, or a function that is called with (done, of), not {given!r:.40}; "
        "e.g. progress=lambda done, of: print(done, of)"
    )


class Bar:
    """A bar in a notebook, or on a terminal until all is done; where nobody would see it, nothing."""

    WIDTH = 24
    #: Seconds between two drawings.
    EVERY = 0.1

    def __init__(self) -> None:
        self.done = self.of = 0
        self._drawn: float | None = None
        self._in_notebook = _is_notebook()
        self._display: Any = None

    def __call__(self, done: int, of: int) -> None:
        self.done, self.of = done, of
        now = monotonic()
        if done < of and self._drawn is not None and now - self._drawn < self.EVERY:
            return
        self._drawn = now
        if self._in_notebook:
            self._draw_in_notebook()
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            # the cursor stays at the beginning of the line: what is printed next takes its place
            sys.stderr.write(f"\x1b[K{self}\r" if done < of else "\x1b[K")
            sys.stderr.flush()

    def _draw_in_notebook(self) -> None:
        if self._display is None:
            self._display = import_module("IPython.display").display(self, display_id=True)
        else:
            self._display.update(self)

    def __repr__(self) -> str:
        full = self.WIDTH * self.done // max(self.of, 1)
        return f"[{'#' * full}{'.' * (self.WIDTH - full)}] {self.done}/{self.of}"

    def _repr_html_(self) -> str:
        return f'<progress value="{self.done}" max="{max(self.of, 1)}"></progress> {self.done}/{self.of}'


def _is_notebook() -> bool:
    """Whether the program runs in a kernel of Jupyter; IPython is there already if so."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


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
