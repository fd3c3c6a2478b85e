"""Products of matrices by one thread.

The libraries that multiply matrices for NumPy start a thread on every core. The products here are thin, with as many
terms as there are topics: the threads wait for each other most of the time, and on a busy machine several times as long
as the product takes. One thread also gives the same bits whatever the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock

import numpy as np

#: What the functions are called in the builds of OpenBLAS that wheels of NumPy bring along.
_NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
)
_lock = Lock()
_inside = 0
_before = 0


@lru_cache(maxsize=1)
def _controls() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """How many threads there are, and how to set that; None where NumPy has another library, or one of the system."""
    import ctypes  # few evaluations compare
    from pathlib import Path

    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")) if folder.is_dir() else ():
            try:
                library = ctypes.CDLL(str(path))  # the one that NumPy has loaded
            except OSError:
                continue
            for get, change in _NAMES:
                if hasattr(library, get) and hasattr(library, change):
                    return getattr(library, get), getattr(library, change)
    return None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within, products of matrices are made by one thread, where the library can be told so; as before behind it.

    The number of threads is that of the whole process: whoever multiplies in another thread meanwhile has one too.
    """
    global _inside, _before
    controls = _controls()
    if controls is None:
        yield
        return
    get, change = controls
    with _lock:
        if not _inside:
            _before = get()
            if _before > 1:
                change(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _before > 1:
                change(_before)
