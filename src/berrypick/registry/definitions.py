"""What the files of a room define, found by reading the files and not by importing them.

A measure, user model, format, protocol, panel or command is one definition in a file of its room or of a folder in it.
Files and folders whose names begin with an underscore hold what definitions share, and are passed over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

#: A class with a base class. A pattern that begins with a fixed text, such as the end of a line, is quick.
CLASSES = re.compile(r"\nclass (?P<attribute>[A-Za-z]\w*)\([^)]+\):")
#: The most lines that a literal of a class body may take.
_LONGEST = 60
_NEXT = re.compile(r"\n[^\s#]")
#: The first line of a docstring that follows at once.
_DOCSTRING = re.compile(r'\n    r?"""([^\\\n]*?)(?:"""|\n)')
_TEXT = r"""(?:"[^"\\\n]*"|'[^'\\\n]*')"""
_EACH_TEXT = re.compile(_TEXT)
#: Literals that are read without parsing Python, which takes ten times as long: a text, texts in brackets, or a number.
_PLAIN = re.compile(
    rf"(?:(?P<text>{_TEXT})|(?P<texts>\(\s*(?:{_TEXT},\s*)*(?:{_TEXT}\s*)?\))|(?P<number>\d+)|True)(?=\n|  #)"
)


@dataclass(frozen=True)
class Definition:
    """Something that a file defines: where to import it from, and the facts that its file states as literals.

    ``description`` is the first line of its docstring; '' where that is not known without importing the file.
    """

    module: str
    attribute: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""

    def load(self) -> Any:
        """Import the file, and return what it defines."""
        return getattr(import_module(self.module), self.attribute)


@dataclass(frozen=True)
class Room:
    """A folder of definitions, and how to recognise them in its files.

    Parameters
    ----------
    package : str
        The package of the folder.
    folder : str or Path
        The folder itself; a package of an editable installation may have several, and this is the one with the source.
    pattern : re.Pattern
        Where a definition begins; its group ``attribute`` is the name to import, other groups are facts.
    facts : tuple of str
        Names whose literal values are read from the body of a definition; a method of such a name is the fact True.
    """

    package: str
    folder: str | os.PathLike[str]
    pattern: re.Pattern[str] = CLASSES
    facts: tuple[str, ...] = ()

    def files(self) -> list[tuple[str, str]]:
        """Return the modules of the room and of its folders, in the order of their names, with their files."""
        found, folders = [], [(self.package, os.fspath(self.folder))]
        while folders:
            package, folder = folders.pop()
            for entry in os.scandir(folder):
                name, dot, suffix = entry.name.partition(".")
                if name.startswith("_") or (name == "base" and package == self.package):
                    continue
                if suffix == "py":
                    found.append((f"{package}.{name}", entry.path))
                elif name and not dot and entry.is_dir():
                    folders.append((f"{package}.{name}", entry.path))
        return sorted(found)

    def definitions(self, only: Iterable[tuple[str, str]] | None = None) -> Iterator[Definition]:
        """Go through the definitions of all files, or of some."""
        for module, path in self.files() if only is None else only:
            with open(path, "rb") as file:
                text = file.read().decode()
            text = text.replace("\r\n", "\n") if "\r" in text else text
            for found in self.pattern.finditer(text):
                facts = {name: value for name, value in found.groupdict().items() if name != "attribute"}
                facts |= _facts(text, found.end(), self.facts)
                told = _DOCSTRING.match(text, found.end())
                yield Definition(module, found["attribute"], facts, "" if told is None else told[1].strip())


@cache
def _stated(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds names in the body of a class: assigned, or defined as a method."""
    known = "|".join(names)
    return re.compile(rf"\n    (?:(?P<assigned>{known})(?::[^=\n]+)? = |def (?P<method>{known})\()")


def _facts(text: str, start: int, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of names that the body of a class assigns as literals; True for names of its methods."""
    if not names:
        return {}
    following = _NEXT.search(text, start)
    end = following.start() if following else len(text)
    found: dict[str, Any] = {}
    for one in _stated(names).finditer(text, start, end):
        if one["method"]:
            found[one["method"]] = True
        else:
            found[one["assigned"]] = _literal(text, one.end())
    return found


def _literal(text: str, start: int) -> Any:
    """Return the literal that begins at a position and may go on over several lines."""
    plain = _PLAIN.match(text, start)
    if plain is not None:
        if plain["text"]:
            return plain[0][1:-1]
        if plain["texts"]:
            return tuple(one[1:-1] for one in _EACH_TEXT.findall(plain[0]))
        return int(plain[0]) if plain["number"] else True
    from ast import literal_eval

    lines, tried = text[start:].split("\n", _LONGEST)[:_LONGEST], ""
    for line in lines:
        tried += line.strip() + "\n"
        try:
            return literal_eval(tried.partition("  #")[0].strip())
        except (SyntaxError, ValueError):
            continue
    raise ValueError(f"no literal begins with {lines[0]!r:.60}: write it out, so that it can be read without import")
