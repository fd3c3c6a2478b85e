"""Names that nearly match: the same but for case, leading zeros, folders, endings, or the form of accented letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

#: What names may differ in, and what is left of them without it.
FORMS: dict[str, Callable[[str], str]] = {
    "Unicode form (composed or decomposed letters)": lambda name: unicodedata.normalize("NFC", name),
    "white space around them": str.strip,
    "leading zeros": lambda name: re.sub(r"(?<!\d)0+(?=\d)", "", name),
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
    best: NearMatch | None = None
    for why, form in {**FORMS, **(FILE_FORMS if files else {})}.items():
        there: dict[str, str] = {}
        for name in known:
            there.setdefault(form(name), name)
        pairs = [(name, there[form(name)]) for name in names if form(name) in there]
        if pairs and (best is None or len(pairs) > best.many):
            best = NearMatch(why, len(pairs), pairs[:10])
    return best


def near_hint(names: Sequence[str], known: Collection[str], one: str, other: str, files: bool = False) -> str:
    """The end of a message about names that are not known: '; they differ in case ...', or nothing."""
    found = near_match(names, known, files)
    if found is None:
        return ""
    return f"; {found.many} of them would match but for {found.why} ({found.shown(one, other)})"
