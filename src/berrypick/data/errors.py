"""Errors: what is wrong, where (file and line), and the remedy. Messages can hold options of a call or command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Message(str):
    """A text for people. As a string it has options the way Python code gives them (``collection=``);
    :func:`as_flags` shows the same text with the flags of the command line (``--collection``)."""

    #: The text with its options in both forms, as :func:`option` puts them there.
    template: str

    def __new__(cls, template: str) -> Message:
        if isinstance(template, cls):
            return template
        message = super().__new__(cls, _OPTION.sub(r"\1", template))
        message.template = template
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[str]]:
        return Message, (self.template,)


def option(name: str, value: object = None, flag: str = "") -> str:
    """An option inside the text of an error or note: ``quotes='fuzzy'`` in Python, ``--quotes fuzzy`` in a shell.

    ``flag`` is the option on the command line where it is not the name in Python: ``option("measures", flag="m")``.
    """
    flag = flag or name.replace("_", "-")
    dashes = "-" if len(flag) == 1 else "--"
    if value is None:
        return f"\x02{name}=\x1f{dashes}{flag}\x03"
    if value is True:
        return f"\x02{name}=True\x1f{dashes}{flag}\x03"
    import shlex

    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"\x02{name}={value!r}\x1f{dashes}{flag} {shlex.quote(shorten(text))}\x03"


def in_both(python: str, shell: str) -> str:
    """A call inside the text of an error or note, and the command that does the same."""
    return f"\x02{one_line(python)}\x1f{one_line(shell)}\x03"


#: An option as :func:`option` writes it: the Python form, then the form of the command line.
_OPTION = re.compile("\x02([^\x1f\x03]*)\x1f([^\x1f\x03]*)\x03")


def one_line(text: str) -> str:
    """A text whose characters all show, on one line: line breaks, control characters, ANSI escapes and marks that turn
    the direction of writing are escaped. Names come from files, and must not look like lines of ours."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line_template(template: str) -> str:
    """The same for a text with options in both forms."""
    parts, last = [], 0
    for found in _OPTION.finditer(template):
        parts.append(one_line(template[last : found.start()]))
        parts.append(f"\x02{one_line(found[1])}\x1f{one_line(found[2])}\x03")
        last = found.end()
    return "".join([*parts, one_line(template[last:])])


def as_flags(said: object) -> str:
    """The text of an error, note or message with options as command-line flags."""
    return _OPTION.sub(r"\2", str(getattr(said, "template", said)))


#: Between the lines of a message.
_NEXT = "\n  "


class BerrypickError(Exception):
    """Base class of all errors of berrypick. The message is complete and can be shown to users.

    Parameters
    ----------
    message : str
        What is wrong, where, and what to do.
    *more : str
        Further lines of it. A line break inside a line, which a name may have, is escaped.

    Examples
    --------
    >>> import berrypick as bp
    >>> try:
    ...     bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EPRUN")
    ... except bp.BerrypickError as error:
    ...     print(error)
    unknown measure EPRUN; did you mean EPRUM or PRUM or epgr?
    """

    def __init__(self, message: str, *more: str) -> None:
        super().__init__(Message(_NEXT.join(map(one_line_template, (message, *more)))))

    @property
    def template(self) -> str:
        """The message for another one to quote: options stay options."""
        message: Message = self.args[0]
        return message.template

    @property
    def lines(self) -> list[str]:
        """The lines of the message for another one to quote."""
        return self.template.split(_NEXT)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython and notebooks show: the message, without the frames it came through."""
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> Any:
        """Without ``__init__``, whose arguments need not be those of the exception: errors cross processes."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class BerrypickWarning(UserWarning):
    """A meaningless number, most likely caused by a mistake in the inputs.

    Parameters
    ----------
    *args : str
        The message.

    Examples
    --------
    >>> import warnings
    >>> import berrypick as bp
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = bp.score("EPRUM", {"q": {"a": 1}}, {"q": {"b": 1.0}})
    >>> [issubclass(one.category, bp.BerrypickWarning) for one in caught]
    [True]
    """


class UsageError(BerrypickError):
    """A call or command that cannot work as it is: an unknown measure, a missing option.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    *more : str
        Further lines of it.

    Examples
    --------
    >>> import berrypick as bp
    >>> issubclass(bp.UsageError, bp.BerrypickError)
    True
    """


class NeedsError(UsageError):
    """What a measure needs or reads: a sentence without its subject, the measure, which an evaluation adds."""


class NamedError(UsageError):
    """An error of a measure that names the measure itself."""


class InputError(BerrypickError):
    """A file or value with content that would make a number wrong.

    Parameters
    ----------
    what : str
        What is wrong.
    path : str, optional
        The file.
    line : int, optional
        The line of it.
    text : str, optional
        The text of that line.
    remedy : str or list of str
        What to do, in one or several lines.
    rule : str
        The rule of a track that is broken, where a parser knows it: ``range``.

    Examples
    --------
    >>> import berrypick as bp
    >>> print(bp.InputError("the grade is no number", path="t.qrels", line=3, text="1 0 a x", remedy="give a number"))
    t.qrels:3: the grade is no number
      1 0 a x
      give a number
    """

    def __init__(
        self,
        what: str,
        *,
        path: str | None = None,
        line: int | None = None,
        text: str | None = None,
        remedy: str | Sequence[str] = "",
        rule: str = "",
    ) -> None:
        remedies = [Message(one).template for one in ([remedy] if isinstance(remedy, str) else remedy)]
        self.what, self.remedy, self.remedies = Message(what), Message(_NEXT.join(remedies)), remedies
        self.path, self.line, self.text, self.rule = path, line, text, rule
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        shown = [] if text is None else [shorten(text)]
        super().__init__(f"{where}{self.what.template}", *shown, *filter(None, remedies))


#: What is said of values that Python's stack cannot hold.
TOO_DEEP = "is nested too deeply to be read"


@contextmanager
def nesting_refused(path: str, remedy: str = "no format needs more than a few levels") -> Iterator[None]:
    """A file nested deeper than Python's stack is an error of the file, wherever its reader meets the depth."""
    try:
        yield
    except RecursionError:
        raise InputError(TOO_DEEP, path=path, remedy=remedy) from None


def shorten(text: str, width: int = 160) -> str:
    """One printable line: control characters escaped, the middle cut out if it is long."""
    text = text.rstrip("\r\n")
    if len(text) > 2 * width:  # a line may have megabytes
        text = text[:width] + text[-width:]
    clean = one_line(text)
    if len(clean) > width:
        half = (width - 5) // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return clean


def nearest(word: object, known: list[str]) -> str:
    """'; did you mean A or B?' or nothing: the end of a message about an unknown name."""
    import difflib

    lower = str(word).lower()
    lowered: dict[str, list[str]] = {}
    for name in known:
        lowered.setdefault(name.lower(), []).append(name)
    if lower in lowered:
        return f"; did you mean {' or '.join(lowered[lower])}?"
    close = difflib.get_close_matches(lower, list(lowered), n=3, cutoff=0.6)
    names = [name for key in close for name in lowered[key]]
    return f"; did you mean {' or '.join(names)}?" if names else ""


def library(name: str, needed: str, extra: str) -> Any:
    """A library that may not be installed; without it the error names the extra that brings it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{needed}: pip install 'berrypick[{extra}]'") from None
