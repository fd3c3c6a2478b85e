"""The command line as a process of its own."""

from __future__ import annotations

import sys


def command(*arguments: object) -> list[str]:
    """The words that start berrypick with these arguments."""
    return [sys.executable, "-m", "berrypick", *map(str, arguments)]
