"""The numerical work, on plain arrays: laws of numbers seen, ideal lists, intervals, visits, chains.

The compiled form of a kernel, where there is one, stands behind the same function as its NumPy form.
"""

from __future__ import annotations

import os

from berrypick.core.errors import UsageError


def in_use() -> str:
    """Which kernels are in use; the environment variable BERRYPICK_KERNELS chooses."""
    wanted = os.environ.get("BERRYPICK_KERNELS", "")
    if wanted not in ("", "numpy"):
        raise UsageError(f"BERRYPICK_KERNELS={wanted}: only the numpy kernels are installed")
    return "numpy"
