"""Hides add-ons from Python, as if they were not installed: those that ``BERRYPICK_HIDDEN`` names, separated by commas.

Tests put this folder on ``PYTHONPATH``, so that the processes which they start do not see them either.
"""

import os
import sys


class Hide:
    """Finds no module of the hidden add-ons, and lets nobody else find one."""

    def __init__(self, names):
        self.hidden = tuple(f"berrypick.addons.{name}" for name in names)

    def find_spec(self, name, path=None, target=None):
        if any(name == hidden or name.startswith(f"{hidden}.") for hidden in self.hidden):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide(*names):
    """Hide add-ons of which nothing is loaded yet, from this process and from those that it starts."""
    os.environ["BERRYPICK_HIDDEN"] = ",".join(names)
    sys.meta_path.insert(0, Hide(names))


if os.environ.get("BERRYPICK_HIDDEN"):
    hide(*os.environ["BERRYPICK_HIDDEN"].split(","))
