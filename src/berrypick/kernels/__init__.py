"""Number crunching on arrays: distributions, ideal lists, intervals, trees, chains.

The compiled form of a kernel, where there is one, shares its function with the NumPy form. Which of the two
is used is decided at each call: the compiled one if the installation has it, unless BERRYPICK_KERNELS says otherwise.
"""

from __future__ import annotations

import os
from types import ModuleType

from berrypick.data.errors import UsageError
from berrypick.data.results import Note

#: So many results, or bytes of documents, are work that compiled kernels save minutes of.
LARGE, LARGE_BYTES = 100_000, 50_000_000


_native: ModuleType | None
try:
    from berrypick.kernels import _native
except ImportError:  # installed without a C++ compiler
    _native = None


def native() -> ModuleType | None:
    """The compiled kernels, or None where the NumPy forms are to be used."""
    wanted = os.environ.get("BERRYPICK_KERNELS", "")
    if wanted == "numpy":
        return None
    if wanted not in ("", "native"):
        raise UsageError(f"BERRYPICK_KERNELS must be numpy or native, not {wanted}")
    if wanted == "native" and _native is None:
        raise UsageError(
            "BERRYPICK_KERNELS=native: the compiled kernels are not installed; reinstall berrypick with "
            "a C++ compiler, or unset BERRYPICK_KERNELS"
        )
    return _native


def missing_notes(large: bool) -> list[Note]:
    """A note on ``large`` work that is done without the compiled kernels because they are not installed."""
    if not large or _native is not None or os.environ.get("BERRYPICK_KERNELS"):
        return []
    remedy = "reinstall berrypick from a wheel, or with a C++ compiler"
    return [Note("kernels", f"installed without the compiled kernels, which are several times faster; {remedy}")]


def in_use() -> str:
    """Which kernels are in use: native or numpy."""
    return "numpy" if native() is None else "native"
