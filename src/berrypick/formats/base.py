"""Base class of file formats, and where their readers report problems.

A format is one file in this folder: a class whose docstring is the specification with a sample, and that can sniff,
read and write. Readers are tolerant of what real files contain and strict about what would change a number. What they
object to goes to :class:`Problems`, which either stops at the first one (evaluation) or collects them (``check``).
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TextIO, get_args

from berrypick.core.errors import InputError, UsageError
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.core.words import counted

#: So many labels outside the vocabulary are named in a count of them.
_NAMED = 3
Role = Literal["truth", "run", "collection", "navigation", "log", "user"]


@dataclass
class Problems:
    """Problems that a reader reports. Strict: the first one is raised. Otherwise they are collected, up to a limit."""

    path: str
    strict: bool = True
    limit: int = 1000
    found: list[InputError] = field(default_factory=list)
    #: What a reader skipped or met by design, to be shown as counts.
    counts: dict[str, int] = field(default_factory=dict)
    #: Labels outside the vocabulary of a format: by what was said of them, each with its lines.
    foreign: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def report(self, what: str, line: int | None = None, text: str | None = None, remedy: str = "") -> None:
        error = InputError(what, path=self.path, line=line, text=text, remedy=remedy)
        if self.strict:
            raise error
        if len(self.found) < self.limit:
            self.found.append(error)

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def label(self, what: str, label: Any, line: int) -> None:
        """Count a label outside the vocabulary, under its name; ``what`` says which it is, and what it counts as."""
        self.foreign.setdefault(what, {}).setdefault(repr(label)[:60], []).append(line)

    def told(self) -> dict[str, int]:
        """Return the counts, those of labels outside the vocabulary with the names of the most frequent ones."""
        found = dict(self.counts)
        for what, labels in self.foreign.items():
            named = sorted(labels, key=lambda label: -len(labels[label]))
            more = f", {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            found[f"{what} ({', '.join(named[:_NAMED])}{more})"] = sum(map(len, labels.values()))
        return found

    def first_lines(self) -> dict[str, int]:
        """Return every label outside the vocabulary with the line where it first stands."""
        every = ((what, label, lines) for what, of in self.foreign.items() for label, lines in of.items())
        return {f"{what}: {label}": lines[0] for what, label, lines in every}


class Format:
    """Base class of file formats: a subclass has a name, a role and :meth:`read`, and is detected if it can sniff.

    Examples
    --------
    >>> import berrypick as bp
    >>> class Plain(bp.Format):
    ...     "A document a line."
    ...     format_name, role = "plain-run", "run"
    ...     @classmethod
    ...     def read(cls, path, problems, **options):
    ...         return bp.Run.from_dict({"q": [{"doc": line.strip()} for line in open(path)]})
    >>> Plain.description()
    'A document a line.'
    """

    #: The name people type as a format and see in ``berrypick list formats``.
    format_name: ClassVar[str]
    role: ClassVar[Role]
    #: What its positions count, where every file of it has the same.
    positions: ClassVar[Literal["chars", "seconds"] | None] = None
    #: What one line of it looks like, for messages.
    shape: ClassVar[str] = "see its documentation"
    #: File endings by which ``convert`` chooses the format of its output.
    suffixes: ClassVar[tuple[str, ...]] = ()
    #: Other names of it.
    aliases: ClassVar[tuple[str, ...]] = ()
    #: The names in its JSON objects, where it is JSON: unknown files get the formats with the nearest names suggested.
    json_names: ClassVar[tuple[str, ...]] = ()
    #: What is computed for a truth of it where no measure is named, if what is judged does not say it.
    default_measures: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not (cls.__doc__ or "").strip():
            cls.__doc__ = "No description."

    @classmethod
    def name(cls) -> str:
        """Return the name people type."""
        return cls.format_name

    @classmethod
    def description(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def definition_problem(cls) -> str:
        """Why the class cannot be registered; empty if it can."""
        name = getattr(cls, "format_name", None)
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w.-]*", name):
            return f"format_name is the name that people type, such as 'my-run', not {name!r}"
        if getattr(cls, "role", None) not in get_args(Role):
            return f"role is one of {', '.join(get_args(Role))}"
        for listed in ("suffixes", "aliases"):
            if not (isinstance(found := getattr(cls, listed), tuple) and all(isinstance(one, str) for one in found)):
                return f"{listed} is a tuple of texts"
        return "it has no method read" if cls.read.__func__ is Format.read.__func__ else ""  # type: ignore[attr-defined]

    @classmethod
    def specification(cls) -> str:
        """Return the docstring as in the file, TABs included: from Python 3.13 on ``__doc__`` has blanks instead."""
        try:
            tree = ast.parse(inspect.getsource(sys.modules[cls.__module__]))
        except (KeyError, OSError, TypeError):  # no source at hand
            return cls.__doc__ or ""
        found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__]
        return (ast.get_docstring(found[0], clean=False) if found else None) or cls.__doc__ or ""

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        """Say whether these first lines (no comments, no blank lines) look like this format."""
        return False

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        """Say whether a folder looks like files of this format that belong together."""
        return False

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Any:
        """Return a Truth, a Run, or what else the role says; what is wrong with a line goes to ``problems``."""
        raise NotImplementedError(f"{cls.__name__} has no method read")

    @classmethod
    def split(cls, path: str) -> list[Any]:
        """Return the runs of a file that may hold several; none in most formats."""
        return []

    @classmethod
    def documents(cls, path: str) -> dict[str, str]:
        """Return the texts of documents that a file of this format holds, by name; none in most formats."""
        return {}

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        """Write a value to an open file; formats that cannot do so refuse."""
        raise UsageError(f"{cls.format_name} is read, not written")

    @classmethod
    def write_parquet(cls, value: Any, out: Any) -> None:
        """Write to a binary file, where the name ends in .parquet."""
        raise UsageError(f"{cls.format_name} is not written as Parquet")

    @classmethod
    def accepts(cls, value: Any) -> str:
        """Empty if the value can be written in this format without loss, else why not."""
        return f"{cls.format_name} is read, not written"

    #: How it may be read, by name, with a sentence on each: ``berrypick convert`` and the brackets after its name
    #: (``name(option='value')``) take them, and :meth:`read` gets them as options.
    reading: ClassVar[Mapping[str, str]] = {}
    #: Whether it says which topics a run returns nothing for, or a truth has no answer to.
    holds_empty_topics: ClassVar[bool] = False
    #: Whether topics for which nothing was judged have a place in it.
    holds_unjudged_topics: ClassVar[bool] = False
    #: What it holds of a truth beside graded units, of :attr:`berrypick.core.truth.Truth.beside`.
    holds: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def refusal(cls, value: Any) -> str:
        """Empty if nothing is lost by writing the value in this format, else why it is not written."""
        if problem := cls.accepts(value):
            return problem
        lost = cls.lost(value)
        what = "truth" if isinstance(value, Truth) else "run"
        return f"the {what} has {' and '.join(sorted(lost))}, which would be lost" if lost else ""

    @classmethod
    def lost(cls, value: Any) -> frozenset[str]:
        """Return what there is beside graded units in a truth, or in a run, and has no place in this format."""
        known = cls.holds if cls.positions is None else cls.holds | {cls.positions}
        return value.beside - known if isinstance(value, (Truth, Run)) else frozenset()

    @classmethod
    def describe(cls, value: Any) -> list[str]:
        """Counts for ``check`` to print."""
        if cls.role not in ("truth", "run"):
            return [repr(value)]
        of_run = [counted(len(value), "result"), f"tag {value.tag}"] if cls.role == "run" else []
        return [counted(len(value.topics), "topic"), *of_run]
