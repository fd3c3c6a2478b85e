"""Appending whole lines to a file that several programs write to."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from berrypick.data.errors import InputError

#: How long to wait for another writer, in seconds, and how long between two attempts.
PATIENCE, PAUSE = 60.0, 0.02


class AppendedFile:
    """A file that is open and locked: what was read of it stays all there is until the new lines are appended."""

    def __init__(self, handle: int, path: str) -> None:
        self._handle, self._path = handle, path

    def content(self) -> bytes:
        """Return everything that is in the file."""
        parts = []
        os.lseek(self._handle, 0, os.SEEK_SET)
        while data := os.read(self._handle, 1 << 20):
            parts.append(data)
        return b"".join(parts)

    def append(self, content: bytes) -> None:
        """Append all of some bytes, or none: where the disk is full the file is cut back to what it was."""
        before = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(self._handle, left) :]
            os.fsync(self._handle)
        except BaseException as error:
            os.ftruncate(self._handle, before)
            if isinstance(error, OSError):
                raise InputError(f"cannot be written ({error.strerror})", path=self._path) from None
            raise


@contextmanager
def appending(path: str) -> Iterator[AppendedFile]:
    """Open a file, which need not exist, to read it and to append to it while no other program does."""
    folder = os.path.dirname(path) or "."
    if not os.path.exists(folder):
        raise InputError(f"the folder {folder} does not exist", path=path)
    new = not os.path.exists(path)
    if not new and not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError("is not a regular file, so nothing can be appended to it", path=path)
    handle = _opened_and_locked(path)
    try:
        yield AppendedFile(handle, path)
    except BaseException:
        if new and os.fstat(handle).st_size == 0 and _is_at(handle, path):  # made for lines that were not written
            _remove(path)
        raise
    finally:
        os.close(handle)  # which unlocks it


def _opened_and_locked(path: str) -> int:
    """Open a file and wait for its lock; again where another program has removed or replaced it in the meantime."""
    while True:
        handle = _opened(path)
        try:
            _lock(handle, path)
            if _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _opened(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(path, flags, 0o666)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid file name"
        remedy = "make it writable, or name another file" if isinstance(error, PermissionError) else ""
        raise InputError(f"cannot be written ({why})", path=path, remedy=remedy) from None


def _is_at(handle: int, path: str) -> bool:
    """Whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(path: str) -> None:
    with suppress(OSError):  # Windows keeps a file that is open; an empty one does no harm
        os.unlink(path)


def _lock(handle: int, path: str) -> None:
    """Wait until no other program holds the file."""
    end = time.monotonic() + PATIENCE
    while not _try_lock(handle, path):
        if time.monotonic() > end:
            remedy = "wait until it has ended, then run the command again"
            raise InputError("another program has been writing to it for a minute", path=path, remedy=remedy)
        time.sleep(PAUSE)


def _try_lock(handle: int, path: str) -> bool:
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        remedy = "keep it on a local disk"
        raise InputError(f"its file system cannot lock it ({error.strerror})", path=path, remedy=remedy) from None
    return True


def _try_lock_windows(handle: int) -> bool:
    import msvcrt

    os.lseek(handle, 1 << 40, os.SEEK_SET)  # a byte far behind the content, so that others can read
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
