"""The process that a command runs in: its streams, signals and arguments."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


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
    if threading.current_thread() is threading.main_thread():
        for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
            if signal.getsignal(number) is usual:
                signal.signal(number, _stop)
        if _HAS_ALARMS:
            sys.unraisablehook = _stop_where_dropped


#: The process that was set up; those that it starts by copying itself have another number.
_PROCESS = os.getpid()
_HAS_ALARMS = hasattr(signal, "setitimer")


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise the exception of a signal, a little later while a module is being loaded.

    Compiled modules such as NumPy's print an exception that comes then, and raise an ImportError in its place.
    """
    if os.getpid() != _PROCESS:
        os._exit(128 + number)
    if _HAS_ALARMS and _is_loading(frame):
        _stop_later(number)
    elif number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        sys.exit(128 + number)


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def _stop_later(number: int) -> None:
    signal.signal(signal.SIGALRM, lambda _, frame: _stop(number, frame))
    signal.setitimer(signal.ITIMER_REAL, 0.01)


def _stop_where_dropped(about: sys.UnraisableHookArgs) -> None:
    """Raise the exception of a signal again that Python has dropped, as it does in destructors and callbacks."""
    if isinstance(about.exc_value, (KeyboardInterrupt, SystemExit)):
        _stop_later(signal.SIGINT if isinstance(about.exc_value, KeyboardInterrupt) else signal.SIGTERM)
    else:
        sys.__unraisablehook__(about)


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
