"""Use the core and every slice but one: ``look_around.py SLICE...`` hides each of them in turn, for test_slices.

What slices add is loaded through all doors, every command tells its help, and those without pictures are run. A line is
printed for each hidden slice, then one for each command; what goes wrong ends it. To load the core and the libraries
takes longer than all the rest: this is done once, and each slice is hidden in a process forked from there.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from every_command import invocations, write_inputs
from sitecustomize import hide

import berrypick
from berrypick import formats, measures, users
from berrypick.cli import COMMANDS, commands, main
from berrypick.core.doors import doors, own_points

#: Commands that draw take seconds, and have tests of their own.
DRAWN = {"report", "plot", "simulate", "sweep", "stability", "annotate", "demo"}
#: Commands whose example asks for a user model of another slice: one message where that is hidden.
ASKED = {"fit": "markov"}


def run(*arguments: object) -> tuple[int, str]:
    """The exit code of a command, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            return int(stopped.code or 0), said.getvalue()
    raise AssertionError(f"{arguments} did not end")


def load_everything(hidden: str) -> None:
    """Each door and registry gives all that is there, and has nothing to complain about."""
    for door in doors:
        points = own_points(door.group).items()
        there = {name for name, point in points if f".addons.{hidden}." not in f"{point.module}."}
        assert there <= dict(door).keys() and not door.problems(), (door.group, door.problems())
    for registry in (measures.registry, users.registry, formats.registry):
        assert list(registry) and not registry.problems(), registry.problems()


def run_commands(folder: Path) -> None:
    """Each command tells its help; those without a picture are run, once for each exit code."""
    (folder / "out").mkdir()
    calls = invocations(write_inputs(folder, "n"), folder / "out")
    for name in [*COMMANDS, *(name for name, _ in commands)]:
        code, said = run(name, "--help")
        assert code == 0 and "Usage: berrypick" in said, (name, said)
        for code, arguments in {} if name in DRAWN else dict(reversed(calls[name])).items():
            found, said = run(name, *arguments)
            if (asked := ASKED.get(name)) and asked not in users.registered():
                assert found == 2 and f"unknown user model {asked}" in said, (name, said)
            else:
                assert found == code, (name, arguments, said)
        print(name)


def load_core() -> None:
    """Load the rooms of the core, which load no slice, and what slices take from libraries."""
    for room in (info.name for info in iter_modules(berrypick.__path__) if info.ispkg and info.name != "addons"):
        package = import_module(f"berrypick.{room}")
        for info in walk_packages(package.__path__, f"{package.__name__}."):
            if not info.name.endswith(".__main__"):
                import_module(info.name)
    for library in ("ir_measures", "pyarrow.parquet", "scipy.optimize", "scipy.sparse.linalg"):
        import_module(library)
    loaded = [name for name in sys.modules if name.startswith("berrypick.addons.")]
    assert not loaded, f"the core loads {loaded}"


def look_around(hidden: str) -> None:
    """Do everything without one slice."""
    hide(hidden)
    load_everything(hidden)
    with tempfile.TemporaryDirectory() as made:
        run_commands(Path(made))


def ends_well(hidden: str) -> bool:
    """Look around in a process of its own; what goes wrong there is told on the error stream."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    code = 1
    try:
        look_around(hidden)
        code = 0
    except BaseException:
        print(f"without {hidden}:", traceback.format_exc(), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    load_core()
    for hidden in sys.argv[1:]:
        print(f"without {hidden}:", flush=True)
        if not ends_well(hidden):
            sys.exit(1)
