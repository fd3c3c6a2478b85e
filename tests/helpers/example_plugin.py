"""The package of tests/plugin: installed for real, so that berrypick finds it by its entry points."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from berrypick import cli, formats, measures, users
from berrypick.evaluation.protocols.base import protocols
from berrypick.inputs.client_readers import readers
from berrypick.report.panels.base import panels

SOURCE = Path(__file__).parents[1] / "plugin"
REGISTRIES = (measures.registry, users.registry, formats.registry, cli.commands, panels, protocols, readers)

# the classes by which contract tests are parametrised, before anything is installed
sys.path.insert(0, str(SOURCE / "src"))
try:
    from berrypick_plugin import Detours, DoubleColonRun, Opener
finally:
    sys.path.remove(str(SOURCE / "src"))

__all__ = ["Detours", "DoubleColonRun", "Opener", "discoverable", "install"]


def install(target: Path) -> Path:
    """What a person does who installs a package that extends berrypick."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--no-index", "--target", str(target), str(SOURCE)], check=True, timeout=300)
    return target


@contextmanager
def discoverable(folder: Path) -> Iterator[None]:
    """Packages in a folder are installed as long as this lasts."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    for registry in REGISTRIES:
        registry.reload()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for registry in REGISTRIES:
            registry.reload()
