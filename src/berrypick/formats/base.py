"""Base class of file formats.

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
from typing import Any, ClassVar, Literal, TextIO, get_args

from berrypick.data.errors import UsageError
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.files.problems import Problems

Role = Literal["truth", "run", "collection", "navigation", "log", "user"]


__all__ = ["Format", "Problems", "Role", "agrees"]

_BLANKS = re.compile(r"[\s\ufeff]*")


def agrees(lines: list[str], begins: tuple[str, ...] = (), marks: tuple[str, ...] = (), words: int = 0) -> bool:
    """Return whether first lines match what a format declares: their beginning, content and number of words."""
    if begins and not lines[0].startswith(begins, _BLANKS.match(lines[0]).end()):  # type: ignore[union-attr]
        return False
    text = "\n".join(lines) if marks else ""
    if marks and not any(mark in text for mark in marks):
        return False
    return not words or any(len(line.split(None, words)) >= words for line in lines)


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
    #: How the first line begins, after blanks and a byte order mark: with one of these; none if with anything.
    begins: ClassVar[tuple[str, ...]] = ()
    #: What the first lines contain, with line ends between them: one of these, at least; none if they may be anything.
    marks: ClassVar[tuple[str, ...]] = ()
    #: How many words, separated by blanks or TABs, at least one of the first lines has.
    words: ClassVar[int] = 0
    #: Formats that are asked after this one, because both may recognise a file, or to spare loading them. Formats of
    #: other packages are asked after ours.
    before: ClassVar[tuple[str, ...]] = ()
    #: Whether the message about a file in no known format shows it.
    usual: ClassVar[bool] = False
    #: The names in its JSON objects, where it is JSON: unknown files get the formats with the nearest names suggested.
    json_names: ClassVar[tuple[str, ...]] = ()
    #: Whether golden files look the same: where a truth is expected, they are not said to be of this format.
    like_golden: ClassVar[bool] = False
    #: Whether :meth:`read` takes ``fields``: which field has which role, as a person says.
    takes_fields: ClassVar[bool] = False
    #: Whether its parser refuses names with NUL or lone surrogates itself; else they are looked for in what was read.
    checks_names: ClassVar[bool] = False
    #: What is computed for a truth of it where no measure is named, if what is judged does not say it.
    default_measures: ClassVar[str] = ""
    #: By value of the option ``level``: the format that reads units of that level from the same file.
    at_level: ClassVar[Mapping[str, str]] = {}

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
        for listed in ("suffixes", "aliases", "begins", "marks", "before"):
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
    def recognises(cls, lines: list[str]) -> bool:
        """Return whether first lines are in this format: they match what it declares, and :meth:`sniff` agrees."""
        return agrees(lines, cls.begins, cls.marks, cls.words) and cls.sniff(lines)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        """Return whether these first lines (no comments, no blank lines) look like this format.

        It is asked where the lines agree with :attr:`begins`, :attr:`marks` and :attr:`words`. Files of formats whose
        lines do not agree are not loaded, so that these are literals.
        """
        return False

    @classmethod
    def sniff_columns(cls, names: list[str]) -> bool:
        """Return whether a Parquet file with these columns looks like this format, and not like a table of spans."""
        return False

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        """Return whether a folder looks like files of this format that belong together."""
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
    #: Whether the results of a topic are one list, which may be empty: a topic that a file does not mention is absent.
    states_empty_lists: ClassVar[bool] = False
    #: Whether it says which topics a run returns nothing for, or a truth has no answer to.
    holds_empty_topics: ClassVar[bool] = False
    #: Whether topics for which nothing was judged have a place in it.
    holds_unjudged_topics: ClassVar[bool] = False
    #: What it holds of a truth beside graded units, of :attr:`berrypick.data.truth.Truth.beside`.
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
        of_run = [counted(value.size(), "result"), f"tag {value.tag}"] if cls.role == "run" else []
        return [counted(len(value.topics), "topic"), *of_run]
