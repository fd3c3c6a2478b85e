"""Names that nearly match: the same but for case, leading zeros, folders, endings, or the form of accented letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, NamedTuple

from berrypick.data.run import Run
from berrypick.kernels import native

_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def _leading_zeros_left_out(name: str) -> str:
    return _ZEROS.sub("", name) if "0" in name else name


#: What names may differ in, and what is left of them without it.
FORMS: dict[str, Callable[[str], str]] = {
    "Unicode form (composed or decomposed letters)": lambda name: unicodedata.normalize("NFC", name),
    "white space around them": str.strip,
    "leading zeros": _leading_zeros_left_out,
    "case": lambda name: unicodedata.normalize("NFC", name).casefold(),
}


def _stem(name: str) -> str:
    from pathlib import PurePosixPath  # loads urllib

    return PurePosixPath(name).stem


#: The same for names of documents, which are often those of files.
FILE_FORMS: dict[str, Callable[[str], str]] = {
    "extensions": lambda name: name.rpartition(".")[0] or name,
    "folders": lambda name: name.replace("\\", "/").rpartition("/")[2],
    "folders and extensions": lambda name: _stem(name.replace("\\", "/")),
}


class NearMatch(NamedTuple):
    """What names differ in, how many there are, and the first pairs."""

    why: str
    many: int
    pairs: list[tuple[str, str]]

    def shown(self, one: str, other: str, most: int = 3) -> str:
        """The first pairs, each with where the names come from; forms that look the same are written out."""
        pairs = [f"{one} {_visible(a, b)}, {other} {_visible(b, a)}" for a, b in self.pairs[:most]]
        return "; ".join(pairs) + ("; ..." if self.many > most else "")


def _visible(name: str, beside: str) -> str:
    same = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", beside)
    return ascii(name) if same or name != name.strip() else name


def near_match(names: Collection[str], known: Collection[str], files: bool = False) -> NearMatch | None:
    """The form without which most of the names would be among the known ones; None if none would."""
    return KnownNames(known).match(names, files=files)


class KnownNames:
    """Names that are known, made ready once for many lists of names of which some may nearly match."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = dict.fromkeys(names)
        self._by_form: dict[str, dict[str, list[str]]] = {}
        self._compiled: Any = None

    def match(
        self, names: Iterable[str], without: AbstractSet[str] = frozenset(), files: bool = False
    ) -> NearMatch | None:
        """The form without which most of the names would be known, of those that are not in ``without``."""
        best: NearMatch | None = None
        given = list(names)
        for why, form in {**FORMS, **(FILE_FORMS if files else {})}.items() if given else ():
            there = self._of_form(why, form)
            pairs = [
                (name, found)
                for name in given
                if (found := next((one for one in there.get(form(name), ()) if one not in without), None)) is not None
            ]
            if pairs and (best is None or len(pairs) > best.many):
                best = NearMatch(why, len(pairs), pairs[:10])
        return best

    def _of_form(self, why: str, form: Callable[[str], str]) -> dict[str, list[str]]:
        if why not in self._by_form:
            there = self._by_form[why] = {}
            for name in self.names:
                there.setdefault(form(name), []).append(name)
        return self._by_form[why]

    def look(self, run: Run) -> tuple[bool, list[str]]:
        """Whether a run has any document of a known name, and its documents that may have one but for its form."""
        compiled = native()
        if (column := run.uncoded) is None or compiled is None:
            near = [name for name in run.documents if name not in self.names and self._may_match(name)]
            return any(name in self.names for name in run.documents), near
        if self._compiled is None:
            others = {fingerprint(name) for name in self.names if not name.isascii()}
            self._compiled = compiled.KnownNames(list(self.names), list(others))
        found, rows = self._compiled.look(column.column)
        return bool(found), list(dict.fromkeys(column.names_at(rows)))

    @cached_property
    def _prints(self) -> frozenset[str]:
        return frozenset(map(fingerprint, self.names))

    def _may_match(self, name: str) -> bool:
        """Whether a name may be known but for its form. Beyond ASCII forms are many, and nothing is ruled out."""
        return not name.isascii() or fingerprint(name) in self._prints


def fingerprint(name: str) -> str:
    """What is left of a name without all that FORMS leave out; names in ASCII that match in a form have the same."""
    return _leading_zeros_left_out(unicodedata.normalize("NFC", name).casefold().strip())


def near_hint(names: Sequence[str], known: Collection[str], one: str, other: str, files: bool = False) -> str:
    """The end of a message about names that are not known: '; they differ in case ...', or nothing."""
    found = near_match(names, known, files)
    if found is None:
        return ""
    return f"; {found.many} of them would match except for {found.why} ({found.shown(one, other)})"
