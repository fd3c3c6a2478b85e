"""JSON as its standard has it: no NaN, and no name twice in one object, of which Python would keep the last."""

from __future__ import annotations

import json
import re
from typing import Any

from berrypick.data.errors import shorten


class RepeatedName(ValueError):
    """A name that an object has twice; ``line`` is that of the second one."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(f"the name {shorten(name, 60)!r} is given twice in one object")
        self.line = line

    remedy = "keep one of them: of two values only the last would count"


def strict_json(text: str, nan: bool = False) -> Any:
    """The value of a text; :class:`RepeatedName`, another ValueError or RecursionError if it is not JSON. With ``nan``,
    NaN and Infinity are left to the one who looks at the values."""
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    try:
        return (_WITH_NAN if nan else _DECODER).decode(text)
    except _Repeated as found:
        raise RepeatedName(str(found), _second_line(text)) from None


def refuse_constant(word: str) -> float:
    """NaN and Infinity, which Python's reader of JSON takes for numbers."""
    raise ValueError(f"{word} is not a usable number")


class _Repeated(ValueError):
    """Without its line, which the reader of JSON does not say."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        raise _Repeated(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
    return found


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=_object)
_WITH_NAN = json.JSONDecoder(object_pairs_hook=_object)
#: A string that is a name, another string, or a bracket.
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}\[\]]', re.DOTALL)


def _second_line(text: str) -> int:
    """The line of the first name that its object has already; the text is well-formed up to there."""
    open_objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        mark = token[0][0]
        if mark in "{[":
            open_objects.append(set())
        elif mark in "}]":
            open_objects.pop()
        elif token[2]:
            name = json.loads(token[1])
            if name in open_objects[-1]:
                return text.count("\n", 0, token.start()) + 1
            open_objects[-1].add(name)
    return 1
