"""One tree of errors: what is wrong, where (file and line), and what to do about it."""

from __future__ import annotations


class BerrypickError(Exception):
    """Everything berrypick raises on purpose. The message is complete: it can be shown to a person as it is."""


class UsageError(BerrypickError):
    """Something was asked for that cannot be done as asked: an unknown measure, a missing option."""


class InputError(BerrypickError):
    """A file or value holds something that would make a number wrong."""

    def __init__(
        self, what: str, *, path: str | None = None, line: int | None = None, text: str | None = None, remedy: str = ""
    ) -> None:
        self.what, self.path, self.line, self.text, self.remedy = what, path, line, text, remedy
        super().__init__(self._message())

    def _message(self) -> str:
        where = ""
        if self.path is not None:
            where = self.path if self.line is None else f"{self.path}:{self.line}"
            where += ": "
        shown = ""
        if self.text is not None:
            shown = "\n  " + shorten(self.text)
        return f"{where}{self.what}{shown}" + (f"\n  {self.remedy}" if self.remedy else "")


def shorten(text: str, width: int = 160) -> str:
    """One printable line: control characters escaped, the middle cut out if it is long."""
    clean = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text.rstrip("\r\n"))
    if len(clean) > width:
        half = (width - 5) // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return clean


def nearest(word: str, known: list[str]) -> str:
    """'; did you mean A or B?' or nothing: the end of a message about an unknown name."""
    import difflib

    lowered: dict[str, list[str]] = {}
    for name in known:
        lowered.setdefault(name.lower(), []).append(name)
    if word.lower() in lowered:
        return f"; did you mean {' or '.join(lowered[word.lower()])}?"
    close = difflib.get_close_matches(word.lower(), list(lowered), n=3, cutoff=0.6)
    names = [name for key in close for name in lowered[key]]
    return f"; did you mean {' or '.join(names)}?" if names else ""
