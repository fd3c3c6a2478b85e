"""Output of the commands."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

import click

from berrypick.data.errors import BerrypickError, InputError, UsageError, as_flags, one_line, shorten

if TYPE_CHECKING:
    from berrypick.tables.tables import Paint


#: Settings of every command: the options that show its help.
HELP = {"help_option_names": ["-h", "--help"]}
#: How the name of a file says its format.
EXTENSIONS = {"json": "json", "jsonl": "jsonl", "csv": "csv", "tsv": "tsv", "md": "markdown", "tex": "latex",
              "txt": "table", "xml": "junit"}  # fmt: skip


def say(message: str, err: bool = False, nl: bool = True) -> None:
    """Print. Names come from files: on a terminal control characters are escaped, but for ends of lines and tabs, which
    are ours. Data in a pipe is unchanged, except for lone surrogates, which cannot be encoded."""
    if err:
        _say_error("\n".join(map(one_line, message.split("\n"))), nl)
        return
    if sys.stdout.isatty():
        message = re.sub("[^\n\t]+", lambda found: one_line(found[0]), message)
    click.echo(_encodable(message), nl=nl)


def tell(message: object) -> None:
    """Print one line beside the results: a line break in it is part of a name, and escaped."""
    say(one_line(as_flags(message)), err=True)


def _encodable(message: str) -> str:
    return message.encode("utf-8", "backslashreplace").decode("utf-8")


def _say_error(message: str, nl: bool) -> None:
    """Print to standard error; where nobody can read that, results and exit code are what they would be."""
    with suppress(OSError, ValueError):  # full, closed, its reader gone
        click.echo(_encodable(message), err=True, nl=nl)
    flush_errors()


def flush_errors() -> None:
    """Write what is buffered for standard error. Where that cannot be written, nothing is from now on: the interpreter
    would try again at the end, and exit with a code of its own."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            sys.stderr.flush()


def fail(message: object, as_json: bool = False, code: str = "usage", fix: str = "") -> NoReturn:
    """Exit with 2: an error of ours has lines, any other text is one.

    With ``as_json`` the error is one JSON object on one line of standard error. ``code`` is its kind and ``fix`` its
    remedy where ``message`` does not know them itself.
    """
    said = as_flags(message)
    if not isinstance(message, BerrypickError):
        said = one_line(" ".join(said.split()))
    if as_json:
        import json

        say(json.dumps({"error": _error_record(message, said, code, fix)}), err=True)
    else:
        say(f"berrypick: {said}{f' ({fix})' if fix else ''}", err=True)
    sys.exit(2)


def _error_record(message: object, said: str, code: str, fix: str) -> dict[str, str | int | None]:
    """Return what a program reads of an error: its kind, its text, what to do, and where."""
    file, line = None, None
    if isinstance(message, InputError):
        code, file, line = "input", message.path, message.line
        fix = as_flags(message.remedy) or _fix_of_file(file)
    elif isinstance(message, BerrypickError):
        fix = "\n".join(as_flags(one) for one in message.lines[1:]) or said.partition("; ")[2]
    return {"code": code, "message": said, "fix": fix or "see 'berrypick --help'", "file": file, "line": line}


def _fix_of_file(path: str | None) -> str:
    """Return what to do about a file whose error names no remedy."""
    import shlex

    if path is None:
        return ""
    if not os.path.exists(path):
        return "give the path of a file that exists"
    return f"berrypick check {shlex.quote(shorten(path))} lists every problem of the file"


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether the words of a command ask for JSON, read without its options, which may be what is wrong."""
    values = [value for flag, value in pairwise(arguments) if flag in _FORMAT_FLAGS]
    joined = [value for one in arguments for flag in _FORMAT_FLAGS if (value := one.removeprefix(_joined(flag))) != one]
    return "json" in (*values, *joined)


#: The options that name the format to print.
_FORMAT_FLAGS = ("-o", "--output", "--format")


def _joined(flag: str) -> str:
    return f"{flag}=" if flag.startswith("--") else flag


def show(content: str, painted: bool = False) -> None:
    """Print a result; text ``painted`` for a terminal has control characters, but none from files."""
    if painted and sys.stdout.isatty():
        from berrypick.tables import terminal  # loaded for terminals alone

        if terminal.decorated(sys.stdout):
            click.echo(content, nl=False)
            return
    say(content, nl=False)


def show_notes(notes: Iterable[object]) -> None:
    for note in notes:
        tell(f"note: {as_flags(note)}")


def painter() -> Paint:
    """How tables are printed: with colours on a terminal, else as plain text."""
    from berrypick.tables import tables

    if not sys.stdout.isatty():
        return tables.plain
    from berrypick.tables import terminal

    return terminal.painter(sys.stdout)


def default_output() -> str:
    return "table" if sys.stdout.isatty() else "tsv"


def names_file(value: str) -> bool:
    """Whether a value of -o is a file: no format's name has a dot or a slash."""
    return any(sign in value for sign in (".", "/", os.sep))


@dataclass(frozen=True)
class Output:
    """What -o and --format ask for: a format to print in, a file to write in a format, or both."""

    printed: str | None
    target: str | None = None
    written: str | None = None

    @classmethod
    def read(cls, given: Sequence[str], form: str | None, choices: Sequence[str], default: str) -> Output:
        """From the values of -o and of --format."""
        files = [value for value in given if names_file(value)]
        words = [value for value in given if not names_file(value)]
        if len(files) > 1 or len(words) > 1:
            raise UsageError("-o takes one file and one format")
        if not files:
            if words and form:
                raise UsageError(f"-o {words[0]} and --format {form} are two formats to print; give one")
            return cls(words[0] if words else form or default)
        ending = files[0].lower().removesuffix(".gz").rpartition(".")[2]
        written = form or EXTENSIONS.get(ending, "")
        if written not in choices:
            able = [f".{one}" for one, name in EXTENSIONS.items() if name in choices]
            raise UsageError(f"{files[0]}: which format? Use an extension of {', '.join(able)}, or name it by --format")
        return cls(words[0] if words else None, files[0], written)

    @property
    def formats(self) -> set[str]:
        """The formats that something is printed or written in."""
        return {one for one in (self.printed, self.written) if one}

    def show(self, render: Callable[[str, Paint], str], reasons: Sequence[str] = ()) -> None:
        """Write and print a result; exit code 1 if there is a reason to fail, whether or not anybody reads it."""
        if self.target is not None and self.written is not None:
            from berrypick.files.files import atomic_writer
            from berrypick.tables import tables

            content = render(self.written, tables.plain)
            with atomic_writer(self.target) as out:
                out.write(_encodable(content))
            tell(f"{self.target}: written as {self.written}")
        content = "" if self.printed is None else render(self.printed, painter())
        show_gated(content, self.printed == "table", reasons)


def show_gated(content: str, painted: bool, reasons: Sequence[str]) -> None:
    """Print a result; exit code 1 if there is a reason to fail, whether or not anybody reads the result."""
    try:
        show(content, painted)
        sys.stdout.flush()
    except OSError as error:
        if not reasons or not is_broken_pipe(error):
            raise
        drop_output()
    finally:
        for reason in reasons:
            tell(f"not met: {shorten(as_flags(reason), 400)}")
    if reasons:
        sys.exit(1)


def is_broken_pipe(error: OSError) -> bool:
    """Whether the reader of a pipe has gone, which is an invalid argument on Windows."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def drop_output() -> None:
    """Nobody reads the output, or it cannot be written: what is still buffered is not written either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_overwriting(target: str, inputs: Iterable[str | None], documents: str | None = None) -> None:
    """Refuse a target that is one of the inputs, or a file in a folder of them.

    In a folder of ``documents`` every file is a text; in other folders only XML files are read.
    """
    from berrypick.documents.collection_files import SUFFIXES

    if not os.path.isfile(target):
        return
    for source in (*inputs, documents):
        if source is None or not os.path.exists(source):
            continue
        if os.path.samefile(target, source):
            raise UsageError(f"refusing to overwrite input file {target}; name another file to write")
        inside = os.path.isdir(source) and _is_inside(target, source)
        if inside and (source == documents or target.lower().endswith(SUFFIXES)):
            raise UsageError(f"refusing to overwrite {target}, a file of {source}; name another file to write")


def refuse_same(one: str, other: str) -> None:
    """Refuse to write one file twice."""
    if "\0" not in one + other and os.path.realpath(one) == os.path.realpath(other):
        raise UsageError(f"{one} would be written twice; name two files")


def _is_inside(path: str, folder: str) -> bool:
    from pathlib import Path  # loads urllib

    return Path(folder).resolve() in Path(path).resolve().parents


@contextmanager
def progress_bar(doing: str = "evaluating", what: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on a terminal, nothing elsewhere."""
    if sys.stderr.isatty():
        from berrypick.tables import terminal
    if not sys.stderr.isatty() or not terminal.decorated(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn(what), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
