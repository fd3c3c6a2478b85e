"""Recorded sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import BACK, CUT, Sessions
from berrypick.data.session_paths import Paths
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import cell_problem, finite
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.fields import is_span_header


class RecordedSessions(Format):
    """Sessions, one visited path per line: units separated by ``;``, ``<`` for a step back to the page before.

    The end of a path is the end of the visit. ``?`` at the end says that the recording stopped there, and that how the
    visitor went on is not known. Lines of TAB separated columns, as Wikispeedia publishes them, hold the path in the
    fourth. Names may have spaces in them; those around a name are ignored, as are blank lines and lines that begin
    with #.

    Sample::

        home;docs;install;<;tutorial
        home;pricing
        home;docs;?
    """

    format_name: ClassVar[str] = "sessions"
    role: ClassVar[Role] = "navigation"
    marks: ClassVar[tuple[str, ...]] = (";",)
    shape: ClassVar[str] = "unit;unit;...;unit"
    suffixes: ClassVar[tuple[str, ...]] = (".sessions", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        if is_span_header(cell.strip('"') for cell in lines[0].split(";")):
            return False  # the columns of a table
        if lines[0].lstrip().startswith(("{", "<")) or not any(";" in line for line in lines):
            return False
        # a path is the whole line, or the fourth of TAB separated columns; other tables have other columns
        if not all(len(line.split("\t")) > 3 or ("\t" not in line and not _is_trec(line)) for line in lines):
            return False
        if all(len(line.split("\t")) > 3 or len(line.split()) == 1 for line in lines):
            return True
        # names with spaces, but neither prose nor JSON
        return not lines[0].lstrip().startswith("[") and 2 * sum(";" in line for line in lines) >= len(lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Sessions:
        return Sessions(Paths.of(cls._paths(path, problems)), path)

    @classmethod
    def _paths(cls, path: str, problems: Problems) -> Iterator[Sequence[str]]:
        """Every path that can be read, one at a time."""
        for number, text in content(path, problems):
            columns = text.split("\t")
            if len(columns) in (2, 3):
                problems.report(f"has {len(columns)} columns", number, text, f"expected {cls.shape}")
                continue
            steps = [step.strip() for step in (columns[3] if len(columns) > 3 else columns[0]).split(";")]
            if not all(steps):
                problems.report("an empty unit between two separators", number, text)
                continue
            if CUT in steps[:-1] or steps[0] == CUT:
                problems.report(f"{CUT} must be at the end of a path", number, text)
                continue
            if BACK in steps and min(accumulate(-1 if step == BACK else 1 for step in steps)) < 1:
                problems.report("goes back before its first page", number, text)
                continue
            yield steps

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Sessions):
            return "it is not a set of sessions"
        if value.goals:
            return "its sessions have goals, for which a path has no place"
        bad = next((unit for unit in value.units if ";" in unit), None)
        return f"the name {bad!r} has a separator in it" if bad is not None else cell_problem(value.units)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for path in value.paths:
            out.write(";".join(path) + "\n")

    @classmethod
    def describe(cls, value: Sessions) -> list[str]:
        return [counted(len(value.paths), "session"), counted(len(value.units), "unit")]


def _is_trec(line: str) -> bool:
    """Whether a line is one of judgements or of a run as TREC has them, in which names have no spaces."""
    words = line.split()
    numbers = {4: words[3:4], 6: words[3:5]}.get(len(words), [])
    return bool(numbers) and all(finite(word) is not None for word in numbers) and ";" not in words[1]
