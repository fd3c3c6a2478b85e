"""The process that a command runs in: its streams, signals and arguments."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from typing import Any


def set_up_process() -> None:
    """Make streams and signals the same on every system.

    Pipes and files get UTF-8 and plain ends of lines, since files are read so. Terminals, and PYTHONIOENCODING, keep
    their encoding; what it does not have is escaped. On SIGTERM the process leaves as after an error, so that temporary
    files are removed; a worker process just ends.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    process = os.getpid()

    def leave(number: int, frame: Any) -> None:
        if os.getpid() != process:
            os._exit(128 + number)
        sys.exit(128 + number)

    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, leave)


def _open_closed_streams() -> None:
    """Give streams that were closed before we began (>&-, 2>&-) their numbers back, so that no file gets them.

    Results then cannot be written, which is an error once there are any; notes are dropped.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # takes the lowest free number
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def expand_patterns(arguments: list[str]) -> list[str]:
    """Patterns, ~ and variables among arguments, which shells of Windows leave as they are."""
    from glob import glob

    plain = [os.path.expandvars(os.path.expanduser(argument)) for argument in arguments]
    return [name for pattern in plain for name in glob(pattern, recursive=True) or [pattern]]
