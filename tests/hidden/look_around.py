"""Use the core and every slice that is not hidden: run by test_slices in a process of its own, with one slice hidden.

What slices add is loaded through all doors, every command tells its help, and those without pictures are run. A line is
printed for each command; what goes wrong ends the process.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from every_command import invocations, write_inputs

from berrypick import formats, measures, users
from berrypick.cli import COMMANDS, commands, main
from berrypick.core.doors import doors

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


def load_everything() -> None:
    """Each door and registry gives all that is there, and has nothing to complain about."""
    for door in doors:
        assert list(door) and not door.problems(), door.problems()
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    load_everything()
    with tempfile.TemporaryDirectory() as made:
        run_commands(Path(made))
