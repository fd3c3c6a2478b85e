"""What the parts share: where the files are, one table over several readers, and the commands that give its rows.

A column of a table and the command that a person can type for it come from the same value, so they cannot differ.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.tables.tables import aligned, shown

WIDTH = 80


@dataclass(frozen=True)
class DemoPart:
    """The files of one part: a folder beside this module, a truth and runs in it."""

    folder: str
    truth: str
    runs: tuple[str, ...]

    def path(self, name: str = "") -> Path:
        return Path(__file__).resolve().parent / self.folder / name


@dataclass(frozen=True)
class DemoReading:
    """One evaluation of all runs: the measures, the user model, and the files it needs."""

    label: str
    measures: str
    user: str = ""
    navigation: str = ""
    collection: str = ""
    units: int | None = None
    ignore_elements: str = ""


#: Value of each run, by column.
Numbers = dict[str, dict[str, float | None]]


def numbers(part: DemoPart, readings: Sequence[DemoReading], measure: str) -> Numbers:
    """One measure under several readers: ``{label: {run: value}}``."""
    return {reading.label: _means(part, reading, measure)[measure] for reading in readings}


def measured(part: DemoPart, reading: DemoReading) -> Numbers:
    """Several measures of one evaluation: ``{measure: {run: value}}``."""
    return _means(part, reading, reading.measures)


def _means(part: DemoPart, reading: DemoReading, measures: str) -> Numbers:
    evaluation = Evaluation.prepare(
        part.path(part.truth),
        [part.path(run) for run in part.runs],
        measures,
        user=reading.user or None,
        navigation=part.path(reading.navigation) if reading.navigation else None,
        collection=part.path(reading.collection) if reading.collection else None,
        units=reading.units,
        ignore_elements=reading.ignore_elements,
    )
    found: Numbers = {}
    for row in evaluation.run().mean_rows:
        found.setdefault(row.measure, {})[row.run] = row.value
    return found


def table(
    heading: str, columns: Numbers, smaller_is_better: Sequence[str] = (), without_best: Sequence[str] = ()
) -> str:
    """Runs as rows, and a last row that says which is best, where any is."""
    runs = list(next(iter(columns.values())))
    rows = [[run, *(shown(values[run], 4) for values in columns.values())] for run in runs]
    best = []
    for label, values in columns.items():
        first = winners(values, label in smaller_is_better)
        best.append("" if label in without_best else "all equal" if first == runs else ", ".join(first))
    return aligned(Table(heading, ["run", *columns], [*rows, ["best", *best]]))


def short_table(title: str, columns: Numbers, sentence: str) -> str:
    """One part on a few lines: its runs, the best of each column with a star, and what one sees."""
    runs = list(next(iter(columns.values())))
    best = {label: winners(values) for label, values in columns.items()}
    rows = [
        [f"  {run}", *(shown(values[run], 4) + " *"[run in best[label]] for label, values in columns.items())]
        for run in runs
    ]
    header, _, *lines = aligned(Table("", [title, *(f"{label} " for label in columns)], rows)).splitlines()
    return "".join(f"{line}\n" for line in [header, *lines, sentence])


def winners(values: Mapping[str, float | None], smaller_is_better: bool = False) -> list[str]:
    """The best run, or several with the same value."""
    known = {run: value for run, value in values.items() if value is not None}
    top = min(known.values()) if smaller_is_better else max(known.values())
    return [run for run, value in known.items() if value == top]


def command(part: DemoPart, reading: DemoReading) -> str:
    """What to type, in the folder of the part, for the rows of one reading; long lines are continued."""
    options = [f"-m {_quoted(reading.measures)}"]
    options += [f"--units {reading.units}"] if reading.units is not None else []
    options += [f"--user {_quoted(reading.user)}"] if reading.user else []
    options += [f"--collection {reading.collection}"] if reading.collection else []
    options += [f"--navigation {reading.navigation}"] if reading.navigation else []
    return wrap_command([f"  berrypick evaluate {part.truth} {' '.join(part.runs)}", "   "], options)


def wrap_command(lines: list[str], words: Sequence[str]) -> str:
    """A command that begins with some lines; further words are on more lines where they do not fit."""
    for word in words:
        if len(lines[-1]) + len(word) > WIDTH - 4:
            lines.append("   ")
        lines[-1] += f" {word}"
    return " \\\n".join(lines) + "\n"


def _quoted(spec: str) -> str:
    return f"'{spec}'" if set(spec) & set(" (") else spec


def commands(part: DemoPart, readings: Sequence[DemoReading]) -> str:
    """Where the files are, and what to type there."""
    return to_type(part, [command(part, reading) for reading in readings])


def to_type(part: DemoPart, typed: Sequence[str]) -> str:
    """Commands as a person can type them, from anywhere."""
    place = f"  cd {shlex.quote(os.fspath(part.path()))}\n"
    return "To see the same numbers, type\n\n" + place + on_path() + "".join(typed)


def on_path() -> str:
    """A line that makes the command known to the shell, where it is not: it was installed beside this Python."""
    beside = Path(sys.executable).parent
    if shutil.which("berrypick") or not shutil.which("berrypick", path=os.fspath(beside)):
        return ""
    return f"  export PATH={shlex.quote(os.fspath(beside))}:$PATH\n"


def paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH) + "\n"


def items(meanings: Mapping[str, str]) -> str:
    """Names with what they mean, one under the other."""
    width = max(len(name) for name in meanings)
    lines = [
        textwrap.fill(
            f"{name.ljust(width)}  {meaning}", WIDTH, initial_indent="  ", subsequent_indent=" " * (width + 4)
        )
        for name, meaning in meanings.items()
    ]
    return "\n".join(lines) + "\n"


def title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"
