"""Hides add-ons from Python, as if they were not installed: those that ``BERRYPICK_HIDDEN`` names, separated by commas.

Tests put this folder on ``PYTHONPATH``, so that the processes which they start do not see them either.
"""

import os
import sys

HIDDEN = tuple(f"berrypick.addons.{name}" for name in os.environ.get("BERRYPICK_HIDDEN", "").split(",") if name)


class Hide:
    """Finds no module of the hidden add-ons, and lets nobody else find one."""

    def find_spec(self, name, path=None, target=None):
        if any(name == hidden or name.startswith(f"{hidden}.") for hidden in HIDDEN):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if HIDDEN:
    sys.meta_path.insert(0, Hide())
